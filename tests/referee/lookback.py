"""Operators that look back: over the time just before, or over all time since birth."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tests.predicates.conditions import UNKNOWN, compute_and, compute_not, compute_or
from tests.referee.points import (
    FLAT,
    LAST,
    SECOND,
    Held,
    Points,
    constant,
    list_instants,
    list_pieces,
    list_since_birth,
    normalize_points,
    read_at,
    read_value_at,
)


def judge_within(
    birth: int | None, points: Points, lasting: int, judge: Callable[[list[Held]], Held]
) -> Points:
    """Apply `judge` to all values held since birth within the duration before each instant; unknown before birth."""
    if birth is None:
        return constant(UNKNOWN)
    spans = [
        (birth if start is None else max(start, birth), end, read_at(points, start)[0])
        for start, end in list_pieces(list_instants(points))
        if end > birth
    ]
    changes = sorted({change for start, end, _ in spans for change in (start, end + lasting)})
    return normalize_points(
        [
            (None, UNKNOWN, FLAT),
            *(
                (now, judge([value for start, end, value in spans if start <= now < end + lasting]), FLAT)
                for now in changes
            ),
        ]
    )


def find_greatest(values: list[Held], choose: Callable[[list[Any]], Held] = max) -> Held:
    known_items = [value for value in values if value is not UNKNOWN]
    return choose(known_items) if known_items else UNKNOWN


def find_least(values: list[Held]) -> Held:
    return find_greatest(values, min)


def find_any_true(values: list[Held]) -> Held:
    return True if True in values else UNKNOWN if UNKNOWN in values else False


def compute_overlap(span: tuple[int, int, Any], start: int, end: int) -> Fraction:
    """Return for how many seconds a span overlaps two instants."""
    return Fraction(max(0, min(span[1], end) - max(span[0], start)), SECOND)


def measure_known(birth: int, points: Points, now: int, lasting: int | None) -> tuple[Fraction, Fraction]:
    """Return value times seconds, and known seconds, since birth or within the duration."""
    start = birth if lasting is None else max(birth, now - lasting)
    known_items = [
        (begin if begin is not None else -LAST, end, Fraction(value))
        for begin, end in list_pieces(list_instants(points))
        if isinstance(value := read_at(points, begin)[0], (bool, Fraction))
    ]
    held = [(compute_overlap(span, start, now), span[2]) for span in known_items]
    return sum((time * value for time, value in held), FLAT), sum((time for time, _ in held), FLAT)


def compute_sums(birth: int | None, points: Points, lasting: int | None = None) -> tuple[Points, Points]:
    """Return `measured` as lines: the values at each change, and their slopes over the next microsecond."""
    lines: tuple[Points, Points] = [(None, FLAT, FLAT)], [(None, FLAT, FLAT)]
    changes = {*list_since_birth(birth, points)}
    for now in sorted(changes | {time + lasting for time in changes if lasting is not None}):
        assert birth is not None
        here, next_ = (measure_known(birth, points, time, lasting) for time in (now, now + 1))
        for line, value, after in zip(lines, here, next_, strict=True):
            line.append((now, value, (after - value) * SECOND))
    return normalize_points(lines[0]), normalize_points(lines[1])


def compute_running(birth: int | None, points: Points, choose: Callable[[list[Any]], Any]) -> Points:
    """Return the greatest or least known value at any change since birth."""
    result: Points = [(None, UNKNOWN, FLAT)]
    changes = list_since_birth(birth, points)
    for now in changes:
        known_items = [read_at(points, time)[0] for time in changes if time <= now]
        result.append((now, find_greatest(known_items, choose), FLAT))
    return normalize_points(result)


def previous_value(points: Points) -> Points:
    """Return, while the value is known, the last known piece before."""
    result: Points = []
    last: Held = UNKNOWN
    for time, value, _ in points:
        result.append((time, UNKNOWN if value is UNKNOWN else last, FLAT))
        last = last if value is UNKNOWN else value
    return normalize_points(result)


def increase(points: Points, falls: str) -> Points:
    """Return the sum of all rises of the known values; a reset has risen from 0."""
    result: Points = []
    total, last = FLAT, UNKNOWN
    for time, value, _ in points:
        if isinstance(value, Fraction):
            if isinstance(last, Fraction):
                fallen = max(value, FLAT) if falls == "reset" else FLAT
                total += value - last if value >= last else fallen
            last = value
        result.append((time, total, FLAT))
    return normalize_points(result)


def latch(set_: Points, reset: Points) -> Points:
    points: Points = []
    memory = False
    for time in list_instants(set_, reset):
        on, off = read_value_at(set_, time), read_value_at(reset, time)
        if off is True:
            memory = False
        elif off is False and on is True:
            memory = True
        points.append((time, compute_and([compute_not(off), compute_or([on, memory])]), FLAT))
    return normalize_points(points)


WITHIN: dict[str, Callable[[list[Held]], Held]] = {
    "any_within": find_any_true,
    "max_within": find_greatest,
    "min_within": find_least,
}
