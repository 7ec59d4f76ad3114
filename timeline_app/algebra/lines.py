"""Lines: the pieces of a number, each a value at its start and a slope per second.

Durations are whole microseconds, kept as float64 seconds. Moving a value along its line goes through whole
microseconds wherever the value is one, so that it lands on the float64 nearest to the true answer, whichever
way it was reached.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from timeline_app.algebra.kinds import SECOND, Floats, Ints, Lines, Mask

_EPSILON = float(np.finfo(np.float64).eps)
ROUNDING = 4.0 * _EPSILON
"""A value smaller than this, relative to its operands, is rounding error."""


def to_microunits(value: Floats) -> Floats:
    """Return the value times 10^6, snapped to the whole number where it is one up to rounding."""
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = value * SECOND
        rounded = np.rint(scaled)
        is_close = np.abs(scaled - rounded) <= np.abs(scaled) * _EPSILON * 2
    return np.where(is_close, rounded, scaled)


def pair_as_ratio(numerator: Floats, denominator: Floats) -> npt.NDArray[np.complex128]:
    """Two columns as one: numerator + denominator i."""
    pairs = np.empty(np.broadcast(numerator, denominator).shape, dtype=np.complex128)
    pairs.real, pairs.imag = numerator, denominator
    return pairs


def evaluate_after(value: Lines, slope: Lines, elapsed: Ints) -> Lines:
    """Return the value of a line `elapsed` microseconds after its start; of a ratio, both its lines.

    A flat line, and one that has not moved, keeps its value to the bit, also for the unbounded past, where the
    elapsed time has no meaning.
    """
    if np.iscomplexobj(value):
        return pair_as_ratio(
            _move_line(value.real, slope.real, elapsed), _move_line(value.imag, slope.imag, elapsed)
        )
    return _move_line(value, slope, elapsed)


def _move_line(value: Floats, slope: Floats, elapsed: Ints) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        moved = (to_microunits(value) + slope * elapsed) / SECOND
    return np.where((slope == 0.0) | (elapsed == 0), value, moved)


def is_same_line(value: Lines, slope: Lines, other_value: Lines, other_slope: Lines) -> Mask:
    """Return where two lines that both start at one instant are one line. Unknown equals unknown.

    Values that moved along a line are compared up to rounding; flat ones have not moved and must be the same.
    """
    if np.iscomplexobj(value):
        above = _is_same(value.real, slope.real, other_value.real, other_slope.real)
        return above & _is_same(value.imag, slope.imag, other_value.imag, other_slope.imag)
    return _is_same(value, slope, other_value, other_slope)


def _is_same(value: Floats, slope: Floats, other_value: Floats, other_slope: Floats) -> Mask:
    scale = np.where(slope == 0.0, 0.0, np.maximum(np.abs(value), np.abs(other_value)))
    equal = (slope == other_slope) & (np.abs(value - other_value) <= scale * ROUNDING)
    return np.asarray(equal | (np.isnan(value) & np.isnan(other_value)))


def find_zero(value: Floats, slope: Floats, scale: Floats) -> Floats:
    """After how many microseconds the line `value + slope * elapsed` is zero; whole where it is so up to rounding.

    `value` is in microunits and was found from numbers of the size of `scale`. Infinite where the slope is 0.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        elapsed = np.where(slope == 0.0, np.inf, -value / slope)
        rounded = np.rint(elapsed)
        rounding = ROUNDING * (
            np.abs(elapsed) + np.where(value == np.rint(value), 0.0, scale / np.abs(slope))
        )
        is_close = np.abs(elapsed - rounded) <= np.minimum(rounding, _MAX_SNAP_DISTANCE)
    return np.where(is_close, rounded, elapsed)


_MAX_SNAP_DISTANCE = 1e-3
"""In microseconds: a crossing is not snapped to a more distant integer time."""
