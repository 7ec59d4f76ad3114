"""Limits on WebSockets: how much one may send before it is read, and how long it may leave its answers unread.

uvicorn parses everything that a read of 256 KiB brings, 16 MiB for each compressed message, and answers pings of a
client that reads nothing. So does anybody who is not logged in until the socket is closed.
"""

from __future__ import annotations

from asyncio import BaseTransport
from typing import Any

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame

from timeline_app.web.core.write_timeout import WriteTimeout

MAX_MESSAGE_BYTES = 256 * 2**10
"""64 Ki characters, which the live page takes, in four bytes each. A larger message closes the socket (1009)."""
SLICE_BYTES = 2 * 2**10
"""What is parsed at once; compressed, at most 2 MiB of messages."""
MAX_BYTES_AFTER_CLOSE = 64 * 2**10
"""What a closed socket may still send until it reads that it is closed; more is thrown away."""
MAX_FRAMES_WITHOUT_MESSAGE = 200
"""Pings, pongs and parts of a message in a burst; more close the socket (1008)."""
FRAMES_WITHOUT_MESSAGE_PER_S = 10.0


class GuardedSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket with these limits; one object for each connection."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.conn.max_message_size = MAX_MESSAGE_BYTES
        self._unparsed = bytearray()
        self._bytes_after_close = 0
        self._frames, self._frames_at = 0.0, self.loop.time()

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        self._write_timeout = WriteTimeout(self.loop, self.transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._write_timeout.cancel()
        self._unparsed.clear()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data, or keep it until the application has taken the message before it."""
        if self.close_sent:
            self._bytes_after_close += len(data)
            if self._bytes_after_close > MAX_BYTES_AFTER_CLOSE:
                return
        self._unparsed += data
        self._parse()

    def pause_writing(self) -> None:
        """Read no more of a client that does not read, and start the write timer."""
        super().pause_writing()
        self._write_timeout.start()
        self._choose_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._write_timeout.cancel()
        self._parse()

    async def receive(self) -> Any:
        """Return the next message, and parse what follows it."""
        message = await super().receive()
        self._parse()
        return message

    async def send(self, message: Any) -> None:
        """Send a message, and parse what waited for the handshake or for the last one.

        The application may not know yet that the socket was closed here: that is no fault of it.
        """
        await self.writable.wait()
        if self.close_sent and message["type"] == "websocket.close":
            return
        if self.close_sent and message["type"] == "websocket.send":
            raise ClientDisconnected
        await super().send(message)
        self._parse()

    def handle_ping(self) -> None:
        if self._take_frame():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        if self._take_frame():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        if event.fin or self._take_frame():
            super().handle_cont(event)

    def _parse(self) -> None:
        """Parse slices until the application has something to take, or the client something to read."""
        while self._unparsed and self._may_parse():
            part = bytes(self._unparsed[:SLICE_BYTES])
            del self._unparsed[:SLICE_BYTES]
            super().data_received(part)
        self._choose_reading()

    def _may_parse(self) -> bool:
        if self.transport.is_closing():
            return False
        if self.handshake_initiated and not self.handshake_complete:
            return False
        return self.close_sent or (self.queue.empty() and self.writable.is_set())

    def _choose_reading(self) -> None:
        """Read from the network exactly while nothing waits here."""
        wanted = self.close_sent or (not self._unparsed and self._may_parse())
        if self.transport.is_closing() or wanted == self.transport.is_reading():
            return
        if wanted:
            self.transport.resume_reading()
        else:
            self.transport.pause_reading()

    def _take_frame(self) -> bool:
        """Return whether one more frame without a message is taken; close the socket of a client that floods."""
        now = self.loop.time()
        refilled = (now - self._frames_at) * FRAMES_WITHOUT_MESSAGE_PER_S
        self._frames, self._frames_at = max(0.0, self._frames - refilled) + 1, now
        if self._frames <= MAX_FRAMES_WITHOUT_MESSAGE or self.close_sent:
            return not self.transport.is_closing()
        self.conn.fail(CloseCode.POLICY_VIOLATION, "too many frames without a message")
        self.handle_parser_exception()
        return False
