"""What was seen of a source or a sink, where nobody has looked at it for long."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

AWAY = timedelta(seconds=30)
"""Who carries something that goes on says so every few seconds."""


def as_seen(
    observed: str, words: str, looked_at: datetime | None, *, goes_on: bool, by: str
) -> tuple[str, str]:
    """What it does and words for it; of what should go on and was not looked at for long, who is away."""
    away = timedelta() if looked_at is None else timezone.now() - looked_at
    if not goes_on or away < AWAY:
        return observed, words
    return "starting", f"{observed} when last seen; {by} has been away for {away.total_seconds():.0f} s"
