"""Files of tables in a directory: CSV and Parquet."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from timeline_app.local.csv_rows import Header
from timeline_app.plan.events import MAX_VALUE
from timeline_app.plan.stream import StreamDeclaration
from timeline_app.sources.contract import Acknowledge, Given, Row, evenly
from timeline_app.sources.estimators import Estimator
from timeline_app.sources.files import ROWS, Files, cut_short
from timeline_app.sources.raw_events import batch_of, unread
from timeline_app.sources.tracker import Position, Tracker


class CsvFiles(Files):
    """CSV with a first row of names; an empty cell is missing. Each file is read as one.

    All others are text, or where `declared` tells a stream, of the types that this declares.
    """

    title, counts = "CSV files", "line"
    declared: Callable[[], StreamDeclaration] | None = None

    def end_of(self, path: Path) -> int:
        """How long it is."""
        return self.length(path)

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """Row by row."""
        del watermark, ack
        path = self.path / key
        if not tracker.try_claim(tracker.end, tracker.end):
            return
        with io.TextIOWrapper(self.opened(path), "utf-8-sig", "backslashreplace", newline="") as file:
            line = 0
            for event, line in self._events(file):
                yield event, path.name, str(line)
            if (now := os.fstat(file.fileno()).st_size) < tracker.end:
                yield cut_short(path.name, now, line)

    def _events(self, file: IO[str]) -> Iterator[tuple[str, int]]:
        """Each with the line at which it ends; a row that cannot be read is told, and holds up no other."""
        rows = csv.reader(file)
        names: list[str] | None = None
        header: Header | None = None
        while True:
            begin = rows.line_num + 1
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error as why:
                if names is None:
                    yield _headless(why), rows.line_num
                    return
                yield _odd(why, begin, rows.line_num), rows.line_num
                continue
            if names is None:
                names = row
                header = None if self.declared is None else Header(names, self.declared())
            elif row:
                yield _spelled(_cells(names, row, header)), rows.line_num


class ParquetFiles(Files):
    """Parquet; positions are row groups."""

    title, counts = "Parquet files", "row"

    def end_of(self, path: Path) -> int:
        """How many row groups it has."""
        return int(self._footer(path).num_row_groups)

    def size(self, key: str, start: Position, end: Position) -> int | None:
        """The bytes of the row groups."""
        footer = self._footer(self.path / key)
        return sum(int(footer.row_group(group).total_byte_size) for group in range(start, end))

    def _footer(self, path: Path) -> pq.FileMetaData:
        with self.opened(path) as file:
            return pq.read_metadata(file)

    def split(self, key: str, start: Position, end: Position, parts: int) -> Sequence[Position]:
        """Between row groups."""
        del key
        return evenly(start, end, parts)

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """One row group after the other; one that cannot be read holds up no other."""
        del watermark, ack
        path = self.path / key
        with self.opened(path) as whole, pq.ParquetFile(whole) as file:
            row = sum(file.metadata.row_group(group).num_rows for group in range(tracker.start))
            for group in range(tracker.start, tracker.end):
                told = file.metadata.row_group(group)
                if not tracker.try_claim(group + 1, told.total_byte_size):
                    return
                yield from _group(file, group, row, path.name)
                row += told.num_rows


def _group(file: pq.ParquetFile, group: int, row: int, name: str) -> Iterator[Row | pa.RecordBatch]:
    """The rows of a row group, behind so many others, as far as they can be read."""
    try:
        for batch in file.iter_batches(ROWS, [group]):
            events = [_spelled(event) for event in batch.to_pylist()]
            yield batch_of(events, name, range(row + 1, row + 1 + len(events)))
            row += len(events)
    except (MemoryError, pa.ArrowCancelled):  # that is not the file's fault
        raise
    except (OSError, ValueError, pa.ArrowException) as why:
        if isinstance(why, OSError) and why.errno:  # its disk fails, not what is written there
            raise
        words = f"the rest of its row group {group} cannot be read ({str(why)[:200]})"
        cure = "write these rows to a new file"
        yield unread("unreadable", f"{words}: {cure}"), name, str(row + 1)


def _headless(why: csv.Error) -> str:
    """The first row cannot be read: nobody knows what the others mean."""
    words = f"the first row, with the names, cannot be read ({why}), and so none of the others"
    return unread("bad_row", f"{words}: mend it and write it as a new file")


def _odd(why: csv.Error, first: int, last: int) -> str:
    """These lines are no row."""
    lines = f"lines {first:,} to {last:,} are not read: " if last > first else ""
    if "field limit" in str(why):
        words = f"a cell has more than {csv.field_size_limit():,} characters; a value may have {MAX_VALUE:,}"
        return unread("value_too_long", f"{lines}{words}: is a quote not closed?")
    return unread("bad_row", f"{lines}no row of CSV: {why}")


def _cells(names: list[str], row: list[str], header: Header | None) -> dict[str, Any]:
    """A row that is longer or shorter than the first one is told so: it is refused as an event."""
    if len(row) != len(names):
        return {"": f"not as many values as the header has names ({len(names)})", "row": row}
    if header is not None:
        return {name: cell for name, cell in header.event(row).items() if cell is not None}
    return {name: cell for name, cell in zip(names, row, strict=True) if cell != ""}


def _spelled(event: dict[str, Any]) -> str:
    return orjson.dumps(event, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
