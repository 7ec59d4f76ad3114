"""Probes with a time limit: a hanging one blocks nobody else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import connections

Answer = TypeVar("Answer")


class ProbeTimeout(Exception):
    """No answer came in time."""


@dataclass(slots=True)
class _ProbeCall(Generic[Answer]):
    """One call of a probe: when it began, and its outcome."""

    began: float
    done: threading.Event
    answer: Answer | None = None
    error: Exception | None = None


class BoundedProbe(Generic[Answer]):
    """A probe that runs in a separate thread, at most once at a time, with a limit on waiting.

    An answer is reused for `fresh` seconds, so frequent calls cost nothing; a hanging probe costs one thread.
    """

    def __init__(self, question: Callable[[], Answer], seconds: float, fresh: float) -> None:
        self._question, self._seconds, self._fresh = question, seconds, fresh
        self._lock = threading.Lock()
        self._last: _ProbeCall[Answer] | None = None

    def begin(self) -> None:
        """Start the probe, unless it runs or has just run."""
        with self._lock:
            last = self._last
            if last is not None and (not last.done.is_set() or time.monotonic() - last.began < self._fresh):
                return
            call: _ProbeCall[Answer] = _ProbeCall(time.monotonic(), threading.Event())
            self._last = call
        threading.Thread(target=self._ask, args=(call,), daemon=True).start()

    def answer(self) -> Answer:
        """Return the answer, or raise the probe's exception; raise `ProbeTimeout` after the time limit."""
        self.begin()
        call = self._last
        if call is None or not call.done.wait(max(0.0, call.began + self._seconds - time.monotonic())):
            raise ProbeTimeout
        if call.error is not None:
            raise call.error
        return call.answer  # type: ignore[return-value]  # it is set where nothing was raised

    def clear(self) -> None:
        """Discard the last answer."""
        with self._lock:
            self._last = None

    def _ask(self, call: _ProbeCall[Answer]) -> None:
        try:
            call.answer = self._question()
        except Exception as error:
            call.error = error
        finally:
            call.done.set()
            connections.close_all()
