"""Runs a thread for each configured source or sink."""

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
POLL_INTERVAL_S = 0.5
STOP_TIMEOUT_S = 5.0
ConnectorKey = tuple[int, object]
"""The number of a source or sink, and when it was configured: a change starts a new thread."""
Setting = TypeVar("Setting")


class ConnectorThread(threading.Thread):
    """Serves one source or sink, as configured then, until it is stopped."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self._halt = threading.Event()

    def halt(self) -> None:
        """Stop after the current batch."""
        self._halt.set()


RunningThreads = MutableMapping[ConnectorKey, "ConnectorThread"]


def reconcile_threads(
    running: RunningThreads,
    settings: Mapping[ConnectorKey, Setting],
    make_thread: Callable[[Setting], ConnectorThread],
) -> None:
    """Start and stop threads, so that each configured source or sink has exactly one."""
    for key, attendant in list(running.items()):
        if key not in settings:
            attendant.halt()
        if not attendant.is_alive():
            del running[key]
    for key, setting in settings.items():
        if key not in running and all(number != key[0] for number, _ in running):
            running[key] = make_thread(setting)
            running[key].start()


def run_until_stopped(watchdog: Watchdog, reconcile: Callable[[RunningThreads], None]) -> None:
    """Reconcile until the process is told to stop; wait for a database that is away or locked."""
    stop = StopSignal()
    running: RunningThreads = {}
    watchdog.start()
    while not stop.requested:
        watchdog.ping()
        try:
            reconcile(running)
        except DatabaseError as problem:
            log.warning("the database is away or locked, trying again: %s", problem)
            connections.close_all()
        time.sleep(POLL_INTERVAL_S)
    for attendant in running.values():
        attendant.halt()
    for attendant in running.values():
        attendant.join(timeout=STOP_TIMEOUT_S)
