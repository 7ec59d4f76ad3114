"""The order of rows by key and time: what every join of events and timelines begins with."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, Ints, Mask

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
    same = found[1:] == found[:-1]
    if not same.any():
        return order
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
    order[tied] = order[tied][np.lexsort((order[tied], found[tied]))]
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


def ties(*columns: Ints) -> Mask:
    """Which rows are the same as the one before in every column; the first row is not."""
    same = np.zeros(len(columns[0]), dtype=bool)
    if len(same):
        same[1:] = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
    return same
