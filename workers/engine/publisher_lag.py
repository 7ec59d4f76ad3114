"""How far the publisher is behind the feeds, told with its heartbeat."""

from __future__ import annotations

import time

from timeline_app.web.services.heartbeats import PUBLISHER, beat

MAX_FEEDS_NAMED = 5


class PublisherLag:
    """The longest that a batch of each feed waited since the last heartbeat, and the feeds that cannot be published."""

    def __init__(self) -> None:
        """Nothing waits."""
        self.seconds: dict[str, float] = {}
        self.broken: set[str] = set()

    def note(self, feed: str, written: float | None) -> None:
        """What was written at that instant is published now; for how long a packed batch has waited nobody knows."""
        if written is not None:
            self.seconds[feed] = max(self.seconds.get(feed, 0.0), time.time() - written)

    def report(self, feeds: set[str]) -> None:
        """Say so, if it is time; these feeds are there. `least` is what the feed waited that waited least."""
        self.broken &= feeds
        lags = [round(seconds, 3) for seconds in self.seconds.values()] or [0.0]
        names = sorted(self.broken)[:MAX_FEEDS_NAMED]
        facts = {"lag": max(lags), "least": min(lags), "broken": len(self.broken), "feeds": names}
        if beat(PUBLISHER, **facts):
            self.seconds = {}
