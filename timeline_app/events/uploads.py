"""Reads whole events from a file for storage: every field, whatever plans use."""

from __future__ import annotations

from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode import Content, Notes, list_whole_chunks, open_events
from timeline_app.events.decode.unpacked import MAX_UNPACKED_BYTES, Unpacked
from timeline_app.events.mapped_columns import map_row
from timeline_app.events.mapping import NO_MAPPING, FieldMapping
from timeline_app.events.validate import MAX_PROBLEMS, BadEvents, EventBatch, LineProblem, WrongEvent


class TooMany(ValueError):
    """There are more events than can be taken."""


def read_whole(
    body: bytes,
    declaration: StreamDeclaration,
    most: int,
    notes: Notes,
    mapping: FieldMapping = NO_MAPPING,
) -> EventBatch:
    """Return the events of a file of any format, as `evaluate` reads them; `notes` record how it was decoded.

    Raises `BadEvents` with every reason by line, `DecodeError` where nothing can be read, and `TooMany`.
    """
    batch, problems = EventBatch(declaration), list[LineProblem]()
    content = Content.of_bytes(body)
    decoded = mapping.decoded_as(declaration)
    source = open_events(content, decoded, notes, max_bytes=MAX_UNPACKED_BYTES, whole=True)
    lenient = mapping.select_lenient(declaration)
    for chunk in list_whole_chunks(source, Unpacked(most)):
        for line, event in (map_row(row, mapping, lenient) for row in chunk.rows()):
            add(batch, event, line, problems)
            if batch.size > most:
                raise TooMany(f"more than {most:,} events")
            if len(problems) >= MAX_PROBLEMS:
                raise BadEvents(problems)
    if problems:
        raise BadEvents(problems)
    return batch


def add(batch: EventBatch, event: object, line: int, problems: list[LineProblem]) -> None:
    """Add one event, or record its problem; a mistyped value counts as missing."""
    if isinstance(event, LineProblem):
        problems.append(event)
        return
    try:
        batch.add(event, strict=False, line=line)
    except WrongEvent as error:
        problems.append(LineProblem(line, error.name, error.code, str(error)))
