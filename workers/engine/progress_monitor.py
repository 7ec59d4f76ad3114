"""Monitors an active query: its rates, its backlog, and whether it has stalled.

A query is healthy while it makes progress or has nothing to do. It stalls when input waits or its trigger hangs, and
nothing moves for `STALL_AFTER_S`. Stalls are timed on the monotonic clock, which ignores jumps of the system clock.
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

from timeline_app.compiler import Program, parse_program
from timeline_app.fs.layout import Places
from timeline_app.web.models import Node, Query
from timeline_app.web.nodes.freshness import NO_PROGRESS
from timeline_app.web.nodes.selectors import INPUTS_AWAY, estimate_catch_up
from workers.engine import server_losses, status
from workers.engine.backlog import count_waiting
from workers.engine.formatting import format_duration, format_number
from workers.engine.growth import describe_shortage
from workers.spark.progress import Rates, Report, find_first, list_reports

HEALTHY_AFTER = timedelta(minutes=2)
IDLE_AFTER_S = 10.0
STALL_AFTER_S = 60.0
"""Before the first batch the limit is twice as long."""
ASLEEP_SHARE = 1 / 3
"""The share of `STALL_AFTER_S` allowed to a query that waits for its trigger although it has input."""
CLOCK_SKEW = timedelta(seconds=5)
"""A batch that starts later than this in the future started before the clock went back: Spark waits until then."""
OBSERVATION_GAP_S = 8.0
"""After a longer gap between observations, Spark or this process was away."""
IDLE_POLL_S = 10.0
"""Polling interval of an idle query; input ends it early."""
RETAINED_OFFSETS = 5
CATCH_UP_AFTER_S = 5.0
"""A query catches up when its backlog takes longer than this at its own rate …"""
MIN_CATCH_UP_EVENTS = 2_000
"""… and holds more events than this."""


@dataclass(frozen=True, slots=True)
class Stall:
    """A query without progress, which must be restarted; `excused` where it is not to blame."""

    seconds: float
    reason: str
    busy: bool
    excused: bool = False


def observe_progress(query: Query, running: Any) -> Stall | None:
    """Record the progress of an active query. Return its stall, if it has stalled."""
    query.spark_query_id, query.spark_run_id = str(running.id), str(running.runId)
    program, places = parse_program(query.program), Places(settings.TIMELINE_DATA)
    reports = _read_reports(query, running, program, places)
    last = reports[-1] if reports else None
    query.lag = count_waiting(program, places, last.offsets if last else list_last_offsets(query))
    stands = _measure_seconds_stalled(query, last)
    busy = stands > 0 and running.status["isTriggerActive"]
    if not (query.lag or busy):
        _last_moves.pop(query.name, None)
        _idle_queries.setdefault(query.name, (query.spark_run_id, time.monotonic(), reports))
    if last is None:
        _observe_first_batch(query, idle=not query.lag and not busy)
    else:
        _observe_active(query, program, reports, stands, busy=busy)
    if query.lag and stands > 0 and not busy and last and last.moment > timezone.now() + CLOCK_SKEW:
        return Stall(stands, "asleep since the clock went back", busy=False, excused=True)
    stands = min(stands, _measure_seconds_asleep(query, busy=busy))
    if not (query.lag or busy) or stands <= _compute_stall_limit(query, last) * (1 if busy else ASLEEP_SHARE):
        return None
    return Stall(
        stands, f"stalled: no progress for {format_duration(stands)}, {_describe_wait(query, program)}", busy
    )


_idle_queries: dict[str, tuple[str, float, list[Report]]] = {}
"""By idle query: its run, when Spark was last asked, and the reports."""


def _read_reports(query: Query, running: Any, program: Program, places: Places) -> list[Report]:
    """Return Spark's reports of the query's batches; the cached ones while it is idle."""
    run, asked_at, reports = _idle_queries.get(query.name, ("", 0.0, []))
    lately = run == query.spark_run_id and time.monotonic() - asked_at < IDLE_POLL_S
    if lately and reports and not count_waiting(program, places, reports[-1].offsets):
        return reports
    _idle_queries.pop(query.name, None)
    return list_reports(running)


def drop_other_queries(names: Collection[str]) -> None:
    """Forget all queries but these."""
    for table in (_idle_queries, _last_moves, _last_awake):
        for name in table.keys() - set(names):
            del table[name]


def list_last_offsets(query: Query) -> list[int]:
    """Return the last recorded offsets of the query."""
    latest = max(query.offsets, key=int, default=None)
    return [] if latest is None else list(query.offsets[latest])


def reset_clocks() -> None:
    """Restart the clocks of all queries: a stalled one may have waited for another."""
    _last_moves.clear()


def _observe_active(
    query: Query, program: Program, reports: list[Report], stands: float, *, busy: bool
) -> None:
    """Record the state of a query after its first batch."""
    now = timezone.now()
    _measure(query, program, reports, now)
    quiet = max((now - _find_last_batch_end(query, reports, now)).total_seconds(), 0.0)
    idle = quiet > IDLE_AFTER_S and not query.lag and not busy
    if idle:
        query.events_per_second = 0.0
    _note_catch_up(query, program, now)
    if failed := _describe_failed_input(program):
        _observe_failed_input(query, failed)
        return
    words = (
        (_describe_missing_inputs(program) or f"idle, no input for {format_duration(quiet)}")
        if idle
        else _describe_work(query, stands)
    )
    status.observe(query, Query.Observed.RUNNING, words)


def _observe_failed_input(query: Query, words: str) -> None:
    """Record that an input failed; the query goes on when the input does."""
    query.retry_at = timezone.now()
    status.observe(query, Query.Observed.FAILED, f"failed: {words}", words, ("retry_at",))


def _describe_failed_input(program: Program) -> str:
    """Name the input node that failed, and why; empty where none did."""
    above = Node.objects.filter(digest__in=program.inputs).select_related("query") if program.inputs else ()
    for node in above:
        if reason := node.failure or (
            node.query.error if node.query.observed == Query.Observed.FAILED else ""
        ):
            return f"its input {node} failed: {reason}"
    return ""


def _describe_missing_inputs(program: Program) -> str:
    """Say how many of the queries that it reads are not running; empty where all run."""
    above = Query.objects.filter(nodes__digest__in=program.inputs).distinct()
    stopped = above.exclude(observed=Query.Observed.RUNNING).count() if program.inputs else 0
    return f"{INPUTS_AWAY}: {stopped} of {above.count()} do not run" if stopped else ""


def _find_last_batch_end(query: Query, reports: list[Report], now: datetime) -> datetime:
    """Return when the newest batch with input ended; where that is unknown, when it began."""
    started = query.last_progress_at or now
    duration_ms = next((item.batch_ms for item in reports if item.moment == started), 0)
    return started + timedelta(milliseconds=duration_ms)


def _observe_first_batch(query: Query, *, idle: bool) -> None:
    """Record a query before its first batch. On a stream without events the first batch never comes."""
    if idle:
        query.claimed_until = None
        server_losses.clear(query)
        if failed := _describe_failed_input(parse_program(query.program)):
            _observe_failed_input(query, failed)
            return
        status.observe(query, Query.Observed.RUNNING, "idle, no input yet")
    else:
        status.record_start(
            query, ", ".join(filter(None, ("first batch" if query.lag else "", status.describe_turns())))
        )


def _measure(query: Query, program: Program, reports: list[Report], now: datetime) -> None:
    """Record what is new in the reports. Heartbeats of an idle stream do not count as input."""
    read = count_waiting(program, Places(settings.TIMELINE_DATA), list_last_offsets(query)) > query.lag
    before, last, reports_with_batches = (
        query.last_progress_at,
        reports[-1],
        [item for item in reports if item.made],
    )
    last_seen_batch = max(map(int, query.offsets), default=-1)
    is_restarted = before is None or last_seen_batch > last.batch  # the checkpoint was replaced
    new = [
        item for item in reports_with_batches if item.rows and (item.batch > last_seen_batch or is_restarted)
    ]
    query.state_rows, query.state_bytes = last.state_rows, last.state_bytes
    if reports_with_batches:
        query.offsets = {
            str(item.batch): list(item.offsets) for item in reports_with_batches[-RETAINED_OFFSETS:]
        }
    if new and (read or program.feeds):
        rates = Rates.compute(new, before, find_first(reports))
        query.last_progress_at = new[-1].moment
        query.events_per_second, query.processed_per_second = rates.read, rates.processed
        query.batch_ms = rates.batch_ms or query.batch_ms
    query.last_progress_at = query.last_progress_at or last.moment
    query.claimed_until = None
    query.healthy_since = min(query.healthy_since or now, now)
    healthy = now - query.healthy_since > HEALTHY_AFTER
    if query.restarts and healthy:
        status.restore_budget(query)
    if healthy or server_losses.is_cleared(query, made_batches=bool(reports_with_batches)):
        server_losses.clear(query)


def _note_catch_up(query: Query, program: Program, now: datetime) -> None:
    """Record whether the query is catching up."""
    catch_up_threshold = max(MIN_CATCH_UP_EVENTS, CATCH_UP_AFTER_S * query.processed_per_second)
    if program.feeds or query.lag <= (MIN_CATCH_UP_EVENTS if query.backlog else catch_up_threshold):
        query.backlog, query.backlog_since = 0, None
    elif query.lag > query.backlog:
        query.backlog, query.backlog_since = query.lag, query.backlog_since or now


def _describe_work(query: Query, stands: float) -> str:
    if query.backlog:
        return ", ".join(filter(None, (describe_catch_up(query, timezone.now()), describe_shortage(query))))
    return f"{NO_PROGRESS} {format_duration(stands)}" if stands > IDLE_AFTER_S else "running"


def describe_catch_up(query: Query, now: datetime) -> str:
    """Describe progress in percent, the rate, and the time left."""
    percent = 100 * (query.backlog - query.lag) // max(query.backlog, 1)
    message = f"catching up, {percent} %, {format_number(query.events_per_second)} events/s"
    seconds_left = (estimate_catch_up(query, now) or {}).get("seconds_left")
    return message if seconds_left is None else f"{message}, {format_duration(seconds_left)} left"


def _describe_wait(query: Query, program: Program) -> str:
    if not query.lag:
        return "its trigger hangs"
    return f"{format_number(query.lag)} {'batches' if program.feeds else 'events'} wait"


def _compute_stall_limit(query: Query, last: Report | None) -> float:
    """Double the limit with each restart: a slow but advancing query must not be restarted for ever."""
    return STALL_AFTER_S * (1 if last else 2) * float(2 ** min(query.restarts, 4))


_last_awake: dict[str, float] = {}
"""When the trigger of each query was last active."""


def _measure_seconds_asleep(query: Query, *, busy: bool) -> float:
    """Return the seconds that a query has waited for its trigger; infinite while it is active.

    After a long batch the report may be late. That is no sleep.
    """
    if busy:
        _last_awake[query.name] = time.monotonic()
        return math.inf
    return time.monotonic() - _last_awake.get(query.name, -math.inf)


_last_moves: dict[str, tuple[object, float, float]] = {}
"""By query: its last report, since when, and when it was last observed."""


def _measure_seconds_stalled(query: Query, last: Report | None) -> float:
    """Return the seconds without progress that this process saw; gaps between observations do not count."""
    mark, now = (query.spark_run_id, last), time.monotonic()
    before, since, measured_at = _last_moves.get(query.name, (None, now, now))
    if before != mark:
        since = now
    elif now - measured_at > OBSERVATION_GAP_S:
        since += now - measured_at
    _last_moves[query.name] = (mark, since, now)
    return now - since
