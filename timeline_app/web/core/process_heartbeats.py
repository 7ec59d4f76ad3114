"""Processes that work behind the pages say now and then that they do."""

from __future__ import annotations

import time
from typing import Any

from django.utils import timezone

from timeline_app.web.models.operations import Heartbeat

SUPERVISOR, PUBLISHER = "supervisor", "publisher"
EVERY = 5.0
"""So many seconds lie between two of them, so that they cost nothing."""
_noted: dict[str, float] = {}


def is_due(name: str) -> bool:
    """Whether it is time to say so again."""
    before = _noted.get(name)
    return before is None or time.monotonic() - before >= EVERY


def record_heartbeat(name: str, **facts: Any) -> bool:
    """Write down that a process works, unless it did so just now; whether it was written."""
    if not is_due(name):
        return False
    Heartbeat.objects.update_or_create(name=name, defaults={"at": timezone.now(), "facts": facts})
    _noted[name] = time.monotonic()
    return True


def forget() -> None:
    """Begin anew."""
    _noted.clear()
