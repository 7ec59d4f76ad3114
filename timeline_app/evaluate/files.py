"""Reads events from files, or standard input, in every decodable format.

A file is read chunk by chunk, straight into the columns that a plan uses. Only where a chunk contains an invalid
event are its events read one by one, to report what is wrong in which line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import compress, islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import UNTIL
from timeline_app.algebra.kinds import Ints, Labels, Mask
from timeline_app.evaluate.progress import Progress
from timeline_app.evaluate.tables import EventTable, warn_of_misfits
from timeline_app.events import column_values
from timeline_app.events.chunk_columns import (
    list_names,
    list_names_of_lacking,
    read_column,
    read_keys,
    read_time_column,
    select_names_to_read,
)
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode import Chunk, Content, Notes, Source, open_events
from timeline_app.events.decode.arrow_values import Raw
from timeline_app.events.decode.rows_chunk import DecodedEvents
from timeline_app.events.mapped_columns import MappedChunk, MappedSource
from timeline_app.events.mapping import NO_MAPPING, FieldMapping
from timeline_app.events.paths import read_field
from timeline_app.events.time_warnings import look_at_times, warn_of_times
from timeline_app.events.validate import (
    MAX_EXAMPLES,
    MAX_PROBLEMS,
    BadEvents,
    EventBatch,
    LineProblem,
    Misfits,
    WrongEvent,
    format_canonical,
    spell,
)
from timeline_app.landing.log import get_column_type
from timeline_app.times.local_times import LocalTimes


def read_file(
    name: str, declaration: StreamDeclaration, fields: tuple[str, ...], mapping: FieldMapping = NO_MAPPING
) -> EventTable:
    """Every event of a file, with these fields; `-` is standard input. Raises `BadEvents` with every reason, by line.

    A value that does not fit its declared type counts as missing; the table's `warnings` say which.
    """
    notes = Notes()
    source = open_file(name, declaration, notes, mapping)
    schema = _build_schema(declaration, fields)
    names = select_names_to_read(declaration, fields)
    problems, batches, misfits = list[LineProblem](), list[pa.RecordBatch](), Misfits()
    left_out, size = [np.empty(0, dtype=np.int64)], 0
    ends = [declaration.until] if declaration.until else []
    expected = {*fields, *declaration.fields, *ends}.difference(declaration.always_read)
    lacking_names = set[str]()
    local_times = LocalTimes(declaration.time, declaration.unit, declaration.zone)
    with Progress(source.total) as progress:
        for chunk in source.chunks(names):
            try:
                batch, counts = _take(chunk, declaration, fields, schema)
            except ValueError:
                problems += _find_problems(chunk, declaration, MAX_PROBLEMS - len(problems))
                if len(problems) >= MAX_PROBLEMS:
                    break
                continue
            spanless = _find_spanless(chunk, batch, declaration, fields, misfits)
            if spanless is not None:
                left_out.append(np.flatnonzero(spanless) + size)
            size += batch.num_rows
            batches.append(batch if spanless is None else batch.filter(pa.array(~spanless)))
            look_at_times(read_time_column(chunk, declaration), local_times, chunk.rows)
            if counts:
                _count_misfits(chunk, declaration, counts, misfits)
            if not expected <= lacking_names:
                lacking_names.update(list_names(chunk, expected))
            elif isinstance(chunk.chunk if isinstance(chunk, MappedChunk) else chunk, DecodedEvents):
                lacking_names.update(list_names_of_lacking(chunk, batch))
            progress.show(chunk.done, batch.num_rows)
    if problems:
        raise BadEvents(problems)
    table = pa.Table.from_batches(batches, schema).unify_dictionaries().combine_chunks()
    doubts = warn_of_times(local_times, table["time"], declaration)
    warnings = (*warn_of_misfits(misfits, declaration, names), *doubts)
    return EventTable(
        declaration,
        fields,
        table,
        lambda rows: _read_texts(source, _locate_rows(rows, np.concatenate(left_out))),
        misfits.total,
        frozenset(lacking_names),
        warnings,
        notes.texts,
    )


def open_file(
    name: str, declaration: StreamDeclaration, notes: Notes, mapping: FieldMapping = NO_MAPPING
) -> Source:
    """Return the file of that name, `-` is standard input. Raises `OSError` or `ValueError` where it cannot be read."""
    content = Content.of_stdin() if name == "-" else Content.of_path(Path(name))
    source = open_events(content, mapping.decoded_as(declaration), notes)
    return MappedSource(source, mapping, declaration) if mapping else source


def _build_schema(declaration: StreamDeclaration, fields: tuple[str, ...]) -> pa.Schema:
    """Return `build_host_schema` without canonical texts, and with encoded keys and texts."""
    types = [get_column_type(declaration, name) for name in fields]
    columns = [
        (f"v{index}", column_values.NAMES if kind == pa.string() else kind)
        for index, kind in enumerate(types)
    ]
    identity = [("id", pa.string())] if declaration.id else []
    return pa.schema([("key", column_values.NAMES), ("time", pa.int64()), *identity, *columns])


def _take(
    chunk: Chunk, declaration: StreamDeclaration, fields: tuple[str, ...], schema: pa.Schema
) -> tuple[pa.RecordBatch, dict[str, int]]:
    """Return the columns of a chunk, and how many values of which fields were mistyped.

    Raises `ValueError` where an event is refused.
    """
    size = len(chunk)
    columns = [
        read_keys(chunk, declaration),
        column_values.read_times(read_time_column(chunk, declaration), declaration),
    ]

    def read_field(name: str) -> Raw:
        return pa.nulls(size) if name in (declaration.key, declaration.time) else read_column(chunk, name)

    def read(name: str) -> tuple[pa.Array, int]:
        if name in declaration.always_read:
            return column_values.read_ends(read_column(chunk, declaration.until or ""), declaration), 0
        return column_values.read_field(read_field(name), declaration.kind_of(name))

    named = [(name, *read(name)) for name in fields]
    if declaration.id:
        named.insert(0, (declaration.id, *column_values.read_ids(read_field(declaration.id), declaration)))
    columns += [column for _, column, _ in named]
    return pa.record_batch(columns, schema), {name: mistyped for name, _, mistyped in named if mistyped}


def _locate_rows(rows: Ints, left_out: Ints) -> Ints:
    """Return the indexes in the file of the table's rows; the table lacks the rows `left_out`."""
    before = left_out - np.arange(len(left_out))
    return rows + np.searchsorted(before, rows, side="right")


