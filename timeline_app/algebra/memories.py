"""What remembers what was: the greatest and least value so far, and a latch."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.align import Aligned, align
from timeline_app.algebra.kinds import FALSE, TRUE, Floats, Ints, Kind, Values
from timeline_app.algebra.order import firsts
from timeline_app.algebra.retention import Carried, forget, holding
from timeline_app.algebra.sliding import since_birth
from timeline_app.algebra.timelines import Timelines, timelines


def greatest_so_far(item: Timelines, carried: Carried | None = None, sign: float = 1.0) -> Timelines:
    """The greatest known value of a steady number since birth; the least, where the sign is -1."""
    if carried is not None:
        item = forget(item, carried.at, carried.at)
    born = since_birth(item)
    key = born.key
    value = np.where(born.known, sign * born.value, -np.inf)
    if carried is not None:
        before = np.where(carried.folded, _floats_of(carried.amounts), np.nan)[key]
        value = np.where(firsts(key) & ~np.isnan(before), sign * before, value)
    found = _running_maximum(key, value)
    known = np.where(found == -np.inf, np.nan, sign * found + 0.0)
    return timelines(Kind.NUMBER, item.names, item.birth, key, born.time, known)


def _running_maximum(key: Ints, value: Floats) -> Floats:
    """The greatest so far of each key, of rows sorted by key: that of ranks, which are greater in a later key."""
    order = np.lexsort((value, key))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return np.asarray(value[order[np.maximum.accumulate(rank)]])


def bits_at(item: Timelines, at: Ints) -> Ints:
    """The value of a steady number at each key's instant, bit by bit, as a column of whole numbers."""
    return item.value[holding(item, at)].view(np.int64)[:, np.newaxis]


def _floats_of(bits: Ints) -> Floats:
    return np.ascontiguousarray(bits[:, 0]).view(np.float64)


def latched(setting: Timelines, reset: Timelines, carried: Carried | None = None) -> Timelines:
    """`not reset and (set or memory)` in Kleene's logic."""
    both, on, off = _inputs(setting, reset, carried)
    value = np.minimum(TRUE - off, np.maximum(on, _memory(both, on, off, carried))).astype(np.int8)
    return timelines(Kind.BOOL, setting.names, both.birth, both.key, both.time, value)


def latch_memory(setting: Timelines, reset: Timelines, carried: Carried | None = None) -> Timelines:
    """The memory of a latch: false at first, changed only by what is known and decides."""
    both, on, off = _inputs(setting, reset, carried)
    memory = _memory(both, on, off, carried)
    return timelines(Kind.BOOL, setting.names, both.birth, both.key, both.time, memory)


def _inputs(setting: Timelines, reset: Timelines, carried: Carried | None) -> tuple[Aligned, Values, Values]:
    if carried is not None:
        setting, reset = (forget(item, carried.at, carried.at) for item in (setting, reset))
    both = align(setting, reset)
    return both, setting.value[both.rows[0]], reset.value[both.rows[1]]


def _memory(both: Aligned, on: Values, off: Values, carried: Carried | None) -> Values:
    """What the last piece so far that decided says, else what it was at first."""
    decides = (off == TRUE) | ((on == TRUE) & (off == FALSE))
    place = np.where(decides | firsts(both.key), np.arange(len(both.key)), 0)
    last = np.maximum.accumulate(place)
    start = np.zeros(len(both.key)) if carried is None else carried.column(0, 0)[both.key]
    return np.where(np.where(decides[last], off[last] == FALSE, start == 1), TRUE, FALSE).astype(np.int8)
