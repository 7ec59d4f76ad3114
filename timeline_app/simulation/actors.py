"""Things that make events one after the other: a viewer's player, a card, a machine."""

from __future__ import annotations

import heapq
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

Event = dict[str, Any]

MIN_STEP_MS = 50


@dataclass
class Actor(ABC):
    """One key of a stream; `at` is when the next thing happens, in milliseconds since the epoch."""

    key: ClassVar[str]
    """The field that names it."""
    gap: ClassVar[float]
    """Mean seconds between two of its events."""
    ending: ClassVar[Event] = {}
    """The fields of its last event; empty: it goes without a word."""

    name: str
    at: int
    dice: random.Random
    count: int = 0

    def next_event(self) -> Event:
        """Return what happens now; `at` moves on to when the next thing happens."""
        event = {self.key: self.name, "event_id": f"{self.name}-{self.count}", "t": self.at, **self.act()}
        self.count += 1
        self.at += max(MIN_STEP_MS, round(self.wait() * 1000))
        return event

    @abstractmethod
    def act(self) -> Event:
        """Return the fields of what happens now."""

    def wait(self) -> float:
        """Seconds until the next event."""
        return self.dice.expovariate(1 / self.pause())

    def pause(self) -> float:
        """Mean seconds until the next event, in the state that it is in now."""
        return self.gap

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return False


def iterate_happenings(actor: type[Actor], dice: random.Random, rate: float, start: int) -> Iterator[Event]:
    """Yield events in the order in which they happen, about `rate` a second, for ever."""
    stamp = _format_base36(start // 1000)
    number = max(1, round(rate * actor.gap))
    spread = round(actor.gap * 1000)
    acting = [
        (start + dice.randint(0, spread), seat, actor(f"{stamp}-{seat}", 0, dice)) for seat in range(number)
    ]
    heapq.heapify(acting)
    while True:
        at, seat, actor_at_work = heapq.heappop(acting)
        actor_at_work.at = at
        yield actor_at_work.next_event()
        if actor_at_work.over:
            # The next one comes a little later.
            seat, actor_at_work, number = (
                number,
                actor(f"{stamp}-{number}", actor_at_work.at, dice),
                number + 1,
            )
        heapq.heappush(acting, (actor_at_work.at, seat, actor_at_work))


def _format_base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits or "0"
