"""Snapshots: the combined batches of a feed before one, so that readers may begin there and the batches may go.

A snapshot is one file, `snapshots/END.parquet`, written once, whole. Its pieces are row groups with disjoint keys;
each holds what counts of these keys from the retention limit on, as one complete revision. A new reader reads the
pieces of the newest snapshot, then the batches from its end on. Its offset, a number below 0, contains the number of
read pieces, so that it continues with the same snapshot when there is a newer one.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import Ints
from timeline_app.feed.feed_rows import SCHEMA
from timeline_app.fs import durable
from timeline_app.fs.paths import Address, Place, open_for_arrow

FOLDER = "snapshots"
MAX_PIECES, MAX_LINKS = 1 << 12, 1 << 10
NEWEST_CACHED_S = 10.0
"""At an address, where each check is a request, the newest snapshot is cached; its predecessor stays for longer."""
FACTS = b"snapshot"
_newest: dict[Place, tuple[float, Snapshot | None]] = {}


@dataclass(frozen=True, slots=True)
class SnapshotFacts:
    """Which nodes of the query it speaks of, by place, and how many rows each of its pieces has."""

    nodes: frozenset[int]
    sizes: Ints


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The snapshot that replaces the batches before `end` of the feed at `feed`."""

    feed: Place
    end: int

    @property
    def path(self) -> Place:
        """The file of the snapshot."""
        return self.feed / FOLDER / f"{self.end:012d}.parquet"

    @property
    def facts(self) -> SnapshotFacts:
        """Its metadata, which never changes."""
        return _read_facts(self.path)

    def rows(self, node: int, start: int, end: int) -> pa.Table:
        """What the pieces from start to end (exclusive) say of the node at this place, marks included."""
        tables = [SCHEMA.empty_table()]
        with pq.ParquetFile(open_for_arrow(self.path)) as file:
            for piece in range(start, end):
                rows = file.read_row_group(piece).select(SCHEMA.names).cast(SCHEMA)
                tables.append(rows.filter(pc.equal(rows["node"], node)))
        return pa.concat_tables(tables)


def list_snapshots(feed: Place) -> list[Snapshot]:
    """All of a feed that are there, in order; mostly one or none."""
    names = (name for name in durable.list_names(feed / FOLDER) if name.endswith(".parquet"))
    return [Snapshot(feed, int(name.removesuffix(".parquet"))) for name in sorted(names)]


def find_newest_snapshot(feed: Place) -> Snapshot | None:
    """The newest of a feed; None where nothing was removed of it."""
    if not isinstance(feed, Address):
        return max(list_snapshots(feed), key=lambda item: item.end, default=None)
    read_at, newest = _newest.get(feed, (-NEWEST_CACHED_S, None))
    if time.monotonic() - read_at >= NEWEST_CACHED_S:
        newest = max(list_snapshots(feed), key=lambda item: item.end, default=None)
        _newest[feed] = time.monotonic(), newest
    return newest


@dataclass(frozen=True, slots=True)
class SnapshotOffset:
    """The offset of a reader within a snapshot: `piece` pieces are read, of the feed with index `link`."""

    link: int
    end: int
    piece: int

    def encode(self) -> int:
        """Return it as a number below 0, which grows by one with each piece."""
        return self.piece - (self.end * MAX_LINKS + self.link % MAX_LINKS + 1) * MAX_PIECES

    @classmethod
    def decode(cls, offset: int) -> SnapshotOffset:
        """Return the offset of a number."""
        end, link = divmod(-(offset // MAX_PIECES) - 1, MAX_LINKS)
        return cls(link, end, offset % MAX_PIECES)


@lru_cache(maxsize=4_096)
def _read_facts(path: Place) -> SnapshotFacts:
    facts = json.loads(pq.read_metadata(open_for_arrow(path)).metadata[FACTS])
    return SnapshotFacts(frozenset(facts["nodes"]), np.array(facts["sizes"], dtype=np.int64))


def encode_facts(nodes: list[int], sizes: list[int]) -> dict[bytes, str]:
    """Return the metadata for the footer of a file."""
    return {FACTS: json.dumps({"nodes": nodes, "sizes": sizes})}
