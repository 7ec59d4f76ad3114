"""Connections that hold much or long without a request are ended; others are answered meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import uvicorn

from timeline_app.web.core import http_limits, write_timeout
from timeline_app.web.core.http_limits import MAX_HEAD_BYTES, MAX_HEADERS, GuardedHttp

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"


async def run_application(scope: Any, receive: Any, send: Any) -> None:
    """Read the body, and say how large the headers and the body were."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.close"})
        return
    body, more = 0, True
    while more:
        message = await receive()
        body, more = body + len(message.get("body", b"")), message.get("more_body", False)
    large = scope["path"] == "/large"
    text = b"x" * 2**26 if large else f"{len(scope['headers'])} {body}".encode()
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-length", str(len(text)).encode())],
        }
    )
    await send({"type": "http.response.body", "body": text})


@dataclass
class Served:
    """A server of ours on a port of its own."""

    server: uvicorn.Server
    port: int

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def ask(self, *parts: bytes) -> bytes:
        """All that comes back, until the server ends the connection."""
        reader, writer = await self.connect()
        try:
            for part in parts:
                writer.write(part)
                await writer.drain()
            async with asyncio.timeout(10):
                return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()


@asynccontextmanager
async def serve() -> AsyncIterator[Served]:
    config = uvicorn.Config(
        run_application, port=0, http=GuardedHttp, lifespan="off", log_config=None, timeout_keep_alive=1
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    try:
        yield Served(server, server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        await task


async def ask_health(served: Served) -> bytes:
    return await served.ask(HEALTH.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))


async def test_requests_are_answered_as_ever() -> None:
    async with serve() as served:
        assert (await ask_health(served)).endswith(b"2 0")
        piped = await served.ask(HEALTH * 3)
        assert piped.count(b"200 OK") == 3, "also several on one connection"
        posted = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\n\r\n" + b"x" * 300_000
        assert (await served.ask(posted)).endswith(b"2 300000")


@pytest.mark.parametrize(
    "parts",
    [
        [b"GET / HTTP/1.1\r\nX: " + b"x" * (MAX_HEAD_BYTES + 9) + b"\r\n\r\n"],
        [b"GET / HTTP/1.1\r\nX: ", *([b"x" * 60_000] * 40)],
        [b"GET /" + b"x" * (MAX_HEAD_BYTES + 9) + b" HTTP/1.1\r\nHost: a\r\n\r\n"],
        [b"GET /", *([b"x" * 60_000] * 40)],
        [b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * (MAX_HEADERS + 1) + b"\r\n"],
        [b"GET / HTTP/1.1\r\n", *([b"X: " + b"y" * 1_000 + b"\r\n"] * 2_000)],
        [HEALTH, b"GET / HTTP/1.1\r\nX: " + b"x" * (3 * MAX_HEAD_BYTES) + b"\r\n\r\n"],
        [HEALTH + b"GET / HTTP/1.1\r\nX: ", *([b"x" * 60_000] * 40)],
        [b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi" + b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000],
    ],
)
async def test_headers_that_are_too_large_are_refused(parts: list[bytes]) -> None:
    async with serve() as served:
        answer = await served.ask(*parts)
        # The kernel may drop the words where the client still sends.
        assert not answer or b"431" in answer
        assert answer.count(b"200 OK") <= 1, "at most what came before"
        assert (await ask_health(served)).endswith(b"2 0")


async def test_a_refusal_of_headers_says_the_limit() -> None:
    async with serve() as served:
        answer = await served.ask(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * (MAX_HEADERS + 1) + b"\r\n")
    assert b"431 Request Header Fields Too Large" in answer
    assert b"64 KiB, or more than 200" in answer


@pytest.mark.parametrize("sent", [b"", b"G", b"GET / HTTP/1.1\r\nHost: a\r\n", b"\r\n", HEALTH + b"GET"])
async def test_a_request_that_does_not_come_is_not_waited_for(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_limits, "HEAD_TIMEOUT_S", 0.2)
    async with serve() as served:
        answer = await served.ask(sent)
        assert (b"408 Request Timeout" in answer) == bool(sent), "words only where something has come"
        assert not served.server.server_state.connections


async def test_a_byte_now_and_then_does_not_prolong_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_limits, "HEAD_TIMEOUT_S", 0.3)
    async with serve() as served:
        reader, writer = await served.connect()
        written = 0
        while not reader.at_eof() and written < 100:
            writer.write(b"\r\n" if written % 2 else b"G"[: not written])
            written += 1
            await asyncio.wait([asyncio.ensure_future(reader.read(100))], timeout=0.05)
        writer.close()
        assert written < 100


async def test_the_connection_that_waits_longest_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_limits, "MAX_WAITING_CONNECTIONS", 20)
    async with serve() as served:
        slow = [await served.connect() for _ in range(60)]
        await asyncio.sleep(0.1)
        assert len(served.server.server_state.connections) <= 20
        assert (await ask_health(served)).endswith(b"2 0")
        ended = [reader for reader, _ in slow if reader.at_eof() or reader.exception()]
        assert ended == [reader for reader, _ in slow[: len(ended)]], "the oldest first"
        for _, writer in slow:
            writer.close()


async def test_requests_that_are_being_answered_make_no_room_for_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_limits, "MAX_WAITING_CONNECTIONS", 5)
    async with serve() as served:
        reader, writer = await served.connect()
        writer.write(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nh")
        await writer.drain()
        slow = [await served.connect() for _ in range(30)]
        await asyncio.sleep(0.1)
        writer.write(b"i")
        async with asyncio.timeout(5):
            assert b"200 OK" in await reader.readuntil(b"2 2")
        for _, other in [*slow, (reader, writer)]:
            other.close()


async def test_a_client_that_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_timeout, "WRITE_TIMEOUT_S", 0.2)
    async with serve() as served:
        _, writer = await served.connect()
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # a transport of the selector has it
        writer.write(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        await writer.drain()
        for _ in range(100):
            await asyncio.sleep(0.05)
            if not served.server.server_state.connections:
                break
        assert not served.server.server_state.connections
        writer.close()


async def test_a_client_that_reads_slowly_gets_all_of_a_large_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_timeout, "WRITE_TIMEOUT_S", 0.1)
    monkeypatch.setattr(write_timeout, "MIN_READ_BYTES", 1)
    read = 0
    async with serve() as served:
        reader, writer = await served.connect()
        writer.write(b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        while chunk := await reader.read(2**22):
            read += len(chunk)
            await asyncio.sleep(0.002)
        writer.close()
    assert read > 2**26


async def test_a_socket_is_no_waiting_connection() -> None:
    async with serve() as served:
        reader, writer = await served.connect()
        writer.write(
            b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        async with asyncio.timeout(5):
            assert b"101 Switching Protocols" in await reader.readuntil(b"\r\n\r\n")
        assert not served.server.server_state.__dict__["waiting"]
        writer.close()
