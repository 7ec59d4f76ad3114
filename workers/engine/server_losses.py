"""Find the query that takes the Spark server down, by counting losses of the server while a query was at work.

After `QUARANTINE_AFTER_LOSSES` losses the suspects start one at a time, the likeliest first. From then on a loss counts
only against the running suspect, and a suspect that finishes a batch is cleared. The culprit fails alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone

from timeline_app.web.models import Query
from workers.engine import status

QUARANTINE_AFTER_LOSSES = 3
MAX_SERVER_LOSSES = 6
CLEARED_AFTER = timedelta(seconds=10)
"""A suspect must run well for this long, and finish a batch where events wait, before the next one starts."""
IN_QUARANTINE = (
    "the Spark server was lost again and again while it was at work, so such queries start one by one"
)
_at_risk: set[int] = set()
"""The queries that a loss of the server counts against in this round."""
_absent: dict[str, str] = {}
"""The runs that were at work when the server stopped answering, by name of their query; they may still exist."""


def begin_round(queries: Sequence[Query], active: Mapping[str, Any]) -> None:
    """Collect the queries at work, and charge those that disappeared while the server did not answer."""
    _at_risk.clear()
    _at_risk.update(query.pk for query in _select_suspects(queries))
    for query in queries:
        run = _absent.pop(query.name, None)
        if run is not None and (query.name not in active or str(active[query.name].runId) != run):
            charge(query)


def note_absence(queries: Sequence[Query]) -> None:
    """Remember which queries were at work when the server stopped answering."""
    for query in _select_suspects(queries):
        _absent.setdefault(query.name, query.spark_run_id)


def note_loss(query: Query) -> None:
    """Charge a query whose run the server no longer knows. Each run is lost once, however long its query waits."""
    if query.pk in _at_risk:
        charge(query)
    Query.objects.filter(pk=query.pk, spark_run_id=query.spark_run_id).update(spark_run_id="")
    query.spark_run_id = ""


def charge(query: Query) -> None:
    """Count a loss of the server against the query; too many are its own failure."""
    Query.objects.filter(pk=query.pk).update(server_losses=F("server_losses") + 1)
    query.refresh_from_db(fields=["server_losses"])
    if query.server_losses >= MAX_SERVER_LOSSES:
        # The earlier losses were its fault: later ones with other causes must not give up the queries beside it.
        Query.objects.exclude(pk=query.pk).filter(server_losses__lt=MAX_SERVER_LOSSES).update(server_losses=0)
        status.give_up(
            query,
            f"the Spark server was lost {query.server_losses} times while this query was at work, at last alone: it"
            " takes more memory than the server has; give Spark more memory, or choose a shorter retention",
        )


def clear(query: Query) -> None:
    """Forget the losses of a query that ran well."""
    if query.server_losses:
        query.server_losses = 0
        Query.objects.filter(pk=query.pk).update(server_losses=0)


def is_suspect(query: Query) -> bool:
    """Return whether the query must start alone, after too many losses of the server."""
    return query.server_losses >= QUARANTINE_AFTER_LOSSES


def is_cleared(query: Query, *, made_batches: bool) -> bool:
    """Return whether a suspect has run well for long enough. It must have made a batch, or have none to make."""
    since = query.healthy_since
    return (made_batches or not query.lag) and since is not None and timezone.now() - since > CLEARED_AFTER


def select_ready(ready: Sequence[Query], queries: Sequence[Query]) -> list[Query]:
    """Return the queries that may start now. Only one suspect runs at a time; the first starts after the others.

    The culprit loses the server in its batch, and the queries beside it finish some of theirs. So the suspect starts
    first that has finished none for the longest time.
    """
    suspects = sorted(filter(is_suspect, ready), key=_get_last_progress)
    trusted = [query for query in ready if not is_suspect(query)]
    now = timezone.now()
    looked_at = any(
        is_suspect(query) and (query.spark_run_id or status.is_claimed(query, now)) for query in queries
    )
    waiting = suspects if looked_at else suspects[1:]
    for query in waiting:
        status.record_start(query, IN_QUARANTINE)
    return trusted if looked_at else [*trusted, *suspects[:1]]


def _get_last_progress(query: Query) -> datetime:
    return query.last_progress_at or datetime.min.replace(tzinfo=UTC)


def _select_suspects(queries: Sequence[Query]) -> list[Query]:
    """Return the running suspect, if there is one; else all queries that have something to do."""
    running = [query for query in queries if query.desired == Query.Desired.RUNNING and query.spark_run_id]
    looked_at = [query for query in running if is_suspect(query)]
    return looked_at or [query for query in running if query.lag or status.is_starting(query)]
