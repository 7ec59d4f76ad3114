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


def build_declaration(unit: str = "ms", **more: Any) -> StreamDeclaration:
    return StreamDeclaration.from_document(
        "s", {"key": "k", "time": "t", "unit": unit, "fields": TYPES, **more}
    )


STREAMS = [
    build_declaration(), build_declaration("s", id="id"), build_declaration("us", id="n"),
    build_declaration("iso8601", id="on"), build_declaration("iso8601"), build_declaration("ms", id="k"),
    build_declaration("ms", fields={"t": "number", "k": "number", "x": "bool"}),
    build_declaration("ms", until="e"), build_declaration("iso8601", id="x", until="e"),
    build_declaration("s", id="id", until="e"),
]  # fmt: skip


def decode_rows(rows: Rows, stream: StreamDeclaration) -> EventTable:
    """What the rule for one event says of every event; raises `BadEvents` as the reader should."""
    batch, problems = EventBatch(stream), list[LineProblem]()
    for line, event in rows:
        try:
            if isinstance(event, LineProblem):
                problems.append(event)
            else:
                batch.add(event, strict=False)
        except WrongEvent as error:
            problems.append(LineProblem(line, error.name, error.code, str(error)))
    if problems:
        raise BadEvents(problems)
    return EventTable.from_batch(batch, list_fields(stream))


def list_fields(stream: StreamDeclaration) -> tuple[str, ...]:
    """The fields that are read, with those that every node needs."""
    return (*FIELDS, *stream.always_read)


def list_outcome(table: EventTable) -> Told:
    """The collection of events, whatever the way in which the columns are kept."""
    names = sort_names(table.table["key"])
    fields = list_fields(table.declaration)
    events, collected = build_events(table.table, table.declaration, fields, names, table.texts)
    keys = [str(events.names[place]) for place in events.key]
    births = {str(name): int(birth) for name, birth in zip(events.names, events.birth, strict=True)}
    read = [[_tag_value(events, name, row) for name in fields] for row in range(events.size)]
    answer = list(zip(keys, events.time.tolist(), read, strict=True))
    return answer, {key: births[key] for key in keys}, collected.duplicates, collected.conflicts, table.last


def _tag_value(events: Events, name: str, row: int) -> Any:
    value = events.fields[name].scalar(row)
    return (value, math.copysign(1.0, value)) if isinstance(value, float) else value


def read_outcome(read: Any) -> Told:
    """What comes of reading: the events, or every reason why not."""
    try:
        return list_outcome(read())
    except BadEvents as bad:
        return bad.problems


def read_by_column(path: Path, stream: StreamDeclaration) -> Told:
    """What comes of reading a file as the product does."""
    return read_outcome(lambda: read_file(str(path), stream, list_fields(stream)))


def read_by_event(rows: Rows, stream: StreamDeclaration) -> Told:
    """What comes of its rows, one by one through the door."""
    return read_outcome(lambda: decode_rows(rows, stream))


SETTINGS = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
