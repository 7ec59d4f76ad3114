"""Sums of value times time: integrals and means of steady numbers, in whole numbers, rounded once.

A value is split into limbs of 30 bits of microunits, two of them behind the point, and a length of time into two of
microseconds. Their products are added limb by limb, so that what leaves a window cancels exactly, and a sum that was
folded away and goes on is the sum that was never folded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from timeline_app.algebra.arithmetic import ratio_of, total
from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND, TRUE, UNKNOWN, Floats, Ints, Kind, Mask
from timeline_app.algebra.lines import micros
from timeline_app.algebra.retention import Carried, forget, holding
from timeline_app.algebra.sliding import since_birth, windows
from timeline_app.algebra.sums import microunits, nearest_quotient
from timeline_app.algebra.timelines import Timelines, timelines

_LIMB = 30
_MASK = 2**_LIMB - 1
_VALUE, _TIME = 5, 2
WIDTH = _VALUE + _TIME
"""So many limbs has a sum."""
_LARGE = 2.0**33
"""A float from here on has nothing behind the microunit."""
_ONE = 2.0 ** (2 * _LIMB) * SECOND * SECOND
"""A second of the value 1, in units of the least limb."""


def integral_of(item: Timelines, carried: Carried | None = None) -> Timelines:
    """The sum of value times seconds since birth, of a steady number; it stands still while that is unknown."""
    born = _from_birth(item, carried)
    value = _known_values(born)
    sums = _Sums.of(born, _area(value), carried)
    seconds = _seconds(sums.before)
    return timelines(Kind.NUMBER, born.names, born.birth, born.key, born.time, seconds, value)


def area_at(item: Timelines, at: Ints, carried: Carried | None = None) -> Ints:
    """What the integral has come to at each key's instant, in limbs: (keys, WIDTH)."""
    born = _from_birth(item, carried)
    sums = _Sums.of(born, _area(_known_values(born)), carried)
    return _carry(sums.until(holding(born, at), at))


def mean_of_window(item: Timelines, duration: int) -> Timelines:
    """The time-weighted mean over the known part of the window, not reduced; a bool counts as 0 and 1."""
    born = since_birth(_as_number(item))
    both, first, last = windows(born, duration)
    begin = np.where(both.time == BEGINNING, BEGINNING, both.time - duration)
    leaves = begin >= born.time[first]  # else the window reaches back to birth, and nothing leaves it yet
    begin = np.maximum(begin, born.time[first])

    def line(weigh: Weigh, seconds_of: Callable[[Ints], Floats], weight: Floats) -> Timelines:
        sums = _Sums.of(born, weigh)
        seconds = seconds_of(sums.until(last, both.time) - sums.until(first, begin))
        slope = total(weight[last], -np.where(leaves, weight[first], 0.0))
        return timelines(Kind.NUMBER, item.names, both.birth, both.key, both.time, seconds, slope)

    value = _known_values(born)
    above = line(_area(value), _seconds, value)
    below = line(_length(born.known), lambda sums: sums[:, 0] / SECOND, born.known.astype(np.float64))
    return ratio_of(above, below)


def _as_number(item: Timelines) -> Timelines:
    if item.kind is Kind.NUMBER:
        return item
    truth = np.where(item.value == UNKNOWN, np.nan, np.where(item.value == TRUE, 1.0, 0.0))
    return replace(item, kind=Kind.NUMBER, value=truth)


def _from_birth(item: Timelines, carried: Carried | None) -> Timelines:
    return since_birth(item if carried is None else forget(item, carried.at, carried.at))


def _known_values(born: Timelines) -> Floats:
    return np.where(born.known, born.value, 0.0)


Weigh = Callable[[Ints | slice, Ints], Ints]
"""What pieces count for that last so many microseconds: whole numbers in columns."""


def _area(value: Floats) -> Weigh:
    """By their values, in limbs."""
    limbs = _limbs(value)
    return lambda rows, lasted: _products([limb[rows] for limb in limbs], lasted)


def _length(known: Mask) -> Weigh:
    """By whether they are known, in microseconds."""
    return lambda rows, lasted: np.where(known[rows], lasted, 0)[:, np.newaxis]


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """What pieces since birth come to before each of them, key by key."""

    born: Timelines
    weigh: Weigh
    before: Ints

    @classmethod
    def of(cls, born: Timelines, weigh: Weigh, carried: Carried | None = None) -> _Sums:
        """Sum them up."""
        bounded = (born.end != OPEN) & (born.time != BEGINNING)
        lasted = np.where(bounded, born.end, 0) - np.where(bounded, born.time, 0)
        parts = weigh(slice(None), lasted)
        sums = np.cumsum(parts, axis=0) - parts
        sums -= np.repeat(sums[born.offsets[:-1]], np.diff(born.offsets), axis=0)
        if carried is not None:
            sums += carried.totals()[born.key]
        return cls(born, weigh, sums)

    def until(self, rows: Ints, time: Ints) -> Ints:
        """What they come to until a time within each of these rows."""
        begin = self.born.time[rows]
        return self.before[rows] + self.weigh(rows, time - np.where(begin == BEGINNING, time, begin))


def _products(limbs: list[Ints], lasted: Ints) -> Ints:
    """Values, limb by limb, times time: (rows, WIDTH) limbs, the least first."""
    found = np.zeros((WIDTH, len(lasted)), dtype=np.int64)
    times = lasted & _MASK, lasted >> _LIMB
    for (place, limb), (shift, time) in product(enumerate(limbs), enumerate(times)):
        if limb.any() and time.any():
            parts = limb * time
            found[place + shift] += parts & _MASK
            found[place + shift + 1] += parts >> _LIMB
    return found.T


def _limbs(value: Floats) -> tuple[Ints, ...]:
    """Microunits, the least limb first: two behind the point, three before it."""
    high, low, _ = microunits(value).T
    scaled = micros(np.where(np.abs(value) < _LARGE, value, 0.0))
    rest = (scaled - np.rint(scaled)) * 2.0**_LIMB
    behind = np.floor(rest)
    least = np.floor((rest - behind) * 2.0**_LIMB)
    return least.astype(np.int64), behind.astype(np.int64), low, high & _MASK, high >> _LIMB


def _carry(rows: Ints) -> Ints:
    """The same sums, each limb but the greatest within 30 bits and not negative."""
    found = rows.copy(order="K")
    for place in range(WIDTH - 1):
        found[:, place + 1] += found[:, place] >> _LIMB
        found[:, place] &= _MASK
    return found


def _seconds(rows: Ints) -> Floats:
    """The value times seconds that sums stand for."""
    size = _carry(rows)
    negative = size[:, -1] < 0
    size[negative] = _carry(-rows[negative])
    number = np.zeros(len(rows), dtype=np.longdouble)
    for limb in size.T[::-1]:
        number = number * 2.0**_LIMB + limb
    return nearest_quotient(np.where(negative, -number, number), _ONE) + 0.0
