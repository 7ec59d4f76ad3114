"""A thread for each thing that is wanted, as it is set now: what the intake and the delivery have in common."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, MutableMapping
from typing import TypeVar

from django.db import DatabaseError, connections

from workers.signals import StopSignal
from workers.watchdog import Watchdog

log = logging.getLogger(__name__)
PAUSE = 0.5
ENDED_WITHIN = 5.0
ConnectorKey = tuple[int, object]
"""The number of a thing, and when it was set: set anew it is wanted anew."""
Setting = TypeVar("Setting")


class ConnectorThread(threading.Thread):
    """Serves one thing, as it was set then, until told to stop."""

    def __init__(self, name: str) -> None:
        """It does not run yet."""
        super().__init__(name=name, daemon=True)
        self._halt = threading.Event()

    def halt(self) -> None:
        """Stop after what is on its way."""
        self._halt.set()


RunningThreads = MutableMapping[ConnectorKey, "ConnectorThread"]


def reconcile(
    running: RunningThreads,
    wanted: Mapping[ConnectorKey, Setting],
    made: Callable[[Setting], ConnectorThread],
) -> None:
    """Start and stop attendants, so that each thing that is wanted has one, and never two."""
    for key, attendant in list(running.items()):
        if key not in wanted:
            attendant.halt()
        if not attendant.is_alive():
            del running[key]
    for key, thing in wanted.items():
        if key not in running and all(number != key[0] for number, _ in running):
            running[key] = made(thing)
            running[key].start()


def run_until_stopped(pulse: Watchdog, look: Callable[[RunningThreads], None]) -> None:
    """Look again and again until told to stop; a database that is away or locked is waited for."""
    stop = StopSignal()
    running: RunningThreads = {}
    pulse.start()
    while not stop.requested:
        pulse.ping()
        try:
            look(running)
        except DatabaseError as problem:
            log.warning("the database is away or locked, trying again: %s", problem)
            connections.close_all()
        time.sleep(PAUSE)
    for attendant in running.values():
        attendant.halt()
    for attendant in running.values():
        attendant.join(timeout=ENDED_WITHIN)
