"""Whether a matching event has been in the time just before."""

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.algebra.retention import last_until
from timeline_app.algebra.steps import within
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Bool, Duration, Where
from timeline_app.operators.reasons import Boundary, Question, Reason
from timeline_app.operators.words import length
from timeline_app.predicates import Predicate


def _why(question: Question) -> Reason:
    result, where, duration = question.result, question.params["where"], question.params["duration"]
    matching, head = f"with `{where.text()}`", f"`{question.op}` {length(duration)}"
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
    begun = "before events were kept" if first is None else f"at {question.clock(first)}"
    sentence = f"{head} turned true {begun}, with an event {matching}"
    if last is not None and last != first:
        sentence += f"; others followed, the last at {question.clock(last)}"
    over = question.is_over(result.until)
    after = (
        f", {length(duration)} after the last event {matching}{'' if over else ', unless another one comes'}"
    )
    return Reason(sentence, events=events, ends=question.ends("never ends", after))


_EXAMPLE = Example(
    'seeking = has_existed_within(player.action == "seek", 3s)',
    "1 action=play; 3 action=seek; 5 action=seek; 9 action=pause",
)


def _keeps(events: Events, at: Ints, where: Predicate, duration: int) -> Mask:
    """The last that matched, while it counts."""
    last = last_until(events, np.flatnonzero(where.matches(events)), at)
    return last & (events.time + duration > at[events.key])


@operator(
    "Happened within",
    category="stream",
    example=_EXAMPLE,
    why=_why,
    keeps=_keeps,
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
def has_existed_within(events: Events, where: Where, duration: Duration) -> Bool:
    """True for the duration from each matching event on, else false.

    True on the union of [t, t + duration) over the matching events. The end may lie in the future; it stands until
    an event revises it.
    """
    return within(events, where.matches(events), duration)
