"""The supervisor: looks at what is wanted and what is, and takes the next small step for each query.

Desired state is what people asked for; observed state is what Spark says. A query in transition is left alone
until its time is up. A failed query is tried again with exponential back-off, at most `BUDGET` times in a row;
two healthy minutes give the budget back. One query's trouble never keeps another one waiting.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import isfinite
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from timeline_app.web.models import Query
from workers.announce import statuses_changed
from workers.lease import lease
from workers.spark.session import active, failure, first_line, forget, session

log = logging.getLogger(__name__)
BUDGET = 20
LONGEST_WAIT = 60.0
HEALTHY = timedelta(minutes=2)
TRANSITION = timedelta(seconds=30)
AT_ONCE, A_ROUND = 8, 3
"""So many queries may be starting, so many more each round: Spark waits only 10 s for each process that it starts."""
QUIET = 10.0
RUNNING, STOPPED = Query.Desired.RUNNING, Query.Desired.STOPPED


def reconcile() -> list[str]:
    """One round over all queries; returns the names of those that are now to be launched."""
    with lease("supervisor", seconds=60) as taken:
        if not taken:
            return []
        queries = list(Query.objects.filter(Q(desired=RUNNING) | ~Q(observed=Query.Observed.STOPPED)))
        if not queries:
            return []
        before = {query.pk: _shown(query) for query in queries}
        claimed = _round(queries)
        if any(before[query.pk] != _shown(query) for query in queries):
            statuses_changed()
        return claimed


def _round(queries: list[Query]) -> list[str]:
    remote = settings.SPARK_REMOTE
    try:
        spark = session(remote, str(settings.TIMELINE_DATA))
        found = active(spark)
    except Exception as problem:  # grpc's errors share no base class with Spark's
        forget(remote)
        return _spark_is_away(queries, first_line(problem))
    ready = [query for query in queries if _careful_step(query, found.get(query.name), spark)]
    starting = sum(query.observed == Query.Observed.STARTING for query in queries)
    places = max(min(AT_ONCE - starting, A_ROUND), 0)
    return [query.name for query in ready[:places] if _claim(query)]


def _careful_step(query: Query, running: Any | None, spark: Any) -> bool:
    """One query's trouble is its own."""
    try:
        return _step(query, running, lambda: failure(spark, query.spark_query_id, query.spark_run_id))
    except Exception:
        log.exception("a step for query %s failed", query.name)
        return False


def _spark_is_away(queries: list[Query], reason: str) -> list[str]:
    """Nothing can be known; what was wanted will be started again when the server is back."""
    log.warning("the Spark server does not answer: %s", reason)
    for query in queries:
        wanted = query.desired == RUNNING
        if query.observed != Query.Observed.FAILED:
            observe(
                query,
                Query.Observed.RETRYING if wanted else Query.Observed.STOPPING,
                "waiting for the Spark server",
            )
    return []


def _step(query: Query, running: Any | None, why: Callable[[], str]) -> bool:
    """The next step for one query; whether it is now to be launched."""
    if query.desired == STOPPED:
        _stop(query, running)
        return False
    if running is not None:
        _watch(query, running)
        return False
    if query.observed == Query.Observed.FAILED and query.retry_at is None:
        return False
    if query.observed in (Query.Observed.STARTING, Query.Observed.RUNNING) and (reason := why()):
        failed(query, reason)
        return False
    now = timezone.now()
    if query.observed == Query.Observed.STARTING and not _overdue(query, now):
        return False
    return not _waits(query, now)


def _waits(query: Query, now: datetime) -> bool:
    """Whether a query that failed has to wait before it is tried again; says how long."""
    if query.retry_at is None or query.retry_at <= now:
        return False
    if query.restarts:
        seconds = round((query.retry_at - now).total_seconds())
        words = f"retry {query.restarts} of {BUDGET} in {seconds} s"
        observe(query, Query.Observed.RETRYING, words, query.error)
    return True


def _claim(query: Query) -> bool:
    """Take the query for launching, unless somebody else was quicker or it is no longer wanted."""
    words = f"retry {query.restarts} of {BUDGET}, starting" if query.restarts else "starting"
    fresh = {"observed": Query.Observed.STARTING, "observed_since": timezone.now(), "words": words}
    mine = Query.objects.filter(
        pk=query.pk, desired=RUNNING, observed=query.observed, observed_since=query.observed_since
    )
    if mine.update(**fresh, healthy_since=None, spark_query_id="", spark_run_id="") != 1:
        return False
    query.observed, query.words = Query.Observed.STARTING, words
    return True


