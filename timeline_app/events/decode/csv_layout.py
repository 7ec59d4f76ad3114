"""How a table is laid out: what separates its columns, where the names stand, how numbers are written."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from timeline_app.algebra.kinds import Kind
from timeline_app.events.declaration import StreamDeclaration, split_key
from timeline_app.events.decode.csv_numbers import (
    UnclearNumber,
    decide_decimal,
    find_unclear_point,
    parse_number,
)
from timeline_app.events.decode.csv_units import find_unit, strip_unit
from timeline_app.events.decode.errors import DecodeError, Notes
from timeline_app.problems.problem import suggest_nearest

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_EXAMINED_ROWS = 1_000
ANNOTATIONS = ("#group", "#datatype", "#default")
"""The first cells of the rows in which InfluxDB describes its columns."""
_UNSEEN = "\ufeff\u200b\u200c\u200d\u2060" + " \t\r\n\v\f\u00a0\u202f"
"""Removed around the names of columns."""
_MAX_PREAMBLE_ROWS = 30
"""The names stand in one of the first rows."""
Rows = list[tuple[int, list[str]]]


@dataclass(frozen=True, slots=True)
class Layout:
    """The names of the columns (empty for one without a name), stripped; `written` is how they stand there.

    `line` and `offset`: where they end; `blanks` stand behind every separator; for `decimal` see `decide_decimal`, for
    `units` of columns `find_unit`.
    """

    names: list[str]
    written: str
    separator: str
    line: int
    offset: int
    blanks: bool
    decimal: str
    units: Mapping[str, str]


def detect_layout(
    head: bytes,
    declaration: StreamDeclaration | None,
    notes: Notes,
    *,
    single: bool = False,
    field_names: Collection[str] = (),
) -> Layout:
    """Return the layout of a table that begins so. Raises `DecodeError` where it has no names."""
    required = [name for name in list_required(declaration) if name not in field_names] if declaration else []
    text = head.decode(errors="ignore")
    lines = list(io.StringIO(text, newline=""))
    declared_separator = _read_separator_line(lines)
    candidates = [declared_separator] if declared_separator else list(SEPARATORS)
    tables = {
        sep: _parse_rows(lines[bool(declared_separator) :], sep, int(bool(declared_separator)))
        for sep in candidates
    }
    separator, row = _find_names(tables, required, single=single)
    table = tables[separator]
    line, cells = table[row]
    names = [_strip_name(cell) for cell in cells]
    if names[0].startswith("#") and names[0][1:].strip():
        names[0] = names[0][1:].strip()
    _describe(separator, line, bool(declared_separator), notes)
    offset = len("".join(lines[:line]).encode())
    written = lines[line - 1].rstrip("\r\n")
    blanks = len(cells) > 1 and all(cell.startswith(" ") for cell in written.split(separator)[1:])
    rows = table[row + 1 :]
    units = _find_units(rows, names, declaration, notes)
    numbers = list(_select_numbers(rows, names, declaration, units))
    _describe_cells(rows, numbers, separator, notes)
    decimal = decide_decimal(numbers, separator)
    return Layout(names, written, separator, line, offset, blanks, decimal, units)


def is_table(head: bytes, declaration: StreamDeclaration) -> bool:
    """Return whether text begins with a row that has the names which the stream declares."""
    lines = list(io.StringIO(head.decode(errors="ignore"), newline=""))
    tables = {separator: _parse_rows(lines, separator, 0) for separator in SEPARATORS}
    return (
        not head.lstrip().startswith(b"{") and _find_declared(tables, list_required(declaration)) is not None
    )


def list_required(declaration: StreamDeclaration) -> list[str]:
    """Return the columns without which no row is an event."""
    return [*split_key(declaration.key), *declaration.time_fields]


def _describe(separator: str, line: int, is_declared: bool, notes: Notes) -> None:
    if separator != ",":
        notes.add(f"the columns are separated by {SEPARATORS.get(separator, repr(separator))}")
    if line > 1 + is_declared:
        notes.add(f"the names stand in line {line}; what comes before it is skipped")


def _describe_cells(rows: Rows, numbers: list[str], separator: str, notes: Notes) -> None:
    """What cells may mean beside what they are read as."""
    if separator != "," and (point := find_unclear_point(numbers)) is not None:
        notes.add(
            f"numbers such as {point} are read with a decimal point; no other shows if it marks thousands"
        )
    formulas = (cell for _, row in rows for cell in row if cell.startswith('="') and cell.endswith('"'))
    if (formula := next(formulas, None)) is not None:
        notes.add(f"cells such as {formula[:40]} are formulas of a spreadsheet; they are kept as they stand")


def _read_separator_line(lines: list[str]) -> str:
    """Return what Excel's line `sep=;` says."""
    first = lines[0].strip('\r\n"') if lines else ""
    return first[4:] if first.lower().startswith("sep=") and len(first) == 5 else ""


