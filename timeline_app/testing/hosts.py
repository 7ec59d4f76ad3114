"""Streaming hosts without Spark: the same processors, fed batch by batch, with a dict as each bucket's state."""

from __future__ import annotations

import time
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.fold import Stretch, fold
from timeline_app.algebra.kinds import BEGINNING, Kind
from timeline_app.compiler import Program
from timeline_app.feed import feed_rows
from timeline_app.landing.heartbeats import Beat
from timeline_app.landing.log import build_host_schema, build_host_table, build_table
from timeline_app.landing.segments import ACCEPTED, ARRIVED, FILE, HOLDS
from timeline_app.landing.watermarks import AcceptedWatermark
from timeline_app.plan import EventBatch
from timeline_app.testing.memory import Memory
from timeline_app.testing.points import Shown, iterate_stretches, read_logged_points
from workers.spark.hosts import aggregate
from workers.spark.hosts.aggregate import DELTA_SCHEMA, SUMS_SCHEMA, FinalAggregate, PartialAggregate
from workers.spark.hosts.emit import HandoverLimits
from workers.spark.hosts.feed_host import FEED_ROWS_SCHEMA, FeedHost, GlobalHost
from workers.spark.hosts.processor import PagedProcessor
from workers.spark.hosts.region import RegionHost
from workers.spark.hosts.stream_progress import append_greatest_time
from workers.spark.hosts.whole_aggregate import WholeAggregate
from workers.spark.state import archive, archived_ids, archiving, inputs, pages, prefix_snapshots, summaries
from workers.spark.state.evaluation import build_arriving_schema, build_region_schema

BUCKETS = 2


@dataclass
class Host:
    """One stateful pass of a query."""

    processor: PagedProcessor
    schema: pa.Schema
    output: pa.Schema
    states: list[Memory]

    @classmethod
    def build(
        cls,
        kind: type[PagedProcessor],
        program: Program,
        schema: pa.Schema,
        output: pa.Schema,
        buckets: int = BUCKETS,
        state: pa.Schema | None = None,
    ) -> Host:
        """Return a processor of a program over empty states."""
        processor = kind("", schema, state or schema)
        processor.program = program
        return cls(processor, schema, output, [Memory() for _ in range(buckets)])

    def run(self, rows: pa.Table) -> pa.Table:
        """Return one batch: each bucket with rows is called once."""
        bucket = np.asarray(rows["hash"].to_numpy() % len(self.states))
        marks = pc.is_null(rows["name" if "name" in rows.column_names else "key"]).to_numpy()
        answers = [self.output.empty_table()]
        for bucket_number, state in enumerate(self.states):
            rows_of_bucket = rows.filter(pa.array((bucket == bucket_number) | marks))
            if len(rows_of_bucket):
                opened = self.processor.pages(state, bucket_number)
                answers += [
                    table.cast(self.output) for table in self.processor.process(rows_of_bucket, opened)
                ]
        return pa.concat_tables(answers)


def hash_texts(texts: Iterable[str | None]) -> pa.Array:
    """Return a hash of 64 bits, as Spark's xxhash64."""
    return pa.array([zlib.crc32((text or "").encode()) * 1_103_515_245 for text in texts], pa.int64())


