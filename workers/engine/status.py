"""Records the actual state of a query with a description, and counts its failures."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from timeline_app.web.models import Query
from timeline_app.web.nodes import system_audit
from workers.spark.connect.session import AWAY, Failure

log = logging.getLogger(__name__)

MAX_RESTARTS = 20
REWRITE_AFTER = timedelta(seconds=5)
"""An unchanged observation is written this often at most; pages treat a much older one as unknown."""
CLAIM_DURATION = timedelta(seconds=30)
"""How long a claim to start a query holds."""
MAX_WAIT_S = 60.0
MIN_WAIT_S, HINDRANCE_FORGOTTEN_AFTER_S = 5.0, 600.0
"""The first wait after a hindrance, and how long without one resets the waits."""
HINDRANCE = "Python did not start in time (the machine is too busy, or short of memory)"
TOO_SLOW = "it took too long (the machine is too busy, or its disk too slow)"
IN_TURN = f"{HINDRANCE}, so queries start one after the other"
RAN_WELL_AFTER = timedelta(seconds=MAX_WAIT_S)
"""After running well for this long, a hindrance counts as the first one."""
_OBSERVED_FIELDS = (
    "observed", "observed_since", "words", "error", "spark_query_id", "spark_run_id", "healthy_since",
    "claimed_until", "looked_at", "last_progress_at", "events_per_second", "processed_per_second", "batch_ms",
    "lag", "offsets", "backlog", "backlog_since", "state_rows", "state_bytes",
)  # fmt: skip
_BUDGET_FIELDS = ("restarts", "retry_at")
SLOW_STARTS_FOR_S = 60.0
"""After a slow start of Python, queries start one at a time for this long."""
_hindrances: dict[str, _Hindrance] = {}
"""What last kept each query from running through no fault of its own."""
_slow_starts: list[float] = []
Observed = Query.Observed


@dataclass(frozen=True, slots=True)
class _Hindrance:
    """The reason, how often in a row, and when last, on the monotonic clock."""

    words: str
    times: int
    at: float


def observe(query: Query, observed: str, words: str, error: str = "", also: tuple[str, ...] = ()) -> None:
    """Record the actual state, never over a change of the desired state or of the restart budget."""
    now = timezone.now()
    if query.observed != observed:
        query.observed_since = now
    query.observed, query.words, query.error = Observed(observed), words[:300], error
    observed_fields = {name: getattr(query, name) for name in _OBSERVED_FIELDS}
    before = query.looked_at or datetime.min.replace(tzinfo=now.tzinfo)
    if (
        not also
        and timedelta() <= now - before < REWRITE_AFTER
        and observed_fields.items() <= query.stored.items()
    ):
        return
    query.looked_at = now
    query.save(update_fields=[*_OBSERVED_FIELDS, *also])
    query.stored = {**query.stored, **observed_fields, "looked_at": now}


def record_failure(query: Query, reason: str) -> None:
    """Count a failure: retry after a wait, or give up when the restart budget is spent."""
    query.restarts += 1
    _hindrances.pop(query.name, None)
    query.healthy_since = query.claimed_until = None
    query.spark_run_id, query.events_per_second = "", 0.0
    if query.restarts > MAX_RESTARTS:
        give_up(query, reason)
        return
    wait = min(MAX_WAIT_S, 2.0 ** (query.restarts - 1))
    query.retry_at = timezone.now() + timedelta(seconds=wait)
    observe(query, Observed.RETRYING, f"{describe_try(query)} in {round(wait)} s", reason, _BUDGET_FIELDS)
    system_audit.note_system_act(
        query, system_audit.RETRIED, after={"restarts": query.restarts}, reason=reason
    )


def give_up(query: Query, reason: str) -> None:
    """Fail the query until somebody starts it."""
    _hindrances.pop(query.name, None)
    query.healthy_since = query.claimed_until = query.retry_at = None
    query.spark_run_id, query.events_per_second = "", 0.0
    observe(query, Observed.FAILED, f"failed: {reason}", reason, _BUDGET_FIELDS)
    system_audit.note_system_act(
        query, system_audit.GAVE_UP, after={"restarts": query.restarts}, reason=reason
    )


def record_end(query: Query, why: Failure) -> None:
    """Record an end with an error: the query's own failure, unless the machine, a server or the storage caused it."""
    if why.of_start:
        _slow_starts[:] = [time.monotonic()]
    if why.of_session:
        _record_hindrance(query, AWAY, why, at_once=True)
    elif why.of_storage:
        _record_hindrance(query, why.words, why, at_once=False)
    elif why.of_start or why.of_time:
        _record_hindrance(query, HINDRANCE if why.of_start else TOO_SLOW, why, at_once=False)
    else:
        record_failure(query, why.words)


