"""A sample of events, as bytes of an unknown format."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import orjson

from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode import (
    Content,
    DecodeError,
    Notes,
    Source,
    TooLarge,
    list_whole_chunks,
    open_events,
)
from timeline_app.events.decode.csv_numbers import UnclearNumber, parse_number
from timeline_app.events.decode.csv_rows import Csv
from timeline_app.events.decode.csv_units import strip_unit
from timeline_app.events.decode.unpacked import Unpacked
from timeline_app.events.mapping import NO_MAPPING, FieldMapping
from timeline_app.events.validate import MAX_FIELDS, BadEvents, LineProblem, WrongEvent, describe_no_object

MAX_SAMPLE_ROWS = 200_000
COMPARED_EVENTS = 3
"""The number of events shown before and after their mapping."""
_SHOWN_CHARS = 1_000
MAX_SAMPLE_BYTES = 64 * 2**20
"""Larger unpacked samples are refused."""
_NAME = re.compile(r"[+-]?0[0-9]{1,300}")


@dataclass(frozen=True, slots=True)
class Row:
    """One event of a sample, or its problem; `text` is its spelling, as far as it is shown."""

    line: int
    event: dict[str, Any] | None
    problem: LineProblem | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """Events in their original order; with `cells` all values are texts, as in CSV.

    `decimal` and `separator` describe numbers in cells (see `parse_number`), `units` what follows them.
    """

    format: str
    why: str
    rows: tuple[Row, ...]
    body: bytes
    cells: bool = False
    decimal: str = ""
    separator: str = ","
    units: Mapping[str, str] = field(default_factory=dict)
    mapping: FieldMapping = NO_MAPPING
    before: tuple[dict[str, Any], ...] = ()
    """The first events before their fields were mapped."""

    @property
    def events(self) -> list[dict[str, Any]]:
        """The rows that are events."""
        return [row.event for row in self.rows if row.event is not None]

    def rows_as(self, declaration: StreamDeclaration) -> tuple[Row, ...]:
        """Return the rows as every other reader of this stream decodes them. Raises `DecodeError`."""
        if not self.cells:
            return self.rows
        source = _open(self.body, self.mapping.decoded_as(declaration))
        return tuple(
            _map_row(row, self.mapping) for row in _list_rows(source, self.body, declaration.encoding)
        )

    def number(self, text: str, name: str) -> float | None:
        """Return the number that a cell of a column spells, if that is what it is: 007 names something."""
        text = strip_unit(text, self.units[name]) if name in self.units else text
        try:
            number = (
                None if _NAME.fullmatch(text.strip()) else parse_number(text, self.decimal, self.separator)
            )
        except UnclearNumber:
            return None
        return number if number is not None and math.isfinite(number) else None


def format_value(value: Any) -> str:
    """Format a value for people; a deeply nested one only by its beginning."""
    try:
        return value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    except TypeError:
        return "[…" if isinstance(value, list) else "{…"


def read_sample(body: bytes, mapping: FieldMapping = NO_MAPPING, encoding: str | None = None) -> Sample:
    """Return every event of a sample, its fields mapped. Raises `DecodeError` where there is none."""
    notes = Notes()
    source = _open(body, None, notes, encoding)
    read = tuple(_list_rows(source, body, encoding))
    if not read:
        raise DecodeError("empty", "There are no events in it.", "Add some.")
    why = "; ".join([source.why, *notes.texts])
    before = tuple(islice((row.event for row in read if row.event is not None), COMPARED_EVENTS))
    rows = tuple(_map_row(row, mapping) for row in read)
    if not isinstance(source, Csv):
        return Sample(source.format, why, rows, body, mapping=mapping, before=before)
    layout = source.header.layout
    if len(layout.names) > MAX_FIELDS:
        words = f"The first row has {len(layout.names):,} cells; an event may have {MAX_FIELDS} fields."
        raise DecodeError("too_many_fields", words, "Leave some columns out.", layout.line)
    return Sample(
        source.format, why, rows, body, True, layout.decimal, layout.separator, layout.units, mapping, before
    )


def _map_row(row: Row, mapping: FieldMapping) -> Row:
    """A row with the fields of its event mapped; where one cannot be cast, with the text that is to be corrected."""
    if not mapping or row.event is None:
        return row
    event = mapping.rename_fields(row.event)
    try:
        mapping.cast_fields(event)
    except WrongEvent as why:
        problem = LineProblem(row.line, why.name, why.code, str(why))
        return Row(row.line, None, problem, format_value(event)[:_SHOWN_CHARS])
    return Row(row.line, event)


def _open(
    body: bytes,
    declaration: StreamDeclaration | None,
    notes: Notes | None = None,
    encoding: str | None = None,
) -> Source:
    content = Content.of_bytes(body)
    try:
        return open_events(
            content,
            declaration,
            notes or Notes(),
            max_bytes=MAX_SAMPLE_BYTES,
            whole=True,
            encoding=encoding,
        )
    except BadEvents as bad:
        first = bad.problems[0]
        raise DecodeError(
            first.code, f"{first.message}.", "Mend it, or send another sample.", first.line
        ) from None


def _list_rows(source: Source, body: bytes, encoding: str | None) -> Iterator[Row]:
    lines = _Lines(body, encoding)
    size = 0
    try:
        for chunk in list_whole_chunks(source, Unpacked(MAX_SAMPLE_ROWS, MAX_SAMPLE_BYTES)):
            for line, event in chunk.rows():
                size += 1
                if size > MAX_SAMPLE_ROWS:
                    words = f"More than {MAX_SAMPLE_ROWS:,} rows are more than a sample may have."
                    raise TooLarge("too_much", words, f"At most {MAX_SAMPLE_ROWS:,} rows are looked at.")
                yield _build_row(line, event, "" if source.format not in _BY_LINE else lines.text_of(line))
    except BadEvents as bad:
        first = bad.problems[0]
        raise DecodeError(first.code, f"{first.message}.", "Leave some out.", first.line) from None


_BY_LINE = ("json_lines", "csv")


class _Lines:
    """The lines of the input, to show those that are refused."""

    def __init__(self, body: bytes, encoding: str | None) -> None:
        self._encoding = encoding or "utf-8"
        self._lines = body.split(b"\n") if b"\0" not in body[:1_000] else []

    def text_of(self, line: int) -> str:
        """Return the line with this number, shortened."""
        if line > len(self._lines):
            return ""
        return self._lines[line - 1][:4_000].decode(self._encoding, "replace").strip()[:_SHOWN_CHARS]


def _build_row(line: int, event: Any, text: str) -> Row:
    if isinstance(event, dict):
        return Row(line, event)
    if isinstance(event, LineProblem):
        return Row(line, None, event, text)
    problem = LineProblem(line, None, "not_an_object", describe_no_object(event))
    return Row(line, None, problem, format_value(event)[:_SHOWN_CHARS])
