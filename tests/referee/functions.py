"""Functions of numbers, instant by instant."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any, TypeAlias

from tests.predicates.conditions import UNKNOWN, Value
from tests.referee.points import FLAT, Held, Points, list_instants, normalize_points, read_at, refine_instants

Line: TypeAlias = tuple[Fraction, Fraction]


def power(left: Line, right: Line) -> tuple[Held, Fraction]:
    (base, _), (exponent, _) = left, right
    if (base == 0 and exponent < 0) or (base < 0 and exponent.denominator != 1):
        return UNKNOWN, FLAT
    if exponent.denominator == 1:
        return base ** int(exponent), FLAT
    return Fraction(convert_to_decimal(base) ** convert_to_decimal(exponent)), FLAT


def convert_to_decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def round_half_away(value: Fraction) -> Fraction:
    size = floor(abs(value) + Fraction(1, 2))
    return Fraction(size if value > 0 else -size)


def log(value: Fraction) -> Value:
    return Fraction(convert_to_decimal(value).ln()) if value > 0 else UNKNOWN


FUNCTIONS: dict[str, Callable[[Any], Value]] = {
    "round": round_half_away,
    "floor": lambda value: Fraction(floor(value)),
    "ceil": lambda value: Fraction(ceil(value)),
    "log": log,
}


def choose_extreme(choose: Callable[[Any, Any], Any], of: Points, other: Points) -> Points:
    """Choose by value, then by slope; between changes the choice turns only where the two meet."""

    def list_lines(time: int | None) -> list[Line]:
        (value, slope), (limit, its_slope) = read_at(of, time), read_at(other, time)
        if not isinstance(value, Fraction) or not isinstance(limit, Fraction):
            return []
        return [(value - limit, slope - its_slope)]

    def result(time: int | None) -> tuple[Held, Fraction]:
        left, two = read_at(of, time), read_at(other, time)
        return (UNKNOWN, FLAT) if UNKNOWN in (left[0], two[0]) else choose(left, two)

    return normalize_points(
        [(time, *result(time)) for time in refine_instants(list_instants(of, other), list_lines)]
    )


def compute_absolute(of: Points) -> Points:
    """Return the greater of a line and its negation."""
    opposite = [(time, -value if isinstance(value, Fraction) else value, -slope) for time, value, slope in of]
    return choose_extreme(max, of, opposite)
