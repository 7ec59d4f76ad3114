"""The last observed state of a source or sink that nobody has looked at for long."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

AWAY_AFTER = timedelta(seconds=30)
"""A worker reports every few seconds."""


def as_seen(
    observed: str, words: str, looked_at: datetime | None, *, goes_on: bool, by: str
) -> tuple[str, str]:
    """Return the state and its description; if it should run but was not looked at for long, name the missing
    worker.
    """
    age = timedelta() if looked_at is None else timezone.now() - looked_at
    if not goes_on or age < AWAY_AFTER:
        return observed, words
    return "starting", f"{observed} when last seen; {by} has been away for {age.total_seconds():.0f} s"