class Query:
    """The query of one program: batches in, its feed out, which is kept."""

    def __init__(
        self, program: Program, handover: HandoverLimits | None = None, buckets: int = BUCKETS
    ) -> None:
        self.program = program
        self.feed: list[pa.Table] = []
        self.accepted = {stream: AcceptedWatermark() for stream in program.streams}
        if not program.feeds:
            schema, keeps = build_arriving_schema(program), build_region_schema(program)
            self.hosts = [Host.build(RegionHost, program, schema, feed_rows.SCHEMA, buckets, keeps)]
        elif not program.across_keys:
            self.hosts = [
                Host.build(FeedHost, program, FEED_ROWS_SCHEMA, feed_rows.SCHEMA, state=inputs.STATE_SCHEMA)
            ]
        elif not program.additive:
            self.hosts = [
                Host.build(GlobalHost, program, FEED_ROWS_SCHEMA, feed_rows.SCHEMA, 1, inputs.STATE_SCHEMA)
            ]
        elif buckets == 1:
            self.hosts = [
                Host.build(
                    WholeAggregate, program, FEED_ROWS_SCHEMA, feed_rows.SCHEMA, 1, inputs.STATE_SCHEMA
                )
            ]
        else:
            self.hosts = [
                Host.build(
                    PartialAggregate, program, FEED_ROWS_SCHEMA, DELTA_SCHEMA, state=inputs.STATE_SCHEMA
                ),
                Host.build(
                    FinalAggregate, program, SUMS_SCHEMA, feed_rows.SCHEMA, state=aggregate.STATE_SCHEMA
                ),
            ]
        for host in self.hosts:
            host.processor.handover = handover or {}

    def run(
        self,
        events: Mapping[str, EventBatch],
        feeds: Mapping[str, pa.Table],
        numbers: Mapping[str, int] | None = None,
        beats: Mapping[str, int] | None = None,
        arrived: int | None = None,
        watermarks: Mapping[str, int] | None = None,
    ) -> pa.Table:
        """Return one batch; `numbers` say of each source which number it is (the number of the batch).

        `beats` are heartbeats of streams, in microseconds, that came with it, `watermarks` what their sources said of
        themselves; its events `arrived` at that moment.
        """
        numbers = numbers or {}
        rows = self._fed(feeds, numbers) if self.program.feeds else self._landed(events, numbers, arrived)
        for marks, holds in ((beats, None), (watermarks, True)):
            if marks and not self.program.feeds:
                rows = pa.concat_tables([rows, self._build_heartbeats(marks, numbers, holds)])
        self._accept(events, beats or {}, watermarks or {}, arrived)
        return self._process(rows)

    def run_together(self, batches: Mapping[int, Mapping[str, EventBatch]]) -> pa.Table:
        """Batches of the log, by number, that one batch of the query reads."""
        parts = []
        for number, events in batches.items():
            parts.append(self._landed(events, dict.fromkeys(self.program.streams, number), None))
            self._accept(events, {}, {}, None)
        return self._process(pa.concat_tables(parts))

    def _process(self, rows: pa.Table) -> pa.Table:
        """Return rows through all passes, into the feed."""
        rows = self.hosts[0].run(rows)
        if len(self.hosts) > 1:
            rows = pa.table([hash_texts(rows["name"].to_pylist()), *rows.columns], schema=SUMS_SCHEMA)
            rows = self.hosts[1].run(rows)
        self.feed.append(rows)
        return rows

    def _accept(
        self,
        events: Mapping[str, EventBatch],
        beats: Mapping[str, int],
        watermarks: Mapping[str, int],
        arrived: int | None,
    ) -> None:
        """Record events as the landing does when it writes a batch."""
        moment = time.time_ns() // 1_000 if arrived is None else arrived
        for stream, accepted in self.accepted.items():
            beats_of_stream = [
                Beat(0, known_times[stream], known_times is watermarks)
                for known_times in (beats, watermarks)
                if stream in known_times
            ]
            times = pc.max(build_table(events[stream])["time"]).as_py() if stream in events else None
            accepted.take(BEGINNING if times is None else times, beats_of_stream, moment)

    def _landed(
        self, events: Mapping[str, EventBatch], numbers: Mapping[str, int], arrived: int | None
    ) -> pa.Table:
        schema = self.hosts[0].schema
        parts = [schema.empty_table()]
        for index, stream in enumerate(self.program.streams):
            if stream not in events:
                continue
            declared, fields = self.program.declarations[stream], self.program.fields[stream]
            table_of_stream = build_table(events[stream])
            moment = pa.repeat(pa.scalar(arrived, pa.int64()), len(table_of_stream))
            table = build_host_table(table_of_stream.append_column(ARRIVED, moment), declared, fields)
            names = build_host_schema(declared, fields).names
            columns_by_name = {
                f"s{index}{name}" if name.startswith("v") else name: table[name] for name in names
            }
            columns_by_name[ACCEPTED] = pa.array([self.accepted[stream].until] * len(table), pa.int64())
            columns_by_name[FILE] = pa.array([numbers.get(stream, len(self.feed))] * len(table), pa.int64())
            columns_by_name["stream"] = pa.array([index] * len(table), pa.int32())
            columns_by_name["hash"] = hash_texts(table["key"].to_pylist())
            columns = [
                columns_by_name[item.name]
                if item.name in columns_by_name
                else pa.nulls(len(table), item.type)
                for item in schema
            ]
            parts.append(self._with_time(pa.table(columns, schema=schema), index))
        return pa.concat_tables(parts)

    def _with_time(self, rows: pa.Table, index: int) -> pa.Table:
        """Return it as the source of a program of the calendar tells all buckets how far time has come."""
        if not self.program.of_calendar or not len(rows):
            return rows
        rows = append_greatest_time(rows)
        stream = pa.array([index] * len(rows), pa.int32())
        hashes = rows["hash"].fill_null(0)
        for name, column in (("stream", stream), ("hash", hashes)):
            rows = rows.set_column(rows.column_names.index(name), name, column)
        return rows

    def _build_heartbeats(
        self, beats: Mapping[str, int], numbers: Mapping[str, int], holds: bool | None
    ) -> pa.Table:
        schema, streams = self.hosts[0].schema, self.program.streams
        beats = {stream: until for stream, until in beats.items() if stream in streams}
        values = {
            "stream": [streams.index(stream) for stream in beats],
            "time": list(beats.values()),
            "hash": [0] * len(beats),
            FILE: [numbers.get(stream, len(self.feed)) for stream in beats],
            HOLDS: [holds for _ in beats],
        }
        columns = [pa.array(values.get(item.name, [None] * len(beats)), item.type) for item in schema]
        return pa.table(columns, schema=schema)

    def _fed(self, feeds: Mapping[str, pa.Table], numbers: Mapping[str, int]) -> pa.Table:
        parts = [FEED_ROWS_SCHEMA.empty_table()]
        for index, item in enumerate(self.program.feeds):
            if item.digest not in feeds:
                continue
            rows = feed_rows.select_node_revisions(feeds[item.digest], 0, item.sources)
            ports = pa.array([index] * len(rows), pa.int32())
            batches = pa.array([numbers.get(item.digest, len(self.feed))] * len(rows), pa.int64())
            columns = [ports, hash_texts(rows["key"].to_pylist()), batches, *rows.columns]
            parts.append(pa.table(columns, schema=FEED_ROWS_SCHEMA))
        return pa.concat_tables(parts)

    def select_revisions(self, digest: str, sources: Container[str]) -> list[pa.Table]:
        """Return the feed's rows of a node and its sources, batch by batch."""
        index = self.program.nodes.index(digest)
        return [feed_rows.select_node_revisions(rows, index, sources) for rows in self.feed]

    def log(self) -> dict[str, tuple[bool, list[Stretch]]]:
        """Return by key whether it exists now, and its revisions, newest first; of the only node."""
        return log(self.program.kind, self.select_revisions(self.program.digest, ()))

    def marks(self) -> dict[str, int]:
        """Return by source the progress of its slowest bucket; all before the least of them is final."""
        marks = [feed_rows.select_progress_rows(rows) for rows in self.feed]
        pairs: list[tuple[Any, Any]] = [
            pair
            for rows in marks
            for pair in zip(rows["source"].to_pylist(), rows["t"].to_pylist(), strict=True)
        ]
        return {source: max(until for name, until in pairs if name == source) for source, _ in pairs}


