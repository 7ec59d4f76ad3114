"""Reading events from files: JSON lines, CSV, Parquet, or standard input (JSON lines).

A file is read chunk by chunk, straight into the columns that a plan looks at. Only where something in a chunk cannot
be taken its events are looked at one by one, to say what and in which line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import Ints, Kind, Labels
from timeline_app.local import values
from timeline_app.local.chunks import Chunk, Source
from timeline_app.local.csv_rows import Csv
from timeline_app.local.json_lines import JsonLines, Pipe
from timeline_app.local.parquet import Parquet
from timeline_app.local.progress import Progress
from timeline_app.local.tables import EventTable
from timeline_app.plan.events import (
    MAX_PROBLEMS,
    BadEvents,
    EventBatch,
    LineProblem,
    WrongEvent,
    canonical_text,
)
from timeline_app.plan.stream import StreamDeclaration
from timeline_app.storage.landing import arrow_type


def read_file(name: str, declaration: StreamDeclaration, fields: tuple[str, ...]) -> EventTable:
    """Every event of a file, with these fields; `-` is standard input. Raises `BadEvents` with every reason, by line.

    A value that does not fit its declared type counts as missing, and is counted in `mistyped`.
    """
    source = source_of(name, declaration)
    schema = _schema(declaration, fields)
    names = [declaration.key, declaration.time, *([declaration.id] if declaration.id else []), *fields]
    problems, taken, mistyped = list[LineProblem](), list[pa.RecordBatch](), 0
    with Progress(source.total) as progress:
        for chunk in source.chunks(names):
            try:
                batch, odd = _take(chunk, declaration, fields, schema)
            except ValueError:
                problems += _problems(chunk, declaration, MAX_PROBLEMS - len(problems))
                if len(problems) >= MAX_PROBLEMS:
                    break
                continue
            taken.append(batch)
            mistyped += odd
            progress.show(chunk.done, batch.num_rows)
    if problems:
        raise BadEvents(problems)
    table = pa.Table.from_batches(taken, schema).unify_dictionaries().combine_chunks()
    return EventTable(declaration, fields, table, lambda rows: _texts(source, rows), mistyped)


def source_of(name: str, declaration: StreamDeclaration) -> Source:
    """The file of that name, by its ending; raises `OSError` or `ValueError` where it cannot be read."""
    if name == "-":
        return Pipe(None, keep=declaration.id is not None)
    ending = name.lower()
    if ending.endswith((".parquet", ".pq")):
        return Parquet(Path(name), declaration.id)
    if ending.endswith(".csv"):
        return Csv(Path(name), declaration)
    return (
        Pipe(Path(name), keep=declaration.id is not None) if _is_pipe(Path(name)) else JsonLines(Path(name))
    )


def _is_pipe(path: Path) -> bool:
    """Whether it can be read only once."""
    return path.is_fifo() or path.is_char_device()


def _schema(declaration: StreamDeclaration, fields: tuple[str, ...]) -> pa.Schema:
    """As `host_schema`, without canonical texts, keys and texts encoded."""
    kinds = [declaration.kind_of(name) for name in fields]
    columns = [
        (f"v{place}", values.NAMES if kind is Kind.TEXT else arrow_type(kind))
        for place, kind in enumerate(kinds)
    ]
    identity = [("id", pa.string())] if declaration.id else []
    return pa.schema([("key", values.NAMES), ("time", pa.int64()), *identity, *columns])


def _take(
    chunk: Chunk, declaration: StreamDeclaration, fields: tuple[str, ...], schema: pa.Schema
) -> tuple[pa.RecordBatch, int]:
    """The columns of a chunk, and how many values were mistyped; raises `ValueError` where an event is refused."""
    size = len(chunk)
    columns = [
        values.keys(chunk.column(declaration.key), declaration.key),
        values.times(chunk.column(declaration.time), declaration),
    ]

    def given(name: str) -> values.Raw:
        return pa.nulls(size) if name in (declaration.key, declaration.time) else chunk.column(name)

    typed = [values.identity(given(declaration.id), declaration)] if declaration.id else []
    typed += [values.field(given(name), declaration.kind_of(name)) for name in fields]
    columns += [column for column, _ in typed]
    return pa.record_batch(columns, schema), sum(mistyped for _, mistyped in typed)


def _problems(chunk: Chunk, declaration: StreamDeclaration, most: int) -> list[LineProblem]:
    """What is wrong with the events of a chunk, line by line."""
    found = list[LineProblem]()
    for line, event in chunk.rows():
        try:
            if isinstance(event, LineProblem):
                found.append(event)
            else:
                EventBatch(declaration).add(event, strict=False)
        except WrongEvent as wrong:
            found.append(LineProblem(line, wrong.name, wrong.code, str(wrong)))
        if len(found) >= most:
            break
    assert found, "a chunk was not taken, but nothing is wrong with its events"
    return found


def _texts(source: Source, rows: Ints) -> Labels:
    """The canonical JSON texts of some rows, which are read once more."""
    order = np.argsort(rows)
    found = np.empty(len(rows), dtype=object)
    found[order] = list(_in_order(source, rows[order]))
    return found


def _in_order(source: Source, rows: Ints) -> Iterator[str]:
    """The same of ascending rows."""
    start = place = 0
    for chunk in source.chunks() if len(rows) else ():
        stop = start + len(chunk)
        until = int(np.searchsorted(rows, stop))
        if until > place:
            yield from map(canonical_text, chunk.events((rows[place:until] - start).tolist()))
        start, place = stop, until
        if place == len(rows):
            return
