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
from timeline_app.feed.segments import BATCH, find_segment
from timeline_app.fs import durable
from timeline_app.fs.paths import Place, open_for_arrow
from timeline_app.fs.table_parts import number_rows

FILES = "_spark_metadata"
"""The folder of a feed where Spark records the files of each batch."""
PACKETS_PER_READ = 1
"""A packet has up to 65,536 rows."""
MAX_SMALL_BATCH_BYTES = 1 << 18
"""A batch in files up to this size is read at once."""


@dataclass(frozen=True, slots=True)
class FileFeed:
    """The directory that a query's file sink fills."""

    path: Place

    @property
    def name(self) -> str:
        """The query that it belongs to."""
        return self.path.name

    def last(self) -> int:
        """Return the newest batch, which is never compacted."""
        names = durable.list_names(self.manifest(0).parent)
        return max((int(name) for name in names if name.isdecimal()), default=-1)

    def has(self, batch: int) -> bool:
        """Return whether a batch exists, whole."""
        return self.manifest(batch).is_file() or segments.is_compacted(self.path, batch)

    def read(self, batch: int) -> pa.Table:
        """Return the rows of a batch."""
        try:
            tables = [_read_rows(name) for name in self.files(batch)]
        except FileNotFoundError:
            if (segment := find_segment(self.path, batch)) is None:
                raise
            return segment.rows(batch, batch + 1).select(SCHEMA.names)
        return pa.concat_tables(tables) if tables else SCHEMA.empty_table()

    def portions(self, batch: int) -> Iterator[pa.Table]:
        """Yield the rows of a batch, some packets at a time; a small or compacted batch comes whole."""
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
        """Return the rows of the batches from start to end (exclusive), each with its number as `batch`."""
        tables, batch = [number_rows(SCHEMA.empty_table(), BATCH, start)], start
        while batch < end:
            segment = find_segment(self.path, batch)
            tables.append(
                number_rows(self.read(batch), BATCH, batch) if segment is None else segment.rows(batch, end)
            )
            batch = batch + 1 if segment is None else segment.end
        return pa.concat_tables(tables)

    def tables(self, start: int, end: int) -> Iterator[pa.Table]:
        """Yield the rows of the batches from start to end (exclusive), some at a time."""
        batch = start
        while batch < end:
            segment = find_segment(self.path, batch)
            if segment is None:
                yield number_rows(self.read(batch), BATCH, batch)
            else:
                yield from segment.tables(batch, end)
            batch = batch + 1 if segment is None else segment.end

    def size(self, batch: int) -> int:
        """Return the number of rows of a batch."""
        try:
            return sum(_read_size(name) for name in self.files(batch))
        except FileNotFoundError:
            if (segment := find_segment(self.path, batch)) is None:
                raise
            return segment.size(batch)

    def written_at(self, batch: int) -> float | None:
        """Return when a batch was written, in seconds since 1970; None once it is compacted."""
        try:
            stat = durable.stat_file(self.manifest(batch))
        except OSError:
            return None
        return None if stat is None else stat.written

    def is_whole(self, batch: int) -> bool:
        """Return whether an uncompacted batch is readable. Raises where that cannot be determined."""
        try:
            return all(pq.read_metadata(open_for_arrow(file)) for file in self.files(batch))
        except (OSError, ValueError, KeyError, IndexError) as why:
            if durable.is_torn(why, self.path):
                return False
            raise

    def remove_manifest(self, batch: int) -> None:
        """Remove the manifest of a batch, and Spark's checksum of it."""
        manifest = self.manifest(batch)
        manifest.with_name(f".{manifest.name}.crc").unlink(missing_ok=True)
        manifest.unlink(missing_ok=True)

    def sink(self) -> tuple[str, dict[str, str]]:
        """Return Spark's file sink and its options: packets are compressed already, and all differ."""
        options = {"compression": "uncompressed", "parquet.enable.dictionary": "false"}
        return "parquet", {"path": str(self.path), **options}

    def compact(self, published: int, size: int) -> int:
        """Merge the oldest `size` of the `published` batches into one file; return how many batches it has."""
        return segments.compact(self.path, published, size, self.read, self.files)

    def files(self, batch: int) -> list[Place]:
        """Return the files that the manifest of a batch names. Raises ValueError for a torn manifest."""
        version, *lines = self.manifest(batch).read_text().splitlines() or [""]
        if version != "v1":
            raise ValueError(f"the manifest {self.manifest(batch)} cannot be read")
        return [self.path / _name_in(line) for line in lines]

    def manifest(self, batch: int) -> Place:
        """Return where Spark's sink records the files of a batch."""
        return self.path / FILES / str(batch)


def _name_in(line: str) -> str:
    """Return the name of the file in a line of a manifest; all files are in one folder."""
    return PurePosixPath(unquote(urlsplit(json.loads(line)["path"]).path)).name


def _read_rows(path: Place) -> pa.Table:
    """Return the rows of a file; older files hold them without packets."""
    with pq.ParquetFile(open_for_arrow(path)) as file:
        if "data" not in file.schema_arrow.names:
            return file.read().select(SCHEMA.names).cast(SCHEMA)
        packets = file.read(PACKETS.names, use_threads=False)
    counts, blobs = (packets[name].to_pylist() for name in PACKETS.names)
    return unpack_rows(zip(counts, blobs, strict=True), SCHEMA)


def _is_small(files: list[Place]) -> bool:
    """Return whether files are small enough to be read at once; at an address each check would be a request."""
    local = [file for file in files if isinstance(file, Path)]
    return len(local) == len(files) and sum(file.stat().st_size for file in local) <= MAX_SMALL_BATCH_BYTES


def _read_portions(path: Place) -> Iterator[pa.Table]:
    with pq.ParquetFile(open_for_arrow(path)) as file:
        if "data" not in file.schema_arrow.names:
            yield file.read().select(SCHEMA.names).cast(SCHEMA)
            return
        for packets in file.iter_batches(PACKETS_PER_READ, columns=PACKETS.names, use_threads=False):
            counts, blobs = (packets[name].to_pylist() for name in PACKETS.names)
            yield from unpack_portions(zip(counts, blobs, strict=True), SCHEMA)


def _read_size(path: Place) -> int:
    with pq.ParquetFile(open_for_arrow(path)) as file:
        if "data" not in file.schema_arrow.names:
            return int(file.metadata.num_rows)
        return sum(file.read(["rows"], use_threads=False)["rows"].to_pylist())
