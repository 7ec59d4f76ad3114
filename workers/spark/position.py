"""How far a query has come, as its own files say: what its feed holds, and what it had read for that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from timeline_app.compiler import Program
from timeline_app.storage.feed import Feed
from timeline_app.storage.places import Places
from workers.spark.checkpoint import Unreadable, offsets_in


@dataclass(frozen=True, slots=True)
class Position:
    """The batches that its feed holds, and by source (stream, or digest of a node) the next number to read."""

    batches: int
    sources: Mapping[str, int]


def position(places: Places, query: str, program: Program, at_least: int = 0) -> Position:
    """Of a query that stands still; its feed has so many batches `at_least`.

    Batch n counts when its manifest is in the feed; what it read stands in Spark's offset log, a line a source.
    """
    feed, batches = Feed(places.feed(query)), at_least
    while feed.has(batches):
        batches += 1
    sources = program.inputs or program.streams
    if batches == 0:
        return Position(0, dict.fromkeys(sources, 0))
    folder = places.checkpoint(query) / "offsets"
    # Where the last file is torn the one before it tells too little: then a batch is told again, and nothing is lost.
    read = offsets_in(folder / str(batches - 1)) or offsets_in(folder / str(batches - 2))
    if read is None:
        raise Unreadable(f"the offsets of batch {batches - 1} of query {query} cannot be read: {folder}")
    return Position(batches, dict(zip(sources, read, strict=True)))
