"""Whether events of one or several streams followed one another, step by step."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import OPEN, Ints, Kind
from timeline_app.algebra.retention import Carried, select_after, select_between
from timeline_app.algebra.runs import AMOUNTS, build_timeline, compute_amounts
from timeline_app.algebra.sequences import Rules, gather
from timeline_app.operators.base import Facts, Memory, WrongInputs, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.parameters import ParameterType
from timeline_app.operators.ports import Before, Duration, Streams, Text
from timeline_app.operators.reasons_of_runs import explain_sequence
from timeline_app.operators.steps import Breaks, SequenceBreak, SequenceStep, Steps, find_wrong_between

FIRST, LATEST = "first", "latest"
Again = Annotated[str, ParameterType("choice", FIRST, (FIRST, LATEST))]

_EXAMPLE = Example(
    """
    bought = sequence(
      steps = {search: shop.page == "search", basket: shop.page == "basket", paid: shop.page == "paid"},
      within = 4s, not = [shop.page == "logout"])
    """,
    "1 page=search; 2 page=basket; 3.5 page=paid; 5 page=search; 6 page=basket; 10 page=search; 11 page=logout",
)


def _derive_facts(_: object, params: Mapping[str, Any], __: object) -> Facts:
    problem = find_wrong_between(params["steps"], params.get("not", ()))
    if problem is not None:
        raise WrongInputs("not", *problem)
    return Facts(Kind.TEXT, runs=True)


def rules_of_sequence(
    steps: Sequence[SequenceStep], within: int | None, breaks: Sequence[SequenceBreak] | None, again: str
) -> Rules:
    """How its runs go on and end."""
    reached = {step.name: number for number, step in enumerate(steps, 1)}
    pairs = [item.between or (steps[0].name, steps[-1].name) for item in breaks or ()]
    spans = [(reached[first], reached[second]) for first, second in pairs]
    limits = tuple(OPEN if step.within is None else step.within for step in steps)
    return Rules(limits, tuple(spans), OPEN if within is None else within, again == LATEST)


def _match_steps(
    stream: str, events: Events, steps: Sequence[SequenceStep], breaks: Sequence[SequenceBreak] | None
) -> Ints:
    """Bit i says that an event matches step i, those above what breaks."""
    bits = np.zeros(events.size, dtype=np.int64)
    items: list[SequenceStep | SequenceBreak] = [*steps, *(breaks or ())]
    for index, item in enumerate(items):
        if item.stream == stream:
            matching = True if item.where is None else item.where.matches(events)
            bits |= np.where(matching, 1 << index, 0)
    return bits


def _read(
    events: Streams,
    at: Ints,
    carried: Carried | None,
    steps: Steps,
    within: Duration | None = None,
    not_: Breaks | None = None,
    again: Again = FIRST,
) -> Ints:
    """Return the memory of the runs."""
    parts = [
        (
            events_of_stream,
            _match_steps(stream, events_of_stream, steps, not_),
            select_between(events_of_stream, carried, at),
        )
        for stream, events_of_stream in sorted(events.items())
    ]
    return compute_amounts(rules_of_sequence(steps, within, not_, again), gather(parts), at, carried)


@operator(
    "Sequence",
    category="stream",
    example=_EXAMPLE,
    facts_of=_derive_facts,
    why=explain_sequence,
    memory=Memory(_read, width=AMOUNTS),
    synonyms=(
        "funnel",
        "followed by",
        "pattern",
        "A then B",
        "then",
        "A without B",
        "not followed by",
        "abandoned",
        "timeout",
        "order of events",
        "user journey",
        "login to purchase",
        "conversion",
        "steps",
        "match",
    ),
)
def sequence(
    events: Streams,
    steps: Steps,
    within: Duration | None = None,
    not_: Breaks | None = None,
    again: Again = FIRST,
    carried: Before = None,
) -> Text:
    """The step that a key has reached, and whether it completed all steps, took too long or was interrupted.

    Text: `none`, then the name of the step reached, and in the end `completed`, `expired` or `broken`, until the
    next run begins. Each step has a name, a stream and a condition. `within` limits the whole run from the first
    step on; that of a step limits the time since the step before it. An event exactly at the limit is too late, and
    the run has expired. An event that meets a condition of `not` breaks the current run, between two steps or
    anywhere.

    Each event makes one move at most: it breaks, or else it is the next step, or else it begins a run. While a run
    is on, an event of the first step is ignored; with `again = latest` it restarts the run. Events of one instant
    are ordered by id (those without one first), then by canonical JSON text, then by stream. A state without
    duration does not show; `sequence_count` and `sequence_duration` count it anyway.
    """
    parts = [
        (
            events_of_stream,
            _match_steps(stream, events_of_stream, steps, not_),
            select_after(events_of_stream, carried),
        )
        for stream, events_of_stream in sorted(events.items())
    ]
    rules = rules_of_sequence(steps, within, not_, again)
    names = [step.name for step in steps]
    return build_timeline(
        rules, names, [events_of_stream for events_of_stream, _, _ in parts], gather(parts), carried
    )
