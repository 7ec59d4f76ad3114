"""Arithmetic on numbers: sums, products and quotients of lines.

Numbers are the decimals that people write. Where both sides are whole microunits (six decimals), the result is
found in whole numbers and rounded once: 0.1 + 0.2 is 0.3. Where they are not, floats do what floats do.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from timeline_app.algebra.align import align, evaluate_at
from timeline_app.algebra.kinds import SECOND, Floats, Kind, Lines, Mask, Values
from timeline_app.algebra.lines import evaluate_after, find_zero, pair_as_ratio, to_microunits
from timeline_app.algebra.pieces import compute_cuts
from timeline_app.algebra.timelines import Timelines, build_constant, build_timelines

_EXACT = 2.0**53
Line = tuple[Lines, Lines]
"""Values and slopes."""
Side = Timelines | float | None
"""The second number of an operation, or a value."""


def add_timelines(left: Timelines, right: Side) -> Timelines:
    """Return the sum of two numbers."""
    return _combine(left, right, lambda a, b: (add_floats(a[0], b[0]), add_floats(a[1], b[1])))


def subtract_timelines(left: Timelines, right: Side) -> Timelines:
    """Return the difference of two numbers."""
    return _combine(left, right, lambda a, b: (add_floats(a[0], -b[0]), add_floats(a[1], -b[1])))


def multiply_timelines(left: Timelines, right: Side) -> Timelines:
    """Return the product of two numbers, one of them flat wherever both are known; a ratio may stand on the left."""
    if left.kind is Kind.RATIO:
        return _combine(left, right, lambda a, b: _scale_numerator(a, b[0], multiply_floats))
    return _combine(left, right, lambda a, b: (multiply_floats(a[0], b[0]), _multiply_slopes(a, b)))


def divide_timelines(left: Timelines, right: Side) -> Timelines:
    """Return a number or a ratio divided by a flat number; unknown where that is 0."""
    if left.kind is Kind.RATIO:
        return _combine(left, right, lambda a, b: _scale_numerator(a, b[0], divide_floats))
    return _combine(left, right, lambda a, b: (divide_floats(a[0], b[0]), divide_floats(a[1], b[0])))


def build_ratio(left: Timelines, right: Timelines) -> Timelines:
    """Return a number divided by one that climbs: both lines, kept exact; unknown wherever the divisor is 0."""
    aligned = align(left, right)
    above, below = (
        _evaluate_lines(left, aligned.rows[0], aligned.time),
        _evaluate_lines(right, aligned.rows[1], aligned.time),
    )
    zero = find_zero(to_microunits(below[0]), below[1], np.abs(to_microunits(below[0])))
    instant = np.where(zero == np.floor(zero), zero, np.inf)
    row, elapsed = compute_cuts(aligned.time, aligned.end, instant, instant + 1)
    nothing = (elapsed == instant[row]) | ((below[1][row] == 0.0) & (below[0][row] == 0.0))
    value, slope = pair_as_ratio(above[0], below[0])[row], pair_as_ratio(above[1], below[1])[row]
    lines = evaluate_after(value, slope, elapsed)
    value = np.where(nothing | np.isnan(lines), Kind.RATIO.unknown, lines)
    time = aligned.time[row] + elapsed
    return build_timelines(Kind.RATIO, left.names, aligned.birth, aligned.key[row], time, value, slope)


def as_ratio(item: Timelines) -> Timelines:
    """Return a number as a ratio: divided by 1."""
    if item.kind is Kind.RATIO:
        return item
    value = pair_as_ratio(item.value, np.where(item.known, 1.0, np.nan))
    slope = pair_as_ratio(item.slope, np.zeros(len(item.slope)))
    return build_timelines(Kind.RATIO, item.names, item.birth, item.key, item.time, value, slope)


def _combine(left: Timelines, right: Side, function: Callable[[Line, Line], Line]) -> Timelines:
    """Return a function of two lines, piece by piece; unknown where either is, or where the result is no number."""
    other = as_timelines(right, left)
    aligned = align(left, other)
    lines = [
        _evaluate_lines(item, rows, aligned.time)
        for item, rows in zip((left, other), aligned.rows, strict=True)
    ]
    with np.errstate(all="ignore"):
        value, slope = function(*lines)
    known = np.isfinite(value) & np.isfinite(slope)
    value = np.where(known, value + 0.0, left.kind.unknown)  # -0.0 is 0.0
    return build_timelines(
        left.kind,
        left.names,
        aligned.birth,
        aligned.key,
        aligned.time,
        value,
        np.where(known, slope + 0.0, 0.0),
    )


def as_timelines(side: Side, like: Timelines) -> Timelines:
    """Return a value as the same number at all times, for the same keys."""
    if isinstance(side, Timelines):
        return side
    return build_constant(Kind.NUMBER, like.names, like.birth, side)


def _evaluate_lines(item: Timelines, rows: Values, time: Values) -> Line:
    return evaluate_at(item, rows, time), item.slope[rows]


def _scale_numerator(line: Line, factor: Floats, function: Callable[[Floats, Floats], Floats]) -> Line:
    value, slope = line
    return (
        pair_as_ratio(function(value.real, factor), value.imag),
        pair_as_ratio(function(slope.real, factor), slope.imag),
    )


def _multiply_slopes(a: Line, b: Line) -> Floats:
    """Return the slope of a product of which at most one side climbs."""
    return np.asarray(multiply_floats(a[1], b[0]) + multiply_floats(b[1], a[0]))


def add_floats(a: Floats, b: Floats) -> Floats:
    """a + b."""
    units, more_units = to_microunits(a), to_microunits(b)
    return np.where(_is_whole(units) & _is_whole(more_units), (units + more_units) / SECOND, a + b)


def multiply_floats(a: Floats, b: Floats) -> Floats:
    """a times b."""
    units, more_units = to_microunits(a), to_microunits(b)
    exact = units * more_units
    return np.where(_is_whole(units) & _is_whole(more_units) & _is_whole(exact), exact / SECOND**2, a * b)


def divide_floats(a: Floats, b: Floats) -> Floats:
    """a divided by b; NaN where b is 0."""
    units, more_units = to_microunits(a), to_microunits(b)
    exact = _is_whole(units) & _is_whole(more_units)
    divided = np.where(exact, units, a) / np.where(exact, more_units, b)
    return np.where(b == 0.0, np.nan, divided)


def _is_whole(units: Floats) -> Mask:
    return np.asarray((units == np.rint(units)) & (np.abs(units) < _EXACT))
