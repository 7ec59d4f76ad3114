"""Limits simultaneous work, fairly by person; unknown persons count as one."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

CHECKED_EVERY_S = 0.25


class NoTurn(Exception):
    """No turn came in time, or too many requests of one person wait already."""


class Turns:
    """At most `at_once` have a turn. The next goes to the person with the fewest, then to the longest waiting."""

    def __init__(self, at_once: int, max_waiting_per_person: int) -> None:
        self.at_once, self.max_waiting = at_once, max_waiting_per_person
        self._changed = threading.Condition()
        self._running: Counter[Hashable] = Counter()
        self._waiting: dict[object, Hashable] = {}

    @contextmanager
    def turn(
        self, person: Hashable, patience_s: float, is_cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[None]:
        """Wait for a turn, and hold it; raises `NoTurn`."""
        self._acquire(person, patience_s, is_cancelled)
        try:
            yield
        finally:
            with self._changed:
                self._running -= Counter({person: 1})
                self._changed.notify_all()

    def _acquire(self, person: Hashable, patience_s: float, is_cancelled: Callable[[], bool]) -> None:
        until, ticket = time.monotonic() + patience_s, object()
        with self._changed:
            self._waiting[ticket] = person
            try:
                places = sum(other == person for other in self._waiting.values())
                if places > self.max_waiting and not self._is_next(ticket):
                    raise NoTurn
                while not self._is_next(ticket):
                    seconds_left = until - time.monotonic()
                    if seconds_left <= 0 or is_cancelled():
                        raise NoTurn
                    self._changed.wait(min(seconds_left, CHECKED_EVERY_S))
                self._running[person] += 1
            finally:
                del self._waiting[ticket]
                self._changed.notify_all()

    def _is_next(self, ticket: object) -> bool:
        if self._running.total() >= self.at_once:
            return False
        return ticket is min(self._waiting, key=lambda ticket: self._running[self._waiting[ticket]])
