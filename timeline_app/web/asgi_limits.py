"""Limits at the outermost door: on the size of a request, which Django would first write to disk, and on their sum."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

from timeline_app.web.errors import ApiError, BodyStalled, BodyTooLarge, Busy, LengthRequired

LIMIT = 8 * 2**20
LEAST = 2**19
"""So much a request counts at least: it needs a thread as well."""
PATIENCE = 30.0
"""For so many seconds a body may stand still."""
CHUNKED = "The body comes in chunks (Transfer-Encoding), and nothing says how long it is. Send it with Content-Length."
EVENTS = re.compile(r"/api/(streams/[^/]+/(events|sample)|guess)/")


class BodyLimit:
    """An ASGI application that answers 413 to larger requests, 411 to those that do not say how large they are, 408 to
    those that stop on the way, and passes on all others.
    """

    def __init__(self, application: Any, limit: int = LIMIT, patience: float = PATIENCE) -> None:
        self.application = application
        self.limit = limit
        self.patience = patience

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Refuse by what is declared, or as soon as the limit or the patience is passed."""
        headers = dict(scope["headers"])
        if b"transfer-encoding" in headers:
            await refuse(send, LengthRequired(CHUNKED))
            return
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > self.limit:
            await refuse(send, BodyTooLarge.over(self.limit))
            return
        body = Body(receive, self.limit, self.patience)
        try:
            await self.application(scope, body.receive, send)
        except (BodyTooLarge, BodyStalled) as why:
            await refuse(send, why)


class Body:
    """What comes of a request, as it comes."""

    def __init__(self, receive: Any, limit: int, patience: float) -> None:
        self._receive, self._limit, self._patience = receive, limit, patience
        self._taken, self._whole = 0, False

    async def receive(self) -> Any:
        """The next message; raises `BodyTooLarge`, or `BodyStalled` while some of the body is missing."""
        try:
            message = await asyncio.wait_for(self._receive(), None if self._whole else self._patience)
        except TimeoutError:
            raise BodyStalled.after(self._patience) from None
        self._whole = not message.get("more_body", False)
        self._taken += len(message.get("body", b""))
        if self._taken > self._limit:
            raise BodyTooLarge.over(self._limit)
        return message


class InFlight:
    """An ASGI application that answers 429 to event requests while others of so many bytes are being taken."""

    def __init__(self, application: Any, limit: int) -> None:
        self.application = application
        self.limit = limit
        self.taken = 0

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Count requests with events, by the bytes that have come: what is only declared keeps nobody waiting."""
        if scope["method"] != "POST" or not EVENTS.fullmatch(scope["path"]):
            await self.application(scope, receive, send)
            return
        share = Share(self, receive)
        try:
            share.take(LEAST)
            await self.application(scope, share.receive, send)
        except Crowded:
            share.release()  # before the rest comes, which nobody keeps
            await share.drain()
            await answer(send, Busy.in_flight(self.limit))
        finally:
            share.release()


class Crowded(Exception):
    """There is no room for a request just now."""


class Share:
    """What one request takes of the room that all share."""

    def __init__(self, door: InFlight, receive: Any) -> None:
        self._door, self._receive = door, receive
        self._size = self._come = 0
        self._more = True

    def take(self, size: int) -> None:
        """Grow to a size; raises `Crowded` where others leave no room. Alone, everything may come in."""
        others, size = self._door.taken - self._size, max(size, self._size)
        if others and others + size > self._door.limit:
            raise Crowded
        self._door.taken, self._size = others + size, size

    def release(self) -> None:
        """Leave the room to others."""
        self._door.taken -= self._size
        self._size = 0

    async def receive(self) -> Any:
        """The next message, counted."""
        message = await self._next()
        self._come += len(message.get("body", b""))
        self.take(self._come)
        return message

    async def drain(self) -> None:
        """Read the rest, so that the answer is read and the connection goes on."""
        while self._more:
            await self._next()

    async def _next(self) -> Any:
        message = await self._receive()
        self._more = message.get("more_body", False)
        return message


async def refuse(send: Any, why: ApiError) -> None:
    """Answer with the stable error body and end the connection, which still has bytes on the way."""
    await answer(send, why, (b"connection", b"close"))


async def answer(send: Any, refusal: ApiError, *more: tuple[bytes, bytes]) -> None:
    """Send a refusal."""
    told = [(name.lower().encode(), text.encode()) for name, text in refusal.headers.items()]
    headers = [(b"content-type", b"application/json"), *told, *more]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(refusal.body()).encode()})
