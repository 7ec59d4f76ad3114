"""The referee's timelines: lists of points, examined instant by instant.

Numbers are fractions. A point is (time or None for since ever, value, slope per second). A ratio of two lines is a
value of its own, which moves along both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TypeAlias

from tests.predicates.conditions import UNKNOWN, Value

SECOND = 1_000_000
FLAT = Fraction(0)
LAST = 2**63 - 1
"""Times are signed 64-bit integers: what would happen here or later never happens."""


@dataclass(frozen=True)
class Ratio:
    """One line by another, at the start of a piece; the denominator is not 0 anywhere in the piece."""

    num: Fraction
    num_slope: Fraction
    den: Fraction
    den_slope: Fraction

    def after(self, seconds: Fraction) -> Ratio:
        """Return both lines this much later."""
        num, den = self.num + self.num_slope * seconds, self.den + self.den_slope * seconds
        return Ratio(num, self.num_slope, den, self.den_slope)

    def times(self, factor: Fraction) -> Ratio:
        """Multiply the numerator."""
        return Ratio(self.num * factor, self.num_slope * factor, self.den, self.den_slope)


Held: TypeAlias = Value | Ratio
Point: TypeAlias = tuple[int | None, Held, Fraction]
Points: TypeAlias = list[Point]


def read_at(points: Points, time: int | None) -> tuple[Held, Fraction]:
    """Return value and slope at an instant (None: since ever)."""
    reached = [point for point in points if point[0] is None or (time is not None and point[0] <= time)]
    since, value, slope = reached[-1]
    if since is None or time is None:
        return value, slope
    seconds = Fraction(time - since, SECOND)
    if isinstance(value, Ratio):
        return value.after(seconds), slope
    return (value + slope * seconds if isinstance(value, Fraction) else value), slope


def read_value_at(points: Points, time: int | None) -> Value:
    """Return the value at an instant; a ratio as numerator by denominator."""
    value, _ = read_at(points, time)
    return value.num / value.den if isinstance(value, Ratio) else value


def normalize_points(points: Points) -> Points:
    """Remove points that repeat the one before, and points too late for any time."""
    kept: Points = []
    for point in points:
        if point[0] is not None and point[0] >= LAST:
            break
        if not kept or read_at(kept, point[0]) != point[1:]:
            kept.append(point)
    return kept


def list_instants(*timelines: Points) -> list[int | None]:
    """Return since ever, and every instant at which one of them changes."""
    return [None, *sorted({point[0] for points in timelines for point in points if point[0] is not None})]


def list_pieces(times: list[int | None]) -> list[tuple[int | None, int]]:
    """Yield each instant with the next one, at which its piece ends."""
    return list(zip(times, [*(time for time in times[1:] if time is not None), LAST], strict=True))


def list_since_birth(birth: int | None, points: Points) -> list[int]:
    """Return birth and the changes after it; nothing if never born."""
    if birth is None:
        return []
    return [birth, *(time for time in list_instants(points) if time is not None and time > birth)]


def list_around_zero(time: int | None, value: Fraction, slope: Fraction) -> list[int]:
    """Return the last microsecond before a line passes zero, and the first after."""
    if not slope or time is None:
        return []
    before = floor(time - value * SECOND / slope)
    return [before, before + 1]


def refine_instants(
    times: list[int | None], lines: Callable[[int | None], Iterable[tuple[Fraction, Fraction]]]
) -> list[int | None]:
    """Return the instants, and those around the zeros of the lines that hold from each of them on."""
    numbers: list[int | None] = []
    for time, end in list_pieces(times):
        zeros = {zero for line in lines(time) for zero in list_around_zero(time, *line)}
        numbers += [time, *sorted(zero for zero in zeros if time is not None and time < zero < end)]
    return numbers


def combine_points(function: Callable[..., Value], *timelines: Points) -> Points:
    """Apply a function of steps at each instant."""
    times = list_instants(*timelines)
    return normalize_points(
        [(time, function(*(read_at(points, time)[0] for points in timelines)), FLAT) for time in times]
    )


def constant(value: Value) -> Points:
    """Return one value for all time."""
    return [(None, value, FLAT)]


NOTHING = constant(UNKNOWN)
