"""What remembers what was: the greatest and least value so far, the value before, and a latch."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.align import Aligned, align
from timeline_app.algebra.kinds import FALSE, TRUE, Floats, Ints, Kind, Values
from timeline_app.algebra.order import mark_firsts
from timeline_app.algebra.recall import recall_values
from timeline_app.algebra.retention import Carried, hide_before
from timeline_app.algebra.sliding import hide_before_birth
from timeline_app.algebra.timelines import Timelines, build_timelines


def track_greatest(item: Timelines, carried: Carried | None = None, sign: float = 1.0) -> Timelines:
    """Return the greatest known value of a steady number since birth; the least, where the sign is -1."""
    if carried is not None:
        item = hide_before(item, carried.at, carried.at)
    born = hide_before_birth(item)
    key = born.key
    value = np.where(born.known, sign * born.value, -np.inf)
    if carried is not None:
        before = recall_values(item, carried)[2][key]
        value = np.where(mark_firsts(key) & ~np.isnan(before), sign * before, value)
    running_maximum = _compute_running_maximum(key, value)
    extreme = np.where(running_maximum == -np.inf, np.nan, sign * running_maximum + 0.0)
    return build_timelines(Kind.NUMBER, item.names, item.birth, key, born.time, extreme)


def _compute_running_maximum(key: Ints, value: Floats) -> Floats:
    """The greatest so far of each key, of rows sorted by key: that of ranks, which are greater in a later key."""
    order = np.lexsort((value, key))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return np.asarray(value[order[np.maximum.accumulate(rank)]])


def track_value_before(item: Timelines, carried: Carried | None = None) -> Timelines:
    """Return the value of the last known piece before the current one; unknown where there is none.

    It continues through unknown pieces, since the next known piece follows it.
    """
    if carried is not None:
        item = hide_before(item, carried.at, carried.at)
    labels, column, first = recall_values(item, carried)
    key, rows = item.key, np.arange(len(item.time))
    last = np.maximum.accumulate(np.where(item.known, rows, -1))
    before = np.concatenate(([-1], last[:-1]))
    values = np.append(column, item.kind.unknown).astype(item.kind.dtype)
    value = np.where(before >= item.offsets[:-1][key], values[before], first[key])
    return build_timelines(item.kind, item.names, item.birth, key, item.time, value, labels=labels)


def track_previous_value(item: Timelines, carried: Carried | None = None) -> Timelines:
    """Return the previous value, unknown while the input is."""
    before = track_value_before(item, carried)
    aligned = align(item, before)
    known = item.known[aligned.rows[0]]
    value = np.where(known, before.value[aligned.rows[1]], item.kind.unknown)
    return build_timelines(
        item.kind, item.names, aligned.birth, aligned.key, aligned.time, value, labels=before.labels
    )


def apply_latch(setting: Timelines, reset: Timelines, carried: Carried | None = None) -> Timelines:
    """`not reset and (set or memory)` in Kleene's logic."""
    aligned, on, off = _align_inputs(setting, reset, carried)
    value = np.minimum(TRUE - off, np.maximum(on, _compute_memory(aligned, on, off, carried))).astype(np.int8)
    return build_timelines(Kind.BOOL, setting.names, aligned.birth, aligned.key, aligned.time, value)


def remember_latch(setting: Timelines, reset: Timelines, carried: Carried | None = None) -> Timelines:
    """Return the memory of a latch: false at first, changed only by what is known and decides."""
    aligned, on, off = _align_inputs(setting, reset, carried)
    memory = _compute_memory(aligned, on, off, carried)
    return build_timelines(Kind.BOOL, setting.names, aligned.birth, aligned.key, aligned.time, memory)


def _align_inputs(
    setting: Timelines, reset: Timelines, carried: Carried | None
) -> tuple[Aligned, Values, Values]:
    if carried is not None:
        setting, reset = (hide_before(item, carried.at, carried.at) for item in (setting, reset))
    aligned = align(setting, reset)
    return aligned, setting.value[aligned.rows[0]], reset.value[aligned.rows[1]]


def _compute_memory(aligned: Aligned, on: Values, off: Values, carried: Carried | None) -> Values:
    """Return what the last piece so far that decided says, else what it was at first."""
    decides = (off == TRUE) | ((on == TRUE) & (off == FALSE))
    deciding_rows = np.where(decides | mark_firsts(aligned.key), np.arange(len(aligned.key)), 0)
    last = np.maximum.accumulate(deciding_rows)
    start = np.zeros(len(aligned.key)) if carried is None else carried.column(0, 0)[aligned.key]
    return np.where(np.where(decides[last], off[last] == FALSE, start == 1), TRUE, FALSE).astype(np.int8)
