"""The landing of a stream: a log of numbered Parquet files, each the events of one request.

Number n + 1 appears only after n, whole, so that a reader needs no listing: it asks for the next number. A
file is on disk (fsync) before `append` returns.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import Kind
from timeline_app.plan.events import EventBatch
from timeline_app.plan.stream import StreamDeclaration

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("time", pa.int64()),
        ("id", pa.string()),
        ("text", pa.string()),
        ("fields", pa.map_(pa.string(), pa.string())),
    ]
)
_SPELLED = {Kind.NUMBER: r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$", Kind.BOOL: r"^(true|false)$"}
_ARROW = {Kind.TEXT: pa.string(), Kind.NUMBER: pa.float64(), Kind.BOOL: pa.bool_()}


def arrow_type(kind: Kind) -> pa.DataType:
    """The Arrow type of a field of this kind."""
    return _ARROW[kind]


def table_of(batch: EventBatch) -> pa.Table:
    """A batch of events as it is kept."""
    return pa.table([batch.keys, batch.times, batch.ids, batch.texts, batch.fields], schema=SCHEMA)


@dataclass(frozen=True, slots=True)
class Count:
    """How much lies in a part of a landing; `size` in bytes on disk."""

    events: int
    size: int
    files: int


class Landing:
    """The log of one stream under a root directory."""

    def __init__(self, root: Path, stream: str) -> None:
        """Nothing is made on disk before the first append."""
        self.path = root / stream
        self._next = -1

    def append(self, batch: EventBatch) -> int:
        """Write a batch durably; its number, from 0. Safe against other writers and against kills."""
        return self.append_table(table_of(batch))

    def append_table(self, table: pa.Table) -> int:
        """The same of events in the columns of `SCHEMA`."""
        self.path.mkdir(parents=True, exist_ok=True)
        staged = self.path / f".{uuid.uuid4().hex}.staged"
        try:
            with staged.open("wb") as sink:
                pq.write_table(table, sink, compression="zstd")
                sink.flush()
                os.fsync(sink.fileno())
            return self._publish(staged)
        finally:
            staged.unlink(missing_ok=True)

    def _publish(self, staged: Path) -> int:
        """Give the file the first free number: a link is made once or not at all."""
        number = self.end()
        while True:
            try:
                os.link(staged, self.file(number))
                break
            except FileExistsError:
                number += 1
        _sync_directory(self.path)
        self._next = number + 1
        return number

    def end(self) -> int:
        """The number after the last, found by probing from the last one known."""
        if self._next < 0:
            names = self.path.glob("*.parquet") if self.path.is_dir() else ()
            self._next = max((int(name.stem) + 1 for name in names), default=0)
        while self.file(self._next).exists():
            self._next += 1
        return self._next

    def file(self, number: int) -> Path:
        """Where the batch of that number lies."""
        return self.path / f"{number:012d}.parquet"

    def first(self) -> int:
        """The number of the first batch that is still kept."""
        return 0

    def read(self, start: int, end: int, declaration: StreamDeclaration, fields: Iterable[str]) -> pa.Table:
        """The events of the batches from start to end (exclusive), in the columns of `landed_schema`."""
        names = list(fields)
        tables = [pq.read_table(self.file(number), schema=SCHEMA) for number in range(start, end)]
        host = host_table(pa.concat_tables(tables) if tables else SCHEMA.empty_table(), declaration, names)
        sizes = np.array([table.num_rows for table in tables], dtype=np.int64)
        numbers = np.repeat(np.arange(start, start + len(tables)), sizes)
        return host.append_column(FILE, pa.array(numbers, pa.int64()))

    def count(self, start: int, end: int) -> Count:
        """What the batches from start to end (exclusive) hold, without reading events."""
        found = [self._size(number) for number in range(start, min(end, self.end()))]
        return Count(sum(rows for rows, _ in found), sum(size for _, size in found), len(found))

    def _size(self, number: int) -> tuple[int, int]:
        path = self.file(number)
        return pq.read_metadata(path).num_rows, path.stat().st_size


def host_schema(declaration: StreamDeclaration, fields: Iterable[str]) -> pa.Schema:
    """key, time, id and text (only where ids are declared), then one typed column for each field: v0, v1 …"""
    identity = [("id", pa.string()), ("text", pa.string())] if declaration.id else []
    values = [(f"v{place}", arrow_type(declaration.kind_of(name))) for place, name in enumerate(fields)]
    return pa.schema([("key", pa.string()), ("time", pa.int64()), *identity, *values])


FILE = "file"
"""The column with the number of the batch that brought an event."""


def landed_schema(declaration: StreamDeclaration, fields: Iterable[str]) -> pa.Schema:
    """The columns of events that are read from a landing: those of `host_schema`, and `file`."""
    return host_schema(declaration, fields).append(pa.field(FILE, pa.int64()))


def host_table(table: pa.Table, declaration: StreamDeclaration, fields: Iterable[str]) -> pa.Table:
    """Landed events with the wanted fields as typed columns."""
    names = list(fields)
    identity = [table["id"], table["text"]] if declaration.id else []
    values = [_field(table["fields"], name, declaration.kind_of(name)) for name in names]
    columns = [table["key"], table["time"], *identity, *values]
    return pa.table(columns, schema=host_schema(declaration, names))


def _field(fields: pa.ChunkedArray, name: str, kind: Kind) -> pa.ChunkedArray:
    texts = pc.map_lookup(fields, pa.scalar(name), "last")
    return texts if kind is Kind.TEXT else typed(texts, kind)


def typed(texts: pa.ChunkedArray, kind: Kind) -> pa.ChunkedArray:
    """Texts as numbers or bools; what does not fit (it landed under another declaration) is missing."""
    fits = pc.match_substring_regex(texts, _SPELLED[kind])
    return pc.cast(pc.if_else(fits, texts, pa.scalar(None, pa.string())), arrow_type(kind))


def _sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
