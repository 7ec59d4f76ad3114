"""The groups of the channel layer, by which open pages are woken.

Pages look by themselves as well: at what is new within seconds, at their rights within half a minute.
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
"""Every page is in it."""
ALERTS = "alerts"
"""Every page that shows how many incidents are firing."""


def group_of(digest: str) -> str:
    """The pages that follow a node."""
    return f"node.{digest}"


def group_of_plan(plan: int) -> str:
    """The pages that show a plan."""
    return f"plan.{plan}"


def send_to_groups(*calls: tuple[str, dict[str, Any]]) -> None:
    """Send to the pages of each group its message; one that is lost costs them time, and nothing else."""
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
    """A channel layer that is away delays news by two seconds, and nothing else."""
    try:
        await call
    except (RedisError, OSError) as why:
        log.warning("the channel layer is away: %s", why)
