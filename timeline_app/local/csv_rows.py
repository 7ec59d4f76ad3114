"""CSV files: the first row names the fields; an empty cell is missing.

Blocks in which all readers of CSV agree go through Arrow. From the first block on in which they might not (a quote
inside a cell, a carriage return alone, an endless cell …) Python's reader takes the rest of the file.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import Kind
from timeline_app.local.chunks import Chunk, Row
from timeline_app.local.csv_blocks import blocks, cells_of
from timeline_app.local.values import Raw
from timeline_app.plan.events import MAX_FIELDS, LineProblem
from timeline_app.plan.stream import StreamDeclaration

_ROWS = 1 << 16
_MARK = b"\xef\xbb\xbf"
_TRUTH = {"true": True, "false": False}
_WHOLE = re.compile(r"-?[0-9]{1,300}")
_NUMBER = r"^-?[0-9]{1,300}(\.[0-9]{1,300})?$"


@dataclass(frozen=True, slots=True)
class Header:
    """The names of the fields, and what the stream declares them to be."""

    names: list[str]
    declaration: StreamDeclaration

    def event(self, cells: list[str]) -> dict[str, Any]:
        """A row as an event."""
        return {name: self._typed(name, cell) for name, cell in zip(self.names, cells, strict=True)}

    def _typed(self, name: str, text: str) -> Any:
        """A cell as its declared type; an empty one is missing, one that does not fit stays text (and is mistyped)."""
        if text == "":
            return None
        kind = self.declaration.kind_of(name)
        if kind is Kind.BOOL:
            return _TRUTH.get(text.strip().lower(), text)
        if kind is Kind.NUMBER:
            try:
                return int(text) if name == self.declaration.id and _WHOLE.fullmatch(text) else float(text)
            except ValueError:
                return text
        return text

    def column(self, name: str, cells: pa.Array) -> Raw:
        """A column of cells as a whole: what `event` says of each."""
        kind = self.declaration.kind_of(name)
        if kind is Kind.TEXT:
            return cells
        if (
            kind is Kind.NUMBER
            and name != self.declaration.id
            and pc.all(pc.match_substring_regex(cells, _NUMBER)).as_py() is not False
        ):
            return pc.cast(cells, pa.float64())
        encoded = cells.dictionary_encode()
        typed = [self._typed(name, text) for text in encoded.dictionary.to_pylist()]
        return [None if place is None else typed[place] for place in encoded.indices.to_pylist()]

    def problem(self, line: int) -> LineProblem:
        """A row of another length."""
        message = f"not as many values as the header has names ({len(self.names)})"
        return LineProblem(line, None, "bad_row", message)


@dataclass(frozen=True)
class RowChunk:
    """Rows as Python's reader gives them, with the line at which each ends."""

    header: Header
    cells: list[tuple[int, list[str]]]
    done: int

    def __len__(self) -> int:
        """How many events; raises `ValueError` where rows are of another length, or endless."""
        width = len(self.header.names)
        if any(len(cells) != width for _, cells in self.cells):
            raise ValueError("a row of another length")
        if self.cells and len(set(self.header.names)) > MAX_FIELDS:
            raise ValueError("too many fields")
        return len(self.cells)

    def names(self) -> list[str]:
        """The names of the header."""
        return self.header.names

    def column(self, name: str) -> Raw:
        """The values of one field."""
        if name not in self.header.names:
            return pa.nulls(len(self.cells))
        place = _last(self.header.names, name)
        found = [cells[place] or None for _, cells in self.cells]
        return self.header.column(name, pa.array(found, pa.string()))

    def rows(self) -> Iterator[Row]:
        """The events, by the line at which they end."""
        width = len(self.header.names)
        for line, cells in self.cells:
            yield line, self.header.event(cells) if len(cells) == width else self.header.problem(line)

    def events(self, places: Iterable[int]) -> list[dict[str, Any]]:
        """Whole events, by their places."""
        return [self.header.event(self.cells[place][1]) for place in places]


