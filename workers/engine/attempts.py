"""Counts failed tries to publish a batch. It is tried again, later each time, and then given up."""

from __future__ import annotations

import time
from dataclasses import dataclass

MAX_PUBLISH_TRIES = 10
"""They take some four minutes: by then a query that starts again has mended what it left torn."""
MAX_WAIT_S = 60.0


@dataclass(frozen=True, slots=True)
class FailedBatch:
    """A batch that could not be published so often in a row, and when it is tried again, on this process's clock."""

    batch: int
    times: int
    again: float


class Attempts:
    """By the name of a feed, or the digest of a node, the batch that could not be published last."""

    def __init__(self) -> None:
        self._failed: dict[str, FailedBatch] = {}

    def is_due(self, name: str, batch: int) -> bool:
        """Whether a batch may be tried now."""
        failed = self._failed.get(name)
        return failed is None or failed.batch != batch or time.monotonic() >= failed.again

    def is_last(self, name: str, batch: int) -> bool:
        """Whether a batch that fails once more is given up."""
        return self.times(name, batch) >= MAX_PUBLISH_TRIES - 1

    def times(self, name: str, batch: int) -> int:
        """How often it failed."""
        failed = self._failed.get(name)
        return failed.times if failed is not None and failed.batch == batch else 0

    def note(self, name: str, batch: int) -> None:
        """It failed once more."""
        times = self.times(name, batch) + 1
        self._failed[name] = FailedBatch(batch, times, time.monotonic() + min(2.0 ** (times - 1), MAX_WAIT_S))

    def wait(self, name: str, batch: int) -> None:
        """What it needs is away: it is tried again in a second, and that counts for nothing."""
        self._failed[name] = FailedBatch(batch, self.times(name, batch), time.monotonic() + 1.0)

    def forget(self, name: str) -> None:
        """It is published, or given up."""
        self._failed.pop(name, None)