def log(kind: Kind, tables: Iterable[pa.Table]) -> dict[str, tuple[bool, list[Stretch]]]:
    """By key: whether it is there now, and its revisions, newest first."""
    revisions_by_key: dict[str, tuple[bool, list[Stretch]]] = {}
    for rows in tables:
        for key, exists, stretch in iterate_stretches(feed_rows.read_revisions(rows, kind)):
            revisions_by_key[key] = (exists, [stretch, *revisions_by_key.get(key, (True, []))[1]])
    return revisions_by_key


def fold_log(kind: Kind, tables: Iterable[pa.Table]) -> dict[str, Shown]:
    """Return what a log folds to: the points of the keys that are there."""
    return {
        key: read_logged_points(fold(kind, stretches))
        for key, (exists, stretches) in log(kind, tables).items()
        if exists
    }


@contextmanager
def shrink_limits(keep: int = 2, segment: int = 3, nearly: int = 1) -> Iterator[None]:
    """Shrink pages, snapshots, segments and blocks of ids to almost nothing, and summarize whatever can be."""
    sizes = [
        (archiving, {"KEPT_ROWS": keep, "MIN_ARCHIVED_ROWS": 1, "MIN_ARCHIVED_SHARE": 1_000_000}),
        (
            prefix_snapshots,
            {
                "MIN_EVALUATED_ROWS": nearly,
                "SNAPSHOT_EVERY_ROWS": 1,
                "MIN_SNAPSHOT_SHARE": 1_000_000,
                "MAX_COPIED_SHARE": 1,
            },
        ),
        (archive, {"SEGMENT_ROWS": segment}),
        (archived_ids, {"MIN_BLOCK_HASHES": 2, "MAX_BLOCK_HASHES": 4}),
        (pages, {"MAX_PAGE_BYTES": 4_000}),
        (summaries, {"MIN_SUMMARIZED_EVENTS": 1, "MIN_SUMMARIZED_SHARE": 1_000_000}),
    ]
    with ExitStack() as stack:
        for module, values in sizes:
            for name, value in values.items():
                stack.enter_context(patch.object(module, name, value))
        yield
