"""A sample of events, as bytes of a format that nobody has told: JSON lines, a JSON array, CSV or Parquet."""

from __future__ import annotations

import csv
import io
import math
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import Kind
from timeline_app.local.unpacked import ROWS_AT_ONCE, TooLarge, Unpacked, list_encoded_columns
from timeline_app.local.values import listed
from timeline_app.plan.events import MAX_FIELDS, LineProblem
from timeline_app.plan.stream import StreamDeclaration

MOST_ROWS = 200_000
MOST_BYTES = 64 * 2**20
"""No sample unpacks to more."""
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SNIFFED = 20
_TRUTH = {"true": True, "false": False}
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][+-]?[0-9]{1,3})?")


class NoSample(ValueError):
    """Nothing can be read: says why, and what would do."""

    def __init__(self, code: str, message: str, cure: str, line: int | None = None) -> None:
        super().__init__(message)
        self.code, self.cure, self.line = code, cure, line


@dataclass(frozen=True, slots=True)
class Row:
    """One event of a sample, or why it is none; `text` is how it was spelled, as far as it was."""

    line: int
    event: dict[str, Any] | None
    problem: LineProblem | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """Events in the order in which they stand; `cells` says that all values are texts, which is how CSV is."""

    format: str
    why: str
    rows: tuple[Row, ...]
    cells: bool = False

    @property
    def events(self) -> list[dict[str, Any]]:
        """Those rows that are events."""
        return [row.event for row in self.rows if row.event is not None]

    def typed(self, event: dict[str, Any], declaration: StreamDeclaration) -> dict[str, Any]:
        """An event as it would be pushed: of cells, those that fit their declared type have it."""
        if not self.cells:
            return event
        return {name: cell_as(text, declaration.kind_of(name)) for name, text in event.items()}


def cell_as(text: str | None, kind: Kind) -> Any:
    """A cell as its declared type; one that does not fit stays text."""
    if text is None or kind is Kind.TEXT:
        return text
    if kind is Kind.BOOL:
        return _TRUTH.get(text.strip(" ").lower(), text)
    return number_of(text) if is_number(text) else text


def is_number(text: str) -> bool:
    """Whether a text is how one writes a number: 007 names something."""
    plain = text.strip(" ")
    return _NUMBER.fullmatch(plain) is not None and math.isfinite(float(plain))


def number_of(text: str) -> int | float:
    """The number that it spells."""
    plain = text.strip(" ")
    try:
        return int(plain)
    except ValueError:
        return float(plain)


def spelled(value: Any) -> str:
    """A value as people read it; what is nested too deeply to be written by its beginning."""
    try:
        return value if isinstance(value, str) else orjson.dumps(value, default=str).decode()
    except TypeError:
        return "[…" if isinstance(value, list) else "{…"


def read_sample(body: bytes) -> Sample:
    """Every event of a sample; raises `NoSample` where there is none."""
    if body[:4] == b"PAR1":
        return _parquet(body)
    content = body.removeprefix(BOM_UTF8).strip()
    if not content:
        raise NoSample("empty", "The sample is empty.", "Paste some events, or choose a file.")
    if content.startswith(b"["):
        return _array(content)
    return _lines(content) if content.startswith(b"{") else _table(content)


def _parquet(body: bytes) -> Sample:
    try:
        rows = tuple(_parquet_rows(body))
    except MemoryError:
        raise  # pyarrow's is an ArrowException, too: it says nothing of the file
    except TooLarge as why:
        raise NoSample(why.code, why.message, why.cure) from None
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError) as why:
        words = f"It begins like Parquet, but cannot be read as that: {str(why)[:200]}."
        raise NoSample("bad_parquet", words, "Is the file whole?") from None
    return Sample("parquet", "the file begins with the mark of Parquet", _some(rows))


def _parquet_rows(body: bytes) -> Iterator[Row]:
    unpacked, line = Unpacked(MOST_ROWS, MOST_BYTES), 0
    with pq.ParquetFile(io.BytesIO(body)) as file:
        encoded = list_encoded_columns(file)
    with pq.ParquetFile(io.BytesIO(body), read_dictionary=encoded) as file:
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE):
            unpacked.add(batch)
            columns = {
                name: listed(column) for name, column in zip(batch.schema.names, batch.columns, strict=True)
            }
            for values in zip(*columns.values(), strict=True):
                line += 1
                yield Row(line, dict(zip(columns, values, strict=True)))


def _refuse_many(rows: int, size: int) -> None:
    if rows > MOST_ROWS or size > MOST_BYTES:
        words = f"{rows:,} rows of {size / 2**20:,.0f} MiB are more than a sample may have."
        raise NoSample(
            "too_much", words, f"At most {MOST_ROWS:,} rows and {MOST_BYTES // 2**20} MiB are looked at."
        )


