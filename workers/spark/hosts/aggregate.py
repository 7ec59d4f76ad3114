"""The two hosts of aggregates by exact sums: each key's contributions to its groups, and the groups' totals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.groups import Deltas, add, compress, subtract
from timeline_app.algebra.kinds import BEGINNING, OPEN, Ints, Labels
from timeline_app.algebra.names import reindex
from timeline_app.algebra.revisions import Revisions, diff
from timeline_app.algebra.sums import WIDTH
from timeline_app.algebra.timelines import Timelines
from timeline_app.events.columns import code_texts, to_labels
from timeline_app.feed import feed_rows
from workers.spark.buckets import split_into_buckets
from workers.spark.budget import check_budget
from workers.spark.hosts.emit import EmitMode
from workers.spark.hosts.feed_host import FeedHost
from workers.spark.hosts.feed_progress import FeedProgress, SourceProgress
from workers.spark.hosts.processor import PagedProcessor
from workers.spark.state.archive import Archive, drop_expired, restore_rows
from workers.spark.state.archiving import archive_rows
from workers.spark.state.evaluation import Frontiers
from workers.spark.state.inputs import HashedKeys, Inputs
from workers.spark.state.pages import Pages
from workers.spark.state.rows import KeyRows, KeySummaries
from workers.spark.state.summaries import summarize_expired

AMOUNTS = [f"a{index}" for index in range(WIDTH)]
_NUMBERS = [(name, pa.int64()) for name in AMOUNTS]
DELTA_SCHEMA = pa.schema([("name", pa.string()), ("source", pa.string()), ("t", pa.int64()), *_NUMBERS])
"""A delta to the sums of group `name` at `t`; a row without a name is feed progress."""
SUMS_SCHEMA = pa.schema([("hash", pa.int64()), *DELTA_SCHEMA])
STATE_SCHEMA = pa.schema([("hash", pa.int64()), ("key", pa.string()), ("time", pa.int64()), *_NUMBERS])
"""Deltas in the columns of the state: the group is the key."""
_WHERE = ("bucket", "buckets", "horizon")


class PartialAggregate(FeedHost):
    """The first half of an aggregate: the deltas that a change of a key adds to its groups."""

    output_schema = DELTA_SCHEMA

    def to_batches(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        """Split deltas by the bucket of their group."""
        yield from split_into_buckets(table, "name", self.buckets)

    def forward_progress(self, how_far: tuple[str, int, int, int], where: Mapping[str, int]) -> pa.Table:
        """Write feed progress in the columns of deltas: times and bucket stand in the first amounts."""
        source, until, newest, frontier = how_far
        numbers = [newest, frontier, *(where[name] for name in _WHERE)]
        amounts = [[number] for number in (*numbers, *([0] * (WIDTH - len(numbers))))]
        return pa.table([[None], [source], [until], *amounts], schema=DELTA_SCHEMA)

    def emit_changes(
        self,
        old: Inputs,
        new: Inputs,
        _how: Mapping[str, EmitMode],
        _folded: KeySummaries,
        _frontiers: Frontiers,
    ) -> Iterator[pa.Table]:
        """Yield the difference between the keys' contributions before and after.

        Summarized history is the same in both, and cancels out.
        """
        yield build_delta_table(subtract(self._contributions(new), self._contributions(old)))

    def _contributions(self, inputs: Inputs) -> Deltas:
        step = self.program.last
        across = step.operator.across_keys
        assert across is not None
        return across.contribute(**step.ports(inputs), **step.parsed())


class FinalAggregate(PagedProcessor):
    """The second half of an aggregate: the exact sums of each group, and its timelines.

    A group's summary holds its birth, the time of its last old delta, and the sum of the old deltas.
    """

    @property
    def width(self) -> int:
        """Return the width of a summary: birth, last change, sums."""
        return 2 + WIDTH

    @property
    def texts(self) -> int:
        """Return 0: sums need no texts."""
        return 0

    def process(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """Add the deltas, and emit what changed."""
        marks = _read_feed_progress(rows.filter(pc.is_null(rows["name"])))
        pages.horizon = max(pages.horizon, marks.horizon(pages.memory, 1))
        for _, source, progress in marks.sources():
            yield feed_rows.select_node_rows(feed_rows.build_progress_row(source, *progress, **pages.where))
        rows = rows.filter(pc.is_valid(rows["name"])).drop_columns(["source"])
        rows = rows.rename_columns(STATE_SCHEMA.names)
        keys = HashedKeys.from_tables(rows)
        key_rows, other_rows = pages.load(keys.hashes).split_by_names(keys.names)
        since = np.full(len(keys.names), OPEN, dtype=np.int64)
        np.minimum.at(since, code_texts(rows["key"], keys.names), rows["time"].to_numpy())
        archive = Archive(pages, 0)
        rows_read, summaries = restore_rows(archive, key_rows, keys.names, since)
        old = read_deltas(rows_read, keys.names)
        new = add(old, read_deltas(rows, keys.names))
        yield feed_rows.select_node_rows(
            feed_rows.build_rows(self._changes(old, new, keys.names, summaries)), 0
        )
        drop_expired(archive, keys.names, summaries, pages.horizon)
        expired = summarize_expired(
            _build_state_rows(new, keys), keys.names, summaries, 0, summarize_deltas, pages.horizon
        )
        expired, _ = archive_rows(expired, keys.names, keys.hashes, summaries, archive, summarize_deltas)
        pages.save(KeyRows.concat((other_rows, KeyRows(expired, summaries.rows(keys.names, keys.hashes)))))

    def _changes(self, old: Deltas, new: Deltas, names: pa.Array, summaries: KeySummaries) -> Revisions:
        labels = to_labels(names)
        changed = diff(*(self._collected(item, labels, summaries) for item in (old, new)))
        return check_budget(self.program.digest, changed)

    def _collected(self, deltas: Deltas, labels: Labels, summaries: KeySummaries) -> Timelines:
        """Return the timelines of the groups, exact from their summaries on."""
        step = self.program.last
        across, params = step.operator.across_keys, step.parsed()
        assert across is not None
        assert step.operator.start is not None
        kind = next(item.kind for item in self.program.feeds if item.digest == step.inputs["of"][0])
        collected = across.collect(add(deltas, _summarize_deltas(labels, summaries)), kind, **params)
        collected = reindex(collected, labels, step.operator.start(params))
        births = np.where(summaries.until == BEGINNING, collected.birth, summaries.memory[:, 0])
        return replace(collected, birth=births)


def _read_feed_progress(rows: pa.Table) -> FeedProgress:
    """Read feed progress from rows of deltas."""
    names = ("source", "t", *AMOUNTS[: 2 + len(_WHERE)])
    return FeedProgress(
        [
            SourceProgress(0, *values)
            for values in zip(*(rows[name].to_pylist() for name in names), strict=True)
        ]
    )


def summarize_deltas(
    rows: pa.Table, names: pa.Array, summaries: KeySummaries, at: Ints
) -> tuple[pa.Table, KeySummaries]:
    """Summarize deltas: only the sums are kept, and no row."""
    deltas = read_deltas(rows, names)
    old = deltas.time <= at[deltas.group]
    group, time = deltas.group[old], deltas.time[old]
    memory = summaries.memory.copy()
    memory[summaries.until == BEGINNING, :2] = (OPEN, BEGINNING)
    np.minimum.at(memory[:, 0], group, time)
    np.maximum.at(memory[:, 1], group, time)
    np.add.at(memory[:, 2:], group, deltas.amounts[old])
    return rows.slice(0, 0), replace(summaries, until=at + 1, memory=memory)


def _summarize_deltas(labels: Labels, summaries: KeySummaries) -> Deltas:
    """Return the summaries of groups as deltas at their last change."""
    groups = np.flatnonzero(summaries.until != BEGINNING)
    return compress(labels, groups, summaries.memory[groups, 1], summaries.memory[groups, 2:])


def _build_state_rows(deltas: Deltas, keys: HashedKeys) -> pa.Table:
    """Return deltas of these groups as rows of state."""
    row_index = np.searchsorted(to_labels(keys.names), deltas.names)[deltas.group]
    amounts = [pa.array(np.ascontiguousarray(deltas.amounts[:, column])) for column in range(WIDTH)]
    columns = [pa.array(keys.hashes[row_index]), keys.names.take(pa.array(row_index)), pa.array(deltas.time)]
    return pa.table([*columns, *amounts], schema=STATE_SCHEMA)


def build_delta_table(deltas: Deltas) -> pa.Table:
    """Return deltas as rows."""
    amounts = [pa.array(np.ascontiguousarray(deltas.amounts[:, index])) for index in range(WIDTH)]
    sources = pa.nulls(len(deltas.group), pa.string())
    name = pa.array(deltas.names[deltas.group], pa.string())
    return pa.table([name, sources, pa.array(deltas.time), *amounts], schema=DELTA_SCHEMA)


def read_deltas(rows: pa.Table, names: pa.Array) -> Deltas:
    """Read rows of state as deltas of these groups, summed by group and time."""
    amounts = (
        np.column_stack([rows[name].to_numpy() for name in AMOUNTS]) if len(rows) else np.zeros((0, WIDTH))
    )
    time = rows["time"].to_numpy().astype(np.int64)
    return compress(to_labels(names), code_texts(rows["key"], names), time, amounts.astype(np.int64))
