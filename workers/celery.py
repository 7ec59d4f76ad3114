"""The Celery application: `celery -A workers worker`, `celery -A workers beat`."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
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


app.conf.beat_schedule = {
    name: {**entry, "schedule": Steady(entry["schedule"])} for name, entry in app.conf.beat_schedule.items()
}
