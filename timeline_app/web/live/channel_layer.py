"""A channel layer that survives an unavailable Redis."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from channels_redis.core import RedisChannelLayer
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


class RetryingRedisLayer(RedisChannelLayer):  # type: ignore[misc]
    """Keeps waiting while Redis is unavailable, so that sockets stay open and recover."""

    async def receive(self, channel: str) -> Any:
        """Return the next message for this channel, however long that takes."""
        while True:
            try:
                return await super().receive(channel)
            except (RedisError, OSError) as why:
                log.warning("the channel layer is away: %s", why)
                await asyncio.sleep(1)
