"""How often each value occurs among the keys of a group, and what follows: how many there are, which is most frequent.

Whose values stand still change only where a key's value or group does, so that all of this is exact for all time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.groups import Members, find_members, sum_running
from timeline_app.algebra.kinds import NO_LABELS, OPEN, Ints, Kind, Labels, Values
from timeline_app.algebra.order import mark_firsts, mark_lasts, order_of
from timeline_app.algebra.timelines import Timelines, build_constant, build_timelines

_PLACES = 31
_ALL = 2**_PLACES - 1


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """The number of keys of a group with a value, from `time` on.

    The value is given by its index in the order of all values. Sorted by group, value and time.
    """

    group: Ints
    place: Ints
    time: Ints
    count: Ints


def count_distinct(of: Timelines, by: Timelines | None, since: int) -> Timelines:
    """Return timelines of the groups: how many different known values their keys have."""
    counting = find_members(of, by)
    counts, _ = _count_values(of, counting, since)
    present = counts.count > 0
    begins = mark_firsts(counts.group, counts.place)
    before = np.zeros(len(present), dtype=bool)
    before[1:] = present[:-1]
    before &= ~begins
    turned = np.flatnonzero(present != before)
    group, time, change = counts.group[turned], counts.time[turned], np.where(present[turned], 1, -1)
    order = order_of(group, time)
    group, time = group[order], time[order]
    last = mark_lasts(group, time)
    value = sum_running(change[order], mark_firsts(group))[last].astype(np.float64)
    return _build_timelines(Kind.NUMBER, counting, 0.0, group[last], time[last], value)


def find_most_frequent(of: Timelines, by: Timelines | None, since: int) -> Timelines:
    """Return timelines of the groups: the value that most of their keys have, of equals the least; unknown with none.

    Values are paired, and pairs of pairs, as in a tournament: each round keeps of two what wins at each instant.
    """
    counting = find_members(of, by)
    counts, values = _count_values(of, counting, since)
    group, slot, time = counts.group, counts.place - _find_firsts(counts), counts.time
    score = np.where(counts.count > 0, (counts.count << _PLACES) + (_ALL - counts.place), 0)
    while len(slot) and slot.max() > 0:
        group, slot, time, score = _round(group, slot, time, score)
    place = np.where(score > 0, _ALL - (score & _ALL), -1)
    value = np.append(values, np.array([of.kind.unknown], of.kind.dtype))[place]
    return _build_timelines(of.kind, counting, of.kind.unknown, group, time, value, of.labels)


def _count_values(of: Timelines, counting: Members, since: int) -> tuple[_Counts, Values]:
    """Return the counts from `since` on, and all values in order."""
    present = of.known[counting.row] & (counting.end > since)
    start, end = np.maximum(counting.start[present], since), counting.end[present]
    values, value_codes = np.unique(of.value[counting.row[present]], return_inverse=True)
    has_end = end != OPEN
    group = np.concatenate((counting.group[present], counting.group[present][has_end]))
    places = np.concatenate((value_codes, value_codes[has_end])).astype(np.int64)
    time = np.concatenate((start, end[has_end]))
    change = np.repeat(np.array([1, -1]), [len(start), int(has_end.sum())])
    wide = max(len(values), 1)
    group_values = group * wide + places
    order = order_of(group_values, time)
    group_values, time, change = group_values[order], time[order], change[order]
    last = mark_lasts(group_values, time)
    count, group_values = sum_running(change, mark_firsts(group_values))[last], group_values[last]
    return _Counts(group_values // wide, group_values % wide, time[last], count), values


def _find_firsts(counts: _Counts) -> Ints:
    """Return by row the index of the first value of its group."""
    first_rows = np.flatnonzero(mark_firsts(counts.group))
    return np.repeat(counts.place[first_rows], np.diff(np.append(first_rows, len(counts.group))))


def _round(group: Ints, slot: Ints, time: Ints, score: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Merge each two neighbouring slots: the greater score at each instant."""
    wide = int(slot.max()) // 2 + 1
    group_slots = group * wide + slot // 2
    order = order_of(group_slots, time)
    group_slots, time, side, score = group_slots[order], time[order], slot[order] & 1, score[order]
    row, is_first = np.arange(len(group_slots)), mark_firsts(group_slots)
    start = np.maximum.accumulate(np.where(is_first, row, 0))
    best = np.zeros(len(group_slots), dtype=np.int64)
    for parity in (0, 1):
        latest = np.maximum.accumulate(np.where(side == parity, row, -1))
        best = np.maximum(best, np.where(latest >= start, score[latest], 0))
    last = mark_lasts(group_slots, time)
    group_slots, time, best = group_slots[last], time[last], best[last]
    is_last = mark_firsts(group_slots)
    is_last[1:] |= best[1:] != best[:-1]
    return group_slots[is_last] // wide, group_slots[is_last] % wide, time[is_last], best[is_last]


def _build_timelines(
    kind: Kind,
    counting: Members,
    start: object,
    group: Ints,
    time: Ints,
    value: Values,
    labels: Labels = NO_LABELS,
) -> Timelines:
    """Return steps: `start`, then the values of the groups; a group is born with its first member."""
    birth = counting.births()
    base = build_constant(kind, counting.names, birth, start)
    key, times = np.concatenate((base.key, group)), np.concatenate((base.time, time))
    values, order = np.concatenate((base.value, value)), order_of(key, times)
    timelines = build_timelines(
        kind, counting.names, birth, key[order], times[order], values[order], labels=labels
    )
    return timelines.take(np.flatnonzero(birth != OPEN))
