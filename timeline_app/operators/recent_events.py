"""What operators share that look at the events of the time just before: which of them count, and reasons."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.operators.ports import FieldOrExpression
from timeline_app.operators.reasons import Boundary, Question, Reason
from timeline_app.operators.words import length
from timeline_app.predicates import Predicate
from timeline_app.predicates.expressions import select_column


def select_matching(events: Events, where: Predicate | None) -> Mask:
    """The events that meet the condition; all of them without one."""
    return np.ones(events.size, dtype=bool) if where is None else where.matches(events)


def keep_recent(
    events: Events,
    at: Ints,
    duration: int,
    where: Predicate | None = None,
    field: FieldOrExpression | None = None,
    **_: object,
) -> Mask:
    """Those that still count at each key's instant."""
    counts = select_matching(events, where) & (events.time + duration > at[events.key])
    return counts if field is None else counts & select_column(events, field).present


def describe_matching(question: Question) -> str:
    """Which events count: `with …`, or nothing where all do."""
    wanted = [_spell(item) for item in _wanted(question)]
    return f"with {' and '.join(wanted)}" if wanted else ""


def describe_values(question: Question) -> str:
    """Whose values count: `n` of the events with `on == true` in the 5 s before."""
    where, field = question.params.get("where"), question.params["field"]
    events = "the events" if where is None else f"the events with {_spell(where)}"
    return f"{_spell(field)} of {events} in the {length(question.params['duration'])} before"


def explain_window(question: Question, sentence: str) -> Reason:
    """A sentence about the events of the window, with them; before birth, that nothing had come."""
    matching, duration = describe_matching(question), question.params["duration"]
    following = f"with the next event {matching}".rstrip()
    how = f", when other events lie in the {length(duration)} before"
    if not question.result.born:
        return Reason(question.nothing(matching), ends=question.ends(f"changes {following}", f" {following}"))
    window = Boundary(question.at, tuple(_wanted(question)), after=question.at - duration)
    return Reason(sentence, events=(window,), ends=question.ends(f"changes {following}", how))


def _wanted(question: Question) -> list[Predicate | FieldOrExpression]:
    given = (question.params.get("where"), question.params.get("field"))
    return [item for item in given if item is not None]


def _spell(wanted: Predicate | FieldOrExpression) -> str:
    return f"`{wanted.text() if isinstance(wanted, Predicate) else wanted}`"
