"""Snapshots: what all batches of a feed before one come to, so that a reader may begin there and they may go.

A snapshot is one file, `snapshots/END.parquet`, written once, whole. Its pieces are row groups with keys of their own;
each says of these keys what counts from the retention limit on, as one revision of everything. A reader that begins
reads the pieces of the newest snapshot, then the batches from its end on. How many pieces it has read stands in its
offset, a number below 0, so that it goes on with the same snapshot when there is a newer one.
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
FRESH = 10.0
"""At an address, where each look is a request, the newest snapshot is known for so many seconds: the one before it
stays there longer."""
FACTS = b"snapshot"
_seen: dict[Place, tuple[float, Snapshot | None]] = {}


@dataclass(frozen=True, slots=True)
class SnapshotFacts:
    """Which nodes of the query it speaks of, by place, and how many rows each of its pieces has."""

    nodes: frozenset[int]
    sizes: Ints


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The snapshot that stands for the batches of the feed at `feed` before `end`."""

    feed: Place
    end: int

    @property
    def path(self) -> Place:
        """Where it lies."""
        return self.feed / FOLDER / f"{self.end:012d}.parquet"

    @property
    def facts(self) -> SnapshotFacts:
        """What it says of itself; it never changes."""
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
    looked, known = _seen.get(feed, (-FRESH, None))
    if time.monotonic() - looked >= FRESH:
        known = max(list_snapshots(feed), key=lambda item: item.end, default=None)
        _seen[feed] = time.monotonic(), known
    return known


@dataclass(frozen=True, slots=True)
class SnapshotOffset:
    """A reader has read so many pieces of the snapshot that ends there, of the feed at a place of the node's chain."""

    link: int
    end: int
    piece: int

    def encode(self) -> int:
        """As a number below 0; with one more piece read it is one more."""
        return self.piece - (self.end * MAX_LINKS + self.link % MAX_LINKS + 1) * MAX_PIECES

    @classmethod
    def decode(cls, offset: int) -> SnapshotOffset:
        """The reverse."""
        end, link = divmod(-(offset // MAX_PIECES) - 1, MAX_LINKS)
        return cls(link, end, offset % MAX_PIECES)


@lru_cache(maxsize=4_096)
def _read_facts(path: Place) -> SnapshotFacts:
    said = json.loads(pq.read_metadata(open_for_arrow(path)).metadata[FACTS])
    return SnapshotFacts(frozenset(said["nodes"]), np.array(said["sizes"], dtype=np.int64))


def encode_facts(nodes: list[int], sizes: list[int]) -> dict[bytes, str]:
    """The same for the footer of a file."""
    return {FACTS: json.dumps({"nodes": nodes, "sizes": sizes})}
