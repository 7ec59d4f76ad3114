"""How far the publisher is behind the feeds, told with its heartbeat."""

from __future__ import annotations

from timeline_app.storage import durable
from timeline_app.storage.addresses import Place
from timeline_app.web.services.heartbeats import PUBLISHER, beat


class Behind:
    """The longest that a batch waited since the last heartbeat, and the feeds that cannot be published."""

    def __init__(self) -> None:
        """Nothing waits."""
        self.seconds = 0.0
        self.broken: set[str] = set()

    def note(self, manifest: Place) -> None:
        """This batch is published now; what is packed by now has waited, but its own time is gone."""
        try:
            waited = durable.age(manifest)
        except OSError:
            return
        self.seconds = max(self.seconds, waited)

    def tell(self, feeds: set[str]) -> None:
        """Say so, if it is time; these feeds are there."""
        self.broken &= feeds
        if beat(PUBLISHER, lag=round(self.seconds, 3), broken=len(self.broken)):
            self.seconds = 0.0