def _array(content: bytes) -> Sample:
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError as wrong:
        place = f"line {wrong.lineno}, column {wrong.colno}"
        words = f"It begins like a JSON array, but is not JSON: {wrong.msg} at {place}."
        raise NoSample("not_json", words, "Is the end missing?", wrong.lineno) from None
    _refuse_many(len(found), len(content))
    rows = (_row(place, event, _spelled(event)) for place, event in enumerate(found, 1))
    return Sample("json_array", "it is one array in square brackets", _some(rows))


def _lines(content: bytes) -> Sample:
    whole = _whole(content)
    if whole is not None:
        return Sample("json_lines", "it is one JSON object", (Row(1, whole),))
    lines = content.split(b"\n")
    _refuse_many(len(lines), len(content))
    rows = (_line(place, line) for place, line in enumerate(lines, 1) if line.strip())
    return Sample("json_lines", "each line is a JSON object", _some(rows))


def _whole(content: bytes) -> dict[str, Any] | None:
    """One object over several lines."""
    if b"\n" not in content or _line(1, content.split(b"\n", 1)[0]).event is not None:
        return None
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _line(place: int, line: bytes) -> Row:
    text = line.decode(errors="replace").strip()
    try:
        return _row(place, orjson.loads(line), text)
    except orjson.JSONDecodeError as wrong:
        message = f"not JSON: {wrong.msg} at column {wrong.colno}"
        return Row(place, None, LineProblem(place, None, "not_json", message), text)


def _row(place: int, event: Any, text: str) -> Row:
    if isinstance(event, dict):
        return Row(place, event, text=text)
    message = "an event must be a JSON object with named fields"
    return Row(place, None, LineProblem(place, None, "not_an_object", message), text)


def _spelled(event: Any) -> str:
    return "" if isinstance(event, dict) else spelled(event)[:1000]


def _table(content: bytes) -> Sample:
    try:
        text = content.decode()
    except UnicodeDecodeError as why:
        words = f"It is neither JSON nor Parquet, and no text in UTF-8 (byte {why.start})."
        raise NoSample("not_utf8", words, "Send JSON lines, a JSON array, CSV or Parquet.") from None
    delimiter = _delimiter(text)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        table = [(reader.line_num, row) for row in reader if row]
    except csv.Error as why:
        raise NoSample(
            "bad_csv", f"It reads like CSV, but is not: {why}.", "Is a quote not closed?"
        ) from None
    _refuse_many(len(table), len(content))
    names, told, rows = _header(table, DELIMITERS[delimiter])
    return Sample(
        "csv", told, _some(_cells(line, cells, names, delimiter) for line, cells in rows), cells=True
    )


def _delimiter(text: str) -> str:
    """What parts the first line into most cells, and the next ones alike."""
    head = [line for line in text.splitlines()[:_SNIFFED] if line.strip()]
    if not head:
        raise NoSample("empty", "There are no events in it.", "Add some.")
    found = {one: [_width(line, one) for line in head] for one in DELIMITERS}
    best = max(found, key=lambda one: (found[one][0] > 1, found[one].count(found[one][0]), found[one][0]))
    if found[best][0] < 2:
        words = f"It is neither JSON nor a table: nothing parts the first line, {head[0][:40]!r}."
        cure = "Send JSON lines, a JSON array, CSV with a first row of names, or Parquet."
        raise NoSample("no_format", words, cure)
    return best


def _width(line: str, delimiter: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=delimiter), []))
    except csv.Error:
        return 0


def _header(
    table: list[tuple[int, list[str]]], parted: str
) -> tuple[list[str], str, list[tuple[int, list[str]]]]:
    """The names of the columns, the reason, and the rows below."""
    if not table:
        raise NoSample("empty", "There are no events in it.", "Add some.")
    first = [cell.strip() for cell in table[0][1]]
    if len(first) > MAX_FIELDS:
        words = f"The first row has {len(first):,} cells; an event may have {MAX_FIELDS} fields."
        raise NoSample("too_many_fields", words, "Leave some columns out.", 1)
    named = all(first) and not any(is_number(cell) for cell in first) and len(set(first)) == len(first)
    if named:
        return first, f"its lines are parted by {parted}, and the first has the names", table[1:]
    names = [f"column_{place}" for place in range(1, len(first) + 1)]
    return (
        names,
        f"its lines are parted by {parted}; no names stand in the first, so that columns are numbered",
        table,
    )


def _cells(line: int, cells: list[str], names: list[str], delimiter: str) -> Row:
    if len(cells) == len(names):
        return Row(line, {name: cell or None for name, cell in zip(names, cells, strict=True)})
    message = f"{len(cells)} cells, but there are {len(names)} columns"
    return Row(line, None, LineProblem(line, None, "bad_row", message), delimiter.join(cells)[:1000])


def _some(rows: Iterable[Row] | Iterator[Row]) -> tuple[Row, ...]:
    found = tuple(rows)
    if not found:
        raise NoSample("empty", "There are no events in it.", "Add some.")
    return found
