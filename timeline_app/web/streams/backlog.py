"""The backlog of running queries behind the landing of a stream."""

from __future__ import annotations

import time
from collections.abc import Iterator

from timeline_app.landing.log import Landing
from timeline_app.web.models import Query

COUNT_INTERVAL_S = 2.0
"""Between two database queries, for each stream of a process."""
_counts: dict[str, tuple[float, int]] = {}
_from: dict[tuple[str, str], int] = {}


def count_unread(stream: str, landing: Landing) -> int:
    """Return the backlog of the slowest running query, of events since this process first saw it.

    Older events are history: nobody needs to wait while a new query reads them.
    """
    counted_at, number = _counts.get(stream, (-COUNT_INTERVAL_S, 0))
    now = time.monotonic()
    if now - counted_at >= COUNT_INTERVAL_S:
        _counts[stream] = now, number
        number = _count(stream, landing)
        _counts[stream] = now, number
    return number


def clear_cache() -> None:
    _counts.clear()
    _from.clear()


def _count(stream: str, landing: Landing) -> int:
    end = landing.end()
    started = [
        max(start, _from.setdefault((name, stream), end))
        for name, start in read_positions(stream, working=True)
    ]
    return landing.count(min(started), end).events if started else 0


def read_positions(stream: str, *, working: bool) -> Iterator[tuple[str, int]]:
    """Yield the name and the first position it may still read for each query that reads the stream.

    Either of queries that are running now, or of all desired queries that have not failed for good.
    """
    queries = Query.objects.filter(desired=Query.Desired.RUNNING)
    if working:
        queries = queries.filter(observed=Query.Observed.RUNNING)
    for query in queries.exclude(observed=Query.Observed.FAILED).only("name", "program", "offsets"):
        streams = list(query.program["streams"])
        if stream not in streams:
            continue
        index = streams.index(stream)
        batches = sorted(query.offsets, key=int)
        # A batch may be recomputed, so its input must still be there.
        places = batches[-1:] if working else batches[:1]
        yield query.name, next((query.offsets[batch][index] for batch in places), 0)
