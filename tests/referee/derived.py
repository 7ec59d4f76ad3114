"""What every operator on timelines means: from the timelines of one key to another one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from tests.predicates.conditions import UNKNOWN, Value, compute_and, compute_not, compute_or, parse_literal
from tests.referee.alerts import fires
from tests.referee.collection import parse_duration
from tests.referee.functions import FUNCTIONS, choose_extreme, compute_absolute, power
from tests.referee.lookback import (
    WITHIN,
    compute_running,
    compute_sums,
    increase,
    judge_within,
    latch,
    previous_value,
)
from tests.referee.points import (
    FLAT,
    NOTHING,
    SECOND,
    Held,
    Points,
    Ratio,
    combine_points,
    constant,
    list_instants,
    list_pieces,
    list_since_birth,
    normalize_points,
    read_at,
    read_value_at,
    refine_instants,
)

Ports: TypeAlias = Mapping[str, list[Points]]
Params: TypeAlias = Mapping[str, Any]
Line: TypeAlias = tuple[Fraction, Fraction]

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "greater_than": operator.gt,
    "greater_or_equal": operator.ge,
    "less_than": operator.lt,
    "less_or_equal": operator.le,
}


def parse_value(raw: Any, like: Points) -> Value:
    """Return the parameter `value`; a duration compared with a number is its seconds."""
    number = any(isinstance(value, (Fraction, Ratio)) and not isinstance(value, bool) for _, value, _ in like)
    return Fraction(parse_duration(raw), SECOND) if isinstance(raw, str) and number else parse_literal(raw)


def select_both(ports: Ports, params: Params) -> tuple[Points, Points]:
    """Return `of`, and `other` or the value."""
    (of,) = ports["of"]
    if ports.get("other"):
        return of, ports["other"][0]
    return of, constant(parse_value(params["value"], of))


def is_equal(left: Value, right: Value) -> Value:
    return UNKNOWN if left is UNKNOWN or right is UNKNOWN else left == right


def compare_points(holds: Callable[[Any, Any], bool], of: Points, other: Points) -> Points:
    """Compare: between change points the result flips only where the lines meet, or a denominator passes 0."""

    def list_lines(time: int | None) -> list[Line]:
        (value, slope), (limit, its_slope) = read_at(of, time), read_at(other, time)
        if limit is UNKNOWN or value is UNKNOWN:
            return []
        assert isinstance(limit, Fraction)
        if isinstance(value, Ratio):
            meets = value.num - limit * value.den, value.num_slope - limit * value.den_slope
            return [meets, (value.den, value.den_slope)]
        assert isinstance(value, Fraction)
        return [(value - limit, slope - its_slope)]

    def judge_at(time: int | None) -> Value:
        value, limit = read_value_at(of, time), read_value_at(other, time)
        return UNKNOWN if value is UNKNOWN or limit is UNKNOWN else holds(value, limit)

    return normalize_points(
        [(time, judge_at(time), FLAT) for time in refine_instants(list_instants(of, other), list_lines)]
    )


def true_for(birth: int | None, points: Points) -> Points:
    """Return the seconds since birth for which it has been true."""
    result: Points = [(None, FLAT, FLAT)]
    for time in list_since_birth(birth, points):
        value, _ = read_at(result, time)
        result.append((time, value, Fraction(read_at(points, time)[0] is True)))
    return normalize_points(result)


def in_current_state(birth: int | None, points: Points) -> Points:
    """Return the seconds since the value last changed."""
    result: Points = [(None, UNKNOWN, FLAT)]
    for time in list_since_birth(birth, points):
        known = read_at(points, time)[0] is not UNKNOWN
        result.append((time, FLAT, Fraction(1)) if known else (time, UNKNOWN, FLAT))
    return normalize_points(result)


def held_for(birth: int | None, points: Points, lasting: int) -> Points:
    """Return true once it has been true for long enough without a break, counted from birth."""
    result: Points = []
    for time, end in list_pieces(list_instants(points)):
        value, _ = read_at(points, time)
        result.append((time, UNKNOWN if value is UNKNOWN else False, FLAT))
        if value is True and birth is not None:
            reached = (birth if time is None else max(time, birth)) + lasting
            result += [(reached, True, FLAT)] if reached < end else []
    return normalize_points(result)


def changed_to(points: Points, wanted: Value) -> Points:
    """Count the pieces with that value (None: any known value) that began, except the initial one."""
    starts = [
        time
        for time, value, _ in points
        if time is not None and value is not UNKNOWN and wanted in (UNKNOWN, value)
    ]
    return normalize_points(
        [(None, FLAT, FLAT), *((time, Fraction(n), FLAT) for n, time in enumerate(starts, 1))]
    )


def add(left: Line, right: Line) -> tuple[Held, Fraction]:
    return left[0] + right[0], left[1] + right[1]


def subtract(left: Line, right: Line) -> tuple[Held, Fraction]:
    return left[0] - right[0], left[1] - right[1]


def multiply(
    left: Line | tuple[Ratio, Fraction], right: Line | tuple[Ratio, Fraction]
) -> tuple[Held, Fraction]:
    (value, slope), (factor, its_slope) = left, right
    if isinstance(factor, Ratio):
        (value, slope), (factor, its_slope) = right, left
    assert isinstance(factor, Fraction)
    assert FLAT in (slope, its_slope)
    if isinstance(value, Ratio):
        return value.times(factor), FLAT
    return value * factor, slope * factor + value * its_slope


def divide(left: Line | tuple[Ratio, Fraction], right: Line) -> tuple[Held, Fraction]:
    assert right[1] == FLAT
    return multiply(left, (1 / right[0], FLAT)) if right[0] else (UNKNOWN, FLAT)


ARITHMETIC: dict[str, Callable[[Any, Any], tuple[Held, Fraction]]] = {
    "power": power,
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
}


def calculate_points(
    function: Callable[[Any, Any], tuple[Held, Fraction]], of: Points, other: Points
) -> Points:
    """Apply a function of lines from each change point of either on."""

    def result(time: int | None) -> tuple[Held, Fraction]:
        left, two = read_at(of, time), read_at(other, time)
        return (UNKNOWN, FLAT) if UNKNOWN in (left[0], two[0]) else function(left, two)

    return normalize_points([(time, *result(time)) for time in list_instants(of, other)])


def ratio(of: Points, other: Points) -> Points:
    """Divide one line by another; unknown at the microseconds at which the denominator is 0."""

    def list_denominator(time: int | None) -> list[Line]:
        value, slope = read_at(other, time)
        return [(value, slope)] if isinstance(value, Fraction) else []

    def result(time: int | None) -> Held:
        (num, num_slope), (den, den_slope) = read_at(of, time), read_at(other, time)
        if num is UNKNOWN or den is UNKNOWN or den == 0:
            return UNKNOWN
        assert isinstance(num, Fraction)
        assert isinstance(den, Fraction)
        return Ratio(num, num_slope, den, den_slope)

    return normalize_points(
        [(time, result(time), FLAT) for time in refine_instants(list_instants(of, other), list_denominator)]
    )


def when(condition: Points, of: Points, otherwise: Points) -> Points:
    """Return one timeline where the condition is true, another one where it is false."""
    chosen = {True: of, False: otherwise, UNKNOWN: NOTHING}
    times = list_instants(condition, of, otherwise)
    conditions = [(time, read_value_at(condition, time)) for time in times]
    return normalize_points([(time, *read_at(chosen[value], time)) for time, value in conditions])  # type: ignore[index]


def shift(points: Points, by: int) -> Points:
    """Shift a timeline to later times."""
    return normalize_points(
        [(None if time is None else time + by, value, slope) for time, value, slope in points]
    )


def select_limits(of: Points, params: Params) -> tuple[Points, Points]:
    """Return where a number is above one limit, and where it is below the other."""
    above, below = (constant(parse_value(params[limit], of)) for limit in ("above", "below"))
    return compare_points(COMPARE["greater_than"], of, above), compare_points(COMPARE["less_than"], of, below)


def alert_condition(of: Points, params: Params) -> Points:
    """Return where the limit was crossed and has not been cleared since; for a bool, the bool."""
    above, below = params.get("above"), params.get("below")
    if above is None and below is None:
        return of
    limit, crossed, cleared = (
        (below, "less_than", "greater_or_equal")
        if above is None
        else (above, "greater_than", "less_or_equal")
    )
    clear = params.get("clear", limit)
    sides = ((crossed, limit), (cleared, clear))
    return latch(
        *(compare_points(COMPARE[side], of, constant(parse_value(value, of))) for side, value in sides)
    )


def alert(birth: int | None, of: Points, params: Params) -> Points:
    delays = (parse_duration(params[name]) if name in params else None for name in ("for", "clear_after"))
    return fires(birth, alert_condition(of, params), *delays)


def apply_function(name: str, of: Points) -> Points:
    return combine_points(lambda value: UNKNOWN if value is UNKNOWN else FUNCTIONS[name](value), of)


def derive_points(op: str, params: Params, birth: int | None, ports: Ports, *, climbing: bool) -> Points:
    """Return the timeline of a node from those of its inputs; `climbing` says that its divisor climbs."""
    (of, *_) = ports.get("of") or ports["set"]
    if op in ("and", "or"):
        kleene = compute_and if op == "and" else compute_or
        return combine_points(lambda *values: kleene(values), *ports["of"])
    if op in ("equal_to", "not_equal_to"):
        same = combine_points(is_equal, *select_both(ports, params))
        return same if op == "equal_to" else combine_points(compute_not, same)
    if op in COMPARE:
        return compare_points(COMPARE[op], *select_both(ports, params))
    if op == "divide" and climbing:
        return ratio(*select_both(ports, params))
    if op in ARITHMETIC:
        return calculate_points(ARITHMETIC[op], *select_both(ports, params))
    alone: dict[str, Callable[[], Points]] = {
        "not": lambda: combine_points(compute_not, of),
        "duration_where": lambda: true_for(birth, of),
        "duration_in_current_state": lambda: in_current_state(birth, of),
        **{name: partial(apply_function, name, of) for name in FUNCTIONS},
        **{
            name: lambda: judge_within(birth, of, parse_duration(params["duration"]), WITHIN[op])
            for name in WITHIN
        },
        "maximum": lambda: choose_extreme(max, *select_both(ports, params)),
        "minimum": lambda: choose_extreme(min, *select_both(ports, params)),
        "absolute": lambda: compute_absolute(of),
        "latch": lambda: latch(of, ports["reset"][0]),
        "previous_value": lambda: previous_value(of),
        "alert": lambda: alert(birth, of, params),
        "hysteresis": lambda: latch(*select_limits(of, params)),
        "increase": lambda: increase(of, params.get("falls", "reset")),
        "integral": lambda: compute_sums(birth, of)[0],
        "mean_within": lambda: ratio(*compute_sums(birth, of, parse_duration(params["duration"]))),
        "running_max": lambda: compute_running(birth, of, max),
        "running_min": lambda: compute_running(birth, of, min),
        "held_for": lambda: held_for(birth, of, parse_duration(params["duration"])),
        "changed_to": lambda: changed_to(of, parse_value(params.get("value"), of)),
        "when": lambda: when(ports["if"][0], of, (ports.get("otherwise") or [NOTHING])[0]),
        "shift": lambda: shift(of, parse_duration(params["duration"])),
    }
    return alone[op]()
