"""Revisions: what changed in timelines, how to apply it, and how to fold a log of it for one key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from timeline_app.algebra.align import evaluate_at, recode, share_labels
from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Kind, Labels, Lines, Mask, Values
from timeline_app.algebra.logic import find_differences
from timeline_app.algebra.order import compute_ends, mark_firsts, mark_lasts, order_of
from timeline_app.algebra.timelines import Timelines, build_timelines, compute_offsets, concatenate_ranges


@dataclass(frozen=True, slots=True, eq=False)
class Revisions:
    """From `start[r]` to `end[r]` the timeline of key `names[r]` is now the pieces `offsets[r]:offsets[r + 1]`.

    The first piece of a revision starts at its `start`. `birth[r]` is the key's birth; `OPEN` says that there is
    no such key any more.
    """

    kind: Kind
    names: Labels
    birth: Ints
    start: Ints
    end: Ints
    offsets: Ints
    time: Ints
    value: Values
    slope: Lines
    labels: Labels

    @property
    def size(self) -> int:
        """How many revisions."""
        return len(self.names)


def diff(old: Timelines, new: Timelines) -> Revisions:
    """Return the revisions from `old` to `new`, one for each changed key: the hull of its differences.

    Both have the same names. A new key is revised as a whole; one whose birth moved also where it now exists.
    """
    start, end = _find_changes(old, new)
    changed = np.flatnonzero(start < end)
    return restrict(new.take(changed), start[changed], end[changed])


def _find_changes(old: Timelines, new: Timelines) -> tuple[Ints, Ints]:
    """Return the stretch in which each key changed, empty (start = OPEN) where it did not."""
    keys, *unlike = _select_unlike(old, new)
    key, time, where = find_differences(*unlike)
    differ, last, key = np.flatnonzero(where), mark_lasts(key), keys[key]
    start = np.full(new.size, OPEN, dtype=np.int64)
    end = np.full(new.size, BEGINNING, dtype=np.int64)
    np.minimum.at(start, key[differ], time[differ])
    np.maximum.at(end, key[differ], compute_ends(time, last)[differ])
    moved = old.birth != new.birth
    start = np.where(moved, np.minimum(start, np.minimum(old.birth, new.birth)), start)
    end = np.where(moved, np.maximum(end, np.maximum(old.birth, new.birth)), end)
    appeared = moved & (old.birth == OPEN)
    return np.where(appeared, BEGINNING, start), np.where(appeared, OPEN, end)


def _select_unlike(old: Timelines, new: Timelines) -> tuple[Ints, Timelines, Timelines]:
    """Return the keys whose pieces are not all equal, and their pieces from the last on that both begin with."""
    counts = np.diff(old.offsets), np.diff(new.offsets)
    common = np.minimum(*counts)
    rows, other_rows = (concatenate_ranges(item.offsets[:-1], common) for item in (old, new))
    (old_values, new_values) = share_labels(old, new)[1] if old.kind is Kind.TEXT else (old.value, new.value)
    is_same = (old.time[rows] == new.time[other_rows]) & _is_same(old_values[rows], new_values[other_rows])
    if old.kind.is_line:
        is_same &= old.slope[rows] == new.slope[other_rows]
    first = common.copy()
    unlike = np.flatnonzero(~is_same)
    key = np.repeat(np.arange(new.size), common)[unlike]
    is_first = mark_firsts(key) if len(key) else np.zeros(0, dtype=bool)
    first[key[is_first]] = unlike[is_first] - compute_offsets(common)[key[is_first]]
    keys = np.flatnonzero((first < counts[0]) | (first < counts[1]))
    skipped = np.maximum(first[keys] - 1, 0)
    return keys, _from(old, keys, skipped), _from(new, keys, skipped)


def _is_same(old_values: Values, new_values: Values) -> Mask:
    """Return which values are equal, unknown ones too."""
    is_same = old_values == new_values
    return np.asarray(
        is_same | (np.isnan(old_values) & np.isnan(new_values)) if old_values.dtype.kind in "fc" else is_same
    )


def _from(item: Timelines, keys: Ints, skipped: Ints) -> Timelines:
    """Return the remaining pieces of some keys, without the first `skipped`; not in normal form."""
    counts = np.diff(item.offsets)[keys] - skipped
    rows = concatenate_ranges(item.offsets[keys] + skipped, counts)
    columns = (compute_offsets(counts), item.time[rows], item.value[rows], item.slope[rows], item.labels)
    return Timelines(item.kind, item.names[keys], item.birth[keys], *columns)


def restrict(item: Timelines, start: Ints, end: Ints) -> Revisions:
    """Return each key's pieces from its start (inclusive) to its end (exclusive), as a revision."""
    key = item.key
    inside = (item.time > start[key]) & (item.time < end[key])
    before = np.bincount(key[item.time <= start[key]], minlength=item.size)
    anchor = item.offsets[:-1] + np.maximum(before, 1) - 1
    rows = np.concatenate((anchor, np.flatnonzero(inside)))
    owner = np.concatenate((np.arange(item.size, dtype=np.int64), key[inside]))
    time = np.concatenate((start, item.time[inside]))
    order = order_of(owner, time)
    rows, owner, time = rows[order], owner[order], time[order]
    value = evaluate_at(item, rows, time) if item.kind.is_line else item.value[rows]
    offsets = compute_offsets(np.bincount(owner, minlength=item.size))
    return Revisions(
        item.kind, item.names, item.birth, start, end, offsets, time, value, item.slope[rows], item.labels
    )


