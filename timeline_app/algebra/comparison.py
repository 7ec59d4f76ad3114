"""Which of two numbers is greater: on slopes, to the microsecond at which that changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.align import Aligned, align, values_at
from timeline_app.algebra.arithmetic import Side, as_timelines, total
from timeline_app.algebra.kinds import FALSE, SECOND, TRUE, UNKNOWN, Floats, Kind, Mask
from timeline_app.algebra.lines import ROUNDING, micros, zero_after
from timeline_app.algebra.pieces import cuts, refine
from timeline_app.algebra.timelines import Timelines, timelines


def greater(left: Timelines, right: Side, *, strict: bool) -> Timelines:
    """Where left > right (strict) or left >= right; unknown where either is unknown."""
    if left.kind is Kind.RATIO:
        assert isinstance(right, float)
        item = refine(left, _changes_of_sign(left))
        both = align(item)
        return _flips(item, both, _ratio_difference(item, right), strict)
    other = as_timelines(right, left)
    both = align(left, other)
    return _flips(left, both, difference_of(left, other, both), strict)


def less(left: Timelines, right: Side, *, strict: bool) -> Timelines:
    """Where left < right (strict) or left <= right: not the greater of the two."""
    item = greater(left, right, strict=not strict)
    return timelines(
        Kind.BOOL, item.names, item.birth, item.key, item.time, (TRUE - item.value).astype(np.int8)
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Difference:
    """What the left side has more than the right one: microunits at the start of a piece, microunits a microsecond."""

    value: Floats
    slope: Floats
    scale: Floats
    known: Mask


def difference_of(left: Timelines, right: Timelines, both: Aligned) -> _Difference:
    """Of two numbers. Flat ones are compared as they are."""
    mine, theirs = (
        values_at(item, rows, both.time) for item, rows in zip((left, right), both.rows, strict=True)
    )
    slopes = left.slope[both.rows[0]], right.slope[both.rows[1]]
    units, others = micros(mine), micros(theirs)
    flat = (slopes[0] == 0.0) & (slopes[1] == 0.0)
    value = np.where(flat, np.sign(mine - theirs), _snapped(units - others, units, others))
    slope = _snapped(total(slopes[0], -slopes[1]), *slopes)
    return _Difference(value, slope, np.abs(units) + np.abs(others), ~np.isnan(mine) & ~np.isnan(theirs))


def _ratio_difference(item: Timelines, value: float) -> _Difference:
    """Of a ratio and a value: numerator - value * denominator, the sign turned where the denominator is negative."""
    above, below = micros(item.value.real), micros(item.value.imag)
    sign = np.where((item.value.imag < 0.0) | ((item.value.imag == 0.0) & (item.slope.imag < 0.0)), -1.0, 1.0)
    difference = _less_so_much(above, value, below)
    slope = _less_so_much(micros(item.slope.real), value, micros(item.slope.imag)) / SECOND
    return _Difference(sign * difference, sign * slope, np.abs(above) + np.abs(below * value), item.known)


def _less_so_much(above: Floats, value: float, below: Floats) -> Floats:
    """above - value * below, all in microunits; exact where they are whole."""
    factor = micros(np.asarray(value)).astype(np.longdouble)
    exact = (above.astype(np.longdouble) * SECOND - factor * below) / SECOND
    return _snapped(exact.astype(np.float64), above, below * value)


def _changes_of_sign(item: Timelines) -> Floats:
    """After how many microseconds the denominator of each piece has another sign (it is never 0 at a whole one)."""
    below = micros(item.value.imag)
    return np.ceil(zero_after(below, item.slope.imag, np.abs(below)))


def _snapped(difference: Floats, one: Floats, other: Floats) -> Floats:
    """A difference that is only rounding is 0; one of whole numbers has none."""
    whole = (one == np.rint(one)) & (other == np.rint(other))
    with np.errstate(invalid="ignore"):
        rounding = ~whole & (np.abs(difference) <= ROUNDING * (np.abs(one) + np.abs(other)))
    return np.where(rounding, 0.0, difference)


def _flips(item: Timelines, both: Aligned, difference: _Difference, strict: bool) -> Timelines:
    """True where the difference is above 0 (or is 0, when not strict); it turns once in each piece at most."""
    crossing = zero_after(difference.value, difference.slope, difference.scale)
    climbing = difference.slope > 0.0
    turn = np.where(climbing == strict, np.floor(crossing) + 1, np.ceil(crossing))
    row, elapsed = cuts(both.time, both.end, turn)
    flat = difference.value > 0.0 if strict else difference.value >= 0.0
    moving = np.where(elapsed >= turn[row], climbing[row], ~climbing[row])
    truth = np.where(difference.slope[row] == 0.0, flat[row], moving)
    value = np.where(difference.known[row], np.where(truth, TRUE, FALSE), UNKNOWN).astype(np.int8)
    time = both.time[row] + elapsed
    return timelines(Kind.BOOL, item.names, both.birth, both.key[row], time, value)
