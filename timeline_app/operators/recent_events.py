"""Shared by operators on recent events: which of them count, and reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.instants import BEFORE, select_qualifying
from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Kind, Mask
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Facts
from timeline_app.operators.instants import describe_counted, refuse_side_alone, select_matching
from timeline_app.operators.ports import FieldOrExpression
from timeline_app.operators.reasons import Boundary, Question, Reason, Seen
from timeline_app.operators.words import format_length
from timeline_app.predicates import Predicate
from timeline_app.predicates.expressions import select_column


def select_counting(
    events: Events, where: Predicate | None, while_: Timelines | None, side: str
) -> tuple[Events, Mask]:
    """Return the events, whose keys are born with those of `while`, and a mask of those that count."""
    counts = select_qualifying(events, select_matching(events, where), while_, side)
    if while_ is None:
        return events, counts
    return replace(events, birth=np.minimum(events.birth, while_.birth)), counts


def derive_window_facts(inputs: Mapping[str, Facts], params: Mapping[str, Any], _: object) -> Facts:
    """Facts of a number of events that lie in a window."""
    refuse_side_alone(inputs, params)
    return Facts(Kind.NUMBER)


def look_back(params: Mapping[str, Any]) -> int:
    """With `while` no event is kept alone, for what that was at its instant must still be known."""
    return int(params["duration"]) if "while" in params else 0


def keep_recent(
    events: Events,
    at: Ints,
    duration: int,
    where: Predicate | None = None,
    field: FieldOrExpression | None = None,
    **_: object,
) -> Mask:
    """Return the events that still count at each key's instant."""
    counts = select_matching(events, where) & (events.time + duration > at[events.key])
    return counts if field is None else counts & select_column(events, field).present


def describe_matching(question: Question) -> str:
    """Return which events count: `with …`, or nothing where all do."""
    descriptions = [_spell(item) for item in _list_wanted(question)]
    return (
        (f"with {' and '.join(descriptions)}" if descriptions else "") + describe_counted(question)
    ).strip()


def describe_values(question: Question) -> str:
    """Whose values count: `n` of the events with `on == true` in the 5 s before."""
    where, field = question.params.get("where"), question.params["field"]
    events = ("the events" if where is None else f"the events with {_spell(where)}") + describe_counted(
        question
    )
    return f"{_spell(field)} of {events} in the {format_length(question.params['duration'])} before"


def explain_window(question: Question, sentence: str) -> Reason:
    """Return a sentence about the events of the window, with them; before birth, that nothing had come."""
    matching, duration = describe_matching(question), question.params["duration"]
    following = f"with the next event {matching}".rstrip()
    how = f", when other events lie in the {format_length(duration)} before"
    if not question.result.born:
        return Reason(question.nothing(matching), ends=question.ends(f"changes {following}", f" {following}"))
    conditions = tuple(_list_wanted(question))
    events = tuple(Boundary(last, conditions, after=after) for after, last in _list_stretches(question))
    because = question.inputs("while")
    return Reason(sentence, because, events, question.ends(f"changes {following}", how))


_MAX_STRETCHES = 20


def _list_stretches(question: Question) -> list[tuple[int, int]]:
    """Return the parts of the window in which events count: after which instant, and up to which."""
    begin, end = question.at - question.params["duration"], question.at
    if not question.wires.get("while"):
        return [(begin, end)]
    early = 0 if question.params["side"] == BEFORE else 1
    true = [piece for piece in _iterate_pieces(question.look_at_input("while").seen) if piece[2] is True]
    stretches = [(max(start - early, begin), min(until - early, end)) for start, until, _ in true]
    return [(after, last) for after, last in stretches if after < last][-_MAX_STRETCHES:]


def _iterate_pieces(seen: Seen) -> Iterator[tuple[int, int, Any]]:
    """From when until when it says what."""
    starts = [BEGINNING if point[0] is None else point[0] for point in seen.points]
    for start, until, point in zip(starts, [*starts[1:], OPEN], seen.points, strict=True):
        yield start, until, point[1]


def _list_wanted(question: Question) -> list[Predicate | FieldOrExpression]:
    pair = (question.params.get("where"), question.params.get("field"))
    return [item for item in pair if item is not None]


def _spell(condition: Predicate | FieldOrExpression) -> str:
    return f"`{condition.text() if isinstance(condition, Predicate) else condition}`"
