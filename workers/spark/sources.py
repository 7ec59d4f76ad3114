"""Spark sources for what lies in numbered files: the landing of a stream, the feed of a node.

An offset is one number, the next file or batch to read; asking for the next one is a look at one name, however
many there are. The reader hands out whole Arrow batches.
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

ROWS_A_BUCKET = 200_000
"""A batch ends with the piece that reaches so many rows for each bucket: of more no event is cheaper, and others must
get their turn meanwhile."""
ROWS_A_SLICE = 50_000
"""A batch of several times as many is read in so many slices at the same time, if it is of several pieces."""
MAX_BYTES_READ_BY_PLANNER = 1 << 25
"""Java takes them as one value."""
IN_A_MOMENT = 0.7
"""A piece on which somebody began to work no longer ago, in seconds, is waited for."""
BEGINS = 0.06
"""So many seconds it is waited for its beginning, which may come with the same trigger as this look …"""
AT_WORK = 3.0
"""… where the piece before was begun no longer ago, in seconds."""
_LOOK_AGAIN = 0.01


class Log(Protocol):
    """What is read: numbered pieces that appear in order, each whole."""

    def has(self, number: int) -> bool:
        """Whether the piece is known to be there."""

    def begun(self, number: int) -> float | None:
        """When somebody began to work on the piece, in seconds since 1970; None where that is not known."""

    def size(self, number: int) -> int:
        """How many rows the piece has."""

    def skip(self, number: int) -> int:
        """The number with which whoever would ask for this one goes on: what is gone is skipped."""

    def begin(self, start: int, end: int) -> int:
        """The first piece of a batch that was planned from one offset to another."""

    def read(self, start: int, end: int) -> pa.Table:
        """The rows of the pieces from start to end (exclusive)."""

    def sync(self, start: int, end: int) -> None:
        """Bring the pieces from start to end (exclusive) to disk: what a query makes of them must not outlast them."""


class Slice(InputPartition):
    """The numbers from start to end, exclusive."""

    def __init__(self, start: int, end: int) -> None:
        """Both are offsets."""
        super().__init__(None)
        self.start, self.end = start, end


class LogReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads a log from its beginning; the offset is the number of the next piece.

    A batch ends where the numbers do not go on: with the last piece of a snapshot.
    """

    def __init__(
        self, log: Log, breaks: Sequence[int] = (), buckets: int = BUCKETS, turn: BatchSlot | None = None
    ) -> None:
        """Nothing is looked at yet; no batch goes on beyond one of the `breaks`; rows go to so many `buckets`.

        With `turn` a batch waits for it to begin.
        """
        self.log, self.breaks, self.buckets, self.turn = log, breaks, buckets, turn
        self.stop_at: int | None = None
        self.planned: dict[tuple[int, int], list[int]] = {}

    def initialOffset(self) -> dict[str, int]:
        """The first piece, always: it is asked for twice, so it must not vary."""
        return {"next": 0}

    def getDefaultReadLimit(self) -> ReadLimit:
        """What a batch takes is limited in `latestOffset`."""
        return ReadAllAvailable()

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        """As far as there is something, until there are enough; what is gone counts for nothing."""
        begin = number = self.log.skip(start["next"])
        if self.stop_at is None:
            self._wait(begin)
            if self.turn is not None and self.log.has(begin):
                self.turn.wait()
        rows = [0]
        while (
            rows[-1] < ROWS_A_BUCKET * self.buckets
            and self._goes_on(number)
            and (number == begin or number not in self.breaks)
        ):
            rows.append(rows[-1] + self.log.size(number))
            number += 1
        slices = min(self.buckets, rows[-1] // ROWS_A_SLICE)
        edges = {bisect_left(rows, rows[-1] * place / slices) for place in range(1, slices)}
        if number > begin:
            self.log.sync(begin, number)
        span = self.log.begin(start["next"], number), number
        self.planned = {span: sorted(begin + edge for edge in edges)}
        return {"next": number} if number > begin or start["next"] >= 0 else start

    def _wait(self, number: int) -> None:
        """Let a query above end what it is just at work on; whoever is behind by more than a piece does not wait.

        Beside each other both are slow, and what it publishes would wait for the next trigger.
        """
        number += self.log.has(number)
        began = time.monotonic()
        while not self.log.has(number) and self._soon(number, time.monotonic() - began):
            time.sleep(_LOOK_AGAIN)

    def _soon(self, number: int, waited: float) -> bool:
        """Whether a piece is worth waiting for, after so many seconds of that."""
        begun = self.log.begun(number)
        if begun is not None:
            return max(waited, time.time() - begun) < IN_A_MOMENT
        before = self.log.begun(number - 1) if number else None
        return waited < BEGINS and before is not None and time.time() - before < AT_WORK

    def prepareForTriggerAvailableNow(self) -> None:
        """Remember where the log ends now."""
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
        """One slice, several of a large batch that was just planned, or none where there is nothing new."""
        span = self.log.begin(start["next"], end["next"]), end["next"]
        edges = sorted({*span, *self.planned.get(span, ())})
        return [Slice(*edge) for edge in pairwise(edges)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a slice, in packets for the buckets."""
        assert isinstance(partition, Slice)
        yield from split_into_buckets(self.log.read(partition.start, partition.end), "key", self.buckets)

    def read_small(self, start: dict[str, int], end: dict[str, int]) -> Iterator[pa.RecordBatch] | None:
        """The rows of a batch of few rows, for whoever plans it: a task that reads them costs more than they do.

        None where there are many rows, or large ones, or none.
        """
        until = end["next"]
        begin = self.log.begin(start["next"], until)
        first = self.log.skip(begin)
        if not begin <= first < until:
            return None
        if sum(self.log.size(number) for number in range(first, until)) > ROWS_A_SLICE:
            return None
        rows = self.log.read(begin, until)
        small = rows.nbytes <= MAX_BYTES_READ_BY_PLANNER
        return split_into_buckets(rows, "key", self.buckets) if small else None

    def commit(self, end: dict[str, int]) -> None:
        """Nothing to acknowledge: the files stay."""

    def stop(self) -> None:
        """Nothing is held open."""


class LandedEvents:
    """The landing of a stream with the fields that a program looks at as columns."""

    def __init__(self, options: dict[str, Any]) -> None:
        """`options` are those of the data source."""
        self.declaration = StreamDeclaration.from_program(
            options["stream"], json.loads(options["declaration"])
        )
        self.fields = json.loads(options["fields"])
        self.place, self.tells_time = int(options["place"]), options.get("tells_time") == "true"
        self.landing = Landing(place(options["path"]), self.declaration.folder)

    def has(self, number: int) -> bool:
        """Whether the batch of that number has landed."""
        return self.landing.has(number)

    def begun(self, number: int) -> float | None:
        """Batches land whole."""
        return None

    def skip(self, number: int) -> int:
        """What is dropped for its age counts for nothing."""
        return max(number, self.landing.first())

    def begin(self, start: int, end: int) -> int:
        """Of what is gone nothing is read."""
        return start

    def size(self, number: int) -> int:
        """How many events it brought."""
        return self.landing.count(number, number + 1).events

    def read(self, start: int, end: int) -> pa.Table:
        """Its events in the columns of a region, each with its batch as `file`; what was said of time without key."""
        rows = self.landing.read(start, end, self.declaration, self.fields)
        own = {f"v{number}": f"s{self.place}v{number}" for number in range(len(self.fields))}
        rows = rows.rename_columns([own.get(name, name) for name in rows.column_names])
        beats = self.landing.beats(start, end)
        if beats:  # they go to every bucket, for they have no key
            marks = {"time": [beat.until for beat in beats], FILE: [beat.number for beat in beats]}
            marks |= {HOLDS: pa.array([beat.holds or None for beat in beats], pa.bool_())}
            rows = pa.concat_tables([rows, pa.table(marks)], promote_options="default")
        if self.tells_time:
            rows = append_greatest_time(rows)
        return rows.append_column("stream", _repeat_number(rows, self.place))

    def sync(self, start: int, end: int) -> None:
        """Their content is on disk; whoever landed the last one may not have brought its name there yet."""
        durable.sync_names(self.landing.path)


class FedRevisions:
    """What other queries published of a node, each row with the number of its batch."""

    def __init__(self, options: dict[str, Any]) -> None:
        """`options` are those of the data source."""
        places, sources = Places(place(options["path"])), json.loads(options["sources"])
        self.chain = Chain(places, options["node"], sources)
        self.port, self.syncer = int(options["port"]), Syncer(places)

    def has(self, number: int) -> bool:
        """Whether the batch is known to be published, or the snapshot has the piece."""
        if number >= 0:
            return self.chain.has(number)
        return SnapshotOffset.decode(number).piece < self.chain.snapshot_at(number).pieces

    def begun(self, number: int) -> float | None:
        """When the query of the node began to work on the batch."""
        return self.chain.begun(number) if number >= 0 else None

    def size(self, number: int) -> int:
        """How many rows it has, those of other nodes of its query counted as well."""
        if number >= 0:
            return self.chain.size(number)
        sizes = self.chain.snapshot_at(number).snapshot.facts.sizes
        return int(sizes[SnapshotOffset.decode(number).piece])

    def skip(self, number: int) -> int:
        """Whoever begins, or was away until what it had to read was removed, goes on with the newest snapshot."""
        newest = self.chain.snapshot()
        if newest is not None and (number == 0 or self.chain.is_removed(number)):
            return newest.offset()
        return self.chain.snapshot_at(number).end if number < 0 and not self.has(number) else number

    def begin(self, start: int, end: int) -> int:
        """A batch lies within a snapshot, or behind it: which snapshot it was planned in says its end."""
        if end < 0:
            first = self.chain.snapshot_at(end).offset()
            return start if first <= start <= end else first
        return self.chain.snapshot_at(start).end if start < 0 else start

    def read(self, start: int, end: int) -> pa.Table:
        """Its rows, each with the place of the feed among the program's as `port`."""
        if start < 0:
            pieces = (SnapshotOffset.decode(offset).piece for offset in (start, end))
            rows = self.chain.snapshot_at(start).rows(*pieces)
        elif self.chain.is_removed(start):
            rows = self.chain.rows_instead(end)
        else:
            rows = self.chain.rows(start, end)
        return rows.append_column("port", _repeat_number(rows, self.port))

    def sync(self, start: int, end: int) -> None:
        """With all that the query needs to go on behind them; of a snapshot all is on disk."""
        if start >= 0:
            self.chain.sync(start, end, self.syncer)


def _repeat_number(rows: pa.Table, number: int) -> pa.Array:
    return pa.array(np.full(len(rows), number, dtype=np.int32))


def open_landing(options: dict[str, Any]) -> LogReader:
    """A reader of a stream's landing; options path, stream, place, declaration, fields, breaks, buckets, commits."""
    return _build_reader(LandedEvents(options), options)


def open_feed(options: dict[str, Any]) -> LogReader:
    """A reader of a node's revisions; options path, node, port, sources, breaks, buckets, commits."""
    return _build_reader(FedRevisions(options), options)


def _build_reader(log: Log, options: dict[str, Any]) -> LogReader:
    """Where `commits` is given, the batches of its query begin in turn with those of others."""
    commits = options.get("commits")
    turn = BatchSlot(Path(commits), os.cpu_count() or 1) if commits else None
    return LogReader(log, json.loads(options["breaks"]), int(options["buckets"]), turn)
