"""Splits a batch of a feed into slices of limited size, however large the batch is.

A slice may end within a revision. The revision is then written as two, split at the time of the next slice's first
row; together they equal the original.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.feed.feed_rows import SCHEMA, select_progress_rows
from timeline_app.feed.files import FileFeed

MAX_ROWS_PER_SLICE = 20_000
"""One transaction of the publisher writes them: about half a second on SQLite."""
MAX_BYTES_PER_SLICE = 1 << 25


@dataclass(frozen=True, slots=True)
class FeedSlice:
    """Rows `start` to `end` (exclusive) of a batch.

    In a partial slice, `marks` holds all progress rows so far, and `nodes` the indexes of all nodes mentioned so far.
    """

    batch: int
    rows: pa.Table
    start: int
    last: bool
    marks: pa.Table
    nodes: frozenset[int]

    @property
    def end(self) -> int:
        """The number of rows of the batch that are written after this slice."""
        return self.start + len(self.rows)

    @classmethod
    def whole(cls, batch: int, rows: pa.Table) -> FeedSlice:
        """Return a batch as one slice."""
        return cls(batch, rows, 0, True, rows.slice(0, 0), frozenset())

    @property
    def is_whole(self) -> bool:
        """Whether the slice is its whole batch."""
        return self.last and self.start == 0


class SlicedBatch:
    """Reads a batch slice by slice, after the `start` rows that are already published.

    `known_at` belongs to the writer: when the batch becomes known.
    """

    def __init__(self, feed: FileFeed, batch: int, start: int = 0) -> None:
        self.batch = batch
        self.known_at: int | None = None
        self._portions = feed.portions(batch)
        self._waiting = SCHEMA.empty_table()
        self._marks: list[pa.Table] = []
        self._nodes: frozenset[int] = frozenset()
        self.start = 0
        while self.start < start:
            self._take(min(start - self.start, MAX_ROWS_PER_SLICE))

    def take(self) -> FeedSlice:
        """Return the next slice. Even an empty batch has one; the last is marked."""
        start = self.start
        if start == 0:
            self._fill(MAX_ROWS_PER_SLICE + 1)
            if len(self._waiting) <= MAX_ROWS_PER_SLICE and self._waiting.nbytes <= MAX_BYTES_PER_SLICE:
                return FeedSlice.whole(self.batch, self._waiting)
        rows = self._take(MAX_ROWS_PER_SLICE)
        self._fill(1)
        last = not len(self._waiting)
        return FeedSlice(self.batch, rows, start, last, pa.concat_tables(self._marks), self._nodes)

    def _take(self, limit: int) -> pa.Table:
        """Take the next rows, at most `limit`, and close an unfinished revision at their end."""
        self._fill(limit + 1)
        if (size := self._waiting.nbytes) > MAX_BYTES_PER_SLICE:
            limit = min(limit, max(1, len(self._waiting) * MAX_BYTES_PER_SLICE // size))
        rows, self._waiting = _cut(self._waiting, limit)
        self.start += len(rows)
        self._marks.append(select_progress_rows(rows))
        self._nodes |= _collect_nodes(rows)
        return rows

    def _fill(self, row_count: int) -> None:
        """Buffer this many rows, or all that are left."""
        pieces, count = [self._waiting], len(self._waiting)
        while count < row_count and (portion := next(self._portions, None)) is not None:
            pieces.append(portion)
            count += len(portion)
        self._waiting = pa.concat_tables(pieces)


def _cut(rows: pa.Table, at: int) -> tuple[pa.Table, pa.Table]:
    """Split rows in two; a revision with rows in both parts becomes two."""
    head, tail = rows.slice(0, at), rows.slice(at)
    if not len(head) or not len(tail) or not _is_continuation(head, tail):
        return head, tail
    time = tail["t"][0].as_py()
    begin = _find_last_run(head)
    return _replace_value(head, "end", begin, time), _replace_value(tail, "start", 0, time)


def _is_continuation(head: pa.Table, tail: pa.Table) -> bool:
    """Return whether the rows after the cut continue the revision before it."""
    if head["key"][-1].as_py() is None:
        return False
    return all(head[name][-1] == tail[name][0] for name in ("key", "node"))


def _find_last_run(rows: pa.Table) -> int:
    """Return where the rows of the last revision begin."""
    key, node = rows["key"][-1], rows["node"][-1]
    is_same = pc.and_(pc.equal(rows["key"], key), pc.equal(rows["node"], node))
    changes = np.flatnonzero(~pc.fill_null(is_same, False).to_numpy())
    return int(changes[-1]) + 1 if len(changes) else 0


def _replace_value(rows: pa.Table, name: str, row: int, value: int) -> pa.Table:
    """Return the rows with one value of an integer column replaced."""
    values = rows[name].to_numpy().copy()
    values[row] = value
    index = rows.schema.get_field_index(name)
    return rows.set_column(index, rows.schema.field(name), pa.array(values, rows.schema.field(name).type))


def _collect_nodes(rows: pa.Table) -> frozenset[int]:
    return frozenset(pc.unique(rows["node"]).to_pylist())
