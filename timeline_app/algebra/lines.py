"""Lines: the pieces of a number, each a value at its start and a slope per second.

Durations are whole microseconds, kept as float64 seconds. Moving a value along its line goes through whole
microseconds wherever the value is one, so that it lands on the float64 nearest to the true answer, whichever
way it was reached.
"""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.kinds import SECOND, Floats, Ints, Mask

_ULPS = 4.0 * np.finfo(np.float64).eps


def micros(value: Floats) -> Floats:
    """The value times 10^6, snapped to the whole number where it is one up to rounding."""
    scaled = value * SECOND
    whole = np.rint(scaled)
    near = np.abs(scaled - whole) <= np.abs(scaled) * np.finfo(np.float64).eps * 2
    return np.where(near, whole, scaled)


def value_after(value: Floats, slope: Floats, elapsed: Ints) -> Floats:
    """The value of a line `elapsed` microseconds after its start.

    A flat line keeps its value to the bit, also since ever, where the elapsed time means nothing.
    """
    moved = (micros(value) + slope * elapsed) / SECOND
    return np.where(slope == 0.0, value, moved)


def same_line(value: Floats, slope: Floats, other_value: Floats, other_slope: Floats) -> Mask:
    """Where two lines that both start at one instant are one line. Unknown equals unknown.

    Values that moved along a line are compared up to rounding; flat ones have not moved and must be the same.
    """
    scale = np.where(slope == 0.0, 0.0, np.maximum(np.abs(value), np.abs(other_value)))
    equal = (slope == other_slope) & (np.abs(value - other_value) <= scale * _ULPS)
    return np.asarray(equal | (np.isnan(value) & np.isnan(other_value)))
