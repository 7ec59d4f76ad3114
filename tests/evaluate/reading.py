"""Reading files of events in two ways: by column as the product does, and event by event through the door."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings

from timeline_app.algebra.events import Events
from timeline_app.evaluate.files import read_file
from timeline_app.evaluate.tables import EventTable
from timeline_app.events.columns import build_events, sort_names
from timeline_app.events.validate import WrongEvent
from timeline_app.plan import BadEvents, EventBatch, LineProblem, StreamDeclaration

FIELDS = ("n", "on", "x", "k", "none")
TYPES = {"n": "number", "on": "bool"}
Told = tuple[Any, ...]
Rows = Iterable[tuple[int, Any]]


def declared(unit: str = "ms", **more: Any) -> StreamDeclaration:
    return StreamDeclaration.from_document(
        "s", {"key": "k", "time": "t", "unit": unit, "fields": TYPES, **more}
    )


STREAMS = [
    declared(), declared("s", id="id"), declared("us", id="n"), declared("iso8601", id="on"), declared("iso8601"),
    declared("ms", id="k"), declared("ms", fields={"t": "number", "k": "number", "x": "bool"}),
    declared("ms", until="e"), declared("iso8601", id="x", until="e"), declared("s", id="id", until="e"),
]  # fmt: skip


def through_the_door(rows: Rows, stream: StreamDeclaration) -> EventTable:
    """What the rule for one event says of every event; raises `BadEvents` as the reader should."""
    batch, problems = EventBatch(stream), list[LineProblem]()
    for line, event in rows:
        try:
            if isinstance(event, LineProblem):
                problems.append(event)
            else:
                batch.add(event, strict=False)
        except WrongEvent as wrong:
            problems.append(LineProblem(line, wrong.name, wrong.code, str(wrong)))
    if problems:
        raise BadEvents(problems)
    return EventTable.of(batch, fields_of(stream))


def fields_of(stream: StreamDeclaration) -> tuple[str, ...]:
    """The fields that are read, with those that every node needs."""
    return (*FIELDS, *stream.always_read)


def outcome(table: EventTable) -> Told:
    """The collection of events, whatever the way in which the columns are kept."""
    names = sort_names(table.table["key"])
    fields = fields_of(table.declaration)
    events, collected = build_events(table.table, table.declaration, fields, names, table.texts)
    keys = [str(events.names[place]) for place in events.key]
    births = {str(name): int(birth) for name, birth in zip(events.names, events.birth, strict=True)}
    read = [[_exact(events, name, row) for name in fields] for row in range(events.size)]
    answer = list(zip(keys, events.time.tolist(), read, strict=True))
    return answer, {key: births[key] for key in keys}, collected.duplicates, collected.conflicts, table.last


def _exact(events: Events, name: str, row: int) -> Any:
    value = events.fields[name].scalar(row)
    return (value, math.copysign(1.0, value)) if isinstance(value, float) else value


def outcome_of(read: Any) -> Told:
    """What comes of reading: the events, or every reason why not."""
    try:
        return outcome(read())
    except BadEvents as bad:
        return bad.problems


def by_column(path: Path, stream: StreamDeclaration) -> Told:
    """What comes of reading a file as the product does."""
    return outcome_of(lambda: read_file(str(path), stream, fields_of(stream)))


def by_event(rows: Rows, stream: StreamDeclaration) -> Told:
    """What comes of its rows, one by one through the door."""
    return outcome_of(lambda: through_the_door(rows, stream))


SETTINGS = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
