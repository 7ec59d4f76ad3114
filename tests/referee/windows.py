"""Windows over the events of one key that came within a duration."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

from tests.predicates.conditions import UNKNOWN, Value, read_value
from tests.referee.collection import Event, parse_duration
from tests.referee.points import FLAT, NOTHING, Points, normalize_points

_PRECISE = 2**200


def judge_recent(
    birth: int | None, counting: list[Event], lasting: int, judge: Callable[[list[Event]], Value]
) -> Points:
    """Apply `judge` to the events in each window, at every instant at which one enters or leaves."""
    if birth is None:
        return NOTHING
    changes = {birth} | {change for event in counting for change in (event.time, event.time + lasting)}
    return normalize_points(
        [
            (None, UNKNOWN, FLAT),
            *(
                (now, judge([event for event in counting if now - lasting < event.time <= now]), FLAT)
                for now in sorted(changes)
            ),
        ]
    )


def count_within(birth: int | None, counting: list[Event], params: Any) -> Points:
    return judge_recent(
        birth, counting, parse_duration(params["duration"]), lambda window: Fraction(len(window))
    )


def sum_within(birth: int | None, counting: list[Event], params: Any) -> Points:
    def total(window: list[Event]) -> Value:
        values = (read_value(event.fields, params["field"]) for event in window)
        return sum((value for value in values if isinstance(value, Fraction)), FLAT)

    return judge_recent(birth, counting, parse_duration(params["duration"]), total)


def values_within(birth: int | None, counting: list[Event], params: Any) -> Points:
    def judge(window: list[Event]) -> Value:
        values = [(event.time, event.rank, read_value(event.fields, params["field"])) for event in window]
        ordered: list[Any] = sorted(item for item in values if item[2] is not None)
        return FUNCTIONS[params["function"]]([value for *_, value in ordered])

    return judge_recent(birth, counting, parse_duration(params["duration"]), judge)


def _round_value(value: Fraction) -> Fraction:
    return Fraction(float(value))


def _mean(values: list[Any]) -> Value:
    return _round_value(sum(values, FLAT) / len(values)) if values else UNKNOWN


def _compute_deviation(values: list[Any]) -> Value:
    if len(values) < 2:
        return UNKNOWN
    mean = sum(values, FLAT) / len(values)
    variance = sum(((value - mean) ** 2 for value in values), FLAT) / len(values)
    root = isqrt(variance.numerator * variance.denominator * _PRECISE**2)
    return _round_value(Fraction(root, variance.denominator * _PRECISE))


FUNCTIONS: dict[str, Callable[[list[Any]], Value]] = {
    "mean": _mean,
    "min": lambda values: min(values, default=UNKNOWN),
    "max": lambda values: max(values, default=UNKNOWN),
    "deviation": _compute_deviation,
    "distinct": lambda values: Fraction(len(set(values))),
    "first": lambda values: values[0] if values else UNKNOWN,
    "last": lambda values: values[-1] if values else UNKNOWN,
}
RECENT: dict[str, Callable[[int | None, list[Event], Any], Points]] = {
    "count_within": count_within,
    "sum_within": sum_within,
    "values_within": values_within,
}
