"""The body of a request while it arrives: limited in size and pace."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from timeline_app.web.core.errors import BodyStalled, BodyTooLarge

BODY_TIMEOUT_S = 30.0
"""How long a body may stand still."""
MIN_BODY_BYTES_PER_S = 8 * 2**10
"""After the time-out a body must have arrived at this pace: an occasional byte is not enough."""
WAIT_ROUND_S = 1.0


class Body:
    """The arriving body of a request. Only the time for which the server waited counts against the client.

    A stalled server would see a wait of a minute for bytes that were there after a millisecond. So it waits
    in short rounds, and each of them counts at most its own length.
    """

    def __init__(self, receive: Any, limit: int, timeout: float) -> None:
        self._receive, self._limit, self._timeout = receive, limit, timeout
        self._taken, self._whole = 0, False
        self._waited = self._still = 0.0
        """Seconds in total, and since the last bytes."""

    async def receive(self) -> Any:
        """Return the next message; raise `BodyTooLarge`, or `BodyStalled` while part of the body is missing."""
        message = await (self._receive() if self._whole else self._next())
        self._whole = not message.get("more_body", False)
        self._taken += len(message.get("body", b""))
        self._still = 0.0
        if self._taken > self._limit:
            raise BodyTooLarge.over(self._limit)
        return message

    async def _next(self) -> Any:
        while (seconds_left := self._seconds_left()) > 0:
            length, started = min(seconds_left, WAIT_ROUND_S), time.monotonic()
            try:
                async with asyncio.timeout(length):
                    return await self._receive()
            except TimeoutError:
                continue
            finally:
                self._count(min(length, time.monotonic() - started))
        raise BodyStalled.after(self._timeout)

    def _count(self, seconds: float) -> None:
        self._waited += seconds
        self._still += seconds

    def _seconds_left(self) -> float:
        """Return how many seconds the next bytes may take: the time-out, less if the body is too slow."""
        allowed = self._timeout + self._taken / MIN_BODY_BYTES_PER_S
        return min(self._timeout - self._still, allowed - self._waited)
