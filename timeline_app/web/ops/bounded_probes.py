"""Questions that may hang, asked so that nobody else does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import connections

Answer = TypeVar("Answer")


class Hangs(Exception):
    """No answer came in time."""


@dataclass(slots=True)
class _Asked(Generic[Answer]):
    """One try: when it began, and what came of it."""

    began: float
    done: threading.Event
    answer: Answer | None = None
    error: Exception | None = None


class Bounded(Generic[Answer]):
    """A question that is asked in a thread of its own, by at most one at a time, whoever waits for the answer.

    An answer is given again while it is `fresh`, so that asking often costs nothing; one that hangs costs one thread.
    """

    def __init__(self, question: Callable[[], Answer], seconds: float, fresh: float) -> None:
        """Nothing was asked yet."""
        self._question, self._seconds, self._fresh = question, seconds, fresh
        self._lock = threading.Lock()
        self._last: _Asked[Answer] | None = None

    def begin(self) -> None:
        """Ask, unless somebody has just asked or still waits."""
        with self._lock:
            last = self._last
            if last is not None and (not last.done.is_set() or time.monotonic() - last.began < self._fresh):
                return
            asked: _Asked[Answer] = _Asked(time.monotonic(), threading.Event())
            self._last = asked
        threading.Thread(target=self._ask, args=(asked,), daemon=True).start()

    def answer(self) -> Answer:
        """The answer, or what was raised instead; `Hangs` when it does not come."""
        self.begin()
        asked = self._last
        if asked is None or not asked.done.wait(max(0.0, asked.began + self._seconds - time.monotonic())):
            raise Hangs
        if asked.error is not None:
            raise asked.error
        return asked.answer  # type: ignore[return-value]  # it is set where nothing was raised

    def forget(self) -> None:
        """Ask anew at the next question."""
        with self._lock:
            self._last = None

    def _ask(self, asked: _Asked[Answer]) -> None:
        try:
            asked.answer = self._question()
        except Exception as error:
            asked.error = error
        finally:
            asked.done.set()
            connections.close_all()
