"""The events that a process landed recently, by digest, to count the repeated ones of a request.

Only the engine detects duplicates for certain. This is a table of fixed size in which a newer event replaces an older
one: it misses some duplicates, mostly old ones, and those that another process landed.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import Ints

SLOT_COUNT = 1 << 17


def hash_events(table: pa.Table) -> Ints:
    """Return a digest of each event that has an id: of its canonical text with key, time, id and fields."""
    named = table.filter(table["id"].is_valid()) if table["id"].null_count else table
    return np.fromiter(map(hash, named["text"].to_pylist()), np.int64, len(named))


class RecentEvents:
    """The recent events of one landing."""

    def __init__(self) -> None:
        """It uses no memory before the first event with an id."""
        self._slots = np.zeros(0, dtype=np.int64)

    def count_repeated(self, digests: Ints) -> int:
        """Return how many digests repeat a remembered one, or an earlier one of them."""
        distinct = np.unique(digests)
        is_recent = self._slots[distinct % SLOT_COUNT] == distinct if len(self._slots) else False
        return len(digests) - len(distinct) + int(np.count_nonzero(is_recent))

    def remember(self, digests: Ints) -> None:
        """Remember events that have landed."""
        if len(digests) and not len(self._slots):
            self._slots = np.zeros(SLOT_COUNT, dtype=np.int64)
        self._slots[digests % SLOT_COUNT] = digests