def cut_before(revisions: Revisions, at: Ints) -> Revisions:
    """Return what revisions say from an instant on, one for each of them."""
    start = np.maximum(revisions.start, at)
    rows_left = np.flatnonzero(start < revisions.end)
    r = revisions
    item = Timelines(r.kind, r.names, r.birth, r.offsets, r.time, r.value, r.slope, r.labels).take(rows_left)
    return restrict(item, start[rows_left], r.end[rows_left])


def apply(old: Timelines, revisions: Revisions, key: Ints) -> Timelines:
    """Return `old` with each revision applied to the key of that index (each key at most once).

    Labels of both must be the same. Repeating a revision changes nothing.
    """
    start = np.full(old.size, OPEN, dtype=np.int64)
    end = np.full(old.size, OPEN, dtype=np.int64)
    birth = old.birth.copy()
    start[key], end[key], birth[key] = revisions.start, revisions.end, revisions.birth
    owner = old.key
    is_outside = (old.time < start[owner]) | (old.time >= end[owner])
    tail = _compute_tails(old, key, revisions.end)
    pieces = concatenate_ranges(revisions.offsets[:-1], np.diff(revisions.offsets))
    keys = np.concatenate((owner[is_outside], np.repeat(key, np.diff(revisions.offsets)), tail[0]))
    time = np.concatenate((old.time[is_outside], revisions.time[pieces], tail[1]))
    value = np.concatenate((old.value[is_outside], revisions.value[pieces], tail[2]))
    slope = np.concatenate((old.slope[is_outside], revisions.slope[pieces], tail[3]))
    order = order_of(keys, time)
    columns = (keys[order], time[order], value[order], slope[order])
    return build_timelines(old.kind, old.names, birth, *columns, labels=old.labels)


def apply_all(timelines: Timelines, steps: Sequence[Revisions]) -> tuple[Timelines, Timelines]:
    """Return timelines before and after revisions, one after the other, with the same labels.

    The names of every revision must be among those of `timelines`.
    """
    if timelines.kind is Kind.TEXT:
        labels = np.unique(np.concatenate([timelines.labels, *(step.labels for step in steps)])).astype(
            object
        )
        timelines = replace(timelines, value=recode(timelines.value, timelines.labels, labels), labels=labels)
        steps = [
            replace(step, value=recode(step.value, step.labels, labels), labels=labels) for step in steps
        ]
    result = timelines
    for step in steps:
        result = apply(result, step, np.searchsorted(result.names, step.names))
    return timelines, result


def _compute_tails(old: Timelines, key: Ints, end: Ints) -> tuple[Ints, Ints, Values, Lines]:
    """Return what the old timelines go on with where a revision ends between two of their change points."""
    bounded = end != OPEN
    key, end = key[bounded], end[bounded]
    limits = np.full(old.size, BEGINNING, dtype=np.int64)
    limits[key] = end
    until = np.bincount(old.key[old.time <= limits[old.key]], minlength=old.size)[key]
    rows = old.offsets[key] + until - 1
    between = old.time[rows] != end
    key, end, rows = key[between], end[between], rows[between]
    value = evaluate_at(old, rows, end) if old.kind.is_line else old.value[rows]
    return key, end, value, old.slope[rows]
