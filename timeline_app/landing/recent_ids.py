"""The events that a process landed last, by digest, so that the door can say which of a request repeat them.

The engine alone tells copies for certain. This is a table of a fixed size in which a newer event takes the place of an
older one: it misses some copies, the more of them the older they are, and those that another process landed.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import Ints

SLOTS = 1 << 17


def hash_events(table: pa.Table) -> Ints:
    """A digest of each event that has an id; of its canonical text, which holds key, time, id and all fields."""
    named = table.filter(table["id"].is_valid()) if table["id"].null_count else table
    return np.fromiter(map(hash, named["text"].to_pylist()), np.int64, len(named))


class RecentEvents:
    """What one landing remembers of its events."""

    def __init__(self) -> None:
        """It takes no room before the first event with an id."""
        self._slots = np.zeros(0, dtype=np.int64)

    def count_repeated(self, digests: Ints) -> int:
        """How many of them repeat one that is remembered, or an earlier one of them."""
        distinct = np.unique(digests)
        known = self._slots[distinct % SLOTS] == distinct if len(self._slots) else False
        return len(digests) - len(distinct) + int(np.count_nonzero(known))

    def remember(self, digests: Ints) -> None:
        """They have landed."""
        if len(digests) and not len(self._slots):
            self._slots = np.zeros(SLOTS, dtype=np.int64)
        self._slots[digests % SLOTS] = digests
