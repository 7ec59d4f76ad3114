"""Limits at the outermost door: on the size of a request, which Django would first write to disk, and on their sum."""

from __future__ import annotations

import json
import re
from typing import Any

from timeline_app.web.errors import ApiError, BodyTooLarge, Busy

LIMIT = 8 * 2**20
LEAST = 2**19
"""So much a request counts at least: it needs a thread as well."""
EVENTS = re.compile(r"/api/streams/[^/]+/events/")


class BodyLimit:
    """An ASGI application that answers 413 to larger requests and passes on all others."""

    def __init__(self, application: Any, limit: int = LIMIT) -> None:
        self.application = application
        self.limit = limit

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Refuse by the declared length, or as soon as the limit is passed."""
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > self.limit:
            await refuse(send, self.limit)
            return
        taken = 0

        async def counted() -> Any:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self.limit:
                raise BodyTooLarge.over(self.limit)
            return message

        try:
            await self.application(scope, counted, send)
        except BodyTooLarge:
            await refuse(send, self.limit)


class InFlight:
    """An ASGI application that answers 429 to event requests while others of so many bytes are being taken."""

    def __init__(self, application: Any, limit: int) -> None:
        self.application = application
        self.limit = limit
        self.taken = 0

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Count requests with events, by the length that they declare."""
        if scope["method"] != "POST" or not EVENTS.fullmatch(scope["path"]):
            await self.application(scope, receive, send)
            return
        size = max(int(dict(scope["headers"]).get(b"content-length", LIMIT)), LEAST)
        if self.taken and self.taken + size > self.limit:
            while (await receive()).get("more_body"):
                continue  # so that the answer is read, and the connection goes on
            await answer(send, Busy.in_flight(self.limit))
            return
        self.taken += size
        try:
            await self.application(scope, receive, send)
        finally:
            self.taken -= size


async def refuse(send: Any, limit: int) -> None:
    """Answer 413 with the stable error body and end the connection, which still has bytes on the way."""
    await answer(send, BodyTooLarge.over(limit), (b"connection", b"close"))


async def answer(send: Any, refusal: ApiError, *more: tuple[bytes, bytes]) -> None:
    """Send a refusal."""
    told = [(name.lower().encode(), text.encode()) for name, text in refusal.headers.items()]
    headers = [(b"content-type", b"application/json"), *told, *more]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(refusal.body()).encode()})
