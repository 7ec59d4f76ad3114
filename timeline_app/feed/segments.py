"""Segments: many batches of a feed in one file, so that one that runs for years is not millions of files.

Segment n of a feed holds as many batches as `segments/size` says, from n times that many on. It is written once, whole,
when none of them can change any more. Their own files, and the manifests that name them, are removed only a while after
the segment exists: a reader finds either them or the segment. A kill at any instant loses nothing.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import Ints
from timeline_app.feed.snapshots import list_snapshots
from timeline_app.fs import durable
from timeline_app.fs.paths import Address, Place, open_for_arrow
from timeline_app.fs.table_parts import gather_tables, number_rows

UNCOMPACTED_BATCHES = 64
"""The newest batches stay uncompacted: a checkpoint repair may write them again."""
REMOVE_AFTER_S = 30.0
"""The files of batches stay for this long after their segment exists."""
ROWS_PER_GROUP = 32_768
"""The size of a row group."""
BATCH = "batch"
ABSENCE_CACHED_S = REMOVE_AFTER_S / 3
"""How long the absence of a segment is cached."""
MAX_CACHED_ABSENCES = 10_000
_missed: dict[tuple[Place, int], float] = {}
_ROWS_OF = b"rows of batches"


@dataclass(frozen=True, slots=True)
class FeedSegment:
    """The batches from start to end (exclusive) of the feed at `feed`; the segment may not exist yet."""

    feed: Place
    start: int
    end: int

    @property
    def path(self) -> Place:
        """The file of the segment."""
        return self.feed / "segments" / f"{self.start:012d}.parquet"

    def exists(self) -> bool:
        """Return whether it exists, whole."""
        return self.path.is_file()

    def rows(self, start: int, end: int) -> pa.Table:
        """Return its rows of the batches from start to end (exclusive), with the number as `batch`."""
        is_inside = start <= self.start and self.end <= end
        within = None if is_inside else (pc.field(BATCH) >= start) & (pc.field(BATCH) < end)
        return pq.read_table(open_for_arrow(self.path), filters=within)

    def tables(self, start: int, end: int) -> Iterator[pa.Table]:
        """Yield its rows of the batches from start to end (exclusive), some at a time."""
        with pq.ParquetFile(open_for_arrow(self.path)) as file:
            for group in range(file.num_row_groups):
                rows = file.read_row_group(group)
                is_inside = start <= self.start and self.end <= end
                is_in_range = (pc.field(BATCH) >= start) & (pc.field(BATCH) < end)
                yield rows if is_inside else rows.filter(is_in_range)

    def size(self, batch: int) -> int:
        """Return the number of rows of a batch."""
        return int(_read_batch_sizes(self.path)[batch - self.start])

    def count_rows(self) -> int:
        """Return the number of rows of all its batches."""
        return int(_read_batch_sizes(self.path).sum())


def find_segment(feed: Place, batch: int) -> FeedSegment | None:
    """Return the segment of a batch; None where it is not compacted."""
    size = _get_segment_size(feed)
    if not size:
        return None
    start = batch - batch % size
    segment = FeedSegment(feed, start, start + size)
    return segment if segment.exists() else None


def is_compacted(feed: Place, batch: int) -> bool:
    """Return whether a batch is compacted; at an address, where each check is a request, absence is cached.

    Meanwhile, and longer, the files of a freshly compacted batch still exist.
    """
    if time.monotonic() - _missed.get((feed, batch), -ABSENCE_CACHED_S) < ABSENCE_CACHED_S:
        return False
    flag = find_segment(feed, batch) is not None
    if isinstance(feed, Address) and not flag:
        if len(_missed) > MAX_CACHED_ABSENCES:
            _missed.clear()
        _missed[feed, batch] = time.monotonic()
    return flag


def _get_segment_size(feed: Place) -> int:
    """Return the number of batches per segment of this feed; 0 where there is none yet."""
    try:
        return _read_fixed_size(feed / "segments" / "size")
    except FileNotFoundError:
        return 0


@lru_cache(maxsize=16_384)
def _read_fixed_size(path: Place) -> int:
    """Return the number in the file, which never changes once it exists."""
    return int(path.read_text())


@lru_cache(maxsize=1_024)
def _read_batch_sizes(path: Place) -> Ints:
    return np.array(json.loads(pq.read_metadata(open_for_arrow(path)).metadata[_ROWS_OF]), dtype=np.int64)


def compact(
    feed: Place,
    published: int,
    size: int,
    read: Callable[[int], pa.Table],
    files: Callable[[int], list[Place]],
) -> int:
    """Write at most one segment of the published batches of a feed; return how many batches it has.

    The first segment settles the `size` of all. `read` gives the rows of a batch, `files` what its manifest names.
    """
    start, size = _sweep(feed, files), _get_segment_size(feed) or size
    if start + size + UNCOMPACTED_BATCHES > published:
        return 0
    if not _get_segment_size(feed):
        fix_segment_size(feed, size)
    write(FeedSegment(feed, start, start + size), read)
    return size


def fix_segment_size(feed: Place, size: int) -> None:
    """Fix the number of batches per segment of this feed."""
    durable.make_folder(feed / "segments")
    durable.replace(feed / "segments" / "size", str(size).encode())


def write(segment: FeedSegment, read: Callable[[int], pa.Table]) -> None:
    """Write a segment; it exists when this returns, and never incomplete."""
    sizes: list[int] = []

    def tables() -> Iterator[pa.Table]:
        for batch in range(segment.start, segment.end):
            rows = read(batch)
            sizes.append(len(rows))
            yield number_rows(rows, BATCH, batch)

    with durable.open_draft_file(segment.path) as draft:
        parts = gather_tables(tables(), ROWS_PER_GROUP)
        first = next(parts)
        with pq.ParquetWriter(draft.sink, first.schema, compression="zstd") as writer:
            for part in itertools.chain([first], parts):
                writer.write_table(part)
            writer.add_key_value_metadata({_ROWS_OF: json.dumps(sizes)})
        draft.replace()


def list_segments(feed: Place) -> list[FeedSegment]:
    """Return the existing segments of a feed, in order."""
    size = _get_segment_size(feed)
    names = sorted(name for name in durable.list_names(feed / "segments") if name.endswith(".parquet"))
    starts = [int(name.removesuffix(".parquet")) for name in names]
    return [FeedSegment(feed, start, start + size) for start in starts]


def remove_own_files(feed: Place, batches: Iterable[int], files: Callable[[int], list[Place]]) -> None:
    """Remove the files that batches have of their own; the manifests that name them go last."""
    for batch in batches:
        for path in (*files(batch), feed / "_spark_metadata" / str(batch)):
            path.unlink(missing_ok=True)
            path.with_name(f".{path.name}.crc").unlink(missing_ok=True)


def _sweep(feed: Place, files: Callable[[int], list[Place]]) -> int:
    """Remove files that segments replace, and those of dead processes; return the batch after the last segment.

    What lies before the first segment is in a snapshot.
    """
    seen_files, segments = durable.list_files(feed / "segments"), list_segments(feed)
    end = max(
        [item.end for item in segments[-1:]] + [item.end for item in list_snapshots(feed)[-1:]], default=0
    )
    old_batches = [batch for batch in list_manifests(feed) if batch < end]
    now = durable.read_clock(feed / "segments") if old_batches else 0.0
    rested = {item.start for item in segments if now - seen_files[item.path.name].written > REMOVE_AFTER_S}
    size = segments[0].end - segments[0].start if segments else 1
    remove_own_files(feed, [batch for batch in old_batches if batch - batch % size in rested], files)
    durable.remove_abandoned(feed / "segments")
    return end


def list_manifests(feed: Place) -> list[int]:
    """Return the batches that are still files of their own."""
    return sorted(int(name) for name in durable.list_names(feed / "_spark_metadata") if name.isdigit())
