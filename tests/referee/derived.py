"""What every operator on timelines means: from the timelines of one key to another one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from tests.predicates.conditions import UNKNOWN, Value, conjunction, disjunction, literal_of, negation
from tests.referee.alerts import fires
from tests.referee.collection import micros
from tests.referee.functions import FUNCTIONS, absolute, extreme, power
from tests.referee.lookback import WITHIN, increase, latch, previous_value, running, sums, within
from tests.referee.points import (
    FLAT,
    NOTHING,
    SECOND,
    Held,
    Points,
    Ratio,
    at,
    combined,
    constant,
    instants,
    normal,
    pieces,
    refined,
    since_birth,
    value_at,
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


def literal(raw: Any, like: Points) -> Value:
    """The parameter `value`: a duration text that stands against a number is that many seconds."""
    number = any(isinstance(value, (Fraction, Ratio)) and not isinstance(value, bool) for _, value, _ in like)
    return Fraction(micros(raw), SECOND) if isinstance(raw, str) and number else literal_of(raw)


def both(ports: Ports, params: Params) -> tuple[Points, Points]:
    """`of`, and `other` or the value."""
    (of,) = ports["of"]
    if ports.get("other"):
        return of, ports["other"][0]
    return of, constant(literal(params["value"], of))


def equal(left: Value, right: Value) -> Value:
    return UNKNOWN if left is UNKNOWN or right is UNKNOWN else left == right


def compared(holds: Callable[[Any, Any], bool], of: Points, other: Points) -> Points:
    """Between two change points it flips only where the two lines meet, or where a denominator passes 0."""

    def turns(time: int | None) -> list[Line]:
        (value, slope), (limit, its_slope) = at(of, time), at(other, time)
        if limit is UNKNOWN or value is UNKNOWN:
            return []
        assert isinstance(limit, Fraction)
        if isinstance(value, Ratio):
            meets = value.num - limit * value.den, value.num_slope - limit * value.den_slope
            return [meets, (value.den, value.den_slope)]
        assert isinstance(value, Fraction)
        return [(value - limit, slope - its_slope)]

    def judged(time: int | None) -> Value:
        value, limit = value_at(of, time), value_at(other, time)
        return UNKNOWN if value is UNKNOWN or limit is UNKNOWN else holds(value, limit)

    return normal([(time, judged(time), FLAT) for time in refined(instants(of, other), turns)])


def true_for(birth: int | None, points: Points) -> Points:
    """Seconds since birth for which it has been true."""
    result: Points = [(None, FLAT, FLAT)]
    for time in since_birth(birth, points):
        value, _ = at(result, time)
        result.append((time, value, Fraction(at(points, time)[0] is True)))
    return normal(result)


def in_current_state(birth: int | None, points: Points) -> Points:
    """Seconds since the value last changed."""
    result: Points = [(None, UNKNOWN, FLAT)]
    for time in since_birth(birth, points):
        known = at(points, time)[0] is not UNKNOWN
        result.append((time, FLAT, Fraction(1)) if known else (time, UNKNOWN, FLAT))
    return normal(result)


def held_for(birth: int | None, points: Points, lasting: int) -> Points:
    """True once it has been true for so long without a break, since birth at the earliest."""
    result: Points = []
    for time, end in pieces(instants(points)):
        value, _ = at(points, time)
        result.append((time, UNKNOWN if value is UNKNOWN else False, FLAT))
        if value is True and birth is not None:
            reached = (birth if time is None else max(time, birth)) + lasting
            result += [(reached, True, FLAT)] if reached < end else []
    return normal(result)


def changed_to(points: Points, wanted: Value) -> Points:
    """How many pieces with that value (None: any known value) began, the one since ever aside."""
    began = [
        time
        for time, value, _ in points
        if time is not None and value is not UNKNOWN and wanted in (UNKNOWN, value)
    ]
    return normal([(None, FLAT, FLAT), *((time, Fraction(n), FLAT) for n, time in enumerate(began, 1))])


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


def calculated(function: Callable[[Any, Any], tuple[Held, Fraction]], of: Points, other: Points) -> Points:
    """A function of lines, from each change point of either on."""

    def result(time: int | None) -> tuple[Held, Fraction]:
        left, two = at(of, time), at(other, time)
        return (UNKNOWN, FLAT) if UNKNOWN in (left[0], two[0]) else function(left, two)

    return normal([(time, *result(time)) for time in instants(of, other)])


def ratio(of: Points, other: Points) -> Points:
    """One line by another; unknown at the microseconds at which the denominator is 0."""

    def denominator(time: int | None) -> list[Line]:
        value, slope = at(other, time)
        return [(value, slope)] if isinstance(value, Fraction) else []

    def result(time: int | None) -> Held:
        (num, num_slope), (den, den_slope) = at(of, time), at(other, time)
        if num is UNKNOWN or den is UNKNOWN or den == 0:
            return UNKNOWN
        assert isinstance(num, Fraction)
        assert isinstance(den, Fraction)
        return Ratio(num, num_slope, den, den_slope)

    return normal([(time, result(time), FLAT) for time in refined(instants(of, other), denominator)])


def when(condition: Points, of: Points, otherwise: Points) -> Points:
    """One timeline where the condition is true, another one where it is false."""
    chosen = {True: of, False: otherwise, UNKNOWN: NOTHING}
    times = instants(condition, of, otherwise)
    return normal([(time, *at(chosen[value_at(condition, time)], time)) for time in times])  # type: ignore[index]


def shift(points: Points, by: int) -> Points:
    """The same, later."""
    return normal([(None if time is None else time + by, value, slope) for time, value, slope in points])


def limits(of: Points, params: Params) -> tuple[Points, Points]:
    """Where a number is above the one limit, and where below the other one."""
    above, below = (constant(literal(params[limit], of)) for limit in ("above", "below"))
    return compared(COMPARE["greater_than"], of, above), compared(COMPARE["less_than"], of, below)


def alert_condition(of: Points, params: Params) -> Points:
    """Where the limit has been crossed and not been cleared since; of a bool: the bool."""
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
    return latch(*(compared(COMPARE[side], of, constant(literal(value, of))) for side, value in sides))


def alert(birth: int | None, of: Points, params: Params) -> Points:
    delays = (micros(params[name]) if name in params else None for name in ("for", "clear_after"))
    return fires(birth, alert_condition(of, params), *delays)


def function_of(name: str, of: Points) -> Points:
    return combined(lambda value: UNKNOWN if value is UNKNOWN else FUNCTIONS[name](value), of)


def derived(op: str, params: Params, birth: int | None, ports: Ports, *, climbing: bool) -> Points:
    """The timeline of a node from those of its inputs; `climbing` says that what it divides by climbs."""
    (of, *_) = ports.get("of") or ports["set"]
    if op in ("and", "or"):
        kleene = conjunction if op == "and" else disjunction
        return combined(lambda *values: kleene(values), *ports["of"])
    if op in ("equal_to", "not_equal_to"):
        same = combined(equal, *both(ports, params))
        return same if op == "equal_to" else combined(negation, same)
    if op in COMPARE:
        return compared(COMPARE[op], *both(ports, params))
    if op == "divide" and climbing:
        return ratio(*both(ports, params))
    if op in ARITHMETIC:
        return calculated(ARITHMETIC[op], *both(ports, params))
    alone: dict[str, Callable[[], Points]] = {
        "not": lambda: combined(negation, of),
        "duration_where": lambda: true_for(birth, of),
        "duration_in_current_state": lambda: in_current_state(birth, of),
        **{name: partial(function_of, name, of) for name in FUNCTIONS},
        **{name: lambda: within(birth, of, micros(params["duration"]), WITHIN[op]) for name in WITHIN},
        "maximum": lambda: extreme(max, *both(ports, params)),
        "minimum": lambda: extreme(min, *both(ports, params)),
        "absolute": lambda: absolute(of),
        "latch": lambda: latch(of, ports["reset"][0]),
        "previous_value": lambda: previous_value(of),
        "alert": lambda: alert(birth, of, params),
        "hysteresis": lambda: latch(*limits(of, params)),
        "increase": lambda: increase(of, params.get("falls", "reset")),
        "integral": lambda: sums(birth, of)[0],
        "mean_within": lambda: ratio(*sums(birth, of, micros(params["duration"]))),
        "running_max": lambda: running(birth, of, max),
        "running_min": lambda: running(birth, of, min),
        "held_for": lambda: held_for(birth, of, micros(params["duration"])),
        "changed_to": lambda: changed_to(of, literal(params.get("value"), of)),
        "when": lambda: when(ports["if"][0], of, (ports.get("otherwise") or [NOTHING])[0]),
        "shift": lambda: shift(of, micros(params["duration"])),
    }
    return alone[op]()
