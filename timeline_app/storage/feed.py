"""The feed of a query: the revisions of its nodes, batch by batch, exactly once.

Spark's file sink writes Parquet files and then, atomically, a manifest of each batch under `_spark_metadata`.
Only what a manifest names is read: files of a batch that failed or ran twice do not count.

What is written are packets of rows (`packets.py`). Rows are pieces, each with the place of its node among those of
the query: those of one revision stand together, in time order. Of a ratio, `number` and `slope` are the numerator,
`den` and `den_slope` the denominator. A row without key is a mark, mostly of all nodes: how far `source` has come
(`t`: what lies before is final; `end`: the greatest event time seen), how many events were taken, and the `horizon`
of this `bucket` of so many `buckets` of the query: what it will say later of keys that are known is of no time before
that (`BEGINNING`: it may be of any).
"""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import (
    BEGINNING,
    NO_LABELS,
    OPEN,
    Ints,
    Kind,
    Labels,
    Lines,
    Values,
)
from timeline_app.algebra.lines import ratio
from timeline_app.algebra.order import firsts
from timeline_app.algebra.revisions import Revisions
from timeline_app.algebra.timelines import Timelines, offsets_of
from timeline_app.storage import packs
from timeline_app.storage.addresses import Place, readable
from timeline_app.storage.columns import codes, labels_of, sorted_names
from timeline_app.storage.packets import nothing, unpacked
from timeline_app.storage.packs import BATCH, pack_of
from timeline_app.storage.parts import numbered

