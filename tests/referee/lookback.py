"""What looks back: over the time just before, or over all time since birth."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests.predicates.conditions import UNKNOWN, conjunction, disjunction, negation
from tests.referee.points import (
    FLAT,
    LAST,
    SECOND,
    Held,
    Points,
    at,
    constant,
    instants,
    normal,
    pieces,
    since_birth,
    value_at,
)


def within(birth: int | None, points: Points, lasting: int, judge: Callable[[list[Held]], Held]) -> Points:
    """What `judge` says of all values held since birth at some instant of the last so long; unknown before birth."""
    if birth is None:
        return constant(UNKNOWN)
    spans = [
        (birth if start is None else max(start, birth), end, at(points, start)[0])
        for start, end in pieces(instants(points))
        if end > birth
    ]
    changes = sorted({change for start, end, _ in spans for change in (start, end + lasting)})
    return normal(
        [
            (None, UNKNOWN, FLAT),
            *(
                (now, judge([value for start, end, value in spans if start <= now < end + lasting]), FLAT)
                for now in changes
            ),
        ]
    )


def greatest(values: list[Held], choose: Callable[[list[Any]], Held] = max) -> Held:
    known = [value for value in values if value is not UNKNOWN]
    return choose(known) if known else UNKNOWN


def least(values: list[Held]) -> Held:
    return greatest(values, min)


def any_true(values: list[Held]) -> Held:
    return True if True in values else UNKNOWN if UNKNOWN in values else False


def overlap(span: tuple[int, int, Any], start: int, end: int) -> Fraction:
    """For how many seconds a span holds between two instants."""
    return Fraction(max(0, min(span[1], end) - max(span[0], start)), SECOND)


def measured(birth: int, points: Points, now: int, lasting: int | None) -> tuple[Fraction, Fraction]:
    """Value times seconds and known seconds since birth, or of the last so long."""
    start = birth if lasting is None else max(birth, now - lasting)
    known = [
        (begin if begin is not None else -LAST, end, Fraction(value))
        for begin, end in pieces(instants(points))
        if isinstance(value := at(points, begin)[0], (bool, Fraction))
    ]
    held = [(overlap(span, start, now), span[2]) for span in known]
    return sum((time * value for time, value in held), FLAT), sum((time for time, _ in held), FLAT)


def sums(birth: int | None, points: Points, lasting: int | None = None) -> tuple[Points, Points]:
    """`measured` as lines: at each change the values there, and their slopes over the microsecond that follows."""
    lines: tuple[Points, Points] = [(None, FLAT, FLAT)], [(None, FLAT, FLAT)]
    changes = {*since_birth(birth, points)}
    for now in sorted(changes | {time + lasting for time in changes if lasting is not None}):
        assert birth is not None
        here, next_ = (measured(birth, points, time, lasting) for time in (now, now + 1))
        for line, value, after in zip(lines, here, next_, strict=True):
            line.append((now, value, (after - value) * SECOND))
    return normal(lines[0]), normal(lines[1])


def running(birth: int | None, points: Points, choose: Callable[[list[Any]], Any]) -> Points:
    """The greatest or least known value at any change since birth."""
    result: Points = [(None, UNKNOWN, FLAT)]
    changes = since_birth(birth, points)
    for now in changes:
        known = [at(points, time)[0] for time in changes if time <= now]
        result.append((now, greatest(known, choose), FLAT))
    return normal(result)


def previous_value(points: Points) -> Points:
    """While it is known, what the last known piece before said."""
    result: Points = []
    last: Held = UNKNOWN
    for time, value, _ in points:
        result.append((time, UNKNOWN if value is UNKNOWN else last, FLAT))
        last = last if value is UNKNOWN else value
    return normal(result)


def increase(points: Points, falls: str) -> Points:
    """The sum of all rises of the known values; a reset has risen from 0."""
    found: Points = []
    total, last = FLAT, UNKNOWN
    for time, value, _ in points:
        if isinstance(value, Fraction):
            if isinstance(last, Fraction):
                fallen = max(value, FLAT) if falls == "reset" else FLAT
                total += value - last if value >= last else fallen
            last = value
        found.append((time, total, FLAT))
    return normal(found)


def latch(set_: Points, reset: Points) -> Points:
    """Instant by instant, with a memory."""
    points: Points = []
    memory = False
    for time in instants(set_, reset):
        on, off = value_at(set_, time), value_at(reset, time)
        if off is True:
            memory = False
        elif off is False and on is True:
            memory = True
        points.append((time, conjunction([negation(off), disjunction([on, memory])]), FLAT))
    return normal(points)


WITHIN: dict[str, Callable[[list[Held]], Held]] = {
    "any_within": any_true,
    "max_within": greatest,
    "min_within": least,
}
