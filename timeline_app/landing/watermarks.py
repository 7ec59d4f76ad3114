"""The watermark that a stream has accepted, by its log. Retention is measured from it, in all keys and buckets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, Ints, Mask
from timeline_app.landing.heartbeats import Beat
from timeline_app.operators.parameters import MAX_DURATION_MICROS


@dataclass(slots=True)
class AcceptedWatermark:
    """The progress of a stream after some batch of its log; all in microseconds.

    Retention is measured from `until`, which never goes back. An event of the future moves it with the first batch
    that lands after its time. A source that reads its parts side by side holds it back to the slowest part.
    """

    until: int = BEGINNING
    greatest: int = BEGINNING
    heartbeat: int = BEGINNING
    held: int | None = None

    def take(self, greatest: int, beats: Iterable[Beat], arrived: int) -> None:
        """Advance by a batch: its greatest event time, its heartbeats, and when it landed."""
        self.greatest = max(self.greatest, greatest)
        for beat in beats:
            self.held = beat.until if beat.holds else None
            if not beat.holds:
                self.heartbeat = max(self.heartbeat, beat.until)
        limit = arrived if self.held is None else min(arrived, self.held)
        self.until = max(self.until, min(self.greatest, limit))

    def final_until(self, allowed_lateness: int) -> int:
        """Return the time before which everything is final: an older event that comes now is late."""
        reached = max(self.greatest, self.heartbeat)
        if self.held is None:
            return max(reached - allowed_lateness, BEGINNING)
        return max(min(self.held, max(reached, self.held) - allowed_lateness), BEGINNING)

    def to_row(self) -> list[Any]:
        """Return the stored form."""
        return [*astuple(self)]


def select_too_late(times: Ints, watermark: Ints | int, retention: int) -> Mask:
    """Return which events exceed the retention, by the watermark before the batch of each."""
    if retention >= MAX_DURATION_MICROS:
        return np.zeros(len(times), dtype=bool)
    return np.asarray(times < np.maximum(watermark, BEGINNING + retention) - retention)
