"""A limit on the size of requests at the outermost door: Django would first write all of it to disk."""

from __future__ import annotations

import json
from typing import Any

from timeline_app.web.errors import BodyTooLarge

LIMIT = 8 * 2**20


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


async def refuse(send: Any, limit: int) -> None:
    """Answer 413 with the stable error body and end the connection, which still has bytes on the way."""
    body = json.dumps(BodyTooLarge.over(limit).body()).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": BodyTooLarge.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
