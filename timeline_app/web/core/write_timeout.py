"""Ends connections whose client does not read its answers."""

from __future__ import annotations

from asyncio import AbstractEventLoop, TimerHandle, Transport

WRITE_TIMEOUT_S = 60.0
MIN_READ_BYTES = 256 * 2**10
"""A client that reads less than this of its answer within the time-out is cut off."""


class WriteTimeout:
    """The timer of one connection; it runs while the transport holds more than it wants to."""

    def __init__(self, loop: AbstractEventLoop, transport: Transport) -> None:
        self._loop, self._transport = loop, transport
        self._timer: TimerHandle | None = None
        self._unread_bytes = 0

    def start(self) -> None:
        """Wait for the client to read."""
        self.cancel()
        self._unread_bytes = self._transport.get_write_buffer_size()
        self._timer = self._loop.call_later(WRITE_TIMEOUT_S, self._expire)

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self) -> None:
        """Cut the client off unless it reads: a large answer may outlast the time-out on a slow line."""
        if self._unread_bytes - self._transport.get_write_buffer_size() < MIN_READ_BYTES:
            self._transport.abort()
        else:
            self.start()
