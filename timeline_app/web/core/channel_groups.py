"""Groups of the channel layer, which wake open pages.

Pages also poll: for news every few seconds, for their rights twice a minute.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

log = logging.getLogger(__name__)
STATUSES = "statuses"
"""Every page belongs to it."""
ALERTS = "alerts"
"""Every page that shows the number of firing incidents belongs to it."""


def group_of(digest: str) -> str:
    """Return the group of the pages that follow a node."""
    return f"node.{digest}"


def group_of_plan(plan: int) -> str:
    """Return the group of the pages that show a plan."""
    return f"plan.{plan}"


def send_to_groups(*calls: tuple[str, dict[str, Any]]) -> None:
    """Send a message to each group. A lost message only delays its pages."""
    layer = get_channel_layer()
    if layer is None or not calls:
        return

    async def send() -> None:
        for group, message in calls:
            await layer.group_send(group, message)

    try:
        async_to_sync(send)()
    except (RedisError, OSError) as why:
        groups = ", ".join(group for group, _ in calls)
        log.warning("could not wake the pages of %s, they will notice by themselves: %s", groups, why)


async def send_quietly(call: Awaitable[None]) -> None:
    """Await a call; without the channel layer news arrive by polling, two seconds later."""
    try:
        await call
    except (RedisError, OSError) as why:
        log.warning("the channel layer is away: %s", why)
