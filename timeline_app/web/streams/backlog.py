"""How far the running queries are behind the landing of a stream."""

from __future__ import annotations

import time
from collections.abc import Iterator

from timeline_app.landing.log import Landing
from timeline_app.web.models import Query

PERIOD = 2.0
"""Seconds between two looks at the database, for each stream of a process."""
_counts: dict[str, tuple[float, int]] = {}
_from: dict[tuple[str, str], int] = {}


def count_unread(stream: str, landing: Landing) -> int:
    """Events that the slowest query at work has still to read, of those that came since this process first saw it.

    What was there before is history: while a new query reads that, nobody needs to wait.
    """
    looked, number = _counts.get(stream, (-PERIOD, 0))
    now = time.monotonic()
    if now - looked >= PERIOD:
        _counts[stream] = now, number
        number = _count(stream, landing)
        _counts[stream] = now, number
    return number


def forget() -> None:
    """Begin anew."""
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
    """By name of a query that reads a stream, the least number that it may still ask for.

    Either of those that are at work now, or of all that are wanted and have not failed for good.
    """
    wanted = Query.objects.filter(desired=Query.Desired.RUNNING)
    if working:
        wanted = wanted.filter(observed=Query.Observed.RUNNING)
    for query in wanted.exclude(observed=Query.Observed.FAILED).only("name", "program", "offsets"):
        streams = list(query.program["streams"])
        if stream not in streams:
            continue
        place = streams.index(stream)
        known = sorted(query.offsets, key=int)
        # A batch may be computed again, so that what it read must still be there.
        asked = known[-1:] if working else known[:1]
        yield query.name, next((query.offsets[batch][place] for batch in asked), 0)
