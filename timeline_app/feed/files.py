"""A feed in files: Spark's file sink writes Parquet files and then, atomically, a manifest under `_spark_metadata`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq

from timeline_app.feed import segments
from timeline_app.feed.feed_rows import PACKETS, SCHEMA
from timeline_app.feed.packets import unpack_portions, unpack_rows
from timeline_app.feed.segments import BATCH, pack_of
from timeline_app.fs import durable
from timeline_app.fs.paths import Place, open_for_arrow
from timeline_app.fs.table_parts import number_rows

FILES = "_spark_metadata"
"""The folder of a feed where Spark writes down which files each batch is."""
PACKETS_AT_ONCE = 1
"""A packet has up to 65,536 rows."""
MAX_SMALL_BATCH_BYTES = 1 << 18
"""A batch in files up to this size is read at once."""


@dataclass(frozen=True, slots=True)
class FileFeed:
    """The directory that a query's file sink fills."""

    path: Place

    @property
    def name(self) -> str:
        """Whose it is."""
        return self.path.name

    def last(self) -> int:
        """The newest batch; it is never packed."""
        names = durable.list_names(self.manifest(0).parent)
        return max((int(name) for name in names if name.isdecimal()), default=-1)

    def has(self, batch: int) -> bool:
        """Whether a batch is there, whole."""
        return self.manifest(batch).is_file() or segments.is_compacted(self.path, batch)

    def read(self, batch: int) -> pa.Table:
        """The rows of a batch."""
        try:
            tables = [_read_rows(name) for name in self.files(batch)]
        except FileNotFoundError:
            if (pack := pack_of(self.path, batch)) is None:
                raise
            return pack.rows(batch, batch + 1).select(SCHEMA.names)
        return pa.concat_tables(tables) if tables else SCHEMA.empty_table()

    def portions(self, batch: int) -> Iterator[pa.Table]:
        """The same, some packets at a time; a batch that is small, or packed already, comes whole."""
        try:
            files = self.files(batch)
        except FileNotFoundError:
            files = []
        if _is_small(files):
            yield self.read(batch)
            return
        for name in files:
            yield from _read_portions(name)

    def rows(self, start: int, end: int) -> pa.Table:
        """The rows of the batches from start to end (exclusive), each with its number as `batch`."""
        tables, batch = [number_rows(SCHEMA.empty_table(), BATCH, start)], start
        while batch < end:
            pack = pack_of(self.path, batch)
            tables.append(
                number_rows(self.read(batch), BATCH, batch) if pack is None else pack.rows(batch, end)
            )
            batch = batch + 1 if pack is None else pack.end
        return pa.concat_tables(tables)

    def tables(self, start: int, end: int) -> Iterator[pa.Table]:
        """The same, some at a time."""
        batch = start
        while batch < end:
            pack = pack_of(self.path, batch)
            if pack is None:
                yield number_rows(self.read(batch), BATCH, batch)
            else:
                yield from pack.tables(batch, end)
            batch = batch + 1 if pack is None else pack.end

    def size(self, batch: int) -> int:
        """How many rows a batch has."""
        try:
            return sum(_read_size(name) for name in self.files(batch))
        except FileNotFoundError:
            if (pack := pack_of(self.path, batch)) is None:
                raise
            return pack.size(batch)

    def written_at(self, batch: int) -> float | None:
        """When it was written, in seconds since 1970; None once it is packed."""
        try:
            seen = durable.stat_file(self.manifest(batch))
        except OSError:
            return None
        return None if seen is None else seen.written

    def is_whole(self, batch: int) -> bool:
        """Whether a batch that is there, in files of its own, can be read; raises where that cannot be known."""
        try:
            return all(pq.read_metadata(open_for_arrow(file)) for file in self.files(batch))
        except (OSError, ValueError, KeyError, IndexError) as why:
            if durable.is_torn(why, self.path):
                return False
            raise

    def forget(self, batch: int) -> None:
        """Remove its manifest, and the sum that Spark keeps of it."""
        manifest = self.manifest(batch)
        manifest.with_name(f".{manifest.name}.crc").unlink(missing_ok=True)
        manifest.unlink(missing_ok=True)

    def sink(self) -> tuple[str, dict[str, str]]:
        """Spark's file sink: packets are compressed already, and no two are the same."""
        options = {"compression": "uncompressed", "parquet.enable.dictionary": "false"}
        return "parquet", {"path": str(self.path), **options}

    def pack(self, published: int, size: int) -> int:
        """Put the oldest batches, of so many that are published, into one file of `size`; how many were packed."""
        return segments.pack(self.path, published, size, self.read, self.files)

    def files(self, batch: int) -> list[Place]:
        """The files that the manifest of a batch names; a manifest that is torn is a ValueError."""
        version, *lines = self.manifest(batch).read_text().splitlines() or [""]
        if version != "v1":
            raise ValueError(f"the manifest {self.manifest(batch)} cannot be read")
        return [self.path / _name_in(line) for line in lines]

    def manifest(self, batch: int) -> Place:
        """Where Spark's sink says which files a batch is."""
        return self.path / FILES / str(batch)


def _name_in(line: str) -> str:
    """The name of the file that a line of a manifest is about; all lie beside each other."""
    return PurePosixPath(unquote(urlsplit(json.loads(line)["path"]).path)).name


def _read_rows(path: Place) -> pa.Table:
    """The rows of a file; in one of before there were packets they stand as they are."""
    with pq.ParquetFile(open_for_arrow(path)) as file:
        if "data" not in file.schema_arrow.names:
            return file.read().select(SCHEMA.names).cast(SCHEMA)
        packets = file.read(PACKETS.names, use_threads=False)
    counts, blobs = (packets[name].to_pylist() for name in PACKETS.names)
    return unpack_rows(zip(counts, blobs, strict=True), SCHEMA)


def _is_small(files: list[Place]) -> bool:
    """Whether that is worth no second look; at an address each look is a request."""
    local = [file for file in files if isinstance(file, Path)]
    return len(local) == len(files) and sum(file.stat().st_size for file in local) <= MAX_SMALL_BATCH_BYTES


def _read_portions(path: Place) -> Iterator[pa.Table]:
    with pq.ParquetFile(open_for_arrow(path)) as file:
        if "data" not in file.schema_arrow.names:
            yield file.read().select(SCHEMA.names).cast(SCHEMA)
            return
        for packets in file.iter_batches(PACKETS_AT_ONCE, columns=PACKETS.names, use_threads=False):
            counts, blobs = (packets[name].to_pylist() for name in PACKETS.names)
            yield from unpack_portions(zip(counts, blobs, strict=True), SCHEMA)


def _read_size(path: Place) -> int:
    with pq.ParquetFile(open_for_arrow(path)) as file:
        if "data" not in file.schema_arrow.names:
            return int(file.metadata.num_rows)
        return sum(file.read(["rows"], use_threads=False)["rows"].to_pylist())
