"""Requests without a name of which it is not known whether they landed: they are recognised when they come again.

At a disk the name of their batch may not be there for good; at an address the storage did not answer, and the number
may have gone to another writer, or to nobody. After an hour a request is forgotten: who sends the same events then
means others.
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
    """A request that may have landed in the batch of that number; digests of its events and of the batch."""

    number: int
    events: bytes
    batch: bytes
    failed_at: float
    """By the monotonic clock."""


class UnsettledRequests:
    """Those of one landing, in this process."""

    def __init__(self) -> None:
        self._kept: deque[UnsettledRequest] = deque(maxlen=MAX_UNSETTLED_REQUESTS)

    def __bool__(self) -> bool:
        """Whether there is one: then digests are worth their time."""
        while self._kept and self._kept[0].failed_at < time.monotonic() - UNSETTLED_TTL_S:
            self._kept.popleft()
        return bool(self._kept)

    def add(self, number: int, requests: Iterable[pa.Table], batch: pa.Table) -> None:
        """Remember the events of requests that were to land together."""
        digest, now = digest_events(batch), time.monotonic()
        self._kept += [UnsettledRequest(number, digest_events(events), digest, now) for events in requests]

    def find_batch(self, events: pa.Table, end: int, read: Callable[[int], pa.Table]) -> int | None:
        """The batch in which these events landed, of those before `end`; each request is found once."""
        digest = digest_events(events)
        number = next(
            (request for request in self._kept if request.events == digest and request.number < end), None
        )
        if number is None:
            return None
        rows = read(number.number)
        self._kept.remove(number)
        return number.number if digest_events(rows) == number.batch else None

    def forget(self, requests: Iterable[pa.Table]) -> None:
        """These events have landed now: whoever sends them once more sends others."""
        digests = {digest_events(events) for events in requests}
        kept = [request for request in self._kept if request.events not in digests]
        self._kept = deque(kept, maxlen=MAX_UNSETTLED_REQUESTS)
