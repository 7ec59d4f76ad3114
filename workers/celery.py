"""The Celery application: `celery -A workers worker`, `celery -A workers beat`."""

from __future__ import annotations

import logging.config
import os
import time
from typing import Any

from celery import Celery
from celery.beat import PersistentScheduler
from celery.concurrency.thread import TaskPool
from celery.schedules import schedstate, schedule
from celery.signals import beat_init, setup_logging, task_postrun, task_prerun, worker_ready
from django.conf import settings

from workers.watchdog import Watchdog

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")

log = logging.getLogger(__name__)
app = Celery("timeline")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["workers"])
setup_logging.connect(lambda **_: logging.config.dictConfig(settings.LOGGING), weak=False)
HANGS_AFTER_S = 120.0
HOUSEKEEPING_TASKS = {
    f"workers.tasks.{name}" for name in ("compact", "compact_landings", "pack_feeds", "tidy_up")
}
"""Tasks whose duration grows with the data, so the watchdog waits for them."""
_beat = Watchdog("beat", HANGS_AFTER_S)


class Steady(schedule):  # type: ignore[misc]  # celery has no types
    """A schedule that stays regular when the clock is set back. Celery's own would pause for the length of the jump."""

    def is_due(self, last_run_at: Any) -> Any:
        """Return whether the entry is due, and the seconds until the next check."""
        if last_run_at > self.now():
            return schedstate(is_due=True, next=self.seconds)
        return super().is_due(last_run_at)


class SteadyScheduler(PersistentScheduler):  # type: ignore[misc]  # celery has no types
    """Beat's scheduler, which rebuilds its queue after the clock is set back.

    Beat itself checks only the first entry.
    """

    ticked_at = 0.0

    def tick(self, *arguments: Any, **named: Any) -> Any:
        """Send what is due, and return the seconds until the next tick."""
        now = time.time()
        if now < self.ticked_at:
            self._heap = None
        self.ticked_at = now
        _beat.ping()
        return super().tick(*arguments, **named)


app.conf.worker_consumer = "workers.celery_consumer:ReconnectingConsumer"
app.conf.beat_scheduler = "workers.celery:SteadyScheduler"
app.conf.beat_schedule = {
    name: {**entry, "schedule": Steady(entry["schedule"])} for name, entry in app.conf.beat_schedule.items()
}


def _ask_for_work() -> None:
    """Queue the task that beat queues, so that a worker without beat still has something to finish."""
    app.send_task("workers.tasks.supervise", expires=HANGS_AFTER_S, retry=False)


def _watch_worker(sender: Any, **_named: Any) -> None:
    """Watch a worker whose tasks run in threads. Other pools run them in processes that the watchdog cannot see."""
    if not isinstance(sender.pool, TaskPool):
        log.warning("start it with --pool threads: only so it is found out when it hangs")
        return
    watchdog = Watchdog("the worker", HANGS_AFTER_S, _ask_for_work)

    def begins(task_id: str, task: Any, **_: Any) -> None:
        if task.name in HOUSEKEEPING_TASKS:
            watchdog.begin(task_id)

    task_prerun.connect(begins, weak=False)
    task_postrun.connect(lambda task_id, **_: watchdog.end(task_id), weak=False)
    watchdog.start()


worker_ready.connect(_watch_worker)
beat_init.connect(lambda **_: _beat.start(), weak=False)
