"""Reading events from files: JSON lines, CSV, Parquet, or standard input (JSON lines)."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

import orjson
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import Kind
from timeline_app.plan.events import MAX_PROBLEMS, BadEvents, EventBatch, LineProblem, WrongEvent
from timeline_app.plan.stream import StreamDeclaration

_TRUTH = {"true": True, "false": False}


def read_file(name: str, declaration: StreamDeclaration) -> EventBatch:
    """Every event of a file; `-` is standard input. Raises `BadEvents` with every reason, by line number.

    A value that does not fit its declared type counts as missing, and is counted in `mistyped`.
    """
    batch, problems = EventBatch(declaration), list[LineProblem]()
    for line, event in _rows(name, declaration):
        if isinstance(event, LineProblem):
            problems.append(event)
            continue
        try:
            batch.add(event, strict=False)
        except WrongEvent as wrong:
            problems.append(LineProblem(line, wrong.name, wrong.code, str(wrong)))
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise BadEvents(problems)
    return batch


def _rows(name: str, declaration: StreamDeclaration) -> Iterator[tuple[int, object]]:
    if name == "-":
        yield from _json_lines(sys.stdin.buffer)
    elif name.endswith((".parquet", ".pq")):
        yield from _parquet(Path(name))
    elif name.endswith(".csv"):
        yield from _csv(Path(name), declaration)
    else:
        with Path(name).open("rb") as lines:
            yield from _json_lines(lines)


def _json_lines(lines: IO[bytes]) -> Iterator[tuple[int, object]]:
    for place, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield place, orjson.loads(line)
        except orjson.JSONDecodeError as wrong:
            yield (
                place,
                LineProblem(place, None, "not_json", f"not JSON: {wrong.msg} at column {wrong.colno}"),
            )


def _parquet(path: Path) -> Iterator[tuple[int, object]]:
    place = 0
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches():
            for row in batch.to_pylist():
                place += 1
                yield place, {name: _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    """A value of Parquet as JSON has it: moments as ISO 8601, decimals as floats."""
    if isinstance(value, date):
        return value.isoformat()
    return float(value) if isinstance(value, Decimal) else value


def _csv(path: Path, declaration: StreamDeclaration) -> Iterator[tuple[int, object]]:
    with path.open(newline="", encoding="utf-8-sig") as lines:
        reader = csv.DictReader(lines, restkey="")
        for row in _whole_rows(reader):
            if row.pop("", None) is not None or None in row.values():
                message = f"not as many values as the header has names ({len(reader.fieldnames or ())})"
                yield reader.line_num, LineProblem(reader.line_num, None, "bad_row", message)
            else:
                yield reader.line_num, {name: _typed(name, text, declaration) for name, text in row.items()}


def _whole_rows(reader: csv.DictReader[str]) -> Iterator[dict[str, Any]]:
    try:
        yield from reader
    except csv.Error as wrong:
        raise ValueError(f"line {reader.line_num + 1}: not CSV: {wrong}") from None


def _typed(name: str, text: str, declaration: StreamDeclaration) -> Any:
    """A cell as its declared type; an empty one is missing, one that does not fit stays text (and is mistyped)."""
    if text == "":
        return None
    kind = declaration.kind_of(name)
    if kind is Kind.BOOL:
        return _TRUTH.get(text.strip().lower(), text)
    if kind is Kind.NUMBER:
        try:
            return float(text)
        except ValueError:
            return text
    return text
