"""Counts failed attempts to publish a batch. Retries wait longer each time, and end after `MAX_PUBLISH_TRIES`."""

from __future__ import annotations

import time
from dataclasses import dataclass

MAX_PUBLISH_TRIES = 10
"""Together about four minutes; a restarted query repairs its torn files within that time."""
MAX_WAIT_S = 60.0


@dataclass(frozen=True, slots=True)
class FailedBatch:
    """A batch that failed `times` times in a row. It is due `again`, on this process's monotonic clock."""

    batch: int
    times: int
    again: float


class Attempts:
    """The batch that failed last, by name of a feed or digest of a node."""

    def __init__(self) -> None:
        self._failed: dict[str, FailedBatch] = {}

    def is_due(self, name: str, batch: int) -> bool:
        """Return whether a batch may be tried now."""
        failed = self._failed.get(name)
        return failed is None or failed.batch != batch or time.monotonic() >= failed.again

    def is_last(self, name: str, batch: int) -> bool:
        """Return whether one more failure gives the batch up."""
        return self.times(name, batch) >= MAX_PUBLISH_TRIES - 1

    def times(self, name: str, batch: int) -> int:
        """Return how often the batch failed."""
        failed = self._failed.get(name)
        return failed.times if failed is not None and failed.batch == batch else 0

    def note(self, name: str, batch: int) -> None:
        """Count a failure, and set the next attempt."""
        times = self.times(name, batch) + 1
        self._failed[name] = FailedBatch(batch, times, time.monotonic() + min(2.0 ** (times - 1), MAX_WAIT_S))

    def wait(self, name: str, batch: int) -> None:
        """Retry in a second without counting a failure: storage is away."""
        self._failed[name] = FailedBatch(batch, self.times(name, batch), time.monotonic() + 1.0)

    def remove(self, name: str) -> None:
        """Forget a batch that was published or given up."""
        self._failed.pop(name, None)
