"""The state that a competent user keeps of a session to answer this one question from a stream, event by event.

It relies on the events of a session arriving in the order of time, as those of the benchmark do. A late event would be
counted wrongly, and no result is ever corrected. The product relies on no order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from benchmarks.peers.question import WINDOW_MS

LONG_AGO = -(1 << 60)


class Session(NamedTuple):
    """The state of a session after its latest event, in milliseconds."""

    played: bool = False
    buffering: bool = False
    sought: int = LONG_AGO
    t: int = LONG_AGO
    spent: int = 0

    def after(self, events: Iterable[tuple[int, str | None, str | None]]) -> Session:
        """Return the state after further events: time, player state and user action of each, ordered by time."""
        played, buffering, sought, before, spent = self
        for t, state, action in events:
            if played and buffering:
                spent += max(0, t - max(before, sought + WINDOW_MS))
            if state is not None:
                buffering = state == "buffer"
                played = played or state == "play"
            if action == "seek":
                sought = t
            before = t
        return Session(played, buffering, sought, before, spent)

    @property
    def since(self) -> int | None:
        """The start of the span that counts until the next event; None while nothing counts."""
        return max(self.t, self.sought + WINDOW_MS) if self.played and self.buffering else None
