"""What runs beside the requests of a web process, from its start to its end."""

from __future__ import annotations

import asyncio
from typing import Any

from timeline_app.web.services.measuring import Keeper


async def lifespan(_scope: dict[str, Any], receive: Any, send: Any) -> None:
    """An ASGI application for the `lifespan` protocol."""
    keeper = Keeper()
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            keeper.start()
            await send({"type": "lifespan.startup.complete"})
        else:
            await asyncio.to_thread(keeper.stop)
            await send({"type": "lifespan.shutdown.complete"})
            return