def _record_hindrance(query: Query, words: str, why: Failure, *, at_once: bool) -> None:
    """Record a hindrance. It is retried without end, after a wait that grows up to `MAX_WAIT_S`."""
    now, before = time.monotonic(), _find_hindrance(query)
    times = before.times + 1 if before and not _has_run_well(query) else 1
    _hindrances[query.name] = _Hindrance(words, times, now)
    log.warning("query %s ended, %d times in a row: %s: %s", query.name, times, words, why.words)
    query.error, query.healthy_since = why.words, None
    grown = min(MAX_WAIT_S, MIN_WAIT_S * 2.0 ** min(times - 1 - at_once, 9))
    wait = 0.0 if at_once and times == 1 else grown
    query.claimed_until, query.spark_run_id, query.events_per_second = None, "", 0.0
    query.retry_at = timezone.now() + timedelta(seconds=wait)
    record_start(query, _describe_wait(words, times, wait), ("retry_at",))


def record_wait(query: Query, seconds: float) -> None:
    """Record that the query waits for its next try, and why."""
    if hindrance := _find_hindrance(query):
        record_start(query, _describe_wait(hindrance.words, hindrance.times, seconds))
    elif query.restarts:
        observe(query, Observed.RETRYING, f"{describe_try(query)} in {round(seconds)} s", query.error)
    else:  # another process recorded the reason
        record_start(query, f"again in {round(seconds)} s")


def _find_hindrance(query: Query) -> _Hindrance | None:
    """Return the recent hindrance of a query, as far as this process knows."""
    hindrance = _hindrances.get(query.name)
    return hindrance if hindrance and time.monotonic() - hindrance.at < HINDRANCE_FORGOTTEN_AFTER_S else None


def _has_run_well(query: Query) -> bool:
    return query.healthy_since is not None and timezone.now() - query.healthy_since > RAN_WELL_AFTER


def forget_other_queries(names: Collection[str]) -> None:
    """Forget all queries but these."""
    for name in _hindrances.keys() - set(names):
        del _hindrances[name]


def _describe_wait(words: str, times: int, seconds: float) -> str:
    often = f", {times} times in a row" if times > 1 else ""
    return f"{words}{often}{f'; again in {round(seconds)} s' if seconds else ''}"


def are_starts_slow() -> bool:
    """Return whether Python started slowly lately: simultaneous starts slow each other down."""
    return any(time.monotonic() - at < SLOW_STARTS_FOR_S for at in _slow_starts)


def describe_turns() -> str:
    """Say why queries start one at a time; empty where they do not."""
    return IN_TURN if are_starts_slow() else ""


def is_starting(query: Query) -> bool:
    """Return whether the query was started and has no result yet."""
    return bool(query.spark_run_id) and query.observed in (Observed.STARTING, Observed.RETRYING)


def describe_try(query: Query) -> str:
    """Describe the number of the try."""
    return f"retry {query.restarts} of {MAX_RESTARTS}"


def record_start(query: Query, why: str = "", also: tuple[str, ...] = ()) -> None:
    """Record that the query is starting, or retrying after a failure."""
    first = describe_try(query) if query.restarts else "starting"
    observed = Observed.RETRYING if query.restarts else Observed.STARTING
    observe(query, observed, ", ".join(filter(None, (first, why))), query.error, also)


def restore_budget(query: Query) -> None:
    """Restore the restart budget of a query that is healthy again."""
    system_audit.note_system_act(query, system_audit.CAME_BACK, after={"restarts": query.restarts})
    query.restarts = 0
    Query.objects.filter(pk=query.pk).update(restarts=0)


def is_claimed(query: Query, now: datetime) -> bool:
    """Return whether a worker has claimed the query; a claim from before a jump of the clock does not count."""
    return query.claimed_until is not None and now < query.claimed_until <= now + CLAIM_DURATION
