"""A WebSocket that floods, or reads nothing, costs the web process little, and is ended."""

from __future__ import annotations

import asyncio
import os
import struct
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from timeline_app.web.core import socket_limits, write_timeout
from timeline_app.web.core.http_limits import GuardedHttp
from timeline_app.web.core.socket_limits import MAX_MESSAGE_BYTES, GuardedSocket

HANDSHAKE = (
    b"GET %s HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    b"%s\r\n"
)
COMPRESSION = b"Sec-WebSocket-Extensions: permessage-deflate\r\n"
TEXT, PING = 1, 9
LARGE = os.urandom(2**21).hex()
"""More than the buffers of the kernel hold, if it is sent ten times."""


def build_frame(opcode: int, data: bytes, *, compressed: bool = False, final: bool = True) -> bytes:
    """Return a frame of a client, masked with zeros."""
    first = (0x80 if final else 0) | (0x40 if compressed else 0) | opcode
    length = struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else struct.pack("!BH", 0xFE, len(data))
    return bytes([first]) + length + bytes(4) + data


def compress(text: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -12)
    return (packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH))[:-4]


@dataclass
class Application:
    """Echoes lengths, or does what the address says."""

    sizes: list[int] = field(default_factory=list)
    taking: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await asyncio.sleep(0.05)  # the login is looked up
        await send({"type": "websocket.accept"})
        if scope["path"] == "/refused":
            await send({"type": "websocket.close", "code": 4401})
        if scope["path"] == "/busy":
            await self.taking.wait()
        while (message := await receive())["type"] != "websocket.disconnect":
            self.sizes.append(len(message.get("text") or message.get("bytes") or ""))
            if scope["path"] == "/large":
                await send({"type": "websocket.send", "text": LARGE})
            else:
                await send({"type": "websocket.send", "text": str(self.sizes[-1])})


