"""The exact variance of numbers that stand still, and its root: from sums of values and of their squares.

A value is a whole number of 2^-32 microunits (see `sums`), and so is its square, of their squares: eight limbs of 27
bits, which stand in the columns of an amount that a number that stands still leaves free. Numerator and denominator
of the variance are whole numbers of any size, and its float is the nearest one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_app.algebra.kinds import SECOND, Floats, Ints
from timeline_app.algebra.sums import WIDTH, Amounts, LongFloats, to_limbs

Objects = npt.NDArray[np.object_]
_bit_length = np.frompyfunc(int.bit_length, 1, 1)
_DOUBT = max(2.0**-60, 8 * float(np.finfo(np.longdouble).eps))
"""How far off the root of a quotient of 63 bits may be, at most, in parts of it; where long doubles are short, any."""
_SQUARES = 5
_LIMBS = 4
_BITS = 27
_REST = 32
_LOW = 30
_SCALE = (SECOND * 2**_REST) ** 2


def square(is_known: npt.NDArray[np.bool_], value: Floats) -> Amounts:
    """Return one amount for each value that counts: its members, the value and its square."""
    rows = np.zeros((len(value), WIDTH), dtype=np.int64)
    rows[:, 0], rows[:, 1] = 1, is_known
    value = np.where(is_known, value, 0.0)
    rows[:, 2:5] = to_limbs(value)
    limbs = _split_limbs(np.abs(value))
    carry = np.zeros(len(value), dtype=np.int64)
    for limb_number in range(2 * _LIMBS):
        pairs = [(at, limb_number - at) for at in range(_LIMBS) if 0 <= limb_number - at < _LIMBS]
        carry += sum((limbs[at] * limbs[other] for at, other in pairs), np.zeros_like(carry))
        rows[:, _SQUARES + limb_number] = carry & (2**_BITS - 1)
        carry >>= _BITS
    return rows


def _split_limbs(value: Floats) -> tuple[Ints, ...]:
    """A value that is not negative in limbs of 27 bits, the least first; `microunits` rounds, and may leave a debt."""
    high, low, rest = to_limbs(value).T
    low, rest = low + (rest >> _REST), rest & (2**_REST - 1)
    high, low = high + (low >> _LOW), low & (2**_LOW - 1)
    whole = 2**_BITS - 1
    return rest & whole, (rest >> 27 | low << 5) & whole, (low >> 22 | high << 8) & whole, high >> 19


def compute_variance(rows: Amounts) -> Floats:
    """Return the population variance from summed amounts; unknown without any."""
    return _apply_to_known(rows, lambda over, under: over / under)


def compute_deviation(rows: Amounts) -> Floats:
    """Return its root, rounded once."""
    return _apply_to_known(rows, _take_roots)


def _apply_to_known(rows: Amounts, function: Any) -> Floats:
    floats = np.full(len(rows), np.nan)
    known_rows = np.flatnonzero(rows[:, 1] > 0)
    columns = rows[known_rows].T
    known_counts, total = columns[1].astype(object), _join_limbs(columns[[4, 3, 2]], (0, _REST, _REST + _LOW))
    squares = _join_limbs(columns[_SQUARES : _SQUARES + 2 * _LIMBS], range(0, 2 * _LIMBS * _BITS, _BITS))
    floats[known_rows] = function(
        known_counts * squares - total * total, known_counts * known_counts * _SCALE
    ).astype(np.float64)
    return floats


def _join_limbs(limbs: Ints, bits: Sequence[int]) -> Objects:
    """Whole numbers from their limbs, each worth a power of 2; most have few limbs that are not 0."""
    used = [limb_number for limb_number in range(len(limbs)) if limbs[limb_number].any()]
    shifted = (limbs[limb_number].astype(object) << bits[limb_number] for limb_number in used)
    joined: Objects = np.add.reduce([np.zeros(limbs.shape[1], dtype=object), *shifted])
    return joined


def _take_roots(over: Objects, under: Objects) -> Floats:
    """`_take_root` of each pair: by long doubles, and by whole numbers where those cannot tell how to round."""
    above, below = _split_lead(over), _split_lead(under)
    root = np.sqrt(np.ldexp(above[0] / below[0], above[1] - below[1]))
    rounded: Floats = root.astype(np.float64)
    half = np.spacing(rounded).astype(np.longdouble) / 2
    unclear = np.abs(np.abs(root - rounded) - half) <= root * _DOUBT
    small = (root > 0) & (rounded < np.finfo(np.float64).tiny)
    for row in np.flatnonzero(unclear | small):
        rounded[row] = _take_root(over[row], under[row])
    return rounded


def _split_lead(number: Objects) -> tuple[LongFloats, Ints]:
    """Return the first 63 bits of whole numbers that are not negative, and how many follow."""
    shift: Ints = np.maximum(np.asarray(_bit_length(number)).astype(np.int64) - 63, 0)
    lead: Objects = np.right_shift(number, shift)
    return lead.astype(np.int64).astype(np.longdouble), shift


def _take_root(over: int, under: int) -> float:
    """Return the float nearest to the root of a quotient of whole numbers."""
    shift = max(0, 132 - over.bit_length() + under.bit_length()) // 2 * 2
    quotient, remainder = divmod(over << shift, under)
    root = math.isqrt(quotient)
    inexact = remainder > 0 or root * root < quotient  # keeps what lies above a tie above it
    return math.ldexp(root * 2 + inexact, -shift // 2 - 1)
