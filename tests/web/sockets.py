"""A page's end of the live socket, for tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User

from tests.web.log import revise
from timeline_app.web.live.consumers import LiveConsumer
from timeline_app.web.models import Node

in_thread = sync_to_async
SUBSCRIBE = {"type": "subscribe", "id": "a", "node": "d1", "key": "s1", "from": None}


class Socket(WebsocketCommunicator):  # type: ignore[misc]
    """A page's end of a socket."""

    async def say(self, *messages: dict[str, Any]) -> None:
        for message in messages:
            await self.send_json_to(message)

    async def hear(self, kind: str, timeout: float = 4) -> dict[str, Any]:
        """The next message, which must be of this type."""
        message: dict[str, Any] = await self.receive_json_from(timeout)
        assert message["type"] == kind, message
        return message

    async def silent(self, seconds: float = 0.4) -> bool:
        """Whether nothing comes for a while."""
        quiet: bool = await self.receive_nothing(timeout=seconds)
        return quiet


@asynccontextmanager
async def open_page(user: User) -> AsyncIterator[Socket]:
    """A page with an open socket."""
    socket = Socket(LiveConsumer.as_asgi(), "/ws/live/")
    socket.scope["user"] = user
    connected, _ = await socket.connect()
    assert connected
    try:
        yield socket
    finally:
        await socket.disconnect()


@asynccontextmanager
async def open_following_page(user: User) -> AsyncIterator[Socket]:
    """A page that follows a key, and has heard what is known of it."""
    async with open_page(user) as socket:
        await socket.say(SUBSCRIBE)
        await socket.hear("snapshot")
        yield socket


async def advance(node: Node, *arguments: Any, **more: Any) -> None:
    """The publisher commits a batch, and says so."""
    await in_thread(revise)(node, *arguments, **more)
    layer = get_channel_layer()
    assert layer is not None
    message = {"type": "node.advanced", "digest": node.digest, "version": node.version}
    await layer.group_send(f"node.{node.digest}", message)