def _stop(query: Query, running: Any | None) -> None:
    if running is None:
        if query.observed != Query.Observed.STARTING or _overdue(query, timezone.now()):
            observe(query, Query.Observed.STOPPED, "stopped")
        return
    observe(query, Query.Observed.STOPPING, "stopping")
    running.stop()
    observe(query, Query.Observed.STOPPED, "stopped")


def _watch(query: Query, running: Any) -> None:
    """Say what an active query is doing: green only with recent progress, or when there is no input."""
    now, progress = timezone.now(), running.lastProgress
    query.spark_query_id, query.spark_run_id = str(running.id), str(running.runId)
    seen = _progress(progress)
    if seen is None:
        # A query on a stream without events never makes a batch, and so never reports progress.
        if running.status["message"].startswith("Waiting"):
            observe(query, Query.Observed.RUNNING, "idle, no input yet")
        else:
            observe(query, Query.Observed.STARTING, "starting")
        return
    if seen.rows or query.last_progress_at is None:
        query.last_progress_at = seen.moment
        query.events_per_second, query.batch_ms = seen.rate, seen.batch_ms
    quiet = (now - query.last_progress_at).total_seconds()
    idle = quiet > QUIET and not running.status["isTriggerActive"]
    if idle:
        query.events_per_second = 0.0
    query.healthy_since = query.healthy_since or now
    if query.restarts and now - query.healthy_since > HEALTHY:
        query.restarts = 0
        Query.objects.filter(pk=query.pk).update(restarts=0)
    observe(query, Query.Observed.RUNNING, f"idle, no input for {_coarse(quiet)}" if idle else "running")


@dataclass(frozen=True, slots=True)
class _Progress:
    """What is used of Spark's report on a batch."""

    moment: datetime
    rows: int
    rate: float
    batch_ms: int


def _progress(report: Any | None) -> _Progress | None:
    if report is None:
        return None
    moment = datetime.fromisoformat(report.timestamp)
    rows, rate = report.numInputRows or 0, report.inputRowsPerSecond or 0.0
    return _Progress(moment, rows, rate if isfinite(rate) else 0.0, report.batchDuration or 0)


def failed(query: Query, reason: str) -> None:
    """Count a failure: wait and try again, or give up when the budget is used."""
    query.restarts += 1
    query.healthy_since = None
    if query.restarts > BUDGET:
        query.retry_at = None
        observe(query, Query.Observed.FAILED, f"failed: {reason}", reason, BUDGETED)
        return
    wait = min(LONGEST_WAIT, 2.0 ** (query.restarts - 1))
    query.retry_at = timezone.now() + timedelta(seconds=wait)
    words = f"retry {query.restarts} of {BUDGET} in {round(wait)} s"
    observe(query, Query.Observed.RETRYING, words, reason, BUDGETED)


BUDGETED = ("restarts", "retry_at")


def observe(query: Query, observed: str, words: str, error: str = "", also: tuple[str, ...] = ()) -> None:
    """Write down what was seen, but never over somebody's change of what is wanted, or of the restart budget."""
    if query.observed != observed:
        query.observed_since = timezone.now()
    query.observed, query.words, query.error = Query.Observed(observed), words[:300], error
    query.save(
        update_fields=[
            "observed", "observed_since", "words", "error", "spark_query_id", "spark_run_id",
            "healthy_since", "last_progress_at", "events_per_second", "batch_ms", *also,
        ]
    )  # fmt: skip


def _overdue(query: Query, now: datetime) -> bool:
    return query.observed_since is None or now - query.observed_since > TRANSITION


def _coarse(seconds: float) -> str:
    """Seconds in words that do not change at every look."""
    if seconds < 60:
        return f"{int(seconds)} s"
    return f"{int(seconds // 60)} min" if seconds < 3600 else f"{int(seconds // 3600)} h"


def _shown(query: Query) -> tuple[str, str, str]:
    return (query.observed, query.words, query.error)
