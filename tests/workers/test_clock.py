"""A clock that jumps neither keeps anything waiting for the length of the jump nor lets two act at once."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from importlib import import_module

import pytest
from celery.beat import event_t
from django.utils import timezone

from timeline_app.web.core.leases import lease
from timeline_app.web.models import Lease, Query
from workers.celery import Steady, SteadyScheduler, app
from workers.engine import supervisor

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def test_a_lease_from_before_the_clock_was_set_back_is_free() -> None:
    Lease.objects.create(name="supervisor", holder="before", expires_at=timezone.now() + HOUR)
    with lease("supervisor", 60) as acquired:
        assert acquired
        with lease("supervisor", 60) as acquired_twice:
            assert not acquired_twice
        Lease.objects.update(expires_at=timezone.now() + timedelta(seconds=65))
        with lease("supervisor", 60) as acquired_twice:
            assert not acquired_twice, "it was renewed since it was asked for"


@pytest.mark.parametrize("field", ["claimed_until", "retry_at"])
def test_a_query_does_not_wait_until_the_clock_is_as_late_again(field: str) -> None:
    query = Query.objects.create(name="q", program={}, desired="running", restarts=1, observed="starting")
    now = timezone.now()
    setattr(query, field, now + timedelta(seconds=20))
    assert not supervisor._take_step(query, None, lambda: None)
    setattr(query, field, now + HOUR)
    assert supervisor._take_step(query, None, lambda: None)
    assert supervisor._claim(query)
    assert not supervisor._claim(query)


def test_beat_goes_on_after_the_clock_was_set_back() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    every = Steady(2.0, nowfun=lambda: now, app=app)
    assert every.is_due(now - timedelta(seconds=3)).is_due
    assert not every.is_due(now - timedelta(seconds=1)).is_due
    assert every.is_due(now + HOUR).is_due
    assert {type(entry["schedule"]) for entry in app.conf.beat_schedule.values()} == {Steady}


def test_no_task_keeps_another_one_waiting_after_the_clock_was_set_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The clock jumps while `seldom` is sent; what is due next stands in the order of the old time."""
    beat = SteadyScheduler(app=app, lazy=True)
    beat._store = {"entries": {}}
    for name, seconds in (("often", 2.0), ("seldom", 60.0)):
        beat.add(name=name, task=name, schedule=Steady(seconds, app=app))
    sent: list[str] = []
    monkeypatch.setattr(SteadyScheduler, "apply_entry", lambda _beat, entry, **_: sent.append(entry.name))
    monkeypatch.setattr(SteadyScheduler, "producer", None)
    often, seldom = (beat.schedule[name] for name in ("often", "seldom"))
    often.last_run_at = app.now() + HOUR
    seldom.last_run_at = app.now()
    beat.old_schedulers = dict(beat.schedule)
    order = [event_t(time.time() + 60, 5, seldom), event_t(time.time() + HOUR.total_seconds(), 5, often)]
    monkeypatch.setattr(beat, "_heap", order)
    beat.ticked_at = time.time() + HOUR.total_seconds()
    waits = [beat.tick() for _ in range(3)]
    assert sent == ["often"]
    assert max(waits) <= 2.0


@pytest.mark.parametrize("setting", ["worker_consumer", "beat_scheduler"])
def test_classes_that_celery_is_told_by_name_are_there(setting: str) -> None:
    module, _, name = app.conf[setting].partition(":")
    assert callable(getattr(import_module(module), name))
