"""The Celery application: `celery -A workers worker`, `celery -A workers beat`."""

from __future__ import annotations

import os
import time
from typing import Any

from celery import Celery
from celery.beat import PersistentScheduler
from celery.schedules import schedstate, schedule

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")

app = Celery("timeline")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["workers"])


class Steady(schedule):  # type: ignore[misc]  # celery has no types
    """Every so many seconds, also after the clock was set back: Celery's own would wait until it is as late again."""

    def is_due(self, last_run_at: Any) -> Any:
        """Whether it is due, and in how many seconds to ask again."""
        if last_run_at > self.now():
            return schedstate(is_due=True, next=self.seconds)
        return super().is_due(last_run_at)


class SteadyScheduler(PersistentScheduler):  # type: ignore[misc]  # celery has no types
    """Beat's scheduler, which orders its entries anew when the clock was set back: it looks at the first one only."""

    ticked_at = 0.0

    def tick(self, *arguments: Any, **named: Any) -> Any:
        """Send what is due; in how many seconds to look again."""
        now = time.time()
        if now < self.ticked_at:
            self._heap = None
        self.ticked_at = now
        return super().tick(*arguments, **named)


app.conf.beat_scheduler = "workers.celery:SteadyScheduler"
app.conf.beat_schedule = {
    name: {**entry, "schedule": Steady(entry["schedule"])} for name, entry in app.conf.beat_schedule.items()
}
