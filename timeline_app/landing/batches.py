"""The batches of a landing: their numbers, the files that hold them, and their sizes.

A batch is a file of its own until compaction moves it into a segment. A reader that finds a file gone, or the index
changed, starts over: files are removed only after the index names another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import Ints
from timeline_app.fs.paths import Place, measure_size, open_for_arrow
from timeline_app.fs.table_parts import number_rows
from timeline_app.landing.heartbeats import Beat, merge_heartbeats, read_heartbeats
from timeline_app.landing.segments import (
    FILE,
    LANDED,
    OF_BATCH,
    SCHEMA,
    Index,
    IndexFile,
    count_batch_events,
    read_statistics,
)

Answer = TypeVar("Answer")
MAX_CACHED_SIZES = 100_000


@dataclass(frozen=True, slots=True)
class Count:
    """The contents of a part of a landing; `size` in bytes on disk."""

    events: int
    size: int
    files: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A file that holds the batches from start to end (exclusive): a segment, or a single batch."""

    path: Place
    start: int
    end: int
    segment: bool

    def read(self, start: int, end: int, columns: Sequence[str]) -> pa.Table:
        """Read its events of the batches from start to end (exclusive), with their batch numbers."""
        if not self.segment:
            names = [name for name in columns if name not in OF_BATCH]
            with pq.ParquetFile(open_for_arrow(self.path)) as file:
                table = number_rows(
                    _add_missing_columns(file.read(names, use_threads=False), names), FILE, self.start
                )
            for name in set(columns).intersection(OF_BATCH):
                moment = pa.scalar(read_statistics(self.path).get(name), pa.int64())
                table = table.append_column(name, pa.repeat(moment, len(table)))
            return table.select([*columns, FILE])
        is_inside = start <= self.start and self.end <= end
        within = None if is_inside else (pc.field(FILE) >= start) & (pc.field(FILE) < end)
        return pq.read_table(
            open_for_arrow(self.path), columns=[*columns, FILE], schema=LANDED, filters=within
        )


def _add_missing_columns(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Return the columns; those that a file of an earlier version lacks are null."""
    for name in set(columns).difference(table.column_names):
        kind = SCHEMA.field(name)
        table = table.append_column(kind, pa.nulls(len(table), kind.type))
    return table.select(columns)


class Batches:
    """The numbered batches of one stream."""

    def __init__(self, path: Place) -> None:
        self.path = path
        self._index = IndexFile(path)
        self._next = -1
        self._sizes: dict[int, tuple[int, int]] = {}

    def index(self) -> Index:
        """Read the current index of segments."""
        return self._index.read()

    def file(self, number: int) -> Place:
        """Return the file of a batch before compaction."""
        return self.path / f"{number:012d}.parquet"

    def first(self) -> int:
        """Return the number of the first batch that is still kept."""
        return self._index.lately().first

    def end(self) -> int:
        """Return the number after the last batch, found by probing from the last known one."""
        number = self._next  # other threads call this as well
        if number < 0:
            number = max((int(path.stem) + 1 for path in self.loose()), default=0)
        number = max(number, self._index.lately().end)
        while self.file(number).is_file():
            number += 1
        self._next = number
        return number

    def loose(self) -> list[Place]:
        """Return the files of single batches, unordered. A file with another name is no batch."""
        return [path for path in self.path.glob("*.parquet") if re.fullmatch(r"[0-9]+", path.stem)]

    def has(self, number: int) -> bool:
        """Return whether a batch has landed, even if it was dropped since."""
        return number < self._index.lately().end or self.file(number).is_file()

    def pieces(self, start: int, end: int) -> list[Piece]:
        """Return the files that hold the batches from start to end (exclusive), in order."""
        return self._pieces(self.index(), start, end)

    def _pieces(self, index: Index, start: int, end: int) -> list[Piece]:
        pieces = [
            Piece(self.path / segment.name, segment.start, segment.end, True)
            for segment in index.between(start, end)
        ]
        loose = range(max(start, index.end), end)
        return pieces + [Piece(self.file(number), number, number + 1, False) for number in loose]

    def rows(self, start: int, end: int, columns: Sequence[str] = tuple(SCHEMA.names)) -> pa.Table:
        """Read columns of the batches from start to end (exclusive), and `file`; dropped batches are left out."""

        def read_rows(index: Index) -> list[pa.Table]:
            return [piece.read(start, end, columns) for piece in self._pieces(index, start, end)]

        return pa.concat_tables([LANDED.empty_table().select([*columns, FILE]), *self._steadily(read_rows)])

    def beats(self, start: int, end: int) -> list[Beat]:
        """Return the relevant heartbeats and watermarks of the batches from start to end (exclusive), in order."""

        def read_beats(index: Index) -> list[Beat]:
            pieces = self._pieces(index, start, end)
            return [
                heartbeat
                for piece in pieces
                for heartbeat in read_heartbeats(piece.path)
                if start <= heartbeat.number < end
            ]

        return merge_heartbeats(self._steadily(read_beats))

    def count(self, start: int, end: int) -> Count:
        """Count the contents of the batches from start to end (exclusive) without reading events.

        Repeated calls are cheap.
        """
        end = min(end, self.end())

        def read_count(index: Index) -> Count:
            events, sizes = self._measure(index, start, end)
            files = len(index.between(start, end)) + max(end - max(start, index.end), 0)
            return Count(int(events.sum()), int(sizes.sum()), files)

        return self._steadily(read_count)

    def sizes(self, start: int, end: int) -> Ints:
        """Return the number of events in each batch from start to end (exclusive); 0 where it is gone."""
        end = min(end, self.end())
        return self._steadily(lambda index: self._measure(index, start, end)[0])

    def _measure(self, index: Index, start: int, end: int) -> tuple[Ints, Ints]:
        """Return events and bytes on disk of each batch."""
        events, sizes = np.zeros((2, max(end - start, 0)), dtype=np.int64)
        for segment in index.between(start, end):
            low, high = max(start, segment.start), min(end, segment.end)
            counts = count_batch_events(self.path / segment.name, segment.start, segment.end)[
                low - segment.start : high - segment.start
            ]
            events[low - start : high - start] = counts
            sizes[low - start : high - start] = counts * segment.size // max(segment.events, 1)
        for number in range(max(start, index.end), end):
            events[number - start], sizes[number - start] = self._size(number)
        return events, sizes

    def _size(self, number: int) -> tuple[int, int]:
        size = self._sizes.get(number)
        if size is None:
            path = self.file(number)
            self._sizes[number] = size = _count_rows(path), measure_size(path)
            if len(self._sizes) > MAX_CACHED_SIZES:
                self._sizes = {number: size}
        return size

    def _steadily(self, read: Callable[[Index], Answer]) -> Answer:
        """Return the result of a read during which the index did not change."""
        while True:
            index = self._index.lately()
            try:
                answer = read(index)
            except FileNotFoundError:
                if self.index() is index:
                    raise
                continue
            if self._index.lately() is index:
                return answer


def _count_rows(file: Place) -> int:
    """Return how many events a file holds; 0 for an unreadable file, which its readers report."""
    try:
        return int(pq.read_metadata(open_for_arrow(file)).num_rows)
    except (pa.ArrowInvalid, EOFError):
        return 0
