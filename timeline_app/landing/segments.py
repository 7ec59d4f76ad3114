"""Segments, the compacted part of a landing: large Parquet files of many batches, and the index that names them.

The index is one small file, replaced whole. Numbers below its `end` are looked up nowhere else.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import asdict, dataclass, replace
from functools import lru_cache

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import BEGINNING, Ints
from timeline_app.fs import durable
from timeline_app.fs.paths import Address, Place, open_for_arrow

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("time", pa.int64()),
        ("id", pa.string()),
        ("text", pa.string()),
        ("fields", pa.map_(pa.string(), pa.string())),
    ]
)
"""The columns of events as they land."""
FILE = "file"
"""The column with the number of an event's batch."""
HOLDS = "holds"
"""The column that says what a row without a key is: null is a heartbeat, true a watermark.

False is the greatest time of events, possibly in other buckets. It is null in rows of events.
"""
ARRIVED = "arrived"
"""The column with the moment at which an event landed, in microseconds; null in old batches."""
ACCEPTED = "accepted"
"""The column with the watermark that the stream had accepted before an event's batch, in microseconds."""
_TIME = SCHEMA.get_field_index("time")
OF_BATCH = (ARRIVED, ACCEPTED)
"""The columns that are equal for all events of a batch: before compaction they stand in its footer."""
LANDED = pa.schema([*SCHEMA, *((name, pa.int64()) for name in (FILE, *OF_BATCH))])
INDEX, FOLDER = "index.json", "segments"
INDEX_CACHED_S = 2.0
"""At an address the index is cached for this long; files outlive their entry in it for much longer."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The batches from start to end (exclusive); `size` in bytes, event times in microseconds."""

    start: int
    end: int
    events: int
    size: int
    first: int
    last: int

    @property
    def name(self) -> str:
        """The file of the segment, relative to the landing."""
        return name_of(self.start, self.end)


def name_of(start: int, end: int) -> str:
    """Return the file of a segment of these batches, relative to the landing."""
    return f"{FOLDER}/{start:012d}-{end:012d}.parquet"


@dataclass(frozen=True, slots=True)
class Index:
    """All segments in order, the number after the last compacted batch, and the greatest compacted event time.

    Where no segment stands before `end`, the events exceeded the retention and are gone.
    """

    segments: tuple[Segment, ...] = ()
    end: int = 0
    seen: int = BEGINNING

    @property
    def first(self) -> int:
        """The first number that is still kept."""
        return self.segments[0].start if self.segments else self.end

    @property
    def whole(self) -> bool:
        """Whether nothing was dropped."""
        ends = [0, *(segment.end for segment in self.segments)]
        return [segment.start for segment in self.segments] == ends[:-1] and ends[-1] == self.end

    def between(self, start: int, end: int) -> list[Segment]:
        """Return the segments that hold any batch from start to end (exclusive)."""
        return [segment for segment in self.segments if segment.start < end and segment.end > start]

    def without(self, removed: set[Segment]) -> Index:
        """Return the index without these segments."""
        return replace(self, segments=tuple(segment for segment in self.segments if segment not in removed))

    def with_segment(self, fresh: Segment) -> Index:
        """Return the index where this segment replaces all that it covers."""
        remaining = [
            segment for segment in self.segments if segment.end <= fresh.start or segment.start >= fresh.end
        ]
        segments = tuple(sorted([*remaining, fresh], key=lambda item: item.start))
        return Index(segments, max(self.end, fresh.end), max(self.seen, fresh.last))

    def save(self, landing: Place) -> None:
        """Replace the index of a landing."""
        durable.replace(landing / INDEX, orjson.dumps(asdict(self)))


class IndexFile:
    """The index of a landing on disk."""

    def __init__(self, landing: Place) -> None:
        self._path = landing / INDEX
        self._stamp: Hashable = None
        self._index, self._looked = Index(), -INDEX_CACHED_S

    def lately(self) -> Index:
        """Return a recent index, where each read is a request. All files that it names still exist."""
        is_cached = isinstance(self._path, Address) and time.monotonic() - self._looked < INDEX_CACHED_S
        return self._index if is_cached else self.read()

    def read(self) -> Index:
        """Return the current index; the same object until the file changes."""
        started, stat = time.monotonic(), durable.stat_file(self._path)
        if stat is not None and stat.stamp != self._stamp:
            with durable.wrap_read_errors(self._path):
                document = orjson.loads(self._path.read_bytes())
                segments = tuple(Segment(**row) for row in document["segments"])
                self._index, self._stamp = Index(segments, document["end"], document["seen"]), stat.stamp
        self._looked = started  # set last, or other threads would take the old index for a fresh one
        return self._index


@lru_cache(maxsize=256)
def count_batch_events(path: Place, start: int, end: int) -> Ints:
    """Return the number of events of each batch from start to end (exclusive) in a segment."""
    with durable.wrap_read_errors(path):
        numbers = pq.read_table(open_for_arrow(path), columns=[FILE])[FILE].to_numpy()
    return np.bincount(numbers - start, minlength=end - start)


@lru_cache(maxsize=1 << 16)
def read_group_spans(path: Place) -> list[tuple[int, int] | None]:
    """Return the least and the greatest event time of each row group of a Parquet file, which never changes."""
    return parse_group_spans(pq.read_metadata(open_for_arrow(path)))


def parse_group_spans(metadata: pq.FileMetaData) -> list[tuple[int, int] | None]:
    """Return the spans of row groups from the metadata of a file."""
    columns = [metadata.row_group(index).column(_TIME).statistics for index in range(metadata.num_row_groups)]
    return [(item.min, item.max) if item is not None and item.has_min_max else None for item in columns]


@lru_cache(maxsize=1 << 16)
def read_statistics(path: Place) -> dict[str, int]:
    """Return the batch-wide columns in the footer of a single batch's file."""
    footer = pq.read_metadata(open_for_arrow(path)).metadata or {}
    with durable.wrap_read_errors(path):
        return {name: int(footer[name.encode()]) for name in OF_BATCH if name.encode() in footer}


def read_spans(path: Place) -> list[tuple[int, int]]:
    """Return the spans of the row groups that hold events."""
    return [span for span in read_group_spans(path) if span is not None]
