"""Large requests are refused at the outermost door, before anything of them is kept."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from typing import Any

import pytest

from timeline_app.web.core import asgi_limits, request_bodies
from timeline_app.web.core.asgi_limits import (
    MAX_BODY_BYTES,
    MAX_PUBLIC_BODY_BYTES,
    MAX_SHARE_PER_ADDRESS,
    MIN_COUNTED_BYTES,
    STRANGERS_SHARE_DIVISOR,
    BodyLimit,
    InFlight,
    limit_bodies,
)


async def echo(_scope: Any, receive: Any, send: Any) -> None:
    """An application that reads all and tells how much it was."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


async def send_in_parts(parts: list[bytes], declared: bytes | None) -> tuple[int, bytes]:
    """Status and body of the answer to a request that comes in parts."""
    sent: list[dict[str, Any]] = []
    coming = iter(
        {"type": "http.request", "body": part, "more_body": number < len(parts)}
        for number, part in enumerate(parts, 1)
    )

    async def receive() -> dict[str, Any]:
        return next(coming)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [] if declared is None else [(b"content-length", declared)]
    scope = {"type": "http", "method": "POST", "path": "/api/plans/", "headers": headers}
    await BodyLimit(echo, limit=100)(scope, receive, send)
    return sent[0]["status"], sent[1]["body"]


@pytest.mark.parametrize(
    ("parts", "declared"),
    [([b""], None), ([b"x" * 100], b"100"), ([b"x" * 50, b"x" * 50], None), ([b"x"], b"1"), ([b""], b"0")],
)
async def test_what_fits_passes(parts: list[bytes], declared: bytes | None) -> None:
    assert await send_in_parts(parts, declared) == (200, str(sum(map(len, parts))).encode())


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
    status, body = await send_in_parts(parts, declared)
    assert (status, json.loads(body)["code"]) == (413, "body_too_large")


class Slow:
    """An application that reads all, and answers when it is told to."""

    def __init__(self) -> None:
        self.goes_on = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_later(message: dict[str, Any]) -> None:
            await self.goes_on.wait()
            await send(message)

        await echo(scope, receive, send_later)


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
    door = InFlight(slow, limit=3 * MIN_COUNTED_BYTES)
    first = [asyncio.create_task(post(door, size)) for size in (100, 2 * MIN_COUNTED_BYTES)]
    await asyncio.sleep(0)
    status, headers = await post(door, 100)
    assert (status, headers["retry-after"]) == (429, "1")
    others = asyncio.create_task(post(door, 100, "/api/streams/"))
    slow.goes_on.set()
    assert [status for status, _ in await asyncio.gather(*first, others)] == [200, 200, 200]
    assert door.taken_bytes == 0
    assert (await post(door, 9 * MIN_COUNTED_BYTES))[0] == 200, "alone, everything may come in"


ADDRESSES = itertools.cycle(range(256))


class Line:
    """A connection on which what is put comes, and then nothing."""

    def __init__(self, declared: bytes = b"8388608", **headers: bytes) -> None:
        self.coming = asyncio.Queue[dict[str, Any]]()
        self.sent: list[dict[str, Any]] = []
        named = [(name.replace("_", "-").encode(), text) for name, text in headers.items()]
        self.scope: dict[str, Any] = {
            "type": "http",
            "client": (f"198.51.100.{next(ADDRESSES)}", 1),
            "method": "POST",
            "path": "/api/streams/player/events/",
            "headers": [(b"content-length", declared), *named] if declared else named,
        }

    def put(self, size: int, more: bool = True) -> None:
        self.coming.put_nowait({"type": "http.request", "body": b"x" * size, "more_body": more})

    async def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)

    async def ask(self, door: Any) -> tuple[int, str]:
        """Status, and code or body, of the answer."""
        await door(self.scope, self.coming.get, self.send)
        body = json.loads(self.sent[1]["body"])
        return self.sent[0]["status"], body["code"] if isinstance(body, dict) else str(body)


async def test_what_is_declared_and_does_not_come_keeps_nobody_out() -> None:
    door = InFlight(echo, limit=64 * 2**20)
    idle = [asyncio.create_task(Line().ask(door)) for _ in range(100)]
    await asyncio.sleep(0)
    line = Line()
    line.put(MAX_BODY_BYTES, more=False)
    assert await line.ask(door) == (200, str(MAX_BODY_BYTES))
    for task in idle:
        task.cancel()
    await asyncio.gather(*idle, return_exceptions=True)
    assert door.taken_bytes == 0


async def test_what_comes_while_others_have_taken_the_room_is_read_and_told_to_come_again() -> None:
    door = InFlight(echo, limit=3 * MIN_COUNTED_BYTES)
    first, second = Line(), Line()
    first.put(2 * MIN_COUNTED_BYTES)
    task = asyncio.create_task(first.ask(door))
    await asyncio.sleep(0)
    for more in (True, True, False):
        second.put(MIN_COUNTED_BYTES, more)
    assert await second.ask(door) == (429, "in_flight")
    assert second.coming.empty()
    first.put(MIN_COUNTED_BYTES, more=False)
    assert await task == (200, str(3 * MIN_COUNTED_BYTES))
    assert door.taken_bytes == 0


