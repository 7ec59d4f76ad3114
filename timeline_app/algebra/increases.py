"""How much a steady number has risen in all: exact sums of its changes, in limbs of to_limbs, rounded once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.kinds import Floats, Ints, Kind
from timeline_app.algebra.retention import Carried, find_holding, hide_before
from timeline_app.algebra.sums import from_limbs, to_limbs
from timeline_app.algebra.timelines import Timelines, build_timelines

_LIMBS = 3
WIDTH = _LIMBS + 1
"""The memory of a key: the sum, and the bits of its last known value."""


@dataclass(frozen=True, slots=True, eq=False)
class _Rises:
    """Pieces, with the sum of rises up to each, and the last known value up to it."""

    of: Timelines
    sums: Ints
    last: Floats


def compute_increase(item: Timelines, *, resets: bool, carried: Carried | None = None) -> Timelines:
    """Return the sum of all rises; with `resets`, after a fall the number has risen from 0."""
    rises = _add_up(item, resets, carried)
    of, value = rises.of, from_limbs(rises.sums)
    return build_timelines(Kind.NUMBER, item.names, item.birth, of.key, of.time, value)


def take_increase(item: Timelines, at: Ints, *, resets: bool, carried: Carried | None = None) -> Ints:
    """Return the memory at each key's instant: (keys, WIDTH)."""
    rises = _add_up(item, resets, carried)
    rows = find_holding(rises.of, at)
    return np.column_stack((rises.sums[rows], rises.last[rows].view(np.int64)))


def _add_up(item: Timelines, resets: bool, carried: Carried | None) -> _Rises:
    of = item if carried is None else hide_before(item, carried.at, carried.at)
    before, last = _find_known_values(of, carried)
    rise = _compute_rises(of.value, before, resets)
    sums = np.cumsum(rise, axis=0)
    first = of.offsets[:-1]
    sums -= np.repeat(sums[first] - rise[first], np.diff(of.offsets), axis=0)
    if carried is not None:
        sums += carried.totals()[of.key, :_LIMBS]
    return _Rises(of, sums, last)


def _find_known_values(of: Timelines, carried: Carried | None) -> tuple[Floats, Floats]:
    """Return the last known value before each piece, and up to it; NaN where there is none."""
    rows = np.arange(len(of.time))
    latest = np.maximum.accumulate(np.where(of.known, rows, -1))
    earlier = np.concatenate(([-1], latest[:-1]))
    first, carried_values = of.offsets[:-1][of.key], np.full(of.size, np.nan)
    if carried is not None:
        bits = np.ascontiguousarray(carried.amounts[:, _LIMBS]).view(np.float64)
        carried_values = np.where(carried.folded, bits, np.nan)
    values = np.append(of.value, np.nan)
    before, last = (
        np.where(rows_found >= first, values[rows_found], carried_values[of.key])
        for rows_found in (earlier, latest)
    )
    return before, last


def _compute_rises(value: Floats, before: Floats, resets: bool) -> Ints:
    """Return the rise at each piece: 0 at the first known one, and where the value is unknown."""
    with np.errstate(invalid="ignore"):
        is_rise, is_fall = value > before, value < before
    begin = np.where(is_rise, before, 0.0)
    end = np.where(is_rise, value, np.where(is_fall & resets, np.maximum(value, 0.0), 0.0))
    return np.asarray(to_limbs(end) - to_limbs(begin))
