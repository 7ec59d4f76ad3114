"""The supervisor compares desired and actual state, and takes the next small step for each query.

People set the desired state; Spark reports the actual one. A query in transition is left alone until its time is up.
A failed query is retried with exponential back-off, at most `status.MAX_RESTARTS` times in a row; two healthy minutes
restore the budget. Failures caused by the machine are retried without end. No query's failure delays another query.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from timeline_app.fs.paths import format_url
from timeline_app.web.core.leases import lease
from timeline_app.web.core.log_context import log_facts
from timeline_app.web.core.process_heartbeats import SUPERVISOR, record_heartbeat
from timeline_app.web.models import Query
from workers.engine import handover, server_losses, status
from workers.engine.budgets import describe_state, drop_node
from workers.engine.growth import grow_saturated
from workers.engine.progress_monitor import Stall, drop_other_queries, observe_progress, reset_clocks
from workers.engine.rebuild import rebuild
from workers.notify import notify_statuses
from workers.spark.connect.session import (
    AWAY,
    Failure,
    SparkAway,
    drop_session,
    find_failure,
    get_first_line,
    get_session,
    list_active_queries,
    probe_server,
)

log = logging.getLogger(__name__)
MAX_STARTS_PER_ROUND = 3
"""Spark waits only 10 s for each process that it starts."""
MAX_CONCURRENT_STARTS, SLOW_START_AFTER = max(3, os.cpu_count() or 1), timedelta(seconds=10)
"""More concurrent cold starts would only delay all of them. A slow start no longer counts against the limit."""
RUNNING, STOPPED = Query.Desired.RUNNING, Query.Desired.STOPPED
Observed = Query.Observed


def reconcile() -> list[str]:
    """Run one round over all queries. Return the names of those to launch."""
    with lease("supervisor", seconds=60) as hold:
        if not hold:
            return []
        record_heartbeat(SUPERVISOR)
        if not _select_queries().exists():
            return []
        spark, active, why = _ask_spark()
        if not hold.renew():  # Spark took so long that another supervisor acts by now
            return []
        queries = list(_select_queries())
        names = {query.name for query in queries}
        status.forget_other_queries(names)
        drop_other_queries(names)
        before = {query.pk: _get_displayed(query) for query in queries}
        try:
            claimed = _note_spark_away(queries, why) if spark is None else _round(queries, spark, active)
        except SparkAway as problem:
            drop_session(settings.SPARK_REMOTE)
            claimed = _note_spark_away(queries, problem.words)
        if any(before[query.pk] != _get_displayed(query) for query in queries):
            notify_statuses()
        return claimed


def _select_queries() -> QuerySet[Query]:
    """Return the queries that should run, or have not stopped yet."""
    return Query.objects.filter(Q(desired=RUNNING) | ~Q(observed=Observed.STOPPED))


def _ask_spark() -> tuple[Any | None, dict[str, Any], str]:
    """Return the session (None where Spark does not answer), its active queries by name, and the reason in words."""
    remote, why = settings.SPARK_REMOTE, AWAY
    try:
        spark = get_session(remote, format_url(settings.TIMELINE_DATA))
        return spark, list_active_queries(spark), ""
    except SparkAway as problem:
        log.warning("%s", problem)
        why = problem.words
    except Exception as problem:  # grpc's errors share no base class with Spark's
        log.warning("the Spark server does not answer: %s", get_first_line(problem))
    drop_session(remote)
    return None, {}, why


def _round(queries: list[Query], spark: Any, active: dict[str, Any]) -> list[str]:
    """Take one step for each query. Raises SparkAway where the server goes away meanwhile."""
    handover.advance_handovers(active)
    server_losses.begin_round(queries, active)
    resting, waiting = handover.select_queries_being_left(), handover.select_waiting_queries()
    stalled: list[tuple[Stall, Query, Any]] = []
    ready = [
        query
        for query in queries
        if query.pk not in resting
        and _step_safely(query, active.get(query.name), spark, stalled)
        and query.pk not in waiting
    ]
    _restart_stalled(stalled)
    grow_saturated([query for query in queries if query.name in active], spark, resting)
    ready = server_losses.select_ready(ready, queries)
    places = _count_free_starts(queries)
    for query in ready[places:]:
        status.record_start(query, status.describe_turns())
    return [query.name for query in ready[:places] if _claim(query)]


def _count_free_starts(queries: list[Query]) -> int:
    """Return how many queries may be launched now."""
    now = timezone.now()
    begins = [query for query in queries if status.is_starting(query)]
    starting = [query for query in queries if status.is_claimed(query, now) and not status.is_starting(query)]
    if status.are_starts_slow():
        return 0 if starting or begins else 1
    soon = [query for query in begins if timedelta() <= _measure_since(query, now) < SLOW_START_AFTER]
    return max(min(MAX_CONCURRENT_STARTS - len(starting) - len(soon), MAX_STARTS_PER_ROUND), 0)


def _measure_since(query: Query, now: datetime) -> timedelta:
    """Return the time since the state changed; negative after a jump of the clock."""
    return now - (query.observed_since or now)


def _restart_stalled(stalled: list[tuple[Stall, Query, Any]]) -> None:
    """Restart stalled queries; of the busy ones only the longest, since the others may wait for its slots in Spark."""
    at_work = sorted((item for item in stalled if item[0].busy), key=lambda item: -item[0].seconds)
    for reason, query, running in [*(item for item in stalled if not item[0].busy), *at_work[:1]]:
        log.warning("query %s is %s; starting it again", query.name, reason.reason)
        try:
            running.stop()
        except Exception:  # `stop` may hang as well; the others must not wait for it
            log.exception("query %s does not let itself be stopped", query.name)
        if reason.excused:
            _start_again(query, reason.reason)
        else:
            status.record_failure(query, reason.reason)
    if at_work:
        reset_clocks()


def _step_safely(
    query: Query, running: Any | None, spark: Any, stalled: list[tuple[Stall, Query, Any]]
) -> bool:
    with log_facts(query=query.name):
        try:
            if query.desired == RUNNING and running is not None:
                if stall := _observe_running(query, running):
                    stalled.append((stall, query, running))
                return False
            return _take_step(
                query, running, lambda: find_failure(spark, query.spark_query_id, query.spark_run_id)
            )
        except Exception:
            log.exception("a step for query %s failed", query.name)
            probe_server(settings.SPARK_REMOTE)
            return False


def _note_spark_away(queries: list[Query], why: str) -> list[str]:
    """Record that Spark is away; queries start again when it is back."""
    server_losses.note_absence(queries)
    for query in queries:
        query.claimed_until, query.spark_run_id = None, ""
        if query.desired == STOPPED:
            status.observe(query, Observed.STOPPING, f"stopping, {why}")
        elif not _is_given_up(query):
            status.record_start(query, why)
    return []


def _is_given_up(query: Query) -> bool:
    return query.observed == Observed.FAILED and query.retry_at is None


def _take_step(query: Query, running: Any | None, why: Callable[[], Failure | None]) -> bool:
    """Take the next step of a query that is not running as desired. Return whether to launch it now."""
    if query.desired == STOPPED:
        _stop(query, running)
        return False
    if _is_given_up(query):
        return False
    if query.spark_run_id:
        reason = why()
        if reason is None or reason.of_session:
            server_losses.note_loss(query)
        if reason is not None and not _is_given_up(query):
            _handle_end(query, reason)
        if reason is not None or _is_given_up(query):
            return False
    now = timezone.now()
    return not status.is_claimed(query, now) and not _must_wait(query, now)


def _handle_end(query: Query, reason: Failure) -> None:
    """Handle the end of a query with an error."""
    if reason.of_budget:
        if drop_node(query, reason.of_budget, reason.words):
            _start_again(query, "again, without a node that was given up")
        return
    status.record_end(query, reason)
    if reason.of_state:
        rebuild(query)


def _observe_running(query: Query, running: Any) -> Stall | None:
    """Observe a query that should run and does; stop it where its program is outdated."""
    if not query.stale or str(running.runId) != query.spark_run_id:
        stall = observe_progress(query, running)
        if words := describe_state(query):
            running.stop()
            status.give_up(query, words)
            return None
        return stall
    running.stop()
    _start_again(query, "again, as somebody asked, or with other nodes")
    return None


def _start_again(query: Query, why: str) -> None:
    """Mark a stopped query for launch in the next round."""
    query.spark_run_id, query.claimed_until = "", None
    status.record_start(query, why)


def _must_wait(query: Query, now: datetime) -> bool:
    """Return whether a failed query must wait for its next try, and record how long."""
    # A time beyond the longest wait is from before a jump of the clock.
    if query.retry_at is None or not now < query.retry_at <= now + timedelta(seconds=status.MAX_WAIT_S):
        return False
    status.record_wait(query, (query.retry_at - now).total_seconds())
    return True


def _claim(query: Query) -> bool:
    """Claim the query for launching, unless another worker did or it should no longer run."""
    now = timezone.now()
    tried = status.describe_try(query) if query.restarts else ""
    words = ", ".join(filter(None, (tried, "starting", status.describe_turns())))
    free = (
        Q(claimed_until=None) | Q(claimed_until__lte=now) | Q(claimed_until__gt=now + status.CLAIM_DURATION)
    )
    claim = {
        "observed": Observed.STARTING,
        "claimed_until": now + status.CLAIM_DURATION,
        "words": words,
        "looked_at": now,
    }
    fresh = {"observed_since": now, "healthy_since": None, "spark_run_id": "", "stale": False}
    if Query.objects.filter(free, pk=query.pk, desired=RUNNING).update(**claim, **fresh) != 1:
        return False
    query.observed, query.words = Observed.STARTING, words
    return True


def _stop(query: Query, running: Any | None) -> None:
    """Stop a query that should no longer run; one that is starting is stopped once it runs."""
    if running is not None:
        status.observe(query, Observed.STOPPING, "stopping")
        running.stop()
    elif status.is_claimed(query, timezone.now()):
        return
    query.claimed_until, query.events_per_second, query.lag, query.backlog = None, 0.0, 0, 0
    status.observe(query, Observed.STOPPED, "stopped")


def _get_displayed(query: Query) -> tuple[str, str, str]:
    return (query.observed, query.words, query.error)
