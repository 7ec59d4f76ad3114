"""Whether a client is still there: what is computed for one that has gone is ended."""

from __future__ import annotations

import threading
from typing import Any

GONE = "timeline.gone"
"""In the scope of a request: an event that is set when the client has closed its connection."""


class Disconnects:
    """An ASGI application that tells requests when their client has gone."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Pass on, and look at each message."""
        gone = threading.Event()

        async def watched() -> Any:
            message = await receive()
            if message["type"] == "http.disconnect":
                gone.set()
            return message

        await self.application({**scope, GONE: gone}, watched, send)