@dataclass(frozen=True)
class BlockChunk:
    """Whole rows as bytes, in which all readers of CSV agree; `before` lines come before it."""

    header: Header
    wanted: list[str]
    block: bytes
    before: int
    done: int

    @cached_property
    def _cells(self) -> dict[str, pa.Array]:
        places = {name: _last(self.header.names, name) for name in self.wanted if name in self.header.names}
        table = cells_of(self.block, len(self.header.names), sorted(set(places.values())))
        return {name: table[str(place)].combine_chunks() for name, place in places.items()}

    @cached_property
    def _by_row(self) -> RowChunk:
        reader = csv.reader(io.StringIO(self.block.decode(), newline=""))
        return RowChunk(
            self.header, [(self.before + reader.line_num, row) for row in reader if row], self.done
        )

    def __len__(self) -> int:
        """How many events; raises `ValueError` where rows are of another length."""
        if not self._cells or len(set(self.header.names)) > MAX_FIELDS:
            return len(self._by_row)
        return len(next(iter(self._cells.values())))

    def names(self) -> list[str]:
        """The names of the header."""
        return self.header.names

    def column(self, name: str) -> Raw:
        """The values of one field."""
        if name not in self._cells:
            return pa.nulls(len(self))
        return self.header.column(name, self._cells[name])

    def rows(self) -> Iterator[Row]:
        """The events, by the line at which they end."""
        return self._by_row.rows()

    def events(self, places: Iterable[int]) -> list[dict[str, Any]]:
        """Whole events, by their places."""
        return self._by_row.events(places)


class Csv:
    """A CSV file in UTF-8, with a byte order mark or without."""

    def __init__(self, path: Path, declaration: StreamDeclaration) -> None:
        """Raises `OSError` where it cannot be read."""
        self.path, self.declaration, self.total = path, declaration, path.stat().st_size

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:
        """Chunks of some megabytes; raises `ValueError` where it is no CSV, by line, or not in UTF-8."""
        with self.path.open("rb") as file:
            start = len(_MARK) if file.read(len(_MARK)) == _MARK else 0
            file.seek(start)
            first, lines = _header(file)
            if first is None:
                return
            header = Header(first, self.declaration)
            offset = _after_header(file, start, lines)
            if offset is not None and names is not None:
                for block in blocks(file, offset):
                    if block.strip(b"\r\n"):
                        yield BlockChunk(header, names, block, lines, offset + len(block))
                    lines, offset = lines + block.count(b"\n"), offset + len(block)
                file.seek(offset)
                yield from _rows(file, header, lines)
            else:
                file.seek(start)
                yield from _rows(file, header, 0, skip=1)


def _header(file: IO[bytes]) -> tuple[list[str] | None, int]:
    """The first row and how many lines it fills."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    reader = csv.reader(text, strict=True)
    try:
        return next(reader, None), reader.line_num
    finally:
        text.detach()


def _after_header(file: IO[bytes], start: int, lines: int) -> int | None:
    """Where the second row begins; None where that is not plain to see."""
    file.seek(start)
    line = file.readline()
    return start + len(line) if lines == 1 and b"\r" not in line.removesuffix(b"\r\n") else None


def _rows(file: IO[bytes], header: Header, before: int, skip: int = 0) -> Iterator[RowChunk]:
    """The rest of a file, row by row; blank lines are no events."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    reader = csv.reader(text, strict=True)
    cells: list[tuple[int, list[str]]] = []
    begin = 1
    try:
        for place, row in enumerate(reader):
            begin = reader.line_num + 1
            if place >= skip and row:
                cells.append((before + reader.line_num, row))
            if len(cells) >= _ROWS:
                yield RowChunk(header, cells, file.tell())
                cells = []
    except csv.Error as wrong:
        yield RowChunk(header, cells, file.tell())
        raise ValueError(f"line {before + begin}: not CSV: {wrong}") from None
    finally:
        text.detach()
    yield RowChunk(header, cells, file.tell())


def _last(names: list[str], name: str) -> int:
    return len(names) - 1 - names[::-1].index(name)
