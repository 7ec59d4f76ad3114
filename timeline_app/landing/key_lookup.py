"""Finds the raw events of one key at a few instants, in the landing of a stream, in bounded time.

Files are in the order of arrival, which roughly follows event time: the search begins at the first file that reaches
the instant and goes on to both sides. The statistics of a file tell whether it can contain the instant.
"""

from __future__ import annotations

import time as wall
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.events import UNTIL, Texts
from timeline_app.events.columns import build_events
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.nested import list_fields
from timeline_app.fs.paths import Place, open_for_arrow
from timeline_app.landing.log import Landing, build_host_table
from timeline_app.landing.segments import SCHEMA, read_spans

Event = Mapping[str, Any]
MAX_FILES_AROUND = 400
"""For each instant."""
MAX_EVENTS_PER_STRETCH = 10_000
SEARCH_TIMEOUT_S = 2.0
"""For all instants together."""


def find_events(
    landing: Landing,
    declaration: StreamDeclaration,
    key: str,
    times: Sequence[int],
    seconds: float = SEARCH_TIMEOUT_S,
) -> dict[int, tuple[list[Event], bool]]:
    """Return the key's events by instant, and whether every file was searched.

    Instants (microseconds) that the time limit cuts off are left out.
    """
    events_between = find_events_between(landing, declaration, key, [(time, time) for time in times], seconds)
    return {
        time: ([event for _, event in events], complete)
        for (time, _), (events, complete) in events_between.items()
    }


def find_events_between(
    landing: Landing,
    declaration: StreamDeclaration,
    key: str,
    stretches: Sequence[tuple[int, int]],
    seconds: float = SEARCH_TIMEOUT_S,
) -> dict[tuple[int, int], tuple[list[tuple[int, Event]], bool]]:
    """Return the key's events by stretch of time, given as first and last instant; each event with its time.

    Of more than `MAX_EVENTS_PER_STRETCH` events the latest are taken.
    """
    until, files = wall.monotonic() + seconds, [piece.path for piece in landing.pieces(0, landing.end())]
    events_by_stretch = {}
    for first, last in stretches:
        tables, files_left = [SCHEMA.empty_table()], len(files)
        for index in list(_iterate_around(_find_first_reaching(files, last), len(files)))[:MAX_FILES_AROUND]:
            if wall.monotonic() > until:
                break
            tables += _read(files[index], key, first, last)
            files_left -= 1
        rows = pa.concat_tables(tables)
        complete = files_left == 0 and len(rows) <= MAX_EVENTS_PER_STRETCH
        rows = (
            rows.take(pc.sort_indices(rows["time"])[-MAX_EVENTS_PER_STRETCH:])
            if len(rows) > MAX_EVENTS_PER_STRETCH
            else rows
        )
        fields = _list_fields(rows)
        host = build_host_table(rows, declaration, fields)
        events_by_stretch[first, last] = list(iterate_key_events(host, declaration, fields, key)), complete
    return events_by_stretch


def iterate_key_events(
    table: pa.Table,
    declaration: StreamDeclaration,
    fields: Sequence[str],
    key: str,
    texts: Texts | None = None,
) -> Iterator[tuple[int, Event]]:
    """Yield (time, fields by name) of each event of a host table of one key; of duplicates, the one that counts."""
    names = pa.array([key], pa.string())
    events, collected = build_events(table, declaration, tuple(fields), names, texts)
    ids = table["id"].take(pa.array(collected.rows)).to_pylist() if declaration.id else []
    for row, time in enumerate(events.time.tolist()):
        id_field = {declaration.id: ids[row]} if declaration.id else {}
        values = {name: column.scalar(row) for name, column in events.fields.items()}
        event = {**id_field, **values}
        yield time, {name: value for name, value in event.items() if value is not None and name != UNTIL}


def _list_fields(rows: pa.Table) -> list[str]:
    """Return the sorted names and paths of the fields that any event has."""
    return sorted(list_fields(rows["fields"], every_place=True))


def _iterate_around(first: int, end: int) -> Iterator[int]:
    """Yield indexes on both sides of the first, nearest first; later ones more often, since late events come later."""
    later, earlier = first, first - 1
    while later < end or earlier >= 0:
        yield from range(later, min(later + 3, end))
        later += 3
        if earlier >= 0:
            yield earlier
            earlier -= 1


def _find_first_reaching(files: Sequence[Place], time: int) -> int:
    """Return the first file with an event at the time or after it, if files were in order."""
    low, high = 0, len(files)
    while low < high:
        middle = (low + high) // 2
        spans = _read_spans(files[middle])
        if spans and spans[-1][1] >= time:
            high = middle
        else:
            low = middle + 1
    return low


def _read(path: Place, key: str, first: int, last: int) -> list[pa.Table]:
    if not any(low <= last and first <= high for low, high in _read_spans(path)):
        return []
    here = (pc.field("key") == key) & (pc.field("time") >= first) & (pc.field("time") <= last)
    try:
        return [pq.read_table(open_for_arrow(path), schema=SCHEMA, filters=here)]
    except FileNotFoundError:  # compacted or dropped since its statistics were read
        return []


def _read_spans(path: Place) -> list[tuple[int, int]]:
    """Return the least and the greatest event time of each part of a file."""
    try:
        return read_spans(path)
    except FileNotFoundError:
        return []
