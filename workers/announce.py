"""Waking the open pages through the channel layer; they look by themselves as well, so a lost word loses nothing."""

from __future__ import annotations

import logging
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


def statuses_changed() -> None:
    """Some query's status changed."""
    _send("statuses", {"type": "status.changed"})


def node_advanced(digest: str, version: int) -> None:
    """The revision log holds a new version of a node."""
    _send(f"node.{digest}", {"type": "node.advanced", "digest": digest, "version": version})


def _send(group: str, message: dict[str, Any]) -> None:
    layer = get_channel_layer()
    if layer is None:
        return
    try:
        async_to_sync(layer.group_send)(group, message)
    except (RedisError, OSError) as problem:
        log.warning("could not wake the pages: %s", problem)
