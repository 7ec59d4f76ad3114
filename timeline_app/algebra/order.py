"""The order of rows by key and time: what every join of events and timelines begins with."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Mask

_ROOM = 2**62


def order_of(key: Ints, time: Ints) -> Ints:
    """The stable order by key, then time: what `np.lexsort((time, key))` gives, with less work.

    A time may be `BEGINNING`, which comes first; keys are not negative.
    """
    mixed = _together(key, time)
    if mixed is None:
        return np.lexsort((time, key))
    falls = np.flatnonzero(mixed[1:] < mixed[:-1])
    if not len(falls):
        return np.arange(len(mixed))
    if len(falls) <= _RUNS:
        return np.argsort(mixed, kind="stable")
    return _settled(np.argsort(mixed), mixed)


_RUNS = 64
"""So few runs in order are merged; what is more mixed is sorted, which is faster than merging."""


def _settled(order: Ints, mixed: Ints) -> Ints:
    """An order with equal rows brought back to the order in which they stood."""
    found = mixed[order]
    equal = tied(found)
    order[equal] = order[equal][np.lexsort((order[equal], found[equal]))]
    return order


def _together(key: Ints, time: Ints) -> Ints | None:
    """Key and time as one number in the same order; None where it would not fit."""
    since = time != BEGINNING
    if not since.any():
        return key.astype(np.int64, copy=False)
    first, last = int(time.min(where=since, initial=_ROOM)), int(time.max())
    span = last - first + 2
    if span * (int(key.max()) + 1) >= _ROOM:
        return None
    return np.asarray(key.astype(np.int64, copy=False) * span + np.where(since, time - first + 1, 0))


def firsts(*columns: Ints) -> Mask:
    """Which rows differ from the one before in any of the columns; the first row does."""
    first = np.ones(len(columns[0]), dtype=bool)
    first[1:] = _moves(*columns)
    return first


def lasts(*columns: Ints) -> Mask:
    """Which rows differ from the one after in any of the columns; the last row does."""
    last = np.ones(len(columns[0]), dtype=bool)
    last[:-1] = _moves(*columns)
    return last


def _moves(first: Ints, *others: Ints) -> Mask:
    """Between which neighbours any of the columns differs, one fewer than there are rows."""
    moved: Mask = first[1:] != first[:-1]
    for column in others:
        moved |= column[1:] != column[:-1]
    return moved


def ends(time: Ints, last: Mask | Ints) -> Ints:
    """The end of every piece of sorted pieces, exclusive: where the next begins, `OPEN` for the last of a key."""
    end = np.empty_like(time)
    end[:-1] = time[1:]
    end[last] = OPEN
    return end


def tied(*columns: Ints) -> Ints:
    """The rows that are the same as one beside them in every column."""
    return np.flatnonzero(~(firsts(*columns) & lasts(*columns)))
