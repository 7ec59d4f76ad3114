"""A process that no longer does what it is there for ends itself, so that whoever watches it starts another one.

What hangs, such as a worker whose threads all wait for an answer that never comes, looks alive from outside.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)
ENDED = 70
"""The exit code, EX_SOFTWARE."""
STEP = 1.0


class Pulse:
    """Ends this process, and says where it hung, once `beat` was not called for `seconds`.

    Only time in which the process ran counts: that it was stopped, or its clock set, is no standstill of its own.
    `ask` is called after half the time, in a thread of its own, to give it something to do; when that raises, what
    the process needs is away, and it is not to blame.
    """

    def __init__(self, name: str, seconds: float, ask: Callable[[], object] = lambda: None) -> None:
        self._name, self._seconds, self._ask = name, seconds, ask
        self._beats = 0

    def start(self) -> None:
        """Begin to watch."""
        threading.Thread(target=self._watch, name=f"pulse of {self._name}", daemon=True).start()

    def beat(self) -> None:
        """Say that something was done."""
        self._beats += 1

    def _watch(self) -> None:
        seen, still, asked = self._beats, 0.0, False
        while still < self._seconds:
            still += _pause()
            if self._beats != seen:
                seen, still, asked = self._beats, 0.0, False
            elif not asked and still > self._seconds / 2:
                asked = True
                threading.Thread(target=self._try_to_ask, daemon=True).start()
        try:
            log.critical("%s has done nothing for %.0f s: ending it", self._name, still)
            faulthandler.dump_traceback(2)  # what Celery puts in place of sys.stderr is no file
        finally:
            os._exit(ENDED)

    def _try_to_ask(self) -> None:
        try:
            self._ask()
        except Exception as problem:
            log.warning("%s has nothing to do: %s", self._name, problem)
            self.beat()


def _pause() -> float:
    """Wait a step; how long that took, less where this process was stopped meanwhile."""
    before = time.monotonic()
    time.sleep(STEP)
    return min(time.monotonic() - before, 2 * STEP)
