"""Large requests are refused at the outermost door, before anything of them is kept."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from timeline_app.web.asgi_limits import LEAST, BodyLimit, InFlight


async def echo(_scope: Any, receive: Any, send: Any) -> None:
    """An application that reads all and tells how much it was."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


async def ask(parts: list[bytes], declared: bytes | None) -> tuple[int, bytes]:
    """Status and body of the answer to a request that comes in parts."""
    sent: list[dict[str, Any]] = []
    coming = iter(
        {"type": "http.request", "body": part, "more_body": place < len(parts)}
        for place, part in enumerate(parts, 1)
    )

    async def receive() -> dict[str, Any]:
        return next(coming)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [] if declared is None else [(b"content-length", declared)]
    await BodyLimit(echo, limit=100)({"type": "http", "headers": headers}, receive, send)
    return sent[0]["status"], sent[1]["body"]


@pytest.mark.parametrize(
    ("parts", "declared"),
    [([b""], None), ([b"x" * 100], b"100"), ([b"x" * 50, b"x" * 50], None), ([b"x"], b"1"), ([b""], b"0")],
)
async def test_what_fits_passes(parts: list[bytes], declared: bytes | None) -> None:
    assert await ask(parts, declared) == (200, str(sum(map(len, parts))).encode())


@pytest.mark.parametrize(
    ("parts", "declared"),
    [
        ([b""], b"101"),
        ([b"x"], b"9" * 30),
        ([b"x"], b"-1"),
        ([b"x"], b"ten"),
        ([b"x"], b""),
        ([b"x"], b"1e1"),
        ([b"x" * 101], None),
        ([b"x" * 60, b"x" * 60], None),
        ([b"x" * 101], b"5"),
        ([b"x"] * 200, None),
    ],
)
async def test_what_is_too_large_is_refused(parts: list[bytes], declared: bytes | None) -> None:
    status, body = await ask(parts, declared)
    assert (status, json.loads(body)["code"]) == (413, "body_too_large")


class Slow:
    """An application that answers when it is told to."""

    def __init__(self) -> None:
        self.goes_on = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.goes_on.wait()
        await echo(scope, receive, send)


async def post(
    door: InFlight, size: int, path: str = "/api/streams/player/events/"
) -> tuple[int, dict[str, str]]:
    """Status and headers of the answer to a request of so many bytes, in two parts."""
    sent: list[dict[str, Any]] = []
    parts = [b"x" * (size // 2), b"x" * (size - size // 2)]
    coming = iter({"type": "http.request", "body": part, "more_body": part is parts[0]} for part in parts)

    async def receive() -> dict[str, Any]:
        return next(coming)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"content-length", str(size).encode())]
    await door({"type": "http", "method": "POST", "path": path, "headers": headers}, receive, send)
    assert next(coming, None) is None, "the body was read, so that the connection can go on"
    return sent[0]["status"], {name.decode(): text.decode() for name, text in sent[0]["headers"]}


async def test_requests_of_more_bytes_than_the_server_holds_are_told_to_come_again() -> None:
    slow = Slow()
    door = InFlight(slow, limit=3 * LEAST)
    first = [asyncio.create_task(post(door, size)) for size in (100, 2 * LEAST)]
    await asyncio.sleep(0)
    status, headers = await post(door, 100)
    assert (status, headers["retry-after"]) == (429, "1")
    others = asyncio.create_task(post(door, 100, "/api/streams/"))
    slow.goes_on.set()
    assert [status for status, _ in await asyncio.gather(*first, others)] == [200, 200, 200]
    assert door.taken == 0
    assert (await post(door, 9 * LEAST))[0] == 200, "alone, everything may come in"