def _parse_rows(lines: list[str], separator: str, before: int) -> Rows:
    """Return the first rows that are not blank, each with the line at which it ends."""
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True)
    rows: Rows = []
    try:
        for row in reader:
            if row:
                rows.append((before + reader.line_num, row))
            if len(rows) >= _EXAMINED_ROWS:
                break
    except csv.Error:  # the rows are read once more, and the wrong one is reported then
        pass
    return rows


def _find_names(tables: dict[str, Rows], required: list[str], *, single: bool) -> tuple[str, int]:
    """Return the separator, and which row has the names."""
    if required and (best := _find_declared(tables, required)) is not None:
        return best
    separator = _guess_separator(tables, single=single)
    table = tables[separator]
    row = _find_first_row(table)
    if required:
        raise _describe_absence(table[row], required)
    if not _are_names(table[row][1]):
        raise _describe_headless(table[row])
    return separator, row


def _find_first_row(table: Rows) -> int:
    """Return the first row with cells in most columns: before it stand titles and comments."""
    width = max(len(row) for _, row in table[:_MAX_PREAMBLE_ROWS])
    wide = [index for index, (_, row) in enumerate(table) if len(row) > width // 2 and not _is_comment(row)]
    filled = (index for index in wide if sum(map(bool, map(str.strip, table[index][1]))) > width // 2)
    return next(filled, wide[0])


def _find_declared(tables: dict[str, Rows], required: list[str]) -> tuple[str, int] | None:
    ranked = [
        (row_index, -len(row), separator)
        for separator, table in tables.items()
        for row_index, (_, row) in enumerate(table[:_MAX_PREAMBLE_ROWS])
        if set(required) <= {_strip_name(cell).removeprefix("#").strip() for cell in row}
    ]
    return (min(ranked)[2], min(ranked)[0]) if ranked else None


def _guess_separator(tables: dict[str, Rows], *, single: bool) -> str:
    """Return what separates the first line into most cells, and the next ones alike."""
    widths = {
        sep: [len(row) for _, row in table[:20] if not _is_comment(row)] for sep, table in tables.items()
    }
    if not any(widths.values()):
        raise DecodeError("empty", "There are no events in it.", "Send some.")
    best = max(widths, key=lambda sep: _rank(widths[sep]))
    if max(widths[best]) < 2 and not single:
        first = next(row for _, row in tables[best] if row)[0]
        words = f"This is neither JSON nor a table: nothing separates the first line, {first[:40]!r}."
        raise DecodeError("no_format", words, "Send JSON lines, CSV with a first row of names, or Parquet.")
    return best


def _rank(widths: list[int]) -> tuple[bool, int, int]:
    most = max(set(widths), key=lambda width: (widths.count(width), width), default=0)
    return most > 1, widths.count(most), most


def _is_comment(row: list[str]) -> bool:
    return row[0] in ANNOTATIONS or (row[0].lstrip().startswith("#") and len(row) < 2)


def _are_names(row: list[str]) -> bool:
    named = [cell.strip() for cell in row]
    return not any(_is_number(cell) for cell in named) and any(named)


def _is_number(cell: str) -> bool:
    try:
        return parse_number(cell, "", ";") is not None
    except UnclearNumber:
        return True


def _describe_headless(first: tuple[int, list[str]]) -> DecodeError:
    line, row = first
    words = f"There are no names of columns: {', '.join(row)[:80]!r} are values."
    return DecodeError("no_header", words, "Write a first row with the names.", line)


def _describe_absence(first: tuple[int, list[str]], required: list[str]) -> DecodeError:
    """No row has the names that the stream declares."""
    line, row = first
    names = [cell.strip() for cell in row]
    if not _are_names(row):
        return _describe_headless(first)
    absent = [name for name in required if name not in names]
    words = f"No column is called {' or '.join(map(repr, absent))}; {suggest_nearest(absent[0], names).rstrip('?.')}."
    return DecodeError(
        "no_column", words, "Rename the column, or declare the stream by the name it has.", line
    )


def _strip_name(cell: str) -> str:
    """Return the name of a column without surrounding blanks and invisible marks."""
    return cell.strip(_UNSEEN)


def _find_units(
    rows: Rows, names: list[str], declaration: StreamDeclaration | None, notes: Notes
) -> dict[str, str]:
    """Return the units in the cells of columns of numbers; of undeclared columns, usual units only."""
    units = {}
    for index, name in enumerate(names):
        if name and (declaration is None or declaration.kind_of(name) is Kind.NUMBER):
            cells = (row[index] for _, row in rows if index < len(row))
            if unit := find_unit(cells, is_known=declaration is None):
                units[name] = unit
                notes.add(f"numbers of {name[:40]!r} have the unit {unit}; they are read without it")
    return units


def _select_numbers(
    rows: Rows, names: list[str], declaration: StreamDeclaration | None, units: Mapping[str, str]
) -> Iterator[str]:
    """Yield the cells of numbers without their units; of undeclared streams, the cells of all columns."""
    for _, row in rows:
        for name, cell in zip(names, row, strict=False):
            if declaration is None or declaration.kind_of(name) is Kind.NUMBER:
                yield strip_unit(cell, units[name]) if name in units else cell
