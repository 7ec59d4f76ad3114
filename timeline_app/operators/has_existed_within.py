"""Whether a matching event has been in the time just before."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.instants import select_qualifying, share_births
from timeline_app.algebra.kinds import SECOND, Ints, Mask
from timeline_app.algebra.retention import select_last
from timeline_app.algebra.steps import cover_durations
from timeline_app.operators.base import Make, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.instants import derive_bool_facts, describe_counted, explain_while, omit_defaults
from timeline_app.operators.parameters import parse_duration
from timeline_app.operators.ports import Bool, Duration, Side, Where
from timeline_app.operators.reasons import Boundary, Question, Reason
from timeline_app.operators.words import format_length
from timeline_app.predicates import Predicate


def _explain(question: Question) -> Reason:
    result, where, duration = question.result, question.params["where"], question.params["duration"]
    matching, head = (
        f"with `{where.text()}`{describe_counted(question)}",
        f"`{question.op}` {format_length(duration)}",
    )
    if not result.value:
        ends = question.ends(f"ends with the next event {matching}", f" with the next event {matching}")
        if result.since is None:
            return Reason(question.nothing(matching), ends=ends)
        last = result.since - duration
        sentence = f"{head} turned false at {question.clock(result.since)}"
        sentence += f" because the last event {matching} was at {question.clock(last)}"
        return Reason(sentence, events=(Boundary(last, where),), ends=ends)
    first = result.since
    last = None if result.until is None else result.until - duration
    events = tuple(Boundary(time, where) for time in dict.fromkeys((first, last)) if time is not None)
    start_words = "before events were kept" if first is None else f"at {question.clock(first)}"
    sentence = f"{head} turned true {start_words}, with an event {matching}"
    if last is not None and last != first:
        sentence += f"; others followed, the last at {question.clock(last)}"
    over = question.is_over(result.until)
    after = f", {format_length(duration)} after the last event {matching}{'' if over else ', unless another one comes'}"
    because = explain_while(question, last)[1] if last is not None else ()
    return Reason(sentence, because, events, question.ends("never ends", after))


_EXAMPLE = Example(
    'seeking = has_existed_within(player.action == "seek", 3s)',
    "1 action=play; 3 action=seek; 5 action=seek; 9 action=pause",
)


def _expand(make: Make, inputs: Mapping[str, tuple[str, ...]], params: Mapping[str, Any]) -> str | None:
    """Replace `while` by a count of such events that changed within the duration."""
    if not inputs:
        return None
    seconds = parse_duration(params["duration"]) / SECOND
    count = make(
        "event_count", inputs, **{name: value for name, value in params.items() if name != "duration"}
    )
    has_events = make("greater_than", {"of": (count,)}, value=0.0)
    lately = make("less_than", {"of": (make("duration_in_current_state", {"of": (count,)}),)}, value=seconds)
    return make("and", {"of": (has_events, lately)})


def _select_kept(events: Events, at: Ints, where: Predicate, duration: int, **_: Any) -> Mask:
    """Return the last that matched, while it counts."""
    last = select_last(events, np.flatnonzero(where.matches(events)), at)
    return last & (events.time + duration > at[events.key])


@operator(
    "Happened within",
    category="stream",
    example=_EXAMPLE,
    why=_explain,
    facts_of=derive_bool_facts,
    canonical=omit_defaults("side", "before"),
    keeps=_select_kept,
    made_of=_expand,
    synonyms=(
        "recently",
        "in the last",
        "window",
        "last hour",
        "sliding window",
        "followed by",
        "sequence",
        "session",
        "timeout",
        "filter events",
    ),
)
def has_existed_within(
    events: Events, where: Where, duration: Duration, while_: Bool | None = None, side: Side = "before"
) -> Bool:
    """True for the duration from each matching event on, else false.

    True on the union of [t, t + duration) over the matching events. The end may lie in the future; it stands until
    an event revises it. With `while`, a bool, only events count at whose instant it is true: just before the event, or,
    with `side = at`, with all that the events of that instant have changed.
    """
    counts = select_qualifying(events, where.matches(events), while_, side)
    return share_births(cover_durations(events, counts, duration), while_)
