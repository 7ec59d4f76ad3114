"""Folding the logs of many keys at once, in columns: what `fold` does for one key, for timelines of codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.kinds import Ints
from timeline_app.algebra.order import mark_firsts, order_of


@dataclass(frozen=True, slots=True, eq=False)
class LogColumns:
    """Revisions of many keys: those of a key together, the newest first, each from `start` to `end`.

    The points of row r are those from `offsets[r]` to `offsets[r + 1]`, the first of them at its `start`.
    """

    key: Ints
    start: Ints
    end: Ints
    offsets: Ints
    time: Ints
    code: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """The change points of many keys, in order of key and time."""

    key: Ints
    time: Ints
    code: Ints

    def take(self, rows: Ints) -> Changes:
        """Return some of them."""
        return Changes(self.key[rows], self.time[rows], self.code[rows])


def fold_columns(log: LogColumns, start: int, end: int) -> Changes:
    """Return the timelines from `start` to `end`, in normal form; the first point of a key is at `start`, if known."""
    row, low, high = _visible(log, start, end)
    size = np.diff(log.offsets)[row]
    positions = (
        np.arange(int(size.sum()))
        - np.repeat(np.cumsum(size) - size, size)
        + np.repeat(log.offsets[row], size)
    )
    stretch = np.repeat(np.arange(len(row)), size)
    last = positions + 1 == log.offsets[row + 1][stretch]
    following = np.where(last, log.end[row][stretch], log.time[np.minimum(positions + 1, len(log.time) - 1)])
    inside = (log.time[positions] < high[stretch]) & (following > low[stretch])
    positions, stretch = positions[inside], stretch[inside]
    found_changes = Changes(
        log.key[row][stretch], np.maximum(log.time[positions], low[stretch]), log.code[positions]
    )
    found_changes = found_changes.take(order_of(found_changes.key, found_changes.time))
    return found_changes.take(np.flatnonzero(mark_firsts(found_changes.key, found_changes.code)))


def _visible(log: LogColumns, start: int, end: int) -> tuple[Ints, Ints, Ints]:
    """Return the stretches in which a revision is the newest: its row, from when, to when.

    A round for each row of a key.
    """
    row = np.flatnonzero(mark_firsts(log.key))
    stop = np.append(row[1:], len(log.key))[: len(row)]
    low, high = np.full(len(row), start), np.full(len(row), end)
    found_changes = [(row[:0], low[:0], high[:0])]
    while len(row):
        begin, over = np.maximum(low, log.start[row]), np.minimum(high, log.end[row])
        covers = begin < over
        found_changes.append((row[covers], begin[covers], over[covers]))
        parts = [
            (row, stop, low, np.where(covers, begin, high)),
            (row[covers], stop[covers], over[covers], high[covers]),
        ]
        row, stop, low, high = (np.concatenate(column) for column in zip(*parts, strict=True))
        visible = (low < high) & (row + 1 < stop)
        row, stop, low, high = row[visible] + 1, stop[visible], low[visible], high[visible]
    rows, lows, highs = (np.concatenate(column) for column in zip(*found_changes, strict=True))
    return rows, lows, highs
