"""Combine instants and states: what a timeline says when events come, or when a bool becomes true."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from tests.predicates.conditions import UNKNOWN
from tests.referee.collection import Event
from tests.referee.points import FLAT, Held, Point, Points, Ratio, list_instants, normalize_points, read_at


def read_said(points: Points, time: int, side: str) -> Held:
    """Return the value from an instant on, or just before it; a ratio as numerator by denominator."""
    earlier: list[Point] = [point for point in points if point[0] is None or point[0] < time]
    value, _ = read_at(points if side == "at" else earlier, time)
    if isinstance(value, Ratio):
        return value.num / value.den if value.den else UNKNOWN
    return value


def select_qualifying(events: Iterable[Event], while_: Points, side: str) -> list[Event]:
    """Return the events at whose instant a bool is true."""
    return [event for event in events if read_said(while_, event.time, side) is True]


def list_becomes_true(points: Points, birth: int | None) -> list[int]:
    """Return the instants from birth on at which it becomes true; birth is one if it is true there."""
    if birth is None:
        return []
    later = [time for time in list_instants(points) if time is not None and time > birth]
    turned = [
        time
        for time in later
        if read_said(points, time, "at") is True and read_said(points, time, "before") is not True
    ]
    return [birth, *turned] if read_said(points, birth, "at") is True else turned


def value_at(of: Points, times: Iterable[int], side: str, first: Held = UNKNOWN) -> Points:
    """Return the value at the latest of the instants."""
    return normalize_points(
        [(None, first, FLAT), *((time, read_said(of, time, side), FLAT) for time in sorted(set(times)))]
    )


def time_since(times: Iterable[int]) -> Points:
    """Return the seconds since the latest of the instants."""
    return normalize_points(
        [(None, UNKNOWN, FLAT), *((time, FLAT, Fraction(1)) for time in sorted(set(times)))]
    )


def since(of: Points, times: Iterable[int], side: str) -> Points:
    """Return the number less its value at the latest of the instants; the whole number before the first."""
    base = value_at(of, times, side, FLAT)
    points: Points = []
    for time in list_instants(of, base):
        (value, slope), (less, _) = read_at(of, time), read_at(base, time)
        if isinstance(value, Fraction) and isinstance(less, Fraction):
            points.append((time, value - less, slope))
        else:
            points.append((time, UNKNOWN, FLAT))
    return normalize_points(points)
