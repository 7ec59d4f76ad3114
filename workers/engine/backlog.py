"""The backlog of a query: what its sources hold behind its offsets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from timeline_app.algebra.kinds import Ints
from timeline_app.compiler import Program
from timeline_app.feed.lineage import Chain
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import Place
from timeline_app.landing.log import Landing

NOTHING: Ints = np.zeros(1, dtype=np.int64)


class Tally:
    """Counts the events between two offsets of a landing, reading every batch's size once."""

    def __init__(self, landing: Landing) -> None:
        """Counts from the first offset that it is asked for."""
        self.landing = landing
        self.first, self.sums = 0, NOTHING

    def between(self, start: int, end: int) -> int:
        """Return the number of retained events in the batches from start to end (exclusive)."""
        start = max(start, self.landing.first())
        if len(self.sums) == 1 or start < self.first:
            self.first, self.sums = start, NOTHING
        new = self.landing.sizes(self.first + len(self.sums) - 1, end)
        self.sums = np.concatenate((self.sums, self.sums[-1] + np.cumsum(new)))
        return int(self.sums[end - self.first] - self.sums[start - self.first]) if start < end else 0


@lru_cache(maxsize=1_024)
def get_tally(landing: Place, folder: str) -> Tally:
    """Return the tally of a stream's landing, cached between calls."""
    return Tally(Landing(landing, folder))


def count_waiting(program: Program, places: Places, offsets: Sequence[int]) -> int:
    """Return the number of events after the offsets of a program's streams, and of its inputs' batches."""
    at = iter(offsets)
    count = 0
    for stream in program.streams:
        tally = get_tally(places.landing, program.declarations[stream].folder)
        count += tally.between(next(at, 0), tally.landing.end())
    return count + sum(_count_batches(places, digest, next(at, 0)) for digest in program.inputs)


def _count_batches(places: Places, digest: str, start: int) -> int:
    """Return the number of a node's batches from `start` on; batches inside a snapshot do not count."""
    chain = _load_lineage(places, digest)
    if start <= 0 and (snapshot := chain.snapshot()) is not None:
        start = snapshot.end
    # A node that was removed may come again, in another feed.
    lineage_key = (places, digest, chain.segments()[0].query)
    number = max(start, _ends.get(lineage_key, 0))
    while chain.has(number):
        number += 1
    _ends[lineage_key] = number
    return max(number - start, 0)


@lru_cache(maxsize=4_096)
def _load_lineage(places: Places, digest: str) -> Chain:
    return Chain(places, digest)


_ends: dict[tuple[Places, str, str], int] = {}
