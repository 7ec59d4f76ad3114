"""Flapping: a key whose incidents start too often notifies receivers once, not for each incident.

A key begins to flap when more than `max_starts` of its incidents started within the window, and settles once at most
half as many did. The product and back-tests decide this after each batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from timeline_app.algebra.kinds import SECOND

MAX_STARTS, WINDOW_S = 4, 1_800
"""The defaults of an alert."""
MAX_STARTS_POSSIBLE = 1_000
MIN_WINDOW_S, MAX_WINDOW_S = 10, 86_400


@dataclass(frozen=True, slots=True)
class FlappingRule:
    """A key flaps with more than `max_starts` starts within the window; 0: never."""

    max_starts: int = MAX_STARTS
    window_s: int = WINDOW_S

    @property
    def window(self) -> int:
        """The window in microseconds of event time."""
        return self.window_s * SECOND

    @property
    def max_starts_settled(self) -> int:
        """With at most this many starts within the window a key settles."""
        return self.max_starts // 2

    def begins(self, starts: int) -> bool:
        """Return whether a key with this many starts within the window begins to flap."""
        return 0 < self.max_starts < starts

    def settles(self, starts: int) -> bool:
        """Return whether a flapping key with this many starts within the window settles."""
        return self.max_starts == 0 or starts <= self.max_starts_settled

    def find_settling(self, starts: Sequence[int]) -> int:
        """Return the event time at which a flapping key settles if nothing changes, by its ascending starts."""
        return starts[len(starts) - self.max_starts_settled - 1] + self.window
