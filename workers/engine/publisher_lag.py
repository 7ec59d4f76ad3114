"""The publisher's lag behind the feeds, reported with its heartbeat."""

from __future__ import annotations

import time

from timeline_app.web.core.process_heartbeats import PUBLISHER, record_heartbeat

MAX_FEEDS_NAMED = 5


class PublisherLag:
    """The longest wait of a batch of each feed since the last heartbeat, and the feeds that cannot be published."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.broken: set[str] = set()

    def note(self, feed: str, written: float | None) -> None:
        """Record the lag of a batch published now. For a compacted batch the time of writing is unknown."""
        if written is not None:
            self.seconds[feed] = max(self.seconds.get(feed, 0.0), time.time() - written)

    def report(self, feeds: set[str]) -> None:
        """Report the lag if a heartbeat is due. `feeds` are those that exist; `least` is the smallest lag of a feed."""
        self.broken &= feeds
        lags = [round(seconds, 3) for seconds in self.seconds.values()] or [0.0]
        names = sorted(self.broken)[:MAX_FEEDS_NAMED]
        facts = {"lag": max(lags), "least": min(lags), "broken": len(self.broken), "feeds": names}
        if record_heartbeat(PUBLISHER, **facts):
            self.seconds = {}
