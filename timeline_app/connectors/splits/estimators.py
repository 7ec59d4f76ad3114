"""Estimate up to which event time a restriction has given everything, in microseconds since the epoch."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any


class Estimator(ABC):
    """One per restriction. Its state is JSON and travels with the rest of the restriction."""

    @abstractmethod
    def current(self) -> int | None:
        """Return the watermark; None while it is unknown. It never goes back."""

    def observe(self, event_time: int) -> None:
        """Observe the time of an event."""
        del event_time

    def state(self) -> Any:
        """Return what `restore` needs."""
        return None

    def restore(self, state: Any) -> None:
        """Continue from a state that is not None."""
        del state


class Wall(Estimator):
    """The wall clock less a lag: for sources whose events come within that time, or not at all."""

    def __init__(self, lag: float = 0.0, clock: Callable[[], float] = time.time) -> None:
        """`lag` is in seconds."""
        self.lag, self.clock = lag, clock
        self.latest: int | None = None

    def current(self) -> int:
        """Return the watermark, which stands still while the clock is set back."""
        now = round((self.clock() - self.lag) * 1_000_000)
        self.latest = now if self.latest is None else max(self.latest, now)
        return self.latest

    def state(self) -> int | None:
        """Return the latest watermark."""
        return self.latest

    def restore(self, state: int) -> None:
        """Never return less than this watermark."""
        self.latest = state


class Observed(Estimator):
    """The greatest event time, less the lateness of others."""

    def __init__(self, lateness: float = 0.0) -> None:
        """`lateness` is in seconds."""
        self.lateness = round(lateness * 1_000_000)
        self.greatest: int | None = None

    def observe(self, event_time: int) -> None:
        """Keep the greatest time."""
        self.greatest = event_time if self.greatest is None else max(self.greatest, event_time)

    def current(self) -> int | None:
        """Return the watermark; None before the first event."""
        return None if self.greatest is None else self.greatest - self.lateness

    def state(self) -> int | None:
        """Return the greatest time."""
        return self.greatest

    def restore(self, state: int) -> None:
        """Continue from the greatest time."""
        self.greatest = state


class Manual(Estimator):
    """A watermark set by the source: for brokers that know their senders' progress."""

    def __init__(self) -> None:
        """Start without a watermark."""
        self.said: int | None = None

    def set(self, watermark: int) -> None:
        """Set the watermark; an earlier time than before changes nothing."""
        self.said = watermark if self.said is None else max(self.said, watermark)

    def current(self) -> int | None:
        """Return the watermark."""
        return self.said

    def state(self) -> int | None:
        """Return the watermark."""
        return self.said

    def restore(self, state: int) -> None:
        """Continue from a watermark."""
        self.said = state
