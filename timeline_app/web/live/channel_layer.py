"""The channel layer, for a Redis that may be away for a while."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from channels_redis.core import RedisChannelLayer
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


class PatientLayer(RedisChannelLayer):  # type: ignore[misc]
    """Waits for messages even while Redis is away, so that sockets stay open and go on by themselves."""

    async def receive(self, channel: str) -> Any:
        """The next message for this channel, however long that takes."""
        while True:
            try:
                return await super().receive(channel)
            except (RedisError, OSError) as why:
                log.warning("the channel layer is away: %s", why)
                await asyncio.sleep(1)
