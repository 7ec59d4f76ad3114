"""Tables as text: the first row names the fields; an empty cell is missing.

Blocks in which all readers of CSV agree go through Arrow. From the first block on in which they might not (a quote
inside a cell, a carriage return alone, an endless cell …) Python's reader takes the rest of the file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode.arrow_values import Raw
from timeline_app.events.decode.chunks import Chunk, Row
from timeline_app.events.decode.content import Content
from timeline_app.events.decode.csv_blocks import Blocks, split_cells
from timeline_app.events.decode.csv_header import Header, UnclearCell
from timeline_app.events.decode.csv_layout import ANNOTATIONS, detect_layout
from timeline_app.events.decode.detection import HEAD_BYTES
from timeline_app.events.decode.encoding import Utf8Reader
from timeline_app.events.decode.errors import Notes
from timeline_app.events.validate import MAX_FIELDS, MAX_VALUE, LineProblem

_ROWS_PER_CHUNK = 1 << 16
_END_OF_DOS = "\x1a"
Cells = tuple[int, list[str] | LineProblem]
"""The line at which a row ends, and its cells, or the problem of the row."""


@dataclass(frozen=True)
class RowChunk:
    """Rows as Python's reader gives them, with the line at which each ends."""

    header: Header
    cells: list[Cells]
    done: int

    @cached_property
    def _table(self) -> list[list[str]]:
        """The rows that have a cell for each column."""
        width = self.header.width
        return [cells for _, cells in self.cells if isinstance(cells, list) and len(cells) == width]

    def __len__(self) -> int:
        """Return the number of events. Raises `ValueError` for rows of another length, or an endless row."""
        if len(self._table) != len(self.cells):
            raise ValueError("a row of another length")
        if self.cells and len(self.header.places) > MAX_FIELDS:
            raise ValueError("too many fields")
        return len(self.cells)

    def names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.header.places)

    def column(self, name: str) -> Raw:
        """Return the values of one field."""
        index = self.header.places.get(name)
        if index is None:
            return pa.nulls(len(self.cells))
        return self.header.column(
            name, pa.array([cells[index] or None for cells in self._table], pa.string())
        )

    def rows(self) -> Iterator[Row]:
        """Yield the events, by the line at which they end."""
        for line, cells in self.cells:
            yield line, self._event(line, cells)

    def _event(self, line: int, cells: list[str] | LineProblem) -> dict[str, Any] | LineProblem:
        if isinstance(cells, LineProblem):
            return cells
        if len(cells) != self.header.width:
            return self.header.describe_width(line, cells)
        try:
            return self.header.event(cells)
        except UnclearCell as why:
            return LineProblem(line, why.name, "unclear_number", str(why))

    def events(self, places: Iterable[int]) -> list[dict[str, Any]]:
        """Whole events, by their places."""
        return [self.header.event(self._table[index]) for index in places]


@dataclass(frozen=True)
class BlockChunk:
    """Whole rows as bytes, in which all readers of CSV agree; `before` lines come before it."""

    header: Header
    columns: list[str]
    block: bytes
    before: int
    done: int
    notes: Notes

    @cached_property
    def _cells(self) -> dict[str, pa.Array]:
        """Return the columns to read; none where rows must be read one by one."""
        places = {name: self.header.places[name] for name in self.columns if name in self.header.places}
        layout = self.header.layout
        if not places or len(self.header.places) > MAX_FIELDS:
            return {}
        try:
            table = split_cells(self.block, layout.separator, self.header.width, sorted(set(places.values())))
        except pa.ArrowInvalid:  # a row of another length
            return {}
        columns = {name: table[str(index)].combine_chunks() for name, index in places.items()}
        if layout.blanks:
            columns = {name: _strip_blanks(column) for name, column in columns.items()}
        return {} if _may_hold_others(columns) else columns

    @cached_property
    def _by_row(self) -> RowChunk:
        lines = io.StringIO(self.block.decode(), newline="")
        rows = parse_rows(lines, self.header, self.before, self.notes)
        return RowChunk(self.header, list(rows), self.done)

    def __len__(self) -> int:
        """Return the number of events. Raises `ValueError` for rows of another length."""
        return len(next(iter(self._cells.values()))) if self._cells else len(self._by_row)

    def names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.header.places)

    def column(self, name: str) -> Raw:
        """Return the values of one field."""
        if not self._cells:
            return self._by_row.column(name)
        return self.header.column(name, self._cells[name]) if name in self._cells else pa.nulls(len(self))

    def rows(self) -> Iterator[Row]:
        """Yield the events, by the line at which they end."""
        return self._by_row.rows()

    def events(self, places: Iterable[int]) -> list[dict[str, Any]]:
        """Whole events, by their places."""
        indices = list(places)
        lines = io.StringIO(self.block.decode(), newline="")
        rows = parse_rows(
            lines, self.header, self.before, self.notes
        )  # the first ones are asked for of each file
        return RowChunk(self.header, list(islice(rows, max(indices, default=-1) + 1)), self.done).events(
            indices
        )


