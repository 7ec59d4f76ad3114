"""Functions of numbers, instant by instant: of steady ones, and the greater and the lesser of two that may climb.

Logarithms and powers are found in long doubles from the decimals that people write, and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from timeline_app.algebra.align import align, evaluate_at
from timeline_app.algebra.arithmetic import Side, as_timelines
from timeline_app.algebra.comparison import _subtract_lines
from timeline_app.algebra.kinds import SECOND, Floats, Kind
from timeline_app.algebra.lines import find_zero, to_microunits
from timeline_app.algebra.pieces import compute_cuts
from timeline_app.algebra.sums import LongFloats
from timeline_app.algebra.timelines import Timelines, build_timelines


def apply_function(function: Callable[[Floats], Floats], item: Timelines) -> Timelines:
    """Return a function of a steady number; unknown where the result is no number."""
    with np.errstate(all="ignore"):
        value = _select_finite(function(item.value))
    return build_timelines(Kind.NUMBER, item.names, item.birth, item.key, item.time, value)


def raise_to_power(left: Timelines, right: Side) -> Timelines:
    """Return a steady number to the power of a steady number; unknown where either is, or where that is no number."""
    other = as_timelines(right, left)
    aligned = align(left, other)
    base, exponent = left.value[aligned.rows[0]], other.value[aligned.rows[1]]
    with np.errstate(all="ignore"):
        power = np.power(_to_decimals(base), _to_decimals(exponent)).astype(np.float64)
    value = np.where(np.isnan(base) | np.isnan(exponent), np.nan, _select_finite(power))
    return build_timelines(Kind.NUMBER, left.names, aligned.birth, aligned.key, aligned.time, value)


def select_extreme(left: Timelines, right: Side, *, greatest: bool) -> Timelines:
    """The greater or lesser of two numbers, each from the first microsecond at which it is that; unknown if one is."""
    other = as_timelines(right, left)
    aligned = align(left, other)
    gap = _subtract_lines(left, other, aligned)
    turn = np.ceil(find_zero(gap.value, gap.slope, gap.scale))
    row, elapsed = compute_cuts(aligned.time, aligned.end, turn)
    rises = gap.slope[row] > 0.0
    above = np.where(elapsed >= turn[row], rises, ~rises)
    above = np.where(gap.slope[row] == 0.0, gap.value[row] >= 0.0, above)
    time, chosen = aligned.time[row] + elapsed, above == greatest
    rows = [side[row] for side in aligned.rows]
    left_values, right_values = evaluate_at(left, rows[0], time), evaluate_at(other, rows[1], time)
    value = np.where(gap.known[row], np.where(chosen, left_values, right_values), np.nan)
    slope = np.where(chosen, left.slope[rows[0]], other.slope[rows[1]])
    return build_timelines(Kind.NUMBER, left.names, aligned.birth, aligned.key[row], time, value, slope)


def round_half_away(value: Floats) -> Floats:
    """Return the nearest whole number; of two the one that is further from 0."""
    truncated = np.trunc(value)
    return np.where(np.abs(value - truncated) >= 0.5, truncated + np.sign(value), truncated)


def take_logarithm(value: Floats) -> Floats:
    """Return the logarithm to the base e."""
    return np.log(_to_decimals(value)).astype(np.float64)


def _select_finite(value: Floats) -> Floats:
    return np.where(np.isfinite(value), value + 0.0, np.nan)  # -0.0 is 0.0


def _to_decimals(value: Floats) -> LongFloats:
    """Return the decimals of floats that have at most six decimal places."""
    units = to_microunits(value)
    is_integral = (units == np.rint(units)) & (np.abs(units) < 2.0**53)
    decimal = np.where(is_integral, units, 0.0).astype(np.longdouble) / SECOND
    return np.asarray(np.where(is_integral, decimal, value), np.longdouble)