async def test_a_body_that_stops_on_the_way_is_ended() -> None:
    door = InFlight(echo, limit=MIN_COUNTED_BYTES)
    line = Line()
    line.put(5)
    assert await line.ask(BodyLimit(door, timeout=0.01)) == (408, "body_stalled")
    assert (b"connection", b"close") in line.sent[0]["headers"]
    assert door.taken_bytes == 0


async def test_once_the_body_is_there_nobody_is_hurried() -> None:
    async def answer_at_once(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        gone = asyncio.create_task(receive())
        await asyncio.sleep(0.1)
        assert not gone.done(), "it still waits for the end of the connection"
        gone.cancel()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"1"})

    line = Line(b"1")
    line.put(1, more=False)
    assert await line.ask(BodyLimit(answer_at_once, timeout=0.01)) == (200, "1")


@pytest.mark.parametrize("declared", [b"", b"0"])
async def test_a_body_in_chunks_is_not_taken_as_an_empty_one(declared: bytes) -> None:
    line = Line(declared, transfer_encoding=b"chunked")
    line.put(5, more=False)
    assert await line.ask(BodyLimit(echo)) == (411, "length_required")


async def test_a_body_that_comes_too_slowly_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_bodies, "MIN_BODY_BYTES_PER_S", 1_000)
    line = Line()

    async def drip_bytes() -> None:
        while True:
            line.put(1)
            await asyncio.sleep(0.01)

    dripping = asyncio.create_task(drip_bytes())
    assert await line.ask(BodyLimit(echo, timeout=0.2)) == (408, "body_stalled"), (
        "though it never stands still"
    )
    dripping.cancel()


@pytest.mark.parametrize("path", ["/login/", "/logout/", "/password/"])
async def test_the_forms_of_names_and_passwords_take_little(path: str) -> None:
    line = Line(str(MAX_PUBLIC_BODY_BYTES + 1).encode())
    line.scope["path"] = path
    assert await line.ask(BodyLimit(echo)) == (413, "body_too_large")
    undeclared = Line(b"")
    undeclared.scope["path"] = path
    undeclared.put(MAX_PUBLIC_BODY_BYTES + 1)
    assert await undeclared.ask(BodyLimit(echo)) == (413, "body_too_large")


ROOM = 2 * STRANGERS_SHARE_DIVISOR * MIN_COUNTED_BYTES


class Guarded:
    """The application behind all limits, which finds a user behind some credentials."""

    def __init__(self) -> None:
        self.user = ""
        self.slow = Slow()
        self.door = limit_bodies(self, ROOM, lambda: self.user)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.user = "ada" if dict(scope["headers"]).get(b"authorization") == b"Token good" else ""
        await (self.slow if scope["path"] == "/slow/" else echo)(scope, receive, send)

    async def hold(
        self, size: int, /, address: str | None = None, **headers: bytes
    ) -> asyncio.Task[tuple[int, str]]:
        """Send a part of a body, and not the rest."""
        line = Line(**headers)
        if address is not None:
            line.scope["client"] = (address, 1)
        line.scope["path"] = "/slow/"
        line.put(size)
        task = asyncio.create_task(line.ask(self.door))
        await asyncio.sleep(0.02)
        return task

    async def ask(self, path: str = "/api/plans/", /, **headers: bytes) -> tuple[int, str]:
        line = Line(b"100", **headers)
        line.scope["path"] = path
        line.put(100, more=False)
        return await line.ask(self.door)


