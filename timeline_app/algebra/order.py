"""The order of rows by key and time: what every join of events and timelines begins with."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Mask

_MAX_COMBINED = 2**62


def order_of(key: Ints, time: Ints) -> Ints:
    """Return the stable order by key, then time: what `np.lexsort((time, key))` gives, with less work.

    A time may be `BEGINNING`, which comes first; keys are not negative.
    """
    mixed = _combine_columns(key, time)
    if mixed is None:
        return np.lexsort((time, key))
    falls = np.flatnonzero(mixed[1:] < mixed[:-1])
    if not len(falls):
        return np.arange(len(mixed))
    if len(falls) <= _MAX_MERGED_RUNS:
        return np.argsort(mixed, kind="stable")
    return _restore_ties(np.argsort(mixed), mixed)


_MAX_MERGED_RUNS = 64
"""Up to this many sorted runs are merged; beyond it sorting is faster."""


def _restore_ties(order: Ints, mixed: Ints) -> Ints:
    """Return an order with equal rows brought back to the order in which they stood."""
    sorted_rows = mixed[order]
    equal = find_tied(sorted_rows)
    order[equal] = order[equal][np.lexsort((order[equal], sorted_rows[equal]))]
    return order


def _combine_columns(key: Ints, time: Ints) -> Ints | None:
    """Return key and time as one number in the same order; None where it does not fit."""
    since = time != BEGINNING
    if not since.any():
        return key.astype(np.int64, copy=False)
    first, last = int(time.min(where=since, initial=_MAX_COMBINED)), int(time.max())
    span = last - first + 2
    if span * (int(key.max()) + 1) >= _MAX_COMBINED:
        return None
    return np.asarray(key.astype(np.int64, copy=False) * span + np.where(since, time - first + 1, 0))


def mark_firsts(*columns: Ints) -> Mask:
    """Return which rows differ from the one before in any of the columns; the first row does."""
    first = np.ones(len(columns[0]), dtype=bool)
    first[1:] = _mark_changes(*columns)
    return first


def mark_lasts(*columns: Ints) -> Mask:
    """Return which rows differ from the one after in any of the columns; the last row does."""
    last = np.ones(len(columns[0]), dtype=bool)
    last[:-1] = _mark_changes(*columns)
    return last


def _mark_changes(first: Ints, *more: Ints) -> Mask:
    """Between which neighbours any of the columns differs, one fewer than there are rows."""
    moved: Mask = first[1:] != first[:-1]
    for column in more:
        moved |= column[1:] != column[:-1]
    return moved


def compute_ends(time: Ints, last: Mask | Ints) -> Ints:
    """The end of every piece of sorted pieces, exclusive: where the next begins, `OPEN` for the last of a key."""
    end = np.empty_like(time)
    end[:-1] = time[1:]
    end[last] = OPEN
    return end


def find_tied(*columns: Ints) -> Ints:
    """Return the rows that equal a neighbour in every column."""
    return np.flatnonzero(~(mark_firsts(*columns) & mark_lasts(*columns)))
