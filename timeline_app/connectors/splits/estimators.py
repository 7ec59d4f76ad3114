"""Up to which event time a restriction has, as far as it can tell, given everything: microseconds since the epoch."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any


class Estimator(ABC):
    """One for each restriction. Its state is JSON and travels with what is left of the restriction."""

    @abstractmethod
    def current(self) -> int | None:
        """The watermark; None while it is not known. It never goes back."""

    def observe(self, event_time: int) -> None:
        """An event of that time was given."""
        del event_time

    def state(self) -> Any:
        """What `restore` needs to go on."""
        return None

    def restore(self, state: Any) -> None:
        """Go on from a state that is not None."""
        del state


class Wall(Estimator):
    """The clock on the wall, less a lag: for sources whose events come within so many seconds, or not at all."""

    def __init__(self, lag: float = 0.0, clock: Callable[[], float] = time.time) -> None:
        """`lag` in seconds."""
        self.lag, self.clock = lag, clock
        self.latest: int | None = None

    def current(self) -> int:
        """It stands still while the clock is set back."""
        now = round((self.clock() - self.lag) * 1_000_000)
        self.latest = now if self.latest is None else max(self.latest, now)
        return self.latest

    def state(self) -> int | None:
        """The latest that was said."""
        return self.latest

    def restore(self, state: int) -> None:
        """Never say less than that."""
        self.latest = state


class Observed(Estimator):
    """The greatest event time that was given, less how late others may be."""

    def __init__(self, lateness: float = 0.0) -> None:
        """`lateness` in seconds."""
        self.lateness = round(lateness * 1_000_000)
        self.greatest: int | None = None

    def observe(self, event_time: int) -> None:
        """The greatest counts."""
        self.greatest = event_time if self.greatest is None else max(self.greatest, event_time)

    def current(self) -> int | None:
        """None before the first event."""
        return None if self.greatest is None else self.greatest - self.lateness

    def state(self) -> int | None:
        """The greatest."""
        return self.greatest

    def restore(self, state: int) -> None:
        """Go on from there."""
        self.greatest = state


class Manual(Estimator):
    """What the source says: for brokers that tell how far their senders have come."""

    def __init__(self) -> None:
        """Not known yet."""
        self.said: int | None = None

    def set(self, watermark: int) -> None:
        """Everything up to there has come; what lies before what was said earlier changes nothing."""
        self.said = watermark if self.said is None else max(self.said, watermark)

    def current(self) -> int | None:
        """What was said."""
        return self.said

    def state(self) -> int | None:
        """What was said."""
        return self.said

    def restore(self, state: int) -> None:
        """Go on from there."""
        self.said = state
