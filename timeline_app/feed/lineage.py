"""The chain of a node: the feeds in which its revisions lie, one after the other.

A node that moves to another query goes on in that query's feed. Whoever reads its revisions counts batches along the
chain and does not notice. Without a chain the node has always been in the feed of its own name.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass

import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.feed.feed_rows import select_node_revisions
from timeline_app.feed.files import FileFeed
from timeline_app.feed.segments import BATCH
from timeline_app.feed.syncing import Syncer
from timeline_app.fs import durable
from timeline_app.fs.layout import Places


@dataclass(frozen=True, slots=True)
class ChainLink:
    """The node is at this place among the nodes of a query; `batches` batches long, or still growing (None)."""

    query: str
    place: int
    batches: int | None = None


class Chain:
    """The revisions of one node, batch by batch, and the marks of its sources."""

    def __init__(self, places: Places, digest: str, sources: Sequence[str] = ()) -> None:
        """`sources` are the names of the marks that speak of the node."""
        self._places, self._digest, self._sources = places, digest, frozenset(sources)
        self._known: tuple[Hashable, list[ChainLink]] | None = None

    def segments(self) -> list[ChainLink]:
        """Where the node is and was; the last segment is where it is."""
        seen = durable.stat_file(self._places.chain(self._digest))
        if seen is None:
            return [ChainLink(self._digest, 0)]
        if self._known is None or self._known[0] != seen.stamp:
            text = self._places.chain(self._digest).read_text()
            self._known = (seen.stamp, [ChainLink(**item) for item in json.loads(text)])
        return self._known[1]

    def write(self, segments: Sequence[ChainLink]) -> None:
        """Say anew where it lies: whole and durable, or not at all."""
        path = self._places.chain(self._digest)
        durable.make_folders(path.parent)
        durable.replace(path, json.dumps([asdict(item) for item in segments]).encode())

    def has(self, number: int) -> bool:
        """Whether the batch of that number, counted along the chain, is there."""
        segment, batch = self._find(number)
        return self._feed(segment).has(batch)

    def begun(self, number: int) -> float | None:
        """When its query began to work on that batch, in seconds since 1970; None before that."""
        segment, batch = self._find(number)
        seen = durable.stat_file(self._places.checkpoint(segment.query) / "offsets" / str(batch))
        return None if seen is None else seen.written

    def size(self, number: int) -> int:
        """How many rows that batch has, of all nodes of its query."""
        segment, batch = self._find(number)
        return self._feed(segment).size(batch)

    def read(self, number: int) -> pa.Table:
        """What that batch says of the node."""
        segment, batch = self._find(number)
        return select_node_revisions(self._feed(segment).read(batch), segment.place, self._sources)

    def rows(self, start: int, end: int) -> pa.Table:
        """What the batches from start to end (exclusive) say of the node, each row with the number of its batch."""
        parts, number = [], start
        while number < end:
            segment, batch = self._find(number)
            last = end if segment.batches is None else min(end, number + segment.batches - batch)
            rows = self._feed(segment).rows(batch, batch + last - number)
            parts.append(self._mine(rows, segment, number - batch))
            number = last
        return pa.concat_tables(parts)

    def sync(self, start: int, end: int, syncer: Syncer) -> None:
        """Bring the batches from start to end (exclusive) to disk, and the checkpoints of their queries."""
        number = start
        while number < end:
            segment, batch = self._find(number)
            last = end if segment.batches is None else min(end, number + segment.batches - batch)
            syncer.sync_query(segment.query, batch, batch + last - number)
            number = last

    def _feed(self, segment: ChainLink) -> FileFeed:
        return FileFeed(self._places.feed(segment.query))

    def _mine(self, rows: pa.Table, segment: ChainLink, shift: int) -> pa.Table:
        """What rows of a feed say of the node, counted along the chain."""
        mine = select_node_revisions(rows, segment.place, self._sources, (BATCH,))
        at = mine.schema.get_field_index(BATCH)
        return mine.set_column(at, BATCH, pc.add(mine[BATCH], shift))

    def _find(self, number: int) -> tuple[ChainLink, int]:
        for segment in self.segments():
            if segment.batches is None or number < segment.batches:
                return segment, number
            number -= segment.batches
        raise LookupError(f"the chain of {self._digest} has no open end")
