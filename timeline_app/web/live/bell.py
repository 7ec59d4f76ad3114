"""The bell of a page: the number of firing incidents, and the alerts whose incidents changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.contrib.auth.models import User

from timeline_app.web.alerts.selectors import alerts_of, count_firing
from timeline_app.web.core.channel_groups import ALERTS
from timeline_app.web.live.wire import BellMessage, FiringCounts, IncidentsMessage


class Bell:
    """The bell of one socket; inactive until its page asks for it."""

    def __init__(self) -> None:
        self.begun = self.dirty = False
        self._changed: set[int] = set()
        self._sent: FiringCounts | None = None

    def begin(self) -> None:
        """Send the numbers now, and whenever they change."""
        self.begun = self.dirty = True
        self._sent = None

    def receive(self, alerts: Iterable[int]) -> None:
        """Note that incidents of these alerts changed."""
        if self.begun:
            self._changed |= set(alerts)
            self.dirty = True

    def mark(self) -> None:
        """Read again, in case a message was lost."""
        self.dirty = self.begun

    def list_groups(self) -> set[str]:
        """Return the groups of the channel layer that it belongs to."""
        return {ALERTS} if self.begun else set()

    def read(self, user: User) -> tuple[FiringCounts, list[int]]:
        """Query the counts, and the changed alerts that the user may read."""
        changed, self._changed, self.dirty = self._changed, set(), False
        visible = alerts_of(user).filter(pk__in=changed).order_by("pk").values_list("pk", flat=True)
        counts = count_firing(user)
        firing = FiringCounts(firing=counts["firing"], unacknowledged=counts["unacknowledged"])
        return firing, list(visible) if changed else []

    def collect_news(
        self, counts: FiringCounts, changed: list[int]
    ) -> Iterator[BellMessage | IncidentsMessage]:
        """Yield what the page does not know yet."""
        if changed:
            yield {"type": "incidents", "alerts": changed}
        if counts != self._sent:
            self._sent = counts
            yield {"type": "bell", **counts}