def _find_spanless(
    chunk: Chunk,
    batch: pa.RecordBatch,
    declaration: StreamDeclaration,
    fields: tuple[str, ...],
    misfits: Misfits,
) -> Mask | None:
    """Return which rows of a chunk end no later than they begin, and count as misfits; None for no row."""
    name = declaration.until
    if name is None or UNTIL not in fields:
        return None
    ends = batch.column(f"v{fields.index(UNTIL)}")
    late = pc.fill_null(pc.less_equal(ends, batch.column("time")), False)
    spanless: Mask = late.to_numpy(zero_copy_only=False)
    if not spanless.any():
        return None
    misfits.counts[UNTIL] = misfits.counts.get(UNTIL, 0) + int(spanless.sum())
    if len(misfits.examples.get(UNTIL, ())) < MAX_EXAMPLES:
        rows = compress(chunk.rows(), spanless)
        for line, event in islice(rows, MAX_EXAMPLES):
            assert isinstance(event, dict), "a chunk was taken that holds what is no event"
            misfits.show(UNTIL, line, read_field(event, name))
    return spanless


def _count_misfits(
    chunk: Chunk, declaration: StreamDeclaration, counts: Mapping[str, int], misfits: Misfits
) -> None:
    """Count the mistyped values of a chunk, and show the first ones by line."""
    names = set[str]()
    for name, count in counts.items():
        names |= {name} if misfits.counts.get(name, 0) < MAX_EXAMPLES else set()
        misfits.counts[name] = misfits.counts.get(name, 0) + count
    for line, event in chunk.rows() if names else ():
        assert isinstance(event, dict), "a chunk was taken that holds what is no event"
        for name in names:
            value = read_field(event, name)
            if value is not None and spell(value, declaration.kind_of(name)) is None:
                misfits.show(name, line, value)
        names = {
            name
            for name in names
            if len(misfits.examples.get(name, ())) < min(MAX_EXAMPLES, misfits.counts[name])
        }
        if not names:
            return


def _find_problems(chunk: Chunk, declaration: StreamDeclaration, most: int) -> list[LineProblem]:
    """Return the problems of a chunk's events, line by line."""
    problems = list[LineProblem]()
    for line, event in chunk.rows():
        try:
            if isinstance(event, LineProblem):
                problems.append(event)
            else:
                EventBatch(declaration).add(event, strict=False)
        except WrongEvent as error:
            problems.append(LineProblem(line, error.name, error.code, str(error)))
        if len(problems) >= most:
            break
    assert problems, "a chunk was not taken, but nothing is wrong with its events"
    return problems


def _read_texts(source: Source, rows: Ints) -> Labels:
    """Return the canonical JSON texts of some rows, which are read once more."""
    order = np.argsort(rows)
    labels = np.empty(len(rows), dtype=object)
    labels[order] = list(_read_in_order(source, rows[order]))
    return labels


def _read_in_order(source: Source, rows: Ints) -> Iterator[str]:
    """Yield the texts of ascending rows."""
    start = first_row = 0
    for chunk in source.chunks() if len(rows) else ():
        stop = start + len(chunk)
        until = int(np.searchsorted(rows, stop))
        if until > first_row:
            yield from map(format_canonical, chunk.events((rows[first_row:until] - start).tolist()))
        start, first_row = stop, until
        if first_row == len(rows):
            return
