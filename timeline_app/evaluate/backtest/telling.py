"""When receivers are notified of incidents, and of what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from timeline_app.algebra.kinds import SECOND

PENDING, FIRING, RESOLVED, RETRACTED = "pending", "firing", "resolved", "retracted"
NOT_NOTIFIED = ""
"""The state of an incident without a notification."""
GROUP_WINDOW_S = 30
"""After a message of an alert, changes are collected for this long into one message."""
MAX_AGE_US = 3_600 * SECOND
"""No notification is sent for an incident that became known this long after its end."""
Told = tuple[str, int, int]
"""The state of an incident and its span as receivers know them, or should."""


def choose_change(told: Told, now: Told, known_at: int) -> str:
    """Return a message's news of an incident that became known at an instant; empty for none."""
    (state_told, start_told, end_told), (state, start, end) = told, now
    if state_told == state:
        moved = start_told != start or (state == RESOLVED and end_told != end)
        return "amended" if moved and state != RETRACTED else ""
    if state_told == NOT_NOTIFIED:
        is_old = state == RESOLVED and known_at - end > MAX_AGE_US
        return "" if is_old or state in (PENDING, RETRACTED) else state
    return "reopened" if state == FIRING and state_told == RESOLVED else state


@dataclass(frozen=True, slots=True)
class SentNews:
    """A message's news of one incident; `at` is when it is sent, `message` its number."""

    at: int
    message: int
    incident: int
    change: str


@dataclass(slots=True)
class Sender:
    """Makes messages as the product would: the first at once, what follows it within the window together."""

    known_at: Sequence[int]
    window: int = GROUP_WINDOW_S * SECOND
    sent: list[SentNews] = field(default_factory=list)
    messages: int = 0
    _told: dict[int, Told] = field(default_factory=dict)
    _due: dict[int, Told] = field(default_factory=dict)
    _ready_at: int = -(2**62)

    def tell_all(self, records: Iterable[tuple[int, int, Told]]) -> None:
        """Take changes as (instant, incident, what it is now), in their order."""
        now: int | None = None
        for at, incident, state in records:
            if at != now:
                self._flush_until(now, at)
                now = at
            self._due[incident] = state
        self._flush_until(now, None)

    def _flush_until(self, now: int | None, following: int | None) -> None:
        """Send what is due, now or at the end of the window, if that precedes `following`."""
        if now is None or not self._due:
            return
        at = max(now, self._ready_at)
        if following is None or at < following:
            self._flush(at)

    def _flush(self, at: int) -> None:
        news = []
        for incident, state in sorted(self._due.items(), reverse=True):
            change = choose_change(
                self._told.get(incident, (NOT_NOTIFIED, 0, 0)), state, self.known_at[incident]
            )
            if change:
                news.append(SentNews(at, self.messages + 1, incident, change))
                self._told[incident] = state
        self._due.clear()
        if news:
            self.sent += news
            self.messages += 1
            self._ready_at = at + self.window