async def cancel_tasks(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize(
    "invented", [{}, {"authorization": b"Token bad"}, {"cookie": b"timelines_session=x"}]
)
async def test_strangers_who_fill_their_room_keep_only_strangers_out(invented: dict[str, bytes]) -> None:
    guarded = Guarded()
    assert (await guarded.ask(authorization=b"Token good"))[0] == 200
    waiting_requests = [
        await guarded.hold(MIN_COUNTED_BYTES, None, **invented),
        await guarded.hold(MIN_COUNTED_BYTES, None, **invented),
    ]
    assert await guarded.ask(**invented) == (429, "in_flight")
    assert await guarded.ask(cookie=b"timelines_session=y") == (429, "in_flight")
    assert await guarded.ask(authorization=b"Token good") == (200, "100"), "recognised a moment ago"
    assert await guarded.ask("/api/streams/player/events/", authorization=b"Token good") == (200, "100")
    await cancel_tasks(*waiting_requests)
    assert await guarded.ask(**invented) == (200, "100"), "there is room again"


async def test_many_unfinished_bodies_of_strangers_count_though_little_comes() -> None:
    guarded = Guarded()
    waiting_requests = [await guarded.hold(1) for _ in range(2 * STRANGERS_SHARE_DIVISOR)]
    assert await guarded.ask() == (429, "in_flight")
    await cancel_tasks(*waiting_requests)


async def test_slow_bodies_of_strangers_make_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred connections that send nothing more kept everybody from logging in."""
    monkeypatch.setattr(asgi_limits, "STRANGER_HOLD_S", 0.03)
    guarded = Guarded()
    waiting_requests = [await guarded.hold(1) for _ in range(2 * STRANGERS_SHARE_DIVISOR)]
    await asyncio.sleep(0.05)
    assert await guarded.ask("/login/") == (200, "100")
    assert await waiting_requests[0] == (408, "body_stalled")
    assert not any(task.done() for task in waiting_requests[1:]), "no more than the room that is needed"
    await cancel_tasks(*waiting_requests)


@pytest.mark.parametrize(
    "addresses", [["192.0.2.7"], ["2001:db8::1", "2001:db8::2"]], ids=["one address", "one network"]
)
async def test_the_unfinished_bodies_of_one_address_keep_only_that_address_out(
    monkeypatch: pytest.MonkeyPatch, addresses: list[str]
) -> None:
    monkeypatch.setattr(asgi_limits, "MAX_DRAIN_S", 0.01)
    guarded = Guarded()
    waiting_requests = [
        await guarded.hold(1, address) for address, _ in zip(itertools.cycle(addresses), range(60))
    ]
    room = 2 * STRANGERS_SHARE_DIVISOR // MAX_SHARE_PER_ADDRESS
    async with asyncio.timeout(10):
        while sum(not task.done() for task in waiting_requests) > room:
            await asyncio.sleep(0.01)
    assert sum(not task.done() for task in waiting_requests) == room
    assert {(await task)[1] for task in waiting_requests if task.done()} == {"in_flight"}
    assert await guarded.ask("/login/") == (200, "100"), "somebody else logs in"
    await cancel_tasks(*waiting_requests)


async def test_an_address_makes_room_for_its_own_next_body(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi_limits, "STRANGER_HOLD_S", 0.03)
    guarded = Guarded()
    waiting_requests = [
        await guarded.hold(1, "192.0.2.7")
        for _ in range(2 * STRANGERS_SHARE_DIVISOR // MAX_SHARE_PER_ADDRESS)
    ]
    await asyncio.sleep(0.05)
    another = await guarded.hold(1, "192.0.2.7")
    assert not another.done()
    assert await waiting_requests[0] == (408, "body_stalled")
    await cancel_tasks(*waiting_requests, another)


async def test_a_server_that_stands_still_ends_no_body(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process computed for 0.4 s while the rest of the body lay in the socket."""
    monkeypatch.setattr(request_bodies, "WAIT_ROUND_S", 0.05)
    line = Line()
    line.put(1)
    task = asyncio.create_task(line.ask(BodyLimit(echo, timeout=0.2)))
    await asyncio.sleep(0.01)
    asyncio.get_running_loop().call_later(0.3, line.put, 1, False)
    time.sleep(0.4)
    assert await task == (200, "2")


async def test_all_bodies_count_not_only_events() -> None:
    guarded = Guarded()
    await guarded.ask(authorization=b"Token good")
    waiting_requests = [await guarded.hold(ROOM - 50, authorization=b"Token good")]
    assert await guarded.ask(authorization=b"Token good") == (429, "in_flight")
    assert await guarded.ask("/api/streams/p/events/", authorization=b"Token good") == (200, "100"), "its own"
    await cancel_tasks(*waiting_requests)


async def test_requests_without_a_body_are_never_refused() -> None:
    guarded = Guarded()
    waiting_requests = [await guarded.hold(2 * MIN_COUNTED_BYTES)]
    line = Line(b"0")
    line.put(0, more=False)
    line.scope |= {"method": "GET", "path": "/healthz"}
    assert await line.ask(guarded.door) == (200, "0")
    await cancel_tasks(*waiting_requests)


async def test_credentials_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi_limits, "CALLER_TTL_S", -1.0)
    guarded = Guarded()
    await guarded.ask(authorization=b"Token good")
    waiting_requests = await guarded.hold(2 * MIN_COUNTED_BYTES, authorization=b"Token good")
    assert await guarded.ask(authorization=b"Token good") == (429, "in_flight")
    await cancel_tasks(waiting_requests)


async def test_a_stranger_who_was_refused_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi_limits, "MAX_DRAIN_S", 0.05)
    guarded = Guarded()
    waiting_requests = await guarded.hold(2 * MIN_COUNTED_BYTES)
    line = Line()
    line.put(1)
    async with asyncio.timeout(5):
        assert await line.ask(guarded.door) == (429, "in_flight"), "the rest never came"
    await cancel_tasks(waiting_requests)
