"""How far the publisher is behind the feeds, told with its heartbeat."""

from __future__ import annotations

import time

from timeline_app.web.services.heartbeats import PUBLISHER, beat


class Behind:
    """The longest that a batch waited since the last heartbeat, and the feeds that cannot be published."""

    def __init__(self) -> None:
        """Nothing waits."""
        self.seconds = 0.0
        self.broken: set[str] = set()

    def note(self, written: float | None) -> None:
        """What was written at that instant is published now; for how long a packed batch has waited nobody knows."""
        if written is not None:
            self.seconds = max(self.seconds, time.time() - written)

    def tell(self, feeds: set[str]) -> None:
        """Say so, if it is time; these feeds are there."""
        self.broken &= feeds
        if beat(PUBLISHER, lag=round(self.seconds, 3), broken=len(self.broken)):
            self.seconds = 0.0
