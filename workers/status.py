"""Writing down what was seen of a query, in words, and counting its failures."""

from __future__ import annotations

import os
import time
from datetime import datetime, timedelta

from django.utils import timezone

from timeline_app.web.models import Query
from timeline_app.web.services import system
from workers.spark.session import AWAY, Failure

BUDGET = 20
CLAIM = timedelta(seconds=30)
"""So long a query that somebody starts is left alone."""
LONGEST_WAIT = 60.0
HINDERED = timedelta(seconds=5)
"""So long is waited until what could not start for want of time is started again."""
EXCUSES, LATELY = 5, 600.0
"""So often within so many seconds that is no failure of the query's."""
HINDRANCE = "the machine was too busy to start Python in time"
IN_TURN = f"{HINDRANCE}, so queries start one after the other"
_SEEN = (
    "observed", "observed_since", "words", "error", "spark_query_id", "spark_run_id", "healthy_since",
    "claimed_until", "looked_at", "last_progress_at", "events_per_second", "processed_per_second", "batch_ms",
    "lag", "offsets", "backlog", "backlog_since", "state_rows", "state_bytes",
)  # fmt: skip
_BUDGETED = ("restarts", "retry_at")
CROWDED = 60.0
"""So many seconds after Python did not start in time, queries are started one after the other."""
_excuses: dict[str, list[float]] = {}
_late_starts: list[float] = []
Observed = Query.Observed


def observe(query: Query, observed: str, words: str, error: str = "", also: tuple[str, ...] = ()) -> None:
    """Write down what was seen, but never over somebody's change of what is wanted, or of the restart budget."""
    now = timezone.now()
    if query.observed != observed:
        query.observed_since = now
    query.observed, query.words, query.error, query.looked_at = Observed(observed), words[:300], error, now
    query.save(update_fields=[*_SEEN, *also])


def failed(query: Query, reason: str) -> None:
    """Count a failure: wait and try again, or give up when the budget is used."""
    query.restarts += 1
    query.healthy_since = query.claimed_until = None
    query.spark_run_id, query.events_per_second = "", 0.0
    if query.restarts > BUDGET:
        query.retry_at = None
        observe(query, Observed.FAILED, f"failed: {reason}", reason, _BUDGETED)
        system.system_noted(query, system.GAVE_UP, after={"restarts": BUDGET}, reason=reason)
        return
    wait = min(LONGEST_WAIT, 2.0 ** (query.restarts - 1))
    query.retry_at = timezone.now() + timedelta(seconds=wait)
    observe(query, Observed.RETRYING, f"{tried(query)} in {round(wait)} s", reason, _BUDGETED)
    system.system_noted(query, system.RETRIED, after={"restarts": query.restarts}, reason=reason)


def ended(query: Query, why: Failure) -> None:
    """It ended with an error: a failure of its own, unless the machine had too much to do, or the server went."""
    if why.of_start:
        _late_starts[:] = [time.monotonic()]
    if why.of_session and _excused(query):
        query.claimed_until, query.spark_run_id = None, ""
        starts(query, AWAY)
    elif why.of_start and os.getloadavg()[0] > (os.cpu_count() or 1) and _excused(query):
        query.claimed_until, query.spark_run_id = None, ""
        query.retry_at = timezone.now() + HINDERED
        starts(query, HINDRANCE, ("retry_at",))
    else:
        failed(query, why.words)


def _excused(query: Query) -> bool:
    """Whether it was excused only a few times lately: a process that hangs while it starts looks the same."""
    now = time.monotonic()
    lately = [at for at in _excuses.get(query.name, ()) if now - at < LATELY]
    if len(lately) >= EXCUSES:
        return False
    _excuses[query.name] = [*lately, now]
    return True


def crowded() -> bool:
    """Whether Python did not start in time lately: queries that start at once take the time from each other."""
    return any(time.monotonic() - at < CROWDED for at in _late_starts)


def in_turn() -> str:
    """Why queries are started one after the other; empty where they are not."""
    return IN_TURN if crowded() else ""


def begins(query: Query) -> bool:
    """Whether it was started, and has not come to a first result."""
    return bool(query.spark_run_id) and query.observed in (Observed.STARTING, Observed.RETRYING)


def tried(query: Query) -> str:
    """Which try it is."""
    return f"retry {query.restarts} of {BUDGET}"


def starts(query: Query, why: str = "", also: tuple[str, ...] = ()) -> None:
    """It is to run and does not yet, through no fault of its own, or once more after a failure."""
    first = tried(query) if query.restarts else "starting"
    observed = Observed.RETRYING if query.restarts else Observed.STARTING
    observe(query, observed, ", ".join(filter(None, (first, why))), query.error, also)


def give_back(query: Query) -> None:
    """The query is healthy again: the whole budget is its own."""
    system.system_noted(query, system.CAME_BACK, after={"restarts": query.restarts})
    query.restarts = 0
    Query.objects.filter(pk=query.pk).update(restarts=0)


def claimed(query: Query, now: datetime) -> bool:
    """Whether somebody is starting it; a claim from before a jump of the clock does not count."""
    return query.claimed_until is not None and now < query.claimed_until <= now + CLAIM
