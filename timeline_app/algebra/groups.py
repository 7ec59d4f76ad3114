"""From timelines of keys to timelines of groups: who counts where, from when to when."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.align import align, evaluate_at
from timeline_app.algebra.kinds import NO_LABELS, OPEN, TRUE, Floats, Ints, Kind, Labels, Mask
from timeline_app.algebra.order import mark_firsts, order_of
from timeline_app.algebra.spread import square
from timeline_app.algebra.sums import WIDTH, Amounts, compute_amounts
from timeline_app.algebra.timelines import Timelines, build_constant, build_timelines

EVERYONE = "*"
"""The name of the one group of an aggregate without `by`."""


@dataclass(frozen=True, slots=True, eq=False)
class Deltas:
    """Amounts added to the exact sums of group `names[group[i]]` at `time[i]`; sorted, no row all zero."""

    names: Labels
    group: Ints
    time: Ints
    amounts: Amounts


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """The stretches from `start` to `end` (exclusive) in which keys count; `row` is the piece of the value."""

    names: Labels
    group: Ints
    row: Ints
    start: Ints
    end: Ints

    def births(self) -> Ints:
        """Return when each group has its first member; `OPEN` for none."""
        birth = np.full(len(self.names), OPEN, dtype=np.int64)
        np.minimum.at(birth, self.group, self.start)
        return birth


def find_members(of: Timelines, by: Timelines | None) -> Members:
    """Return which keys count where, from their birth on; a key whose group is unknown counts nowhere."""
    aligned = align(of) if by is None else align(of, by)
    end, birth = aligned.end, aligned.birth[aligned.key]
    names, group = _assign_groups(by, aligned.rows)
    counts = (group >= 0) & (end > birth) & (birth != OPEN)
    start = np.maximum(aligned.time[counts], birth[counts])
    return Members(names, group[counts], aligned.rows[0][counts], start, end[counts])


def compute_contributions(of: Timelines, by: Timelines | None, *, squares: bool = False) -> Deltas:
    """Return what each key adds to the sums of its group at each instant, from its birth on.

    A key whose value is unknown adds only itself, as a member. With `squares` the values stand still, and their squares
    are added as well.
    """
    counting = find_members(of, by)
    rows, group, start, end = counting.row, counting.group, counting.start, counting.end
    known, (value, slope) = of.known[rows], _evaluate_lines(of, rows, start)
    added = square(known, value) if squares else compute_amounts(known, value, slope, start)
    leaves = end != OPEN
    groups = np.concatenate((group, group[leaves]))
    times = np.concatenate((start, end[leaves]))
    return compress(counting.names, groups, times, np.concatenate((added, -added[leaves])))


def _assign_groups(by: Timelines | None, rows: tuple[Ints, ...]) -> tuple[Labels, Ints]:
    if by is None:
        return np.array([EVERYONE], dtype=object), np.zeros(len(rows[0]), dtype=np.int64)
    return by.labels, by.value[rows[1]].astype(np.int64)


def _evaluate_lines(of: Timelines, rows: Ints, start: Ints) -> tuple[Floats, Floats]:
    if of.kind is Kind.BOOL:
        return (of.value[rows] == TRUE).astype(np.float64), np.zeros(len(rows))
    if of.kind in (Kind.RATIO, Kind.TEXT):  # only counted
        return np.zeros(len(rows)), np.zeros(len(rows))
    return evaluate_at(of, rows, start), of.slope[rows]


def compress(names: Labels, group: Ints, time: Ints, rows: Amounts) -> Deltas:
    """Add up what falls on one group and instant, and leave out what cancels."""
    order = order_of(group, time)
    group, time, rows = group[order], time[order], rows[order]
    if not len(group):
        return Deltas(names, group, time, rows)
    first = mark_firsts(group, time)
    summed = np.add.reduceat(rows, np.flatnonzero(first), axis=0)
    is_nonzero = summed.any(axis=1)
    return Deltas(names, group[first][is_nonzero], time[first][is_nonzero], summed[is_nonzero])


def subtract(new: Deltas, old: Deltas) -> Deltas:
    """Return what turns the sums of `old` into those of `new`."""
    return add(new, Deltas(old.names, old.group, old.time, -old.amounts))


def add(left: Deltas, right: Deltas) -> Deltas:
    """Return both together."""
    names = np.unique(np.concatenate((left.names, right.names)).astype(object)).astype(object)
    places = [np.searchsorted(names, item.names)[item.group] for item in (left, right)]
    times = np.concatenate((left.time, right.time))
    return compress(names, np.concatenate(places), times, np.concatenate((left.amounts, right.amounts)))


def compute_running_sums(deltas: Deltas) -> tuple[Amounts, Mask]:
    """Return the sums that hold from each row of the deltas on, and which rows are the first of their group."""
    first = mark_firsts(deltas.group)
    return sum_running(deltas.amounts, first), first


def sum_running(change: Ints, first: Mask) -> Ints:
    """Return the running sum of each stretch of rows that begins at a `first`."""
    total, starts = np.cumsum(change, axis=0), np.flatnonzero(first)
    before = total[starts] - change[starts]
    return np.asarray(total - np.repeat(before, np.diff(np.append(starts, len(first))), axis=0))


def group_timelines(deltas: Deltas, kind: Kind, start: object, value: Floats, slope: Floats) -> Timelines:
    """Return timelines of the groups: `start` since ever, then a line from each row of the deltas on.

    A group is born where its first member begins to count; a group that never had one keeps `OPEN`.
    """
    names = deltas.names
    birth = np.full(len(names), OPEN, dtype=np.int64)
    np.minimum.at(birth, deltas.group, deltas.time)
    base = build_constant(kind, names, birth, start)
    key = np.concatenate((base.key, deltas.group))
    time = np.concatenate((base.time, deltas.time))
    values, slopes = np.concatenate((base.value, value)), np.concatenate((base.slope, slope))
    order = order_of(key, time)
    timelines = build_timelines(kind, names, birth, key[order], time[order], values[order], slopes[order])
    return timelines.take(np.flatnonzero(birth != OPEN))


NOBODY = Deltas(NO_LABELS, np.empty(0, np.int64), np.empty(0, np.int64), np.empty((0, WIDTH), np.int64))
"""No group, no key."""
