"""Requests without an id whose outcome is unknown; they are recognised when they come again.

On a disk, the name of their batch may not be durable. At an address, storage did not answer, and the number may
belong to another writer, or to nobody. After an hour a request is forgotten: the same events then count as new ones.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pyarrow as pa

from timeline_app.landing.dedup import digest_events

MAX_UNSETTLED_REQUESTS = 256
UNSETTLED_TTL_S = 3_600.0


@dataclass(frozen=True, slots=True)
class UnsettledRequest:
    """A request that may have landed in a batch; digests of its events and of the batch."""

    number: int
    events: bytes
    batch: bytes
    failed_at: float
    """By the monotonic clock."""


class UnsettledRequests:
    """The unsettled requests of one landing, in this process."""

    def __init__(self) -> None:
        self._kept: deque[UnsettledRequest] = deque(maxlen=MAX_UNSETTLED_REQUESTS)

    def __bool__(self) -> bool:
        """Return whether there is any; only then digests are worth their time."""
        while self._kept and self._kept[0].failed_at < time.monotonic() - UNSETTLED_TTL_S:
            self._kept.popleft()
        return bool(self._kept)

    def add(self, number: int, requests: Iterable[pa.Table], batch: pa.Table) -> None:
        """Remember the events of requests that were to land together."""
        digest, now = digest_events(batch), time.monotonic()
        self._kept += [UnsettledRequest(number, digest_events(events), digest, now) for events in requests]

    def find_batch(self, events: pa.Table, end: int, read: Callable[[int], pa.Table]) -> int | None:
        """Return the batch before `end` in which these events landed; each request is found once."""
        digest = digest_events(events)
        number = next(
            (request for request in self._kept if request.events == digest and request.number < end), None
        )
        if number is None:
            return None
        rows = read(number.number)
        self._kept.remove(number)
        return number.number if digest_events(rows) == number.batch else None

    def remove(self, requests: Iterable[pa.Table]) -> None:
        """Forget requests whose events have landed now: the same events count as new ones from here on."""
        digests = {digest_events(events) for events in requests}
        remaining = [request for request in self._kept if request.events not in digests]
        self._kept = deque(remaining, maxlen=MAX_UNSETTLED_REQUESTS)
