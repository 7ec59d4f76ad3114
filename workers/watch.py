"""Watching a query that is active: how fast it is, what waits, and whether it is stuck.

Green means recent progress, or that there is nothing to do. A query is stuck when input waits, or its trigger hangs,
and nothing moves for `PATIENCE`. The clock for that is this process's own: it does not jump when the machine's does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from timeline_app.compiler import Program, program_of
from timeline_app.storage.places import Places
from timeline_app.web.models import Node, Query
from timeline_app.web.selectors.knowing import NO_PROGRESS
from timeline_app.web.selectors.nodes import INPUTS_AWAY, backlog
from workers import losses, status
from workers.backlog import waiting
from workers.spark.progress import Rates, Report, first_of, reports
from workers.words import coarse, figure

HEALTHY = timedelta(minutes=2)
QUIET = 10.0
PATIENCE = 60.0
"""So many seconds without progress, though there is something to do, are too many; twice as many before the first."""
ASLEEP = 1 / 3
"""Less of it for one that waits for its trigger although there is input."""
SKEW = timedelta(seconds=5)
"""A batch that began so much later than now began before the clock went back: Spark waits until it is then again."""
BLIND = 8.0
"""After a longer pause between two looks Spark, or this process, was away in between."""
RESTS = 10.0
"""A query that had nothing to do is asked again after so many seconds, or as soon as there is something."""
KNOWN = 5
"""Of so many batches it is kept how far they read."""
MUCH = 5.0
"""Who is behind by more than so many seconds of its own speed catches up …"""
FEW = 2_000
"""… if more than so many events wait."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """A query has stood still for so long that it must be started again; `excused` where it is not to blame."""

    seconds: float
    words: str
    at_work: bool
    excused: bool = False


def watch(query: Query, running: Any) -> Stuck | None:
    """Write down what an active query does; whether it is stuck."""
    query.spark_query_id, query.spark_run_id = str(running.id), str(running.runId)
    program, places = program_of(query.program), Places(settings.TIMELINE_DATA)
    found = _reports(query, running, program, places)
    last = found[-1] if found else None
    query.lag = waiting(program, places, last.offsets if last else known(query))
    stands = _stands(query, last)
    busy = stands > 0 and running.status["isTriggerActive"]
    if not (query.lag or busy):
        _moved.pop(query.name, None)
        _resting.setdefault(query.name, (query.spark_run_id, time.monotonic(), found))
    if last is None:
        _not_yet(query, idle=not query.lag and not busy)
    else:
        _active(query, program, found, stands, busy=busy)
    if query.lag and stands > 0 and not busy and last and last.moment > timezone.now() + SKEW:
        return Stuck(stands, "asleep since the clock went back", at_work=False, excused=True)
    stands = min(stands, _sleeps(query, busy=busy))
    if not (query.lag or busy) or stands <= _patience(query, last) * (1 if busy else ASLEEP):
        return None
    return Stuck(stands, f"stuck: no progress for {coarse(stands)}, {_waits(query, program)}", busy)


_resting: dict[str, tuple[str, float, list[Report]]] = {}
"""Of each query that had nothing to do: its run, when Spark was asked, and what it reported."""


def _reports(query: Query, running: Any, program: Program, places: Places) -> list[Report]:
    """What Spark reports of its batches; what it did lately, where there is nothing for it to do since then."""
    run, asked, found = _resting.get(query.name, ("", 0.0, []))
    lately = run == query.spark_run_id and time.monotonic() - asked < RESTS
    if lately and found and not waiting(program, places, found[-1].offsets):
        return found
    _resting.pop(query.name, None)
    return reports(running)


def forget_others(names: Collection[str]) -> None:
    """Keep what is known of these queries only."""
    for table in (_resting, _moved, _awake):
        for name in table.keys() - set(names):
            del table[name]


def known(query: Query) -> list[int]:
    """How far it had read when it was last seen."""
    latest = max(query.offsets, key=int, default=None)
    return [] if latest is None else list(query.offsets[latest])


def forgive() -> None:
    """What stands still may have waited for another query: count anew for all of them."""
    _moved.clear()


def _active(query: Query, program: Program, found: list[Report], stands: float, *, busy: bool) -> None:
    """Say what a query does that has made a batch."""
    now = timezone.now()
    _measure(query, program, found, now)
    quiet = max((now - _ended(query, found, now)).total_seconds(), 0.0)
    idle = quiet > QUIET and not query.lag and not busy
    if idle:
        query.events_per_second = 0.0
    _catch_up(query, program, now)
    if failed := _inputs_failed(program):
        _fails_with(query, failed)
        return
    words = (
        (_inputs_away(program) or f"idle, no input for {coarse(quiet)}") if idle else _working(query, stands)
    )
    status.observe(query, Query.Observed.RUNNING, words)


def _fails_with(query: Query, words: str) -> None:
    """It has failed as long as an input has; it goes on by itself when that does."""
    query.retry_at = timezone.now()
    status.observe(query, Query.Observed.FAILED, f"failed: {words}", words, ("retry_at",))


def _inputs_failed(program: Program) -> str:
    """Which node that it reads was given up, and why; empty where none was."""
    above = Node.objects.filter(digest__in=program.inputs).select_related("query") if program.inputs else ()
    for node in above:
        if reason := node.failure or (
            node.query.error if node.query.observed == Query.Observed.FAILED else ""
        ):
            return f"its input {node} failed: {reason}"
    return ""


def _inputs_away(program: Program) -> str:
    """What is said where no input comes because queries that it comes from do not run; nothing where all do."""
    above = Query.objects.filter(nodes__digest__in=program.inputs).distinct()
    away = above.exclude(observed=Query.Observed.RUNNING).count() if program.inputs else 0
    return f"{INPUTS_AWAY}: {away} of {above.count()} do not run" if away else ""


def _ended(query: Query, found: list[Report], now: datetime) -> datetime:
    """When its newest batch with input ended; where that is not known any more, when it began."""
    began = query.last_progress_at or now
    took = next((item.batch_ms for item in found if item.moment == began), 0)
    return began + timedelta(milliseconds=took)


def _not_yet(query: Query, *, idle: bool) -> None:
    """A query on a stream without events never makes a batch, and so never reports progress."""
    if idle:
        query.claimed_until = None
        losses.clear(query)
        if failed := _inputs_failed(program_of(query.program)):
            _fails_with(query, failed)
            return
        status.observe(query, Query.Observed.RUNNING, "idle, no input yet")
    else:
        status.starts(query, ", ".join(filter(None, ("first batch" if query.lag else "", status.in_turn()))))


def _measure(query: Query, program: Program, found: list[Report], now: datetime) -> None:
    """Take over what is new in the reports; heartbeats of an idle stream are no input."""
    read = waiting(program, Places(settings.TIMELINE_DATA), known(query)) > query.lag
    before, last, made = query.last_progress_at, found[-1], [item for item in found if item.made]
    seen = max(map(int, query.offsets), default=-1)
    anew = before is None or seen > last.batch  # its checkpoint is a new one
    new = [item for item in made if item.rows and (item.batch > seen or anew)]
    query.state_rows, query.state_bytes = last.state_rows, last.state_bytes
    if made:
        query.offsets = {str(item.batch): list(item.offsets) for item in made[-KNOWN:]}
    if new and (read or program.feeds):
        rates = Rates.of(new, before, first_of(found))
        query.last_progress_at = new[-1].moment
        query.events_per_second, query.processed_per_second = rates.read, rates.processed
        query.batch_ms = rates.batch_ms or query.batch_ms
    query.last_progress_at = query.last_progress_at or last.moment
    query.claimed_until = None
    query.healthy_since = min(query.healthy_since or now, now)
    healthy = now - query.healthy_since > HEALTHY
    if query.restarts and healthy:
        status.give_back(query)
    if healthy or losses.is_cleared(query, made=bool(made)):
        losses.clear(query)


def _catch_up(query: Query, program: Program, now: datetime) -> None:
    """Begin to catch up where much waits, end where little does."""
    much = max(FEW, MUCH * query.processed_per_second)
    if program.feeds or query.lag <= (FEW if query.backlog else much):
        query.backlog, query.backlog_since = 0, None
    elif query.lag > query.backlog:
        query.backlog, query.backlog_since = query.lag, query.backlog_since or now


def _working(query: Query, stands: float) -> str:
    if query.backlog:
        return catching_up(query, timezone.now())
    return f"{NO_PROGRESS} {coarse(stands)}" if stands > QUIET else "running"


def catching_up(query: Query, now: datetime) -> str:
    """How far it has come, how fast it goes, how long it will take."""
    done = query.backlog - query.lag
    said = f"catching up, {100 * done // max(query.backlog, 1)} %, {figure(query.events_per_second)} events/s"
    left = (backlog(query, now) or {}).get("seconds_left")
    return said if left is None else f"{said}, {coarse(left)} left"


def _waits(query: Query, program: Program) -> str:
    if not query.lag:
        return "its trigger hangs"
    return f"{figure(query.lag)} {'batches' if program.feeds else 'events'} wait"


def _patience(query: Query, last: Report | None) -> float:
    """Longer with each restart: what is slow but gets there must not be started again for ever."""
    return PATIENCE * (1 if last else 2) * float(2 ** min(query.restarts, 4))


_awake: dict[str, float] = {}
"""When the trigger of each query was last seen at work."""


def _sleeps(query: Query, *, busy: bool) -> float:
    """For how many seconds a query has waited for its trigger; no matter where it is at work.

    A batch that took long has just ended where its report is not there yet: that is no sleep.
    """
    if busy:
        _awake[query.name] = time.monotonic()
        return math.inf
    return time.monotonic() - _awake.get(query.name, -math.inf)


_moved: dict[str, tuple[object, float, float]] = {}
"""Of each query: what it last reported, since when, and when that was looked at."""


def _stands(query: Query, last: Report | None) -> float:
    """For how many seconds nothing has moved, as this process saw it; when nobody could look does not count."""
    mark, now = (query.spark_run_id, last), time.monotonic()
    before, since, looked = _moved.get(query.name, (None, now, now))
    if before != mark:
        since = now
    elif now - looked > BLIND:
        since += now - looked
    _moved[query.name] = (mark, since, now)
    return now - since
