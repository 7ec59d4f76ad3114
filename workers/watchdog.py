"""A watchdog ends a process that no longer works, so that its supervisor starts another one.

A hung process, such as a worker whose threads all wait for an answer, looks alive from outside.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)
EXIT_SOFTWARE = 70
"""The exit code, EX_SOFTWARE."""
STEP_S = 1.0
MAX_WORK_S = 1_800.0
"""Work that was announced as long may take no longer than this."""


class Watchdog:
    """Ends this process, and logs where it hung, when `ping` was not called for `seconds`.

    Only time in which the process ran counts, so a stopped process or a changed clock is no standstill. After half of
    the time, `ask` is called repeatedly in its own thread to give the process something to do. When that raises, a
    service that the process needs is away, and the process is not to blame.
    """

    def __init__(self, name: str, seconds: float, ask: Callable[[], object] = lambda: None) -> None:
        self._name, self._seconds, self._prompt = name, seconds, ask
        self._beats = 0
        self._prompting: threading.Thread | None = None
        self._long: dict[str, float] = {}

    def start(self) -> None:
        """Start watching."""
        threading.Thread(target=self._watch, name=f"watchdog of {self._name}", daemon=True).start()

    def ping(self) -> None:
        """Report progress."""
        self._beats += 1

    def begin(self, work: str) -> None:
        """Report the beginning of long work, during which no progress is expected."""
        self._long[work] = time.monotonic()

    def end(self, work: str) -> None:
        """Report the end of long work."""
        self._long.pop(work, None)
        self.ping()

    def _watch(self) -> None:
        beats_seen, seconds_still = self._beats, 0.0
        while seconds_still < self._seconds:
            seconds_still += _sleep_step()
            if self._beats != beats_seen or self._is_in_long_work():
                beats_seen, seconds_still = self._beats, 0.0
            elif seconds_still > self._seconds / 2 and not (self._prompting and self._prompting.is_alive()):
                self._prompting = threading.Thread(target=self._try_prompt, daemon=True)
                self._prompting.start()
        try:
            log.critical("%s has done nothing for %.0f s: ending it", self._name, seconds_still)
            faulthandler.dump_traceback(2)  # Celery replaces sys.stderr by an object that is no file
        finally:
            os._exit(EXIT_SOFTWARE)

    def _is_in_long_work(self) -> bool:
        return any(time.monotonic() - started < MAX_WORK_S for started in list(self._long.values()))

    def _try_prompt(self) -> None:
        try:
            self._prompt()
        except Exception as problem:
            log.warning("%s has nothing to do: %s", self._name, problem)
            self.ping()


def _sleep_step() -> float:
    """Sleep one step. Return its duration, capped in case this process was stopped meanwhile."""
    before = time.monotonic()
    time.sleep(STEP_S)
    return min(time.monotonic() - before, 2 * STEP_S)
