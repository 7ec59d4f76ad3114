"""The exact variance of numbers that stand still, and its root: from sums of values and of their squares.

A value is a whole number of 2^-32 microunits (see `sums`), and so is its square, of their squares: eight limbs of 27
bits, which stand in the columns of an amount that a number that stands still leaves free. Numerator and denominator
of the variance are whole numbers of any size, and its float is the nearest one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from timeline_app.algebra.kinds import SECOND, Floats, Ints
from timeline_app.algebra.sums import WIDTH, Amounts, to_limbs

Objects = npt.NDArray[np.object_]
_SQUARES = 5
_LIMBS = 4
_BITS = 27
_REST = 32
_LOW = 30
_SCALE = (SECOND * 2**_REST) ** 2


def square(is_known: npt.NDArray[np.bool_], value: Floats) -> Amounts:
    """One amount for each value that counts: its members, the value and its square."""
    rows = np.zeros((len(value), WIDTH), dtype=np.int64)
    rows[:, 0], rows[:, 1] = 1, is_known
    value = np.where(is_known, value, 0.0)
    rows[:, 2:5] = to_limbs(value)
    limbs = _split_limbs(np.abs(value))
    carry = np.zeros(len(value), dtype=np.int64)
    for place in range(2 * _LIMBS):
        pairs = [(at, place - at) for at in range(_LIMBS) if 0 <= place - at < _LIMBS]
        carry += sum((limbs[at] * limbs[other] for at, other in pairs), np.zeros_like(carry))
        rows[:, _SQUARES + place] = carry & (2**_BITS - 1)
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
    """The population's variance of what summed amounts stand for; none is unknown."""
    return _apply_to_known(rows, lambda over, under: over / under)


def compute_deviation(rows: Amounts) -> Floats:
    """Its root, rounded once."""
    return _apply_to_known(rows, np.frompyfunc(_take_root, 2, 1))


def _apply_to_known(rows: Amounts, function: Any) -> Floats:
    floats = np.full(len(rows), np.nan)
    there = np.flatnonzero(rows[:, 1] > 0)
    columns: Objects = rows[there].T.astype(object)
    known, (high, low, rest) = columns[1], columns[2:5]
    total = (high * 2**_LOW + low) * 2**_REST + rest
    squares = sum(columns[_SQUARES + place] * 2 ** (_BITS * place) for place in range(2 * _LIMBS))
    floats[there] = function(known * squares - total * total, known * known * _SCALE).astype(np.float64)
    return floats


def _take_root(over: int, under: int) -> float:
    """The float nearest to the root of a quotient of whole numbers."""
    shift = max(0, 132 - over.bit_length() + under.bit_length()) // 2 * 2
    quotient, left = divmod(over << shift, under)
    root = math.isqrt(quotient)
    inexact = left > 0 or root * root < quotient  # keeps what lies above a tie above it
    return math.ldexp(root * 2 + inexact, -shift // 2 - 1)
