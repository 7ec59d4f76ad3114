"""Sums of value times time: integrals and means of steady numbers, in whole numbers, rounded once.

A value is split into limbs of 30 bits of microunits, two of them behind the point, and a length of time into two of
microseconds. Their products are added limb by limb, so that what leaves a window cancels exactly, and a sum that was
folded away and goes on is the sum that was never folded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from timeline_app.algebra.arithmetic import ratio_of, total
from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND, TRUE, UNKNOWN, Floats, Ints, Kind
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
    area = _area_of(item, carried)
    born = area.born
    value = _seconds(area.before)
    return timelines(Kind.NUMBER, born.names, born.birth, born.key, born.time, value, area.value)


def area_at(item: Timelines, at: Ints, carried: Carried | None = None) -> Ints:
    """What the integral has come to at each key's instant, in limbs: (keys, WIDTH)."""
    area = _area_of(item, carried)
    return _carry(area.until(holding(area.born, at), at))


def mean_of_window(item: Timelines, duration: int) -> Timelines:
    """The time-weighted mean over the known part of the window, not reduced; a bool counts as 0 and 1."""
    born = since_birth(_as_number(item))
    both, first, last = windows(born, duration)
    begin = np.where(both.time == BEGINNING, BEGINNING, both.time - duration)
    entered = begin >= born.time[first]  # else the window reaches back to birth, and nothing leaves it yet
    begin = np.maximum(begin, born.time[first])
    lines = []
    for value in (np.where(born.known, born.value, 0.0), born.known.astype(np.float64)):
        area = _Area.of(born, value)
        seconds = _seconds(area.until(last, both.time) - area.until(first, begin))
        slope = total(value[last], -np.where(entered, value[first], 0.0))
        lines.append(timelines(Kind.NUMBER, item.names, both.birth, both.key, both.time, seconds, slope))
    return ratio_of(*lines)


def _as_number(item: Timelines) -> Timelines:
    if item.kind is Kind.NUMBER:
        return item
    truth = np.where(item.value == UNKNOWN, np.nan, np.where(item.value == TRUE, 1.0, 0.0))
    return replace(item, kind=Kind.NUMBER, value=truth)


@dataclass(frozen=True, slots=True, eq=False)
class _Area:
    """What pieces since birth with these values, 0 where unknown, come to before each of them, in limbs."""

    born: Timelines
    value: Floats
    before: Ints

    @classmethod
    def of(cls, born: Timelines, value: Floats, carried: Carried | None = None) -> _Area:
        """Sum them up, key by key."""
        bounded = (born.end != OPEN) & (born.time != BEGINNING)
        lasted = np.where(bounded, born.end, 0) - np.where(bounded, born.time, 0)
        parts = _products(value, lasted)
        sums = np.cumsum(parts, axis=0) - parts
        sums -= np.repeat(sums[born.offsets[:-1]], np.diff(born.offsets), axis=0)
        if carried is not None:
            sums += carried.totals()[born.key]
        return cls(born, value, _carry(sums))

    def until(self, rows: Ints, time: Ints) -> Ints:
        """What they come to until a time within each of these rows."""
        begin = self.born.time[rows]
        return self.before[rows] + _products(
            self.value[rows], time - np.where(begin == BEGINNING, time, begin)
        )


def _area_of(item: Timelines, carried: Carried | None) -> _Area:
    born = since_birth(item if carried is None else forget(item, carried.at, carried.at))
    return _Area.of(born, np.where(born.known, born.value, 0.0), carried)


def _products(value: Floats, lasted: Ints) -> Ints:
    """Value times time: (rows, WIDTH) limbs, the least first."""
    found = np.zeros((len(value), WIDTH), dtype=np.int64)
    times = lasted & _MASK, lasted >> _LIMB
    for place, limb in enumerate(_limbs(value)):
        for shift, time in enumerate(times):
            product = limb * time
            found[:, place + shift] += product & _MASK
            found[:, place + shift + 1] += product >> _LIMB
    return found


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
    found = rows.copy()
    for place in range(WIDTH - 1):
        found[:, place + 1] += found[:, place] >> _LIMB
        found[:, place] &= _MASK
    return found


def _seconds(rows: Ints) -> Floats:
    """The value times seconds that sums stand for."""
    carried = _carry(rows)
    negative = carried[:, -1] < 0
    size = np.where(negative[:, np.newaxis], _carry(-rows), carried).astype(np.longdouble)
    number = np.zeros(len(rows), dtype=np.longdouble)
    for limb in size.T[::-1]:
        number = number * 2.0**_LIMB + limb
    return nearest_quotient(np.where(negative, -number, number), _ONE) + 0.0
