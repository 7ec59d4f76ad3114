"""The chain of a node: the feeds that hold its revisions, one after the other.

A node that moves to another query continues in that query's feed. Its readers count batches along the chain and do
not notice. Without a chain the node has always been in the feed of its own name.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass

import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.feed.feed_rows import PIECES, select_node_revisions
from timeline_app.feed.files import FileFeed
from timeline_app.feed.segments import BATCH
from timeline_app.feed.snapshots import MAX_LINKS, Snapshot, SnapshotOffset, find_newest_snapshot
from timeline_app.feed.syncing import Syncer
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.fs.table_parts import number_rows


@dataclass(frozen=True, slots=True)
class ChainLink:
    """The node has this index among the nodes of a query; it is `batches` batches long, or still growing (None)."""

    query: str
    place: int
    batches: int | None = None


@dataclass(frozen=True, slots=True)
class ChainSnapshot:
    """A snapshot of the feed with index `link` in a chain, in which the node has index `place`.

    It replaces the batches before `end`, counted along the chain.
    """

    snapshot: Snapshot
    link: int
    place: int
    end: int

    @property
    def pieces(self) -> int:
        """The number of its pieces."""
        return len(self.snapshot.facts.sizes)

    def offset(self, piece: int = 0) -> int:
        """Return the offset of a reader that has read `piece` pieces."""
        return SnapshotOffset(self.link, self.snapshot.end, piece).encode()

    def rows(self, start: int, end: int) -> pa.Table:
        """Return the node's rows in the pieces from start to end (exclusive), as its last batch."""
        rows = self.snapshot.rows(self.place, start, end).select(PIECES.names)
        return number_rows(rows, BATCH, self.end - 1)


class Chain:
    """The revisions of one node, batch by batch, and the progress of its sources."""

    def __init__(self, places: Places, digest: str, sources: Sequence[str] = ()) -> None:
        """`sources` are the names of the progress rows that concern the node."""
        self._places, self.digest, self._sources = places, digest, frozenset(sources)
        self._known: tuple[Hashable, list[ChainLink]] | None = None

    def segments(self) -> list[ChainLink]:
        """Return where the node is and was; the last link is the current one."""
        stat = durable.stat_file(self._places.chain(self.digest))
        if stat is None:
            return [ChainLink(self.digest, 0)]
        if self._known is None or self._known[0] != stat.stamp:
            text = self._places.chain(self.digest).read_text()
            self._known = (stat.stamp, [ChainLink(**item) for item in json.loads(text)])
        return self._known[1]

    def write(self, segments: Sequence[ChainLink]) -> None:
        """Replace the chain durably."""
        path = self._places.chain(self.digest)
        durable.make_folders(path.parent)
        durable.replace(path, json.dumps([asdict(item) for item in segments]).encode())

    def has(self, number: int) -> bool:
        """Return whether a batch, counted along the chain, exists."""
        segment, batch = self._find(number)
        return self._feed(segment).has(batch)

    def begun(self, number: int) -> float | None:
        """Return when the query began to work on a batch, in seconds since 1970; None before that."""
        segment, batch = self._find(number)
        stat = durable.stat_file(self._places.checkpoint(segment.query) / "offsets" / str(batch))
        return None if stat is None else stat.written

    def snapshot(self) -> ChainSnapshot | None:
        """Return the newest snapshot of the node; None where none of its batches was removed."""
        snapshot, shift = None, 0
        for link, segment in enumerate(self.segments()):
            newest = find_newest_snapshot(self._feed(segment).path)
            if newest is not None and segment.place in newest.facts.nodes:
                snapshot = _locate(newest, link, segment, shift)
            shift += segment.batches or 0
        return snapshot

    def snapshot_at(self, offset: int) -> ChainSnapshot:
        """Return the snapshot of an offset below 0, which need not be the newest."""
        snapshot_offset, shift = SnapshotOffset.decode(offset), 0
        for link, segment in enumerate(self.segments()):
            if link % MAX_LINKS == snapshot_offset.link:
                snapshot = Snapshot(self._feed(segment).path, snapshot_offset.end)
                return _locate(snapshot, link, segment, shift)
            shift += segment.batches or 0
        raise LookupError(f"the chain of {self.digest} has no feed at place {snapshot_offset.link}")

    def is_removed(self, offset: int) -> bool:
        """Return whether the next batch or piece of a reader with this offset was removed."""
        if offset < 0:
            return not self.snapshot_at(offset).snapshot.path.is_file()
        newest = self.snapshot()
        return newest is not None and offset < newest.end and not self.has(offset)

    def rows_instead(self, end: int) -> pa.Table:
        """Return the snapshot's rows in place of removed batches, and later batches up to the end.

        They are empty where the snapshot goes further: a reader with such an old plan asks for it next.
        """
        newest = self.snapshot()
        if newest is None or newest.end > end:
            return number_rows(PIECES.empty_table(), BATCH, 0)
        return pa.concat_tables([newest.rows(0, newest.pieces), self.rows(newest.end, end)])

    def needed(self) -> list[ChainLink]:
        """Return the feeds that a new reader has to read."""
        snapshot = self.snapshot()
        return self.segments()[0 if snapshot is None else snapshot.link :]

    def tables(self, end: int) -> Iterator[pa.Table]:
        """Yield the node's rows in all batches before the end, in order and some at a time, each with its batch."""
        start, shift = 0, 0
        if (snapshot := self.snapshot()) is not None and snapshot.end <= end:
            start = snapshot.end
            yield from (snapshot.rows(piece, piece + 1) for piece in range(snapshot.pieces))
        for segment in self.segments():
            last = end if segment.batches is None else min(end, shift + segment.batches)
            for rows in self._feed(segment).tables(max(start - shift, 0), last - shift):
                yield self._mine(rows, segment, shift)
            shift += segment.batches or 0

    def size(self, number: int) -> int:
        """Return the number of rows of a batch, for all nodes of its query."""
        segment, batch = self._find(number)
        return self._feed(segment).size(batch)

    def read(self, number: int) -> pa.Table:
        """Return the node's rows in a batch."""
        segment, batch = self._find(number)
        return select_node_revisions(self._feed(segment).read(batch), segment.place, self._sources)

    def rows(self, start: int, end: int) -> pa.Table:
        """Return the node's rows in the batches from start to end (exclusive), each with its batch number."""
        parts, number = [number_rows(PIECES.empty_table(), BATCH, start)], start
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
        """Return the node's rows among those of a feed, counted along the chain."""
        own_rows = select_node_revisions(rows, segment.place, self._sources, (BATCH,))
        at = own_rows.schema.get_field_index(BATCH)
        return own_rows.set_column(at, BATCH, pc.add(own_rows[BATCH], shift))

    def _find(self, number: int) -> tuple[ChainLink, int]:
        for segment in self.segments():
            if segment.batches is None or number < segment.batches:
                return segment, number
            number -= segment.batches
        raise LookupError(f"the chain of {self.digest} has no open end")


def _locate(snapshot: Snapshot, link: int, segment: ChainLink, shift: int) -> ChainSnapshot:
    """Locate a snapshot of a feed in a chain; where the node left the feed, it ends there."""
    end = snapshot.end if segment.batches is None else min(snapshot.end, segment.batches)
    return ChainSnapshot(snapshot, link, segment.place, shift + end)
