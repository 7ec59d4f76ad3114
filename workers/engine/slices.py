"""Splits a batch of a feed into slices of limited size, however large the batch is.

A slice may end within a revision. Then the revision is written in two parts, the second from the piece on with which
the next slice begins: together they say what the whole one says.
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

    Of one that is not whole, `marks` are all marks so far, and `nodes` the places of the nodes that it spoke of so far.
    """

    batch: int
    rows: pa.Table
    start: int
    last: bool
    marks: pa.Table
    nodes: frozenset[int]

    @property
    def end(self) -> int:
        """How many rows of the batch are written when this slice is."""
        return self.start + len(self.rows)

    @classmethod
    def whole(cls, batch: int, rows: pa.Table) -> FeedSlice:
        """A batch that is one slice."""
        return cls(batch, rows, 0, True, rows.slice(0, 0), frozenset())

    @property
    def is_whole(self) -> bool:
        """Whether it is all of its batch."""
        return self.last and self.start == 0


class SlicedBatch:
    """Reads a batch slice by slice; `start` rows of it are published already.

    `known_at` is for whoever writes it: when it becomes known.
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
        """The next slice; there is always one, and the last says that it is."""
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
        """The next rows, not more than the limit, without a revision that is not closed at their end."""
        self._fill(limit + 1)
        if (size := self._waiting.nbytes) > MAX_BYTES_PER_SLICE:
            limit = min(limit, max(1, len(self._waiting) * MAX_BYTES_PER_SLICE // size))
        rows, self._waiting = _cut(self._waiting, limit)
        self.start += len(rows)
        self._marks.append(select_progress_rows(rows))
        self._nodes |= _collect_nodes(rows)
        return rows

    def _fill(self, wanted: int) -> None:
        """Have so many rows waiting, or all that are left."""
        parts, count = [self._waiting], len(self._waiting)
        while count < wanted and (portion := next(self._portions, None)) is not None:
            parts.append(portion)
            count += len(portion)
        self._waiting = pa.concat_tables(parts)


def _cut(rows: pa.Table, at: int) -> tuple[pa.Table, pa.Table]:
    """The first rows and the others; a revision that has rows in both becomes two."""
    head, tail = rows.slice(0, at), rows.slice(at)
    if not len(head) or not len(tail) or not _is_continuation(head, tail):
        return head, tail
    time = tail["t"][0].as_py()
    begin = _find_last_run(head)
    return _replace_value(head, "end", begin, time), _replace_value(tail, "start", 0, time)


def _is_continuation(head: pa.Table, tail: pa.Table) -> bool:
    """Whether the rows after the cut go on with the revision before it."""
    if head["key"][-1].as_py() is None:
        return False
    return all(head[name][-1] == tail[name][0] for name in ("key", "node"))


def _find_last_run(rows: pa.Table) -> int:
    """Where the rows of the last revision begin."""
    key, node = rows["key"][-1], rows["node"][-1]
    same = pc.and_(pc.equal(rows["key"], key), pc.equal(rows["node"], node))
    changes = np.flatnonzero(~pc.fill_null(same, False).to_numpy())
    return int(changes[-1]) + 1 if len(changes) else 0


def _replace_value(rows: pa.Table, name: str, row: int, value: int) -> pa.Table:
    """The same rows, one of them with another value in a column of whole numbers."""
    values = rows[name].to_numpy().copy()
    values[row] = value
    place = rows.schema.get_field_index(name)
    return rows.set_column(place, rows.schema.field(name), pa.array(values, rows.schema.field(name).type))


def _collect_nodes(rows: pa.Table) -> frozenset[int]:
    return frozenset(pc.unique(rows["node"]).to_pylist())
