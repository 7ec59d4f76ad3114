"""Detection of clients that have disconnected, so that work for them is cancelled."""

from __future__ import annotations

import threading
from typing import Any

GONE = "timeline.gone"
"""Key in the scope of a request: an event that is set when the client closes its connection."""


class Disconnects:
    """An ASGI application that lets requests detect the end of their client."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        disconnected = threading.Event()

        async def receive_watched() -> Any:
            message = await receive()
            if message["type"] == "http.disconnect":
                disconnected.set()
            return message

        await self.application({**scope, GONE: disconnected}, receive_watched, send)
