"""What a competent user keeps of a session to answer this one question from a stream, event by event.

It relies on the events of a session arriving in the order of time, which those of the benchmark do: a late event
would be counted wrongly, and nothing that was said is ever corrected. The product relies on no order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from benchmarks.peers.question import WINDOW_MS

LONG_AGO = -(1 << 60)


class Session(NamedTuple):
    """What is known of a session after its latest event; milliseconds."""

    played: bool = False
    buffering: bool = False
    sought: int = LONG_AGO
    t: int = LONG_AGO
    spent: int = 0

    def after(self, events: Iterable[tuple[int, str | None, str | None]]) -> Session:
        """What is known after further ones: time, player state and user action of each, in the order of time."""
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
        """The instant from which on the time counts, until the next event; none while it does not."""
        return max(self.t, self.sought + WINDOW_MS) if self.played and self.buffering else None
