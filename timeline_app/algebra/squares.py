"""The deviation of numbers from exact sums of them and of their squares, rounded once.

A value is a whole number of 2^-32 microunits. Its square has up to 212 bits, so the columns hold Python's integers.
"""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.kinds import SECOND, Floats, Ints, Labels
from timeline_app.algebra.sums import LongFloats, microunits, nearest_quotient

_REST_BITS, _LOW_BITS = 32, 30
_LIMB = 60
_MASK = 2**_LIMB - 1
_ONE = np.longdouble(SECOND * 2**_REST_BITS)


def exact_units(value: Floats) -> Labels:
    """Values in units of 2^-32 microunits, as whole numbers of any size."""
    high, low, rest = microunits(value).T.astype(object)
    units = (((high << _LOW_BITS) + low) << _REST_BITS) + rest
    return np.asarray(units, dtype=object)


def deviation_of(count: Ints, sums: Labels, squares: Labels) -> Floats:
    """The population's deviation of so many values; unknown of fewer than two."""
    found = np.full(len(count), np.nan)
    several = np.flatnonzero(count > 1)
    number = count[several].astype(object)
    spread = number * squares[several] - sums[several] ** 2
    found[several] = nearest_quotient(np.sqrt(_long(spread)) / _ONE, count[several])
    return found


def _long(number: Labels) -> LongFloats:
    """Whole numbers that are not negative, as long doubles."""
    found = np.zeros(len(number), dtype=np.longdouble)
    scale = np.longdouble(1)
    for _ in range(_limbs(number)):
        found += (number & _MASK).astype(np.int64).astype(np.longdouble) * scale
        number, scale = number >> _LIMB, scale * 2.0**_LIMB
    return found


def _limbs(number: Labels) -> int:
    return 0 if not len(number) else -(-int(number.max()).bit_length() // _LIMB)
