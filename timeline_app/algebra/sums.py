"""Exact sums of lines over keys: the same answer in any order, however keys come, go and are corrected.

Each key that counts in a group contributes a row of whole numbers, added where it begins to count and taken
away where it ends, so that everything cancels exactly. A value is split into whole microunits (two limbs) and
a rest of 2^-32 microunits; a slope into a whole part and three of 20 bits each. Column by column:

    0 members   1 known   2-4 value   then for each part of a slope: it, and it times both limbs of the start

The products may go round the 64 bits: what is taken of them is a difference, which is small. Values beyond
2^53 (9.0e15) are cut there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from timeline_app.algebra.kinds import SECOND, Floats, Ints
from timeline_app.algebra.lines import to_microunits

Amounts = npt.NDArray[np.int64]
LongFloats = npt.NDArray[np.longdouble]
_LIMB = 30
_REST = 2.0**32
_PART = 20
_PARTS = 4
_SLOPE = 5
WIDTH = _SLOPE + 3 * _PARTS
_MAX_EXACT = 2.0**53


def compute_amounts(is_known: npt.NDArray[np.bool_], value: Floats, slope: Floats, time: Ints) -> Amounts:
    """Return one row for each line that counts from `time` on: `value` there, `slope` per second."""
    rows = np.zeros((len(time), WIDTH), dtype=np.int64)
    rows[:, 0] = 1
    rows[:, 1] = is_known
    rows[:, 2:5] = to_limbs(np.where(is_known, value, 0.0))
    coarse, fine = _split_time(time)
    rest = np.where(is_known, slope, 0.0)
    for column in range(_SLOPE, WIDTH, 3):
        part = np.trunc(rest)
        rest = (rest - part) * 2.0**_PART
        rows[:, column] = part
        rows[:, column + 1], rows[:, column + 2] = rows[:, column] * coarse, rows[:, column] * fine
    return rows


def to_limbs(value: Floats) -> Amounts:
    """Return a value as two limbs of whole microunits and a rest; beyond 2^33 a float cannot hold them all."""
    value = np.clip(value, -_MAX_EXACT, _MAX_EXACT)
    large = np.abs(value) >= 2.0**33
    units = np.where(large, np.floor(value), 0.0)
    scaled = np.where(large, (value - units) * SECOND, to_microunits(value))
    rounded = np.rint(scaled)
    coarse = np.floor(units / 2.0**_LIMB)
    low = ((units - coarse * 2.0**_LIMB) * SECOND).astype(np.int64) + rounded.astype(np.int64)
    high = coarse.astype(np.int64) * SECOND + (low >> _LIMB)
    return np.column_stack((high, low & (2**_LIMB - 1), np.rint((scaled - rounded) * _REST).astype(np.int64)))


def from_limbs(rows: Amounts) -> Floats:
    """Return the value of summed limbs, rounded once."""
    return (_join_limbs(rows) / SECOND).astype(np.float64)


def compute_mean(rows: Amounts, count: Ints) -> Floats:
    """Return the mean of `count` values from their summed limbs, rounded once; unknown of none."""
    mean = divide_nearest(_join_limbs(rows), np.maximum(count, 1) * SECOND)
    return np.where(count > 0, mean, np.nan)


def _join_limbs(rows: Amounts) -> LongFloats:
    scaled = rows[:, 0].astype(np.longdouble) * 2.0**_LIMB + rows[:, 1]
    return np.asarray(scaled + rows[:, 2].astype(np.longdouble) / _REST, np.longdouble)


def compute_totals(rows: Amounts, time: Ints, shares: Ints | None = None) -> tuple[Floats, Floats]:
    """Return the sum of the lines in the summed rows at `time`: (value, slope per second).

    With `shares` the sum is divided by them, in long doubles, so that it is rounded only once.
    """
    coarse, fine = _split_time(time)
    scaled = _join_limbs(rows[:, 2:5])
    slope = np.zeros(len(rows), dtype=np.longdouble)
    for index, column in enumerate(range(_SLOPE, WIDTH, 3)):
        part, coarse_start, fine_start = rows[:, column : column + 3].T
        scaled += _evaluate_line(part, coarse_start, fine_start, coarse, fine) / 2.0 ** (_PART * index)
        slope += part / 2.0 ** (_PART * index)
    parts = np.ones(len(rows), dtype=np.int64) if shares is None else shares
    return divide_nearest(scaled, parts * SECOND), divide_nearest(slope, parts)


def divide_nearest(number: LongFloats, parts: Ints | float) -> Floats:
    """Return the float64 nearest to a quotient; what a float64 holds is not rounded to a long double on the way."""
    short = number.astype(np.float64)
    return np.where(short == number, short / parts, (number / parts).astype(np.float64))


def _evaluate_line(slope: Ints, coarse_start: Ints, fine_start: Ints, coarse: Ints, fine: Ints) -> LongFloats:
    """Return the sum of slope times elapsed microseconds: over a million keys, more than 64 bits in four months."""
    high = (slope * coarse - coarse_start).astype(np.longdouble)
    return np.asarray(high * 2**_PART + (slope * fine - fine_start), np.longdouble)


def _split_time(time: Ints) -> tuple[Ints, Ints]:
    return time >> _PART, time & (2**_PART - 1)