PIECES = pa.schema(
    [
        ("key", pa.string()),
        ("source", pa.string()),
        ("birth", pa.int64()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("t", pa.int64()),
        ("flag", pa.int8()),
        ("text", pa.string()),
        ("number", pa.float64()),
        ("slope", pa.float64()),
        ("den", pa.float64()),
        ("den_slope", pa.float64()),
        ("events", pa.int64()),
        ("late", pa.int64()),
        ("duplicates", pa.int64()),
        ("conflicts", pa.int64()),
        ("too_late", pa.int64()),
        ("bucket", pa.int64()),
        ("buckets", pa.int64()),
        ("horizon", pa.int64()),
    ]
)
"""The rows of one node."""
SCHEMA = pa.schema([("node", pa.int16()), *PIECES])
PACKETS = pa.schema([("rows", pa.int64()), ("data", pa.binary())])
"""The columns of a file: packets, and how many rows each of them has."""
EVERY = -1
"""Stands for the node in a mark."""
_VALUE = {Kind.BOOL: "flag", Kind.TEXT: "text", Kind.NUMBER: "number", Kind.RATIO: "number"}


@dataclass(frozen=True, slots=True)
class Feed:
    """The directory that a query's file sink fills."""

    path: Place

    def has(self, batch: int) -> bool:
        """Whether a batch is there, whole."""
        return self.manifest(batch).is_file() or packs.packed(self.path, batch)

    def read(self, batch: int) -> pa.Table:
        """The rows of a batch."""
        try:
            tables = [_rows_of_file(name) for name in self.files(batch)]
        except FileNotFoundError:
            if (pack := pack_of(self.path, batch)) is None:
                raise
            return pack.rows(batch, batch + 1).select(SCHEMA.names)
        return pa.concat_tables(tables) if tables else SCHEMA.empty_table()

    def rows(self, start: int, end: int) -> pa.Table:
        """The rows of the batches from start to end (exclusive), each with its number as `batch`."""
        tables, batch = [numbered(SCHEMA.empty_table(), BATCH, start)], start
        while batch < end:
            pack = pack_of(self.path, batch)
            tables.append(numbered(self.read(batch), BATCH, batch) if pack is None else pack.rows(batch, end))
            batch = batch + 1 if pack is None else pack.end
        return pa.concat_tables(tables)

    def size(self, batch: int) -> int:
        """How many rows a batch has."""
        try:
            return sum(_size_of_file(name) for name in self.files(batch))
        except FileNotFoundError:
            if (pack := pack_of(self.path, batch)) is None:
                raise
            return pack.size(batch)

    def pack(self, published: int, size: int) -> int:
        """Put the oldest batches, of so many that are published, into one file of `size`; how many were packed."""
        return packs.pack(self.path, published, size, self.read, self.files)

    def files(self, batch: int) -> list[Place]:
        """The files that the manifest of a batch names; a manifest that is torn is a ValueError."""
        version, *lines = self.manifest(batch).read_text().splitlines() or [""]
        if version != "v1":
            raise ValueError(f"the manifest {self.manifest(batch)} cannot be read")
        return [self.path / _name_in(line) for line in lines]

    def manifest(self, batch: int) -> Place:
        """Where Spark's sink says which files a batch is."""
        return self.path / "_spark_metadata" / str(batch)


def _name_in(line: str) -> str:
    """The name of the file that a line of a manifest is about; all lie beside each other."""
    return PurePosixPath(unquote(urlsplit(json.loads(line)["path"]).path)).name


def _rows_of_file(path: Place) -> pa.Table:
    """The rows of a file; in one of before there were packets they stand as they are."""
    with pq.ParquetFile(readable(path)) as file:
        if "data" not in file.schema_arrow.names:
            return file.read().select(SCHEMA.names).cast(SCHEMA)
        packets = file.read(PACKETS.names, use_threads=False)
    counts, blobs = (packets[name].to_pylist() for name in PACKETS.names)
    return unpacked(zip(counts, blobs, strict=True), SCHEMA)


def _size_of_file(path: Place) -> int:
    with pq.ParquetFile(readable(path)) as file:
        if "data" not in file.schema_arrow.names:
            return int(file.metadata.num_rows)
        return sum(file.read(["rows"], use_threads=False)["rows"].to_pylist())


def rows_of(revisions: Revisions) -> pa.Table:
    """Revisions as rows of a feed."""
    counts = np.diff(revisions.offsets)
    pieces = len(revisions.time)
    columns: dict[str, object] = {
        "key": np.repeat(revisions.names, counts),
        "birth": np.repeat(revisions.birth, counts),
        "start": np.repeat(revisions.start, counts),
        "end": np.repeat(revisions.end, counts),
        "t": revisions.time,
        "slope": revisions.slope.real,
        _VALUE[revisions.kind]: _spell(revisions.kind, revisions.value, revisions.labels),
    }
    if revisions.kind is Kind.RATIO:
        columns |= {"den": revisions.value.imag, "den_slope": revisions.slope.imag}
    arrays = [
        pa.array(columns[name], kind) if name in columns else nothing(pieces, kind)
        for name, kind in _fields()
    ]
    return pa.table(arrays, schema=PIECES)


def told(rows: pa.Table, node: int = EVERY) -> pa.Table:
    """Rows of one node, or marks, as they stand in the feed."""
    return pa.table([pa.array(np.full(len(rows), node, dtype=np.int16)), *rows.columns], schema=SCHEMA)


def of_node(rows: pa.Table, node: int, sources: Container[str], also: Sequence[str] = ()) -> pa.Table:
    """What the feed says of the node at this place, and the marks of these sources; `also` names further columns."""
    known = pc.unique(rows["source"]).to_pylist()
    mine = pa.array([name for name in known if name is not None and name in sources], pa.string())
    every = pc.and_(pc.equal(rows["node"], EVERY), pc.is_in(rows["source"], value_set=mine))
    return rows.filter(pc.or_(pc.equal(rows["node"], node), every)).select([*PIECES.names, *also])


def mark(source: str, until: int, seen: int = BEGINNING, /, **counted: int) -> pa.Table:
    """One row that says how far a source has come; `counted` are events, late, duplicates, conflicts and too_late."""
    columns = {"source": source, "t": until, "end": seen, **counted}
    arrays = [
        pa.array([columns[name]], kind) if name in columns else nothing(1, kind) for name, kind in _fields()
    ]
    return pa.table(arrays, schema=PIECES)


def marks_of(rows: pa.Table) -> pa.Table:
    """The rows that are marks."""
    return rows.filter(pc.is_null(rows["key"]))


def revisions_of(rows: pa.Table, kind: Kind) -> Revisions:
    """The revisions that the rows of one node and batch hold (marks aside)."""
    rows = rows.filter(pc.is_valid(rows["key"]))
    names = sorted_names(rows["key"])
    key, time = codes(rows["key"], names), _ints(rows["t"])
    order = np.lexsort((time, key))
    rows, key, time = rows.take(pa.array(order)), key[order], time[order]
    first = firsts(key)
    value, labels = read_values(rows, kind)
    return Revisions(
        kind,
        labels_of(names),
        _ints(rows["birth"])[first],
        _ints(rows["start"])[first],
        _ints(rows["end"])[first],
        offsets_of(np.bincount(key, minlength=len(names))),
        time,
        value,
        read_slopes(rows, kind),
        labels,
    )


def read_slopes(rows: pa.Table, kind: Kind) -> Lines:
    """The slopes of pieces."""
    slope = np.nan_to_num(rows["slope"].to_numpy())
    return ratio(slope, np.nan_to_num(rows["den_slope"].to_numpy())) if kind is Kind.RATIO else slope


def read_values(rows: pa.Table, kind: Kind) -> tuple[Values, Labels]:
    """The values of pieces and the labels of their codes."""
    column = rows[_VALUE[kind]]
    if kind is Kind.TEXT:
        names = sorted_names(column)
        return codes(column, names).astype(np.int32), labels_of(names)
    values = column.to_numpy()
    if kind is Kind.RATIO:
        return ratio(values.astype(np.float64), rows["den"].to_numpy().astype(np.float64)), NO_LABELS
    return (values.astype(np.int8) if kind is Kind.BOOL else values.astype(np.float64)), NO_LABELS


def whole(item: Timelines) -> Revisions:
    """Timelines as revisions that say everything."""
    start, end = np.full(item.size, BEGINNING), np.full(item.size, OPEN)
    return Revisions(
        item.kind,
        item.names,
        item.birth,
        start,
        end,
        item.offsets,
        item.time,
        item.value,
        item.slope,
        item.labels,
    )


def timelines_of(revisions: Revisions) -> Timelines:
    """The reverse of `whole`."""
    r = revisions
    return Timelines(r.kind, r.names, r.birth, r.offsets, r.time, r.value, r.slope, r.labels)


def _spell(kind: Kind, value: Values, labels: Labels) -> Values:
    if kind is Kind.TEXT:
        return np.concatenate((labels, np.array([None], dtype=object)))[value]
    return value.real


def _fields() -> list[tuple[str, pa.DataType]]:
    return [(item.name, item.type) for item in PIECES]


def _ints(values: pa.ChunkedArray) -> Ints:
    return np.asarray(values.to_numpy(), dtype=np.int64)
