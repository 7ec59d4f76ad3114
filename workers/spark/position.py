"""The position of a query, from its own files: what its feed holds, and what it had read for that."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from timeline_app.compiler import Program
from timeline_app.feed.files import FileFeed
from timeline_app.feed.lineage import Chain
from timeline_app.fs.layout import Places
from timeline_app.landing.log import Landing
from workers.spark.checkpoint import read_offsets
from workers.spark.hosts.emit import NO_LIMITS


@dataclass(frozen=True, slots=True)
class Position:
    """The number of batches in the feed, and by source (stream, or digest of a node) how far it had read for them.

    Everything before the first of two numbers was read, nothing from the second on. Mostly they are equal.
    """

    batches: int
    sources: Mapping[str, Sequence[int]]


def find_position(places: Places, query: str, program: Program, at_least: int = 0) -> Position:
    """Return the position of a stopped query; its feed has `at_least` this many batches.

    Batch n counts when its manifest is in the feed; its offsets are in Spark's offset log, one line per source.
    """
    feed, batches = FileFeed(places.feed(query)), at_least
    while feed.has(batches):
        batches += 1
    sources = program.inputs or program.streams
    if batches == 0:
        return Position(0, dict.fromkeys(sources, NO_LIMITS))
    folder = places.checkpoint(query) / "offsets"
    if read := read_offsets(folder / str(batches - 1)):
        return Position(batches, {name: (end, end) for name, end in zip(sources, read, strict=True)})
    # The last file is torn: it had read at least what it had before, and at most what there is.
    least = read_offsets(folder / str(batches - 2)) or (0,) * len(sources)
    ends = {name: _end(places, program, name) for name in sources}
    return Position(batches, {name: (low, ends[name]) for name, low in zip(sources, least, strict=True)})


def _end(places: Places, program: Program, source: str) -> int:
    """Return the number after a source's last batch."""
    if source in program.streams:
        return Landing(places.landing, program.declarations[source].folder).end()
    chain = Chain(places, source)
    snapshot = chain.snapshot()
    return next(
        number for number in itertools.count(0 if snapshot is None else snapshot.end) if not chain.has(number)
    )
