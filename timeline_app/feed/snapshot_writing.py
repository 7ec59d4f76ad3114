"""Writing of a snapshot: the batches of a feed are read once, spread by key, and composed part by part."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import Kind
from timeline_app.algebra.timelines import Timelines
from timeline_app.events.columns import hash_texts
from timeline_app.feed import feed_rows
from timeline_app.feed.composing import compose_revisions, hide_values_before
from timeline_app.feed.feed_rows import PIECES, SCHEMA, select_node_revisions
from timeline_app.feed.files import FileFeed
from timeline_app.feed.packets import build_empty_column
from timeline_app.feed.segments import BATCH
from timeline_app.feed.snapshots import FOLDER, Snapshot, encode_facts, list_snapshots
from timeline_app.fs import durable
from timeline_app.fs.table_parts import number_rows

ROWS_PER_PART = 400_000
"""The approximate number of rows composed at a time."""
MAX_PARTS = 256
"""Each is a file that is open meanwhile."""
MARKS = pa.schema([*PIECES, (BATCH, pa.int64())])
NUMBERED = pa.schema([*SCHEMA, (BATCH, pa.int64())])
WRITE = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)


@dataclass(frozen=True, slots=True)
class SnapshotNode:
    """A node of a query: its index there, its kind, and the names of its progress rows.

    `before` reads its rows in the feeds of former queries, in order: `shift` batches. The query computed it up to the
    batch `until` (None: it still does).
    """

    place: int
    kind: Kind
    sources: frozenset[str]
    before: Callable[[], Iterator[pa.Table]]
    shift: int = 0
    until: int | None = None

    def read_before(self) -> Iterator[pa.Table]:
        """Yield those rows, numbered below 0."""
        for rows in self.before():
            number = rows.schema.get_field_index(BATCH)
            yield rows.set_column(number, BATCH, pc.subtract(rows[BATCH], self.shift))


def write_snapshot(
    feed: FileFeed, end: int, nodes: Sequence[SnapshotNode], limit: int | None, rows: int
) -> Snapshot:
    """Write the result of the batches before `end`, known from the limit (microseconds; None: unbounded) on.

    `rows` is their approximate number. The snapshot exists when this returns, and never incomplete.
    """
    durable.make_folder(feed.path / FOLDER)
    written, sizes = Snapshot(feed.path, end), list[int]()
    with _Spool(min(1 + rows // ROWS_PER_PART, MAX_PARTS)) as spool:
        for node_index, table in _read_all(feed, end, nodes):
            spool.add(node_index, table)
        with durable.open_draft_file(written.path) as draft:
            with pq.ParquetWriter(draft.sink, SCHEMA, compression="zstd") as writer:
                for piece in _iterate_pieces(spool, nodes, limit):
                    writer.write_table(piece, row_group_size=max(len(piece), 1))
                    sizes.append(len(piece))
                writer.add_key_value_metadata(encode_facts([node.place for node in nodes], sizes))
            draft.create()
    return written


def _read_all(feed: FileFeed, end: int, nodes: Sequence[SnapshotNode]) -> Iterator[tuple[int, pa.Table]]:
    """Yield all rows of nodes, each with the index of its node; those of the earlier snapshot or other feeds first."""
    snapshot = next(reversed(list_snapshots(feed.path)), None)
    for node in nodes:
        if snapshot is None:
            yield from ((node.place, table) for table in node.read_before())
            continue
        for piece in range(len(snapshot.facts.sizes)):
            yield (
                node.place,
                number_rows(snapshot.rows(node.place, piece, piece + 1), BATCH, snapshot.end - 1),
            )
    for table in feed.tables(0 if snapshot is None else snapshot.end, end):
        for node in nodes:
            rows = table if node.until is None else table.filter(pc.less(table[BATCH], node.until))
            yield node.place, select_node_revisions(rows, node.place, node.sources, (BATCH,))


def _iterate_pieces(spool: _Spool, nodes: Sequence[SnapshotNode], limit: int | None) -> Iterator[pa.Table]:
    """The pieces; marks are in the last one, as they count when all before them is read."""
    for part in range(spool.parts):
        rows, tables = spool.read(part), [SCHEMA.empty_table()]
        for node in nodes:
            rows_of_node = rows.filter(pc.equal(rows["node"], node.place))
            revisions = compose_revisions(rows_of_node, node.kind) if len(rows_of_node) else ()
            tables += [
                feed_rows.select_node_rows(build_known_rows(item, limit), node.place) for item in revisions
            ]
        if part == spool.parts - 1:
            tables += [spool.marks(node.place) for node in nodes]
        yield pa.concat_tables(tables)


def build_known_rows(item: Timelines, limit: int | None) -> pa.Table:
    """Return timelines as complete revisions; where something is forgotten, the limit is their `horizon`.

    A reader that knows such a key takes only what follows the limit.
    """
    if limit is None:
        return feed_rows.build_rows(feed_rows.build_full_revisions(item))
    rows = feed_rows.build_rows(feed_rows.build_full_revisions(hide_values_before(item, limit)))
    limits = np.where(rows["birth"].to_numpy() < limit, limit, 0)
    column = rows.schema.get_field_index("horizon")
    return rows.set_column(column, rows.schema.field(column), pa.array(limits))


def _compose_progress(marks: pa.Table) -> pa.Table:
    """The last of the marks of each source and bucket; what they counted is no reader's business any more."""
    last = marks.group_by(["source", "bucket", "buckets"]).aggregate(
        [(name, "max") for name in ("t", "end", "start", "horizon", BATCH)]
    )
    last = last.sort_by(f"{BATCH}_max")
    columns = {name: last[name] for name in ("source", "bucket", "buckets")}
    columns |= {name: last[f"{name}_max"] for name in ("t", "end", "start", "horizon", BATCH)}
    arrays = [columns.get(item.name, build_empty_column(len(last), item.type)) for item in MARKS]
    return pa.table(arrays, schema=MARKS)


