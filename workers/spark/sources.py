"""Spark sources of numbered files: the landing of a stream and the feed of a node.

An offset is the number of the next file or batch to read. A source finds out whether it exists by looking for one
name, however many files there are. The reader returns whole Arrow batches.
"""

from __future__ import annotations

import json
import os
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow

from timeline_app.events.declaration import StreamDeclaration
from timeline_app.feed.lineage import Chain
from timeline_app.feed.snapshots import SnapshotOffset
from timeline_app.feed.syncing import Syncer
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import place
from timeline_app.landing.log import Landing
from timeline_app.landing.segments import FILE, HOLDS
from workers.spark.buckets import BUCKETS, split_into_buckets
from workers.spark.core_slots import BatchSlot
from workers.spark.hosts.stream_progress import append_greatest_time

MAX_ROWS_PER_BUCKET = 200_000
"""A batch ends with the piece that reaches it for each bucket.

Larger batches cost no less per event and delay other queries.
"""
ROWS_PER_SLICE = 50_000
"""Batches of several pieces and at least twice as many rows are read in slices at the same time."""
MAX_BYTES_READ_BY_PLANNER = 1 << 25
"""Java takes the rows as one value."""
MAX_WAIT_FOR_PIECE_S = 0.7
"""A batch waits for a piece until so long after the work on it began."""
MAX_WAIT_FOR_BEGIN_S = 0.06
"""The work on a piece may begin with the same trigger as a batch that waits for it …"""
BEGUN_RECENTLY_S = 3.0
"""… if the work on the piece before began no longer ago."""
_POLL_INTERVAL_S = 0.01


class Log(Protocol):
    """What is read: numbered pieces that appear in order, each of them complete."""

    def has(self, number: int) -> bool:
        """Return whether the piece is known to exist."""

    def begun(self, number: int) -> float | None:
        """Return when the work on the piece began, in seconds since 1970; None where that is not known."""

    def size(self, number: int) -> int:
        """Return the number of rows of the piece."""

    def skip(self, number: int) -> int:
        """Return the number itself, or that of the next piece where the piece was removed."""

    def begin(self, start: int, end: int) -> int:
        """Return the first piece of a batch that was planned from one offset to another."""

    def read(self, start: int, end: int) -> pa.Table:
        """Return the rows of the pieces from start to end (exclusive)."""

    def sync(self, start: int, end: int) -> None:
        """Write the pieces from start to end (exclusive) to disk: what a query makes of them must not outlast them."""


class Slice(InputPartition):
    """The numbers from start to end (exclusive)."""

    def __init__(self, start: int, end: int) -> None:
        """Create a slice between two offsets."""
        super().__init__(None)
        self.start, self.end = start, end


class LogReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads a log from its beginning; the offset is the number of the next piece.

    A batch ends where the numbers do not go on: with the last piece of a snapshot.
    """

    def __init__(
        self, log: Log, breaks: Sequence[int] = (), buckets: int = BUCKETS, turn: BatchSlot | None = None
    ) -> None:
        """Create a reader that divides rows into `buckets`; no batch goes on beyond one of the `breaks`.

        With `turn` a batch waits for its turn to begin.
        """
        self.log, self.breaks, self.buckets, self.turn = log, breaks, buckets, turn
        self.stop_at: int | None = None
        self.planned: dict[tuple[int, int], list[int]] = {}

    def initialOffset(self) -> dict[str, int]:
        """Return the first piece. Spark asks twice, so the answer must not vary."""
        return {"next": 0}

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return no limit: `latestOffset` limits the batches."""
        return ReadAllAvailable()

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        """Return the end of the next batch: the last piece, or the one that reaches the limit of rows."""
        begin = number = self.log.skip(start["next"])
        if self.stop_at is None:
            self._wait(begin)
            if self.turn is not None and self.log.has(begin):
                self.turn.wait()
        rows = [0]
        while (
            rows[-1] < MAX_ROWS_PER_BUCKET * self.buckets
            and self._goes_on(number)
            and (number == begin or number not in self.breaks)
        ):
            rows.append(rows[-1] + self.log.size(number))
            number += 1
        slices = min(self.buckets, rows[-1] // ROWS_PER_SLICE)
        edges = {bisect_left(rows, rows[-1] * slice_number / slices) for slice_number in range(1, slices)}
        if number > begin:
            self.log.sync(begin, number)
        span = self.log.begin(start["next"], number), number
        self.planned = {span: sorted(begin + edge for edge in edges)}
        return {"next": number} if number > begin or start["next"] >= 0 else start

    def _wait(self, number: int) -> None:
        """Wait while a query above ends its current piece, unless this query is more than a piece behind.

        Running at the same time makes both slow, and what is published would wait for the next trigger.
        """
        number += self.log.has(number)
        started = time.monotonic()
        while not self.log.has(number) and self._soon(number, time.monotonic() - started):
            time.sleep(_POLL_INTERVAL_S)

    def _soon(self, number: int, waited: float) -> bool:
        """Return whether a piece is still worth waiting for, after so many seconds."""
        started_at = self.log.begun(number)
        if started_at is not None:
            return max(waited, time.time() - started_at) < MAX_WAIT_FOR_PIECE_S
        before = self.log.begun(number - 1) if number else None
        return (
            waited < MAX_WAIT_FOR_BEGIN_S and before is not None and time.time() - before < BEGUN_RECENTLY_S
        )

    def prepareForTriggerAvailableNow(self) -> None:
        """Remember the current end of the log."""
        number, before = self.log.skip(0), None
        while number != before:
            before = number
            while self.log.has(number):
                number += 1
            number = self.log.skip(number)
        self.stop_at = number

    def _goes_on(self, number: int) -> bool:
        return number != self.stop_at and self.log.has(number)

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        """Return one slice, several for a large batch that was just planned, or none where there is nothing new."""
        span = self.log.begin(start["next"], end["next"]), end["next"]
        edges = sorted({*span, *self.planned.get(span, ())})
        return [Slice(*edge) for edge in pairwise(edges)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a slice, in packets for the buckets."""
        assert isinstance(partition, Slice)
        yield from split_into_buckets(self.log.read(partition.start, partition.end), "key", self.buckets)

    def read_small(self, start: dict[str, int], end: dict[str, int]) -> Iterator[pa.RecordBatch] | None:
        """Return the rows of a small batch where it is planned: a task to read them costs more than reading them.

        None where there are many rows, large rows or no rows.
        """
        until = end["next"]
        begin = self.log.begin(start["next"], until)
        first = self.log.skip(begin)
        if not begin <= first < until:
            return None
        if sum(self.log.size(number) for number in range(first, until)) > ROWS_PER_SLICE:
            return None
        rows = self.log.read(begin, until)
        small = rows.nbytes <= MAX_BYTES_READ_BY_PLANNER
        return split_into_buckets(rows, "key", self.buckets) if small else None

    def commit(self, end: dict[str, int]) -> None:
        """Do nothing: files are not removed by reading them."""

    def stop(self) -> None:
        """Do nothing: no file is held open."""


class LandedEvents:
    """The landing of a stream, with the fields used by a program as columns."""

    def __init__(self, options: dict[str, Any]) -> None:
        """Open the landing; `options` are those of the data source."""
        self.declaration = StreamDeclaration.from_program(
            options["stream"], json.loads(options["declaration"])
        )
        self.fields = json.loads(options["fields"])
        self.place, self.tells_time = int(options["place"]), options.get("tells_time") == "true"
        self.landing = Landing(place(options["path"]), self.declaration.folder)

    def has(self, number: int) -> bool:
        """Return whether the batch with this number has landed."""
        return self.landing.has(number)

    def begun(self, number: int) -> float | None:
        """Return None: the beginning of a batch is not known before it has landed."""
        return None

    def skip(self, number: int) -> int:
        """Return the number of the next batch that was not dropped for its age."""
        return max(number, self.landing.first())

    def begin(self, start: int, end: int) -> int:
        """Return the start itself: batches that are gone have no rows."""
        return start

    def size(self, number: int) -> int:
        """Return the number of events of the batch."""
        return self.landing.count(number, number + 1).events

    def read(self, start: int, end: int) -> pa.Table:
        """Return events in the columns of a region with their batch as `file`, and heartbeats, which have no key."""
        rows = self.landing.read(start, end, self.declaration, self.fields)
        new_names = {f"v{number}": f"s{self.place}v{number}" for number in range(len(self.fields))}
        rows = rows.rename_columns([new_names.get(name, name) for name in rows.column_names])
        beats = self.landing.beats(start, end)
        if beats:  # they go to every bucket, for they have no key
            marks = {"time": [beat.until for beat in beats], FILE: [beat.number for beat in beats]}
            marks |= {HOLDS: pa.array([beat.holds or None for beat in beats], pa.bool_())}
            rows = pa.concat_tables([rows, pa.table(marks)], promote_options="default")
        if self.tells_time:
            rows = append_greatest_time(rows)
        return rows.append_column("stream", _repeat_number(rows, self.place))

    def sync(self, start: int, end: int) -> None:
        """Write the names of batches to disk; their content is there already."""
        durable.sync_names(self.landing.path)


class FedRevisions:
    """The revisions of a node published by other queries, each row with the number of its batch."""

    def __init__(self, options: dict[str, Any]) -> None:
        """Open the feeds; `options` are those of the data source."""
        places, sources = Places(place(options["path"])), json.loads(options["sources"])
        self.chain = Chain(places, options["node"], sources)
        self.port, self.syncer = int(options["port"]), Syncer(places)

    def has(self, number: int) -> bool:
        """Return whether the batch is known to be published, or the snapshot has the piece."""
        if number >= 0:
            return self.chain.has(number)
        return SnapshotOffset.decode(number).piece < self.chain.snapshot_at(number).pieces

    def begun(self, number: int) -> float | None:
        """Return when the query of the node began to work on the batch."""
        return self.chain.begun(number) if number >= 0 else None

    def size(self, number: int) -> int:
        """Return the number of rows of the batch; those of other nodes of its query count, too."""
        if number >= 0:
            return self.chain.size(number)
        sizes = self.chain.snapshot_at(number).snapshot.facts.sizes
        return int(sizes[SnapshotOffset.decode(number).piece])

    def skip(self, number: int) -> int:
        """Return the newest snapshot for a query that begins, or whose next batch was removed."""
        newest = self.chain.snapshot()
        if newest is not None and (number == 0 or self.chain.is_removed(number)):
            return newest.offset()
        return self.chain.snapshot_at(number).end if number < 0 and not self.has(number) else number

    def begin(self, start: int, end: int) -> int:
        """Return the first piece of a batch, which lies within a snapshot or behind it.

        The end of the batch shows in which snapshot it was planned.
        """
        if end < 0:
            first = self.chain.snapshot_at(end).offset()
            return start if first <= start <= end else first
        return self.chain.snapshot_at(start).end if start < 0 else start

    def read(self, start: int, end: int) -> pa.Table:
        """Return the rows, with the position of the feed among those of the program as `port`."""
        if start < 0:
            pieces = (SnapshotOffset.decode(offset).piece for offset in (start, end))
            rows = self.chain.snapshot_at(start).rows(*pieces)
        elif self.chain.is_removed(start):
            rows = self.chain.rows_instead(end)
        else:
            rows = self.chain.rows(start, end)
        return rows.append_column("port", _repeat_number(rows, self.port))

    def sync(self, start: int, end: int) -> None:
        """Write batches to disk, with everything needed to go on behind them; snapshots are on disk already."""
        if start >= 0:
            self.chain.sync(start, end, self.syncer)


def _repeat_number(rows: pa.Table, number: int) -> pa.Array:
    return pa.array(np.full(len(rows), number, dtype=np.int32))


def open_landing(options: dict[str, Any]) -> LogReader:
    """Return a reader of a landing; options path, stream, place, declaration, fields, breaks, buckets, commits."""
    return _build_reader(LandedEvents(options), options)


def open_feed(options: dict[str, Any]) -> LogReader:
    """Return a reader of a node's revisions; options path, node, port, sources, breaks, buckets, commits."""
    return _build_reader(FedRevisions(options), options)


def _build_reader(log: Log, options: dict[str, Any]) -> LogReader:
    """Return a reader; with the option `commits` the batches of its query take turns with those of others."""
    commits = options.get("commits")
    turn = BatchSlot(Path(commits), os.cpu_count() or 1) if commits else None
    return LogReader(log, json.loads(options["breaks"]), int(options["buckets"]), turn)
