"""Whole events from a file, to be kept: every field, whatever a plan looks at."""

from __future__ import annotations

from timeline_app.local.files import source_of
from timeline_app.local.parquet import Parquet
from timeline_app.local.unpacked import Unpacked
from timeline_app.plan.events import MAX_PROBLEMS, BadEvents, EventBatch, LineProblem, WrongEvent
from timeline_app.plan.stream import StreamDeclaration


class TooMany(ValueError):
    """There are more events than can be taken."""


def read_whole(name: str, declaration: StreamDeclaration, most: int) -> EventBatch:
    """The events of a file (JSON lines, CSV or Parquet by its ending), as `evaluate` reads them.

    Raises `BadEvents` with every reason by line, `ValueError` where the file is none of them, `TooMany`, and `TooLarge`
    where what is packed unpacks to too much.
    """
    batch, problems = EventBatch(declaration), list[LineProblem]()
    source = source_of(name, declaration)
    for chunk in source.whole_chunks(Unpacked(most)) if isinstance(source, Parquet) else source.chunks():
        for line, event in chunk.rows():
            if isinstance(event, LineProblem):
                problems.append(event)
            else:
                add(batch, event, line, problems)
            if batch.size > most:
                raise TooMany(f"more than {most:,} events")
            if len(problems) >= MAX_PROBLEMS:
                raise BadEvents(problems)
    if problems:
        raise BadEvents(problems)
    return batch


def add(batch: EventBatch, event: object, line: int, problems: list[LineProblem]) -> None:
    """Take one event, or note what is wrong with it; a mistyped value counts as missing."""
    try:
        batch.add(event, strict=False, line=line)
    except WrongEvent as wrong:
        problems.append(LineProblem(line, wrong.name, wrong.code, str(wrong)))
