"""Which of two numbers is greater: on slopes, to the microsecond at which that changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.align import Aligned, align, evaluate_at
from timeline_app.algebra.arithmetic import Side, add_floats, as_timelines
from timeline_app.algebra.kinds import FALSE, SECOND, TRUE, UNKNOWN, Floats, Kind, Mask
from timeline_app.algebra.lines import ROUNDING, find_zero, to_microunits
from timeline_app.algebra.pieces import compute_cuts, refine
from timeline_app.algebra.timelines import Timelines, build_timelines


def is_greater(left: Timelines, right: Side, *, strict: bool) -> Timelines:
    """Return where left > right (strict) or left >= right; unknown where either is unknown."""
    if left.kind is Kind.RATIO:
        assert isinstance(right, float)
        item = refine(left, _find_sign_changes(left))
        aligned = align(item)
        return _build_comparison(item, aligned, _subtract_from_ratio(item, right), strict)
    other = as_timelines(right, left)
    aligned = align(left, other)
    return _build_comparison(left, aligned, _subtract_lines(left, other, aligned), strict)


def is_less(left: Timelines, right: Side, *, strict: bool) -> Timelines:
    """Return where left < right (strict) or left <= right: not the greater of the two."""
    item = is_greater(left, right, strict=not strict)
    return build_timelines(
        Kind.BOOL, item.names, item.birth, item.key, item.time, (TRUE - item.value).astype(np.int8)
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Difference:
    """What the left side has more than the right one: microunits at the start of a piece, microunits a microsecond."""

    value: Floats
    slope: Floats
    scale: Floats
    known: Mask


def _subtract_lines(left: Timelines, right: Timelines, aligned: Aligned) -> _Difference:
    """Subtract two numbers; flat ones are compared as they are."""
    left_lines, right_lines = (
        evaluate_at(item, rows, aligned.time) for item, rows in zip((left, right), aligned.rows, strict=True)
    )
    slopes = left.slope[aligned.rows[0]], right.slope[aligned.rows[1]]
    units, more_units = to_microunits(left_lines), to_microunits(right_lines)
    flat = (slopes[0] == 0.0) & (slopes[1] == 0.0)
    value = np.where(
        flat, np.sign(left_lines - right_lines), _snap_rounding(units - more_units, units, more_units)
    )
    slope = _snap_rounding(add_floats(slopes[0], -slopes[1]), *slopes)
    return _Difference(
        value, slope, np.abs(units) + np.abs(more_units), ~np.isnan(left_lines) & ~np.isnan(right_lines)
    )


def _subtract_from_ratio(item: Timelines, value: float) -> _Difference:
    """Subtract a value from a ratio: numerator - value * denominator, negated for a negative denominator."""
    above, below = to_microunits(item.value.real), to_microunits(item.value.imag)
    sign = np.where((item.value.imag < 0.0) | ((item.value.imag == 0.0) & (item.slope.imag < 0.0)), -1.0, 1.0)
    difference = _subtract_scaled(above, value, below)
    slope = _subtract_scaled(to_microunits(item.slope.real), value, to_microunits(item.slope.imag)) / SECOND
    return _Difference(sign * difference, sign * slope, np.abs(above) + np.abs(below * value), item.known)


def _subtract_scaled(above: Floats, value: float, below: Floats) -> Floats:
    """above - value * below, all in microunits; exact where they are whole."""
    factor = to_microunits(np.asarray(value)).astype(np.longdouble)
    exact = (above.astype(np.longdouble) * SECOND - factor * below) / SECOND
    return _snap_rounding(exact.astype(np.float64), above, below * value)


def _find_sign_changes(item: Timelines) -> Floats:
    """After how many microseconds the denominator of each piece has another sign (it is never 0 at a whole one)."""
    below = to_microunits(item.value.imag)
    return np.ceil(find_zero(below, item.slope.imag, np.abs(below)))


def _snap_rounding(difference: Floats, left: Floats, right: Floats) -> Floats:
    """Round a difference that is only rounding error to 0; one of integers has none."""
    whole = (left == np.rint(left)) & (right == np.rint(right))
    with np.errstate(invalid="ignore"):
        rounding = ~whole & (np.abs(difference) <= ROUNDING * (np.abs(left) + np.abs(right)))
    return np.where(rounding, 0.0, difference)


def _build_comparison(item: Timelines, aligned: Aligned, difference: _Difference, strict: bool) -> Timelines:
    """True where the difference is above 0 (or is 0, when not strict); it turns once in each piece at most."""
    crossing = find_zero(difference.value, difference.slope, difference.scale)
    climbing = difference.slope > 0.0
    turn = np.where(climbing == strict, np.floor(crossing) + 1, np.ceil(crossing))
    row, elapsed = compute_cuts(aligned.time, aligned.end, turn)
    flat = difference.value > 0.0 if strict else difference.value >= 0.0
    moving = np.where(elapsed >= turn[row], climbing[row], ~climbing[row])
    truth = np.where(difference.slope[row] == 0.0, flat[row], moving)
    value = np.where(difference.known[row], np.where(truth, TRUE, FALSE), UNKNOWN).astype(np.int8)
    time = aligned.time[row] + elapsed
    return build_timelines(Kind.BOOL, item.names, aligned.birth, aligned.key[row], time, value)
