"""What a page's bell shows: how many incidents are firing, and which alerts have incidents that changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.contrib.auth.models import User

from timeline_app.web.alerts.selectors import alerts_of, count_firing
from timeline_app.web.core.channel_groups import ALERTS
from timeline_app.web.live.wire import BellMessage, FiringCounts, IncidentsMessage


class Bell:
    """Of one socket, once its page has asked for it."""

    def __init__(self) -> None:
        self.begun = self.dirty = False
        self._changed: set[int] = set()
        self._sent: FiringCounts | None = None

    def begin(self) -> None:
        """Tell how many there are now, and whenever that changes."""
        self.begun = self.dirty = True
        self._sent = None

    def hear(self, alerts: Iterable[int]) -> None:
        """Incidents of these alerts changed."""
        if self.begun:
            self._changed |= set(alerts)
            self.dirty = True

    def mark(self) -> None:
        """Look again, for what was missed."""
        self.dirty = self.begun

    def list_groups(self) -> set[str]:
        """The groups of the channel layer that it belongs to."""
        return {ALERTS} if self.begun else set()

    def read(self, user: User) -> tuple[FiringCounts, list[int]]:
        """Ask the database: the counts, and the alerts with changes that the user may look at."""
        changed, self._changed, self.dirty = self._changed, set(), False
        seen = alerts_of(user).filter(pk__in=changed).order_by("pk").values_list("pk", flat=True)
        counts = count_firing(user)
        firing = FiringCounts(firing=counts["firing"], unacknowledged=counts["unacknowledged"])
        return firing, list(seen) if changed else []

    def collect_news(
        self, counts: FiringCounts, changed: list[int]
    ) -> Iterator[BellMessage | IncidentsMessage]:
        """What the page does not know yet."""
        if changed:
            yield {"type": "incidents", "alerts": changed}
        if counts != self._sent:
            self._sent = counts
            yield {"type": "bell", **counts}