@dataclass(slots=True)
class _Spool:
    """Rows of many keys, spread over files by key; files without a name, which go with the process."""

    parts: int
    _sinks: list[tuple[IO[bytes], Any]] = field(default_factory=list)
    _marks: dict[int, pa.Table] = field(default_factory=dict)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> _Spool:
        for _ in range(self.parts):
            file = self._stack.enter_context(tempfile.TemporaryFile())
            self._sinks.append((file, pa.ipc.new_stream(file, NUMBERED, options=WRITE)))
        return self

    def __exit__(self, *_problem: object) -> None:
        self._stack.close()

    def add(self, node_index: int, rows: pa.Table) -> None:
        """Add rows of a node in the order of their batches."""
        numbers = pa.array(np.full(len(rows), node_index, dtype=np.int16))
        rows = pa.table([numbers, *(rows[name] for name in NUMBERED.names[1:])], schema=NUMBERED)
        marks = pc.is_null(rows["key"])
        progress = self._marks.get(node_index, MARKS.empty_table())
        self._marks[node_index] = _compose_progress(
            pa.concat_tables([progress, rows.filter(marks).select(MARKS.names)])
        )
        rows = rows.filter(pc.invert(marks))
        part_of_row = np.mod(hash_texts(rows["key"]), self.parts)
        order = np.argsort(part_of_row, kind="stable")
        rows, bounds = (
            rows.take(pa.array(order)),
            np.searchsorted(part_of_row[order], np.arange(self.parts + 1)),
        )
        for number, (_, writer) in enumerate(self._sinks):
            if bounds[number] < bounds[number + 1]:
                writer.write_table(rows.slice(bounds[number], bounds[number + 1] - bounds[number]))

    def read(self, part: int) -> pa.Table:
        """The rows of a part, of all nodes, in the order in which they were added."""
        file, writer = self._sinks[part]
        writer.close()
        file.seek(0)
        return pa.ipc.open_stream(file).read_all()

    def marks(self, node_index: int) -> pa.Table:
        """The last marks of a node."""
        return feed_rows.select_node_rows(self._marks[node_index].select(PIECES.names), node_index)
