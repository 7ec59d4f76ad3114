"""Heartbeats of background processes."""

from __future__ import annotations

import time
from typing import Any

from django.utils import timezone

from timeline_app.web.models.operations import Heartbeat

SUPERVISOR, PUBLISHER = "supervisor", "publisher"
HEARTBEAT_INTERVAL_S = 5.0
"""Rare enough to cost nothing."""
_noted: dict[str, float] = {}


def is_due(name: str) -> bool:
    """Return whether it is time for the next heartbeat."""
    before = _noted.get(name)
    return before is None or time.monotonic() - before >= HEARTBEAT_INTERVAL_S


def record_heartbeat(name: str, **facts: Any) -> bool:
    """Record that a process works, unless it did so just now; return whether it was recorded."""
    if not is_due(name):
        return False
    Heartbeat.objects.update_or_create(name=name, defaults={"at": timezone.now(), "facts": facts})
    _noted[name] = time.monotonic()
    return True


def clear_cache() -> None:
    _noted.clear()