class Csv:
    """A table as text, with any separator. With `whole`, events have all their fields."""

    format = "csv"

    def __init__(
        self,
        content: Content,
        declaration: StreamDeclaration | None,
        notes: Notes,
        *,
        whole: bool = False,
        single: bool = False,
        field_names: Collection[str] = (),
    ) -> None:
        """Raises `DecodeError` where there are no column names, or a wanted one is repeated.

        `single` allows a single column, since the content is known to be a table. Fields in `field_names` need no
        column.
        """
        self.content, self.notes, self.total, self.whole = content, notes, content.size, whole
        with content.open() as file:
            head = Utf8Reader(file, notes, western=True).read(HEAD_BYTES)
        layout = detect_layout(head, declaration, notes, single=single, field_names=field_names)
        self.header = Header(layout, declaration)
        self.header.refuse_repeated(None if whole else ())

    @property
    def why(self) -> str:
        """How the table was detected."""
        return f"line {self.header.layout.line} has the names of its columns"

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:
        """Chunks of some megabytes; raises `DecodeError` where it is no table, by line."""
        if names is not None:
            self.header.refuse_repeated(names)
        with self.content.open() as file:
            reader = Utf8Reader(file, self.notes, western=True)
            layout = self.header.layout
            head = reader.read(HEAD_BYTES)[layout.offset :]
            lines, blocks = layout.line, Blocks(reader, head, layout.separator)
            for block in blocks if names is not None else ():
                if block.strip(b"\r\n"):
                    yield BlockChunk(self.header, names or [], block, lines, reader.done, self.notes)
                lines += block.count(b"\n")
            yield from self._rows(reader, blocks.rest, lines)

    def _rows(self, reader: Utf8Reader, head: bytes, before: int) -> Iterator[RowChunk]:
        """Yield the rest of a file, row by row."""
        lines = io.TextIOWrapper(io.BufferedReader(_Joined(head, reader)), encoding="utf-8", newline="")
        cells: list[Cells] = []
        for row in parse_rows(lines, self.header, before, self.notes):
            cells.append(row)
            if len(cells) >= _ROWS_PER_CHUNK:
                yield RowChunk(self.header, cells, reader.done)
                cells = []
        yield RowChunk(self.header, cells, reader.done)


class _Joined(io.RawIOBase):
    """What was read already, and then what a reader gives."""

    def __init__(self, head: bytes, reader: Utf8Reader) -> None:
        self._held, self._reader = head, reader

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._held or self._reader.read(1 << 20)
        content_read, self._held = content[: len(buffer)], content[len(buffer) :]
        buffer[: len(content_read)] = content_read
        return len(content_read)


def parse_rows(lines: Iterable[str], header: Header, before: int, notes: Notes) -> Iterator[Cells]:
    """Yield rows with the line at which each ends; `before` lines precede them.

    Empty rows and repeated headers are skipped.
    """
    layout = header.layout
    reader = csv.reader(lines, delimiter=layout.separator, strict=True, skipinitialspace=layout.blanks)
    while True:
        begin = before + reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield begin, _describe_fault(error, begin, before + reader.line_num)
            continue
        line = before + reader.line_num
        if row and row[0].strip() == layout.names[0] and [cell.strip() for cell in row] == layout.names:
            notes.add(f"line {line} is the header again; it is skipped")
        elif row == [_END_OF_DOS]:
            continue
        elif row and row[0] in ANNOTATIONS:
            notes.add("rows of annotations (#group, #datatype, #default) are skipped")
        elif any(row):
            yield line, _strip_extra_separators(row, header.width)
        elif row:
            notes.add("rows without any value are skipped")


def _strip_extra_separators(row: list[str], width: int) -> list[str]:
    """Remove separators after the last cell."""
    return row[:width] if len(row) > width and not any(row[width:]) else row


def _describe_fault(error: csv.Error, first: int, last: int) -> LineProblem:
    lines = f"lines {first:,} to {last:,} are no row: " if last > first else ""
    if "field limit" in str(error):
        most = f"a cell has more than {csv.field_size_limit():,} characters; a value may have {MAX_VALUE:,}"
        words = f"{most}: is a quote not closed?"
        return LineProblem(first, None, "value_too_long", lines + words)
    words = f"not CSV: {error}; is a quote not closed, or not doubled?"
    return LineProblem(first, None, "bad_row", lines + words)


def _strip_blanks(cells: pa.Array) -> pa.Array:
    """Strip blanks after separators; a blank cell is missing."""
    trimmed = pc.utf8_ltrim(cells, " ")
    return pc.if_else(pc.equal(trimmed, ""), None, trimmed)


def _may_hold_others(columns: dict[str, pa.Array]) -> bool:
    """Return whether a row may be empty, or repeat the header."""
    name, cells = next(iter(columns.items()))
    occurs = pc.any(pc.equal(cells, name)).as_py()
    return bool(occurs) or (len(cells) > 0 and all(column.null_count for column in columns.values()))
