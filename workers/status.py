"""Writing down what was seen of a query, in words, and counting its failures."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from timeline_app.web.models import Query
from timeline_app.web.services import system
from workers.spark.session import AWAY, Failure

log = logging.getLogger(__name__)

BUDGET = 20
SAME = timedelta(seconds=5)
"""What was seen so lately, and is the same, is not written again; pages take as unknown what is much older."""
CLAIM = timedelta(seconds=30)
"""So long a query that somebody starts is left alone."""
LONGEST_WAIT = 60.0
FIRST_WAIT, LATELY = 5.0, 600.0
"""So many seconds are waited first where the machine was to blame; after so many without that from the beginning."""
HINDRANCE = "Python did not start in time (the machine is too busy, or short of memory)"
TOO_SLOW = "it took too long (the machine is too busy, or its disk too slow)"
IN_TURN = f"{HINDRANCE}, so queries start one after the other"
RAN = timedelta(seconds=LONGEST_WAIT)
"""What ran well for so long is not hindered again, but anew."""
_SEEN = (
    "observed", "observed_since", "words", "error", "spark_query_id", "spark_run_id", "healthy_since",
    "claimed_until", "looked_at", "last_progress_at", "events_per_second", "processed_per_second", "batch_ms",
    "lag", "offsets", "backlog", "backlog_since", "state_rows", "state_bytes",
)  # fmt: skip
_BUDGETED = ("restarts", "retry_at")
CROWDED = 60.0
"""So many seconds after Python did not start in time, queries are started one after the other."""
_hindered: dict[str, _Hindrance] = {}
"""By the query's name: what last kept it from running, though it was not to blame itself."""
_late_starts: list[float] = []
Observed = Query.Observed


@dataclass(frozen=True, slots=True)
class _Hindrance:
    """In words; how often in a row, and when last, by this process's own clock."""

    words: str
    times: int
    at: float


def observe(query: Query, observed: str, words: str, error: str = "", also: tuple[str, ...] = ()) -> None:
    """Write down what was seen, but never over somebody's change of what is wanted, or of the restart budget."""
    now = timezone.now()
    if query.observed != observed:
        query.observed_since = now
    query.observed, query.words, query.error = Observed(observed), words[:300], error
    found = {name: getattr(query, name) for name in _SEEN}
    before = query.looked_at or datetime.min.replace(tzinfo=now.tzinfo)
    if not also and timedelta() <= now - before < SAME and found.items() <= query.stored.items():
        return
    query.looked_at = now
    query.save(update_fields=[*_SEEN, *also])
    query.stored = {**query.stored, **found, "looked_at": now}


def failed(query: Query, reason: str) -> None:
    """Count a failure: wait and try again, or give up when the budget is used."""
    query.restarts += 1
    _hindered.pop(query.name, None)
    query.healthy_since = query.claimed_until = None
    query.spark_run_id, query.events_per_second = "", 0.0
    if query.restarts > BUDGET:
        give_up(query, reason)
        return
    wait = min(LONGEST_WAIT, 2.0 ** (query.restarts - 1))
    query.retry_at = timezone.now() + timedelta(seconds=wait)
    observe(query, Observed.RETRYING, f"{tried(query)} in {round(wait)} s", reason, _BUDGETED)
    system.system_noted(query, system.RETRIED, after={"restarts": query.restarts}, reason=reason)


def give_up(query: Query, reason: str) -> None:
    """It is not tried again until somebody starts it."""
    _hindered.pop(query.name, None)
    query.healthy_since = query.claimed_until = query.retry_at = None
    query.spark_run_id, query.events_per_second = "", 0.0
    observe(query, Observed.FAILED, f"failed: {reason}", reason, _BUDGETED)
    system.system_noted(query, system.GAVE_UP, after={"restarts": query.restarts}, reason=reason)


def ended(query: Query, why: Failure) -> None:
    """It ended with an error: a failure of its own, unless it was the machine, a server or the storage."""
    if why.of_start:
        _late_starts[:] = [time.monotonic()]
    if why.of_session:
        _hinder(query, AWAY, why, at_once=True)
    elif why.of_storage:
        _hinder(query, why.words, why, at_once=False)
    elif why.of_start or why.of_time:
        _hinder(query, HINDRANCE if why.of_start else TOO_SLOW, why, at_once=False)
    else:
        failed(query, why.words)


def _hinder(query: Query, words: str, why: Failure, *, at_once: bool) -> None:
    """No failure of its own: it is tried again without end, after a wait that grows up to `LONGEST_WAIT`."""
    now, before = time.monotonic(), _hindrance(query)
    times = before.times + 1 if before and not _ran(query) else 1
    _hindered[query.name] = _Hindrance(words, times, now)
    log.warning("query %s ended, %d times in a row: %s: %s", query.name, times, words, why.words)
    query.error, query.healthy_since = why.words, None
    grown = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(times - 1 - at_once, 9))
    wait = 0.0 if at_once and times == 1 else grown
    query.claimed_until, query.spark_run_id, query.events_per_second = None, "", 0.0
    query.retry_at = timezone.now() + timedelta(seconds=wait)
    starts(query, _waiting(words, times, wait), ("retry_at",))


def waits(query: Query, seconds: float) -> None:
    """It is tried again in so many seconds: why, and when."""
    if found := _hindrance(query):
        starts(query, _waiting(found.words, found.times, seconds))
    elif query.restarts:
        observe(query, Observed.RETRYING, f"{tried(query)} in {round(seconds)} s", query.error)
    else:  # somebody else saw why
        starts(query, f"again in {round(seconds)} s")


def _hindrance(query: Query) -> _Hindrance | None:
    """What kept it from running lately, as far as this process knows."""
    found = _hindered.get(query.name)
    return found if found and time.monotonic() - found.at < LATELY else None


def _ran(query: Query) -> bool:
    """Whether it ran well for a while."""
    return query.healthy_since is not None and timezone.now() - query.healthy_since > RAN


def forget_others(names: Collection[str]) -> None:
    """Keep what is known of these queries only."""
    for name in _hindered.keys() - set(names):
        del _hindered[name]


def _waiting(words: str, times: int, seconds: float) -> str:
    often = f", {times} times in a row" if times > 1 else ""
    return f"{words}{often}{f'; again in {round(seconds)} s' if seconds else ''}"


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
