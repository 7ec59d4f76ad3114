"""The live socket while something is away, and to whom it is open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from channels.layers import get_channel_layer
from django.contrib.auth.models import AnonymousUser, User
from django.db import DatabaseError
from django.test import Client
from redis.exceptions import ConnectionError as RedisAway
from uvicorn.protocols.utils import ClientDisconnected

from tests.web.log import T, revise
from tests.web.sockets import SUBSCRIBE, Socket, advance, in_thread, open_following_page, open_page
from timeline_app.asgi import application
from timeline_app.web.core import open_sockets
from timeline_app.web.live import snapshots
from timeline_app.web.live.consumers import LiveConsumer
from timeline_app.web.models import Node

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_database_that_is_away_is_an_answer_and_later_none(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_following_page(viewer) as socket:
        kept: Callable[..., Any] = snapshots.build_next_messages
        monkeypatch.setattr(snapshots, "build_next_messages", raise_broken)
        await advance(node, "s1", [[T + 5, False]], start=T + 5)
        assert await socket.silent()
        monkeypatch.setattr(snapshots, "build_snapshot", raise_broken)
        await socket.say(SUBSCRIBE | {"id": "b"})
        assert (await socket.hear("error"))["code"] == "unavailable"
        monkeypatch.setattr(snapshots, "build_next_messages", kept)
        assert (await socket.hear("revision"))["seq"] == 1


def raise_broken(*_: object) -> None:
    raise DatabaseError("database is locked")


async def test_a_page_that_is_gone_while_it_is_told_something_ends_nothing(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_following_page(viewer) as socket:
        kept = AsyncJsonWebsocketConsumer.send_json
        monkeypatch.setattr(AsyncJsonWebsocketConsumer, "send_json", raise_gone)
        await advance(node, "s1", [[T + 5, False]], start=T + 5)
        assert await socket.silent()
        monkeypatch.setattr(AsyncJsonWebsocketConsumer, "send_json", kept)
        await advance(node, "s1", [[T + 6, True]], start=T + 6)
        assert (await socket.hear("revision"))["seq"] == 2


async def raise_gone(*_: object) -> None:
    raise ClientDisconnected


async def test_a_redis_that_is_away_delays_and_loses_nothing(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def raise_away(*_: object) -> None:
        raise RedisAway("connection refused")

    layer = get_channel_layer()
    monkeypatch.setattr(layer, "group_add", raise_away)
    monkeypatch.setattr(layer, "group_discard", raise_away)
    async with open_following_page(viewer) as socket:
        await in_thread(revise)(node, "s1", [[T + 5, False]], start=T + 5)
        assert (await socket.hear("revision"))["seq"] == 1


async def test_who_was_locked_out_is_closed_out(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LiveConsumer, "access_check_interval_s", 0.0)
    async with open_page(viewer) as socket:
        await User.objects.aupdate(is_active=False)
        closed = await socket.receive_output(timeout=4)
        assert (closed["type"], closed["code"]) == ("websocket.close", 4401)


async def test_nobody_is_told_why_the_socket_closes() -> None:
    socket = Socket(LiveConsumer.as_asgi(), "/ws/live/")
    socket.scope["user"] = AnonymousUser()
    assert (await socket.connect())[0]
    closed = await socket.receive_output(timeout=2)
    assert (closed["type"], closed["code"]) == ("websocket.close", 4401)


def read_session(user: User) -> str:
    browser = Client()
    browser.force_login(user)
    return browser.cookies["timelines_session"].value


@pytest.mark.parametrize(
    ("origin", "welcome"),
    [
        (b"http://localhost:8000", True),
        (b"https://127.0.0.1", True),
        (b"http://evil.example", False),
        (b"null", False),
        (b"", False),
        (b"http://localhost.evil.example", False),
        (None, False),
    ],
)
async def test_only_pages_from_here_may_open_a_socket(
    viewer: User, origin: bytes | None, welcome: bool
) -> None:
    cookie = f"timelines_session={await in_thread(read_session)(viewer)}".encode()
    headers = [(b"cookie", cookie)] + ([] if origin is None else [(b"origin", origin)])
    socket = Socket(application, "/ws/live/", headers=headers)
    assert (await socket.connect())[0] is welcome
    if welcome:
        await socket.say({"type": "ping"})
        await socket.hear("pong")
        await socket.disconnect()


async def test_there_is_no_other_socket(viewer: User) -> None:
    cookie = f"timelines_session={await in_thread(read_session)(viewer)}".encode()
    headers = [(b"cookie", cookie), (b"origin", b"http://localhost")]
    assert (await Socket(application, "/ws/elsewhere/", headers=headers).connect())[0] is False


@pytest.mark.parametrize("turns", range(8))
async def test_a_page_that_is_closed_as_news_arrive_leaves_nothing_running(
    viewer: User, node: Node, turns: int
) -> None:
    """A cancellation that arrives with the result of what it cancels must not be lost."""
    async with open_page(viewer):
        (page,) = open_sockets.select_sockets(viewer.pk)
        page.has_news.set()
        for _ in range(turns):
            await asyncio.sleep(0)
        ending = asyncio.create_task(page.disconnect(1001))
        ended, _ = await asyncio.wait({ending}, timeout=3)  # it cancels nothing, unlike asyncio.timeout
        assert ended == {ending}
        assert page.pump.done()


async def test_a_page_whose_news_cannot_be_sent_connects_again(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_following_page(viewer) as socket:
        monkeypatch.setattr(snapshots, "build_next_messages", raise_wrong)
        await advance(node, "s1", [[T + 5, False]], start=T + 5)
        assert await socket.receive_output(4) == {"type": "websocket.close", "code": 1011}


def raise_wrong(*_: object) -> None:
    raise ValueError("no such revision")
