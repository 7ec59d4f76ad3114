"""The body of a request, as it comes: it has a size, and a pace."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from timeline_app.web.core.errors import BodyStalled, BodyTooLarge

PATIENCE = 30.0
"""For so many seconds a body may stand still."""
MIN_BODY_BYTES_PER_S = 8 * 2**10
"""After the patience is over, a body must have come at this pace: one byte now and then is not enough."""
LOOKED_EVERY_S = 1.0


class Body:
    """What comes of a request. Only the time for which the server waited counts against the client.

    A server that stands still sees a wait of a minute where the bytes were there after a millisecond. So it waits in
    short rounds, and each of them counts as no more than its length.
    """

    def __init__(self, receive: Any, limit: int, patience: float) -> None:
        self._receive, self._limit, self._patience = receive, limit, patience
        self._taken, self._whole = 0, False
        self._waited = self._still = 0.0
        """Seconds altogether, and since the last bytes."""

    async def receive(self) -> Any:
        """The next message; raises `BodyTooLarge`, or `BodyStalled` while some of the body is missing."""
        message = await (self._receive() if self._whole else self._next())
        self._whole = not message.get("more_body", False)
        self._taken += len(message.get("body", b""))
        self._still = 0.0
        if self._taken > self._limit:
            raise BodyTooLarge.over(self._limit)
        return message

    async def _next(self) -> Any:
        while (left := self._seconds_left()) > 0:
            length, began = min(left, LOOKED_EVERY_S), time.monotonic()
            try:
                return await asyncio.wait_for(self._receive(), length)
            except TimeoutError:
                continue
            finally:
                self._count(min(length, time.monotonic() - began))
        raise BodyStalled.after(self._patience)

    def _count(self, seconds: float) -> None:
        self._waited += seconds
        self._still += seconds

    def _seconds_left(self) -> float:
        """How long the next bytes may take, in seconds: the patience, less where the body comes too slowly."""
        allowed = self._patience + self._taken / MIN_BODY_BYTES_PER_S
        return min(self._patience - self._still, allowed - self._waited)