@dataclass
class ServedSockets:
    """A server of ours on a port of its own."""

    server: uvicorn.Server
    application: Application
    port: int

    def open(self, path: str = "/") -> connect:
        return connect(f"ws://127.0.0.1:{self.port}{path}", max_size=None, ping_interval=None)

    async def open_raw(
        self, path: bytes = b"/", headers: bytes = b""
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await self.begin_raw(path, headers)
        assert b"101" in await reader.readuntil(b"\r\n\r\n")
        return reader, writer

    async def begin_raw(
        self, path: bytes = b"/", headers: bytes = b""
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection, and ask for a socket on it."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(HANDSHAKE % (path, headers))
        return reader, writer

    @property
    def socket(self) -> GuardedSocket:
        """The only socket that is open."""
        [found] = [item for item in self.server.server_state.connections if isinstance(item, GuardedSocket)]
        return found

    async def wait_until_ended(self) -> None:
        async with asyncio.timeout(5):
            while self.server.server_state.connections:
                await asyncio.sleep(0.02)


@asynccontextmanager
async def serve() -> AsyncIterator[ServedSockets]:
    application = Application()
    config = uvicorn.Config(application, port=0, http=GuardedHttp, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield ServedSockets(server, application, server.servers[0].sockets[0].getsockname()[1])
    finally:
        application.taking.set()
        server.should_exit = server.force_exit = True
        await task


async def read_close_code(socket: ClientConnection) -> int | None:
    async with asyncio.timeout(5):
        try:
            while True:
                await socket.recv()
        except ConnectionClosed as ended:
            return ended.rcvd.code if ended.rcvd else None


async def test_messages_are_taken_in_order_however_many_come_at_once() -> None:
    async with serve() as served, served.open() as socket:
        for size in range(1, 500):
            await socket.send("x" * size)
        await socket.send(b"y" * 500)
        await socket.send(["a" * 300, "b" * 301])
        assert [int(await socket.recv()) for _ in range(501)] == [*range(1, 501), 601]
        await (await socket.ping())


async def test_what_is_sent_before_the_socket_is_open_waits_for_it() -> None:
    async with serve() as served:
        reader, writer = await served.begin_raw()
        await asyncio.sleep(0.03)
        writer.write(build_frame(PING, b"early") + build_frame(TEXT, b"first") + build_frame(TEXT, b"second"))
        answer = b""
        async with asyncio.timeout(5):
            while not answer.endswith(b"6"):
                answer += await reader.read(4_096)
        assert answer.startswith(b"HTTP/1.1 101"), "the handshake comes first"
        assert b"early" in answer
        assert served.application.sizes == [5, 6]
        writer.close()


async def test_a_message_as_large_as_the_page_takes_is_taken_and_a_larger_one_closes_the_socket() -> None:
    async with serve() as served, served.open() as socket:
        await socket.send("é" * (MAX_MESSAGE_BYTES // 2))
        assert int(await socket.recv()) == MAX_MESSAGE_BYTES // 2
        await socket.send("x" * (MAX_MESSAGE_BYTES + 1))
        assert await read_close_code(socket) == 1009


async def test_what_unpacks_to_gigabytes_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked = 0
    handle_text = GuardedSocket.handle_text

    def count_text(self: Any, event: Any) -> None:
        nonlocal unpacked
        unpacked += len(event.data)
        handle_text(self, event)

    monkeypatch.setattr(GuardedSocket, "handle_text", count_text)
    bomb = build_frame(TEXT, compress(b"a" * (MAX_MESSAGE_BYTES - 1)), compressed=True)
    async with serve() as served:
        _, writer = await served.open_raw(b"/busy", COMPRESSION)
        writer.write(bomb * 1_000)
        await asyncio.sleep(0.5)
        assert 0 < unpacked <= 2**21 + MAX_MESSAGE_BYTES, "the application takes nothing just now"
        writer.close()


async def test_a_socket_that_is_refused_computes_little_of_what_still_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed = 0
    data_received = WebSocketsSansIOProtocol.data_received

    def count_bytes(self: Any, data: bytes) -> None:
        nonlocal parsed
        parsed += len(data)
        data_received(self, data)

    monkeypatch.setattr(WebSocketsSansIOProtocol, "data_received", count_bytes)
    async with serve() as served:
        _, writer = await served.open_raw(b"/refused")
        for _ in range(200):
            writer.write(build_frame(TEXT, b"x" * 50_000))
        await asyncio.sleep(0.5)
        assert parsed <= socket_limits.MAX_BYTES_AFTER_CLOSE + 2**18 + 2**10
        writer.close()
    async with serve() as served, served.open("/refused") as socket:
        assert await read_close_code(socket) == 4401


@pytest.mark.parametrize(
    "frames",
    [
        build_frame(PING, b"x" * 125) * 300,
        build_frame(PING + 1, b"") * 300,
        build_frame(TEXT, b"", final=False) + build_frame(0, b"", final=False) * 300,
    ],
    ids=["pings", "pongs", "parts"],
)
async def test_frames_without_end_and_without_a_message_close_the_socket(frames: bytes) -> None:
    async with serve() as served:
        reader, writer = await served.open_raw()
        writer.write(frames)
        async with asyncio.timeout(5):
            answer = await reader.read()
        assert struct.pack("!H", 1008) in answer
        await served.wait_until_ended()
        writer.close()


async def test_pings_of_a_client_that_reads_nothing_are_not_answered_into_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket_limits, "MAX_FRAMES_WITHOUT_MESSAGE", 10**9)
    async with serve() as served:
        _, writer = await served.open_raw()
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a transport of the selector has it
        pings = build_frame(PING, os.urandom(125)) * 8_000
        for _ in range(20):
            writer.write(pings)
            await asyncio.sleep(0.02)
        assert served.socket.transport.get_write_buffer_size() < 2**18
        assert not served.socket.transport.is_reading()
        writer.transport.abort()
        await served.wait_until_ended()


async def test_a_client_that_reads_nothing_of_its_answers_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_timeout, "WRITE_TIMEOUT_S", 0.2)
    async with serve() as served:
        _, writer = await served.open_raw(b"/large")
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a transport of the selector has it
        writer.write(build_frame(TEXT, b"give") * 10)
        await asyncio.sleep(0.1)
        assert served.server.server_state.connections
        await served.wait_until_ended()
        writer.close()


async def test_a_client_that_reads_slowly_gets_its_answers() -> None:
    async with serve() as served, served.open("/large") as socket:
        for _ in range(10):
            await socket.send("give")
        await asyncio.sleep(0.3)
        assert [len(await socket.recv()) for _ in range(10)] == [len(LARGE)] * 10


async def test_what_is_sent_to_a_socket_that_was_closed_here_is_no_fault_of_the_application(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with serve() as served, served.open("/busy") as socket:
        await socket.send("answer me")
        await asyncio.sleep(0.1)
        served.socket.conn.fail(1008, "a flood")
        served.socket.handle_parser_exception()
        served.application.taking.set()
        assert await read_close_code(socket) == 1008
        await served.wait_until_ended()
    assert "Exception in ASGI application" not in caplog.text
