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

from timeline_app.algebra.arithmetic import add_floats, build_ratio
from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND, TRUE, UNKNOWN, Floats, Ints, Kind, Mask
from timeline_app.algebra.lines import to_microunits
from timeline_app.algebra.retention import Carried, find_holding, hide_before
from timeline_app.algebra.sliding import compute_windows, hide_before_birth
from timeline_app.algebra.sums import divide_nearest, to_limbs
from timeline_app.algebra.timelines import Timelines, build_timelines

_LIMB = 30
_MASK = 2**_LIMB - 1
_VALUE, _TIME = 5, 2
WIDTH = _VALUE + _TIME
"""The number of limbs of a sum."""
_LARGE = 2.0**33
"""From here on a float has no precision below a microunit."""
_UNIT = 2.0 ** (2 * _LIMB) * SECOND * SECOND
"""A second of the value 1, in units of the least limb."""


def integrate(item: Timelines, carried: Carried | None = None) -> Timelines:
    """Return the sum of value times seconds since birth, of a steady number; it stands still while that is unknown."""
    born = _from_birth(item, carried)
    value = _replace_unknown(born)
    sums = _Sums.compute(born, _weigh_by_value(value), carried)
    seconds = _to_value_seconds(sums.before)
    return build_timelines(Kind.NUMBER, born.names, born.birth, born.key, born.time, seconds, value)


def compute_area(item: Timelines, at: Ints, carried: Carried | None = None) -> Ints:
    """Return the integral at each key's instant, in limbs: (keys, WIDTH)."""
    born = _from_birth(item, carried)
    sums = _Sums.compute(born, _weigh_by_value(_replace_unknown(born)), carried)
    return _carry_limbs(sums.until(find_holding(born, at), at))


def compute_window_mean(item: Timelines, duration: int) -> Timelines:
    """Return the time-weighted mean over the known part of the window, not reduced; a bool counts as 0 and 1."""
    born = hide_before_birth(_as_number(item))
    aligned, first, last = compute_windows(born, duration)
    begin = np.where(aligned.time == BEGINNING, BEGINNING, aligned.time - duration)
    leaves = begin >= born.time[first]  # else the window reaches back to birth, and nothing leaves it yet
    begin = np.maximum(begin, born.time[first])

    def line(weigh: Weigh, seconds_of: Callable[[Ints], Floats], weight: Floats) -> Timelines:
        sums = _Sums.compute(born, weigh)
        seconds = seconds_of(sums.until(last, aligned.time) - sums.until(first, begin))
        slope = add_floats(weight[last], -np.where(leaves, weight[first], 0.0))
        return build_timelines(
            Kind.NUMBER, item.names, aligned.birth, aligned.key, aligned.time, seconds, slope
        )

    value = _replace_unknown(born)
    above = line(_weigh_by_value(value), _to_value_seconds, value)
    below = line(_weigh_by_time(born.known), lambda sums: sums[:, 0] / SECOND, born.known.astype(np.float64))
    return build_ratio(above, below)


def _as_number(item: Timelines) -> Timelines:
    if item.kind is Kind.NUMBER:
        return item
    truth = np.where(item.value == UNKNOWN, np.nan, np.where(item.value == TRUE, 1.0, 0.0))
    return replace(item, kind=Kind.NUMBER, value=truth)


def _from_birth(item: Timelines, carried: Carried | None) -> Timelines:
    return hide_before_birth(item if carried is None else hide_before(item, carried.at, carried.at))


def _replace_unknown(born: Timelines) -> Floats:
    return np.where(born.known, born.value, 0.0)


Weigh = Callable[[Ints | slice, Ints], Ints]
"""The weight of pieces that last these microseconds: integers in columns."""


def _weigh_by_value(value: Floats) -> Weigh:
    """Weigh pieces by their values, in limbs."""
    limbs = _split_limbs(value)
    return lambda rows, lasted: _multiply_limbs([limb[rows] for limb in limbs], lasted)


def _weigh_by_time(known: Mask) -> Weigh:
    """Weigh pieces in microseconds where they are known."""
    return lambda rows, lasted: np.where(known[rows], lasted, 0)[:, np.newaxis]


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """The cumulated weights of pieces since birth, before each of them, by key."""

    born: Timelines
    weigh: Weigh
    before: Ints

    @classmethod
    def compute(cls, born: Timelines, weigh: Weigh, carried: Carried | None = None) -> _Sums:
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
        """Return the sums up to a time within each of these rows."""
        begin = self.born.time[rows]
        return self.before[rows] + self.weigh(rows, time - np.where(begin == BEGINNING, time, begin))


def _multiply_limbs(limbs: list[Ints], lasted: Ints) -> Ints:
    """Values, limb by limb, times time: (rows, WIDTH) limbs, the least first."""
    products = np.zeros((WIDTH, len(lasted)), dtype=np.int64)
    times = lasted & _MASK, lasted >> _LIMB
    for (limb_number, limb), (shift, time) in product(enumerate(limbs), enumerate(times)):
        if limb.any() and time.any():
            parts = limb * time
            products[limb_number + shift] += parts & _MASK
            products[limb_number + shift + 1] += parts >> _LIMB
    return products.T


def _split_limbs(value: Floats) -> tuple[Ints, ...]:
    """Microunits, the least limb first: two behind the point, three before it."""
    high, low, _ = to_limbs(value).T
    scaled = to_microunits(np.where(np.abs(value) < _LARGE, value, 0.0))
    fraction = (scaled - np.rint(scaled)) * 2.0**_LIMB
    behind = np.floor(fraction)
    least = np.floor((fraction - behind) * 2.0**_LIMB)
    return least.astype(np.int64), behind.astype(np.int64), low, high & _MASK, high >> _LIMB


def _carry_limbs(rows: Ints) -> Ints:
    """Return the sums with carries: each limb but the greatest within 30 bits and not negative."""
    carried = rows.copy(order="K")
    for index in range(WIDTH - 1):
        carried[:, index + 1] += carried[:, index] >> _LIMB
        carried[:, index] &= _MASK
    return carried


def _to_value_seconds(rows: Ints) -> Floats:
    """Return the value times seconds that sums stand for."""
    size = _carry_limbs(rows)
    negative = size[:, -1] < 0
    size[negative] = _carry_limbs(-rows[negative])
    number = np.zeros(len(rows), dtype=np.longdouble)
    for limb in size.T[::-1]:
        number = number * 2.0**_LIMB + limb
    return divide_nearest(np.where(negative, -number, number), _UNIT) + 0.0
