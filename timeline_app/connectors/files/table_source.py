"""Files of tables in a directory: CSV and Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from timeline_app.connectors.files.source import Files
from timeline_app.connectors.files.whole_files import read_whole_file, spell_event
from timeline_app.connectors.raw_events import build_batch, encode_unreadable
from timeline_app.connectors.source_contract import Acknowledge, Given, Row, split_evenly
from timeline_app.connectors.splits.estimators import Estimator
from timeline_app.connectors.splits.tracker import Position, Tracker
from timeline_app.events.decode import DecodeError
from timeline_app.events.decode.parquet import open_parquet, read_group


class CsvFiles(Files):
    """CSV with a first row of names; an empty cell is missing. Each file is read as one."""

    title, counts = "CSV files", "line"

    def end_of(self, path: Path) -> int:
        """Return the length in bytes."""
        return self.length(path)

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """Yield row by row."""
        del watermark, ack
        path = self.path / key
        if tracker.try_claim(tracker.end, tracker.end):
            yield from read_whole_file(self, path, int(tracker.end), self.declared, single=True)


class ParquetFiles(Files):
    """Parquet; positions are row groups."""

    title, counts = "Parquet files", "row"

    def end_of(self, path: Path) -> int:
        """Return the number of row groups."""
        return int(self._footer(path).num_row_groups)

    def size(self, key: str, start: Position, end: Position) -> int | None:
        """Return the bytes of the row groups."""
        footer = self._footer(self.path / key)
        return sum(int(footer.row_group(group).total_byte_size) for group in range(start, end))

    def _footer(self, path: Path) -> pq.FileMetaData:
        with self.opened(path) as raw, open_parquet(raw) as file:
            return file.metadata

    def split(self, key: str, start: Position, end: Position, parts: int) -> Sequence[Position]:
        """Split between row groups."""
        del key
        return split_evenly(start, end, parts)

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """Yield one row group after the other; an unreadable one does not affect the others."""
        del watermark, ack
        path = self.path / key
        with self.opened(path) as raw, open_parquet(raw) as file:
            row = sum(file.metadata.row_group(group).num_rows for group in range(tracker.start))
            for group in range(tracker.start, tracker.end):
                group_metadata = file.metadata.row_group(group)
                if not tracker.try_claim(group + 1, group_metadata.total_byte_size):
                    return
                yield from _group(file, group, row, path.name)
                row += group_metadata.num_rows


def _group(file: pq.ParquetFile, group: int, row: int, name: str) -> Iterator[Row | pa.RecordBatch]:
    """Yield the readable rows of a row group, whose first row has the index `row`."""
    try:
        for chunk in read_group(file, group, row + 1):
            events = [spell_event(event) for _, event in chunk.rows()]
            yield build_batch(events, name, range(row + 1, row + 1 + len(events)))
            row += len(events)
    except DecodeError as why:
        words = f"the rest of its row group {group} cannot be read ({why.message})"
        yield encode_unreadable("unreadable", f"{words}: write these rows to a new file"), name, str(row + 1)
