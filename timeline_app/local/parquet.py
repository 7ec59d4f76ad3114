"""Events in Parquet files: one row is one event, lines are counted by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.local.chunks import Chunk, Row
from timeline_app.local.unpacked import ROWS_AT_ONCE, Unpacked, list_encoded_columns
from timeline_app.local.values import Raw, is_text, listed
from timeline_app.plan.events import MAX_FIELDS, BadEvents, LineProblem

ROWS = 1 << 18
"""At most so many events are read at once; row groups are usually smaller, and come with their own texts."""


@dataclass(frozen=True, slots=True)
class ParquetChunk:
    """Some rows, the first of them with that number."""

    batch: pa.RecordBatch
    first: int
    done: int
    columns: Sequence[str]
    """The names of all columns of the file."""

    def __len__(self) -> int:
        """How many events."""
        return int(self.batch.num_rows)

    def names(self) -> Sequence[str]:
        """The names of all columns of the file."""
        return self.columns

    def column(self, name: str) -> Raw:
        """The values of one field."""
        places = self.batch.schema.get_all_field_indices(name)
        return self.batch.column(places[-1]) if places else pa.nulls(self.batch.num_rows)

    def rows(self) -> Iterator[Row]:
        """The events by row."""
        return enumerate(self.events(range(self.batch.num_rows)), self.first)

    def events(self, places: Iterable[int]) -> list[dict[str, Any]]:
        """Events, by their places, of the columns that have been read."""
        rows = pa.array(np.fromiter(places, np.int64))
        columns = [listed(_taken(column, rows)) for column in self.batch.columns]
        names = self.batch.schema.names
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)] or [
            {} for _ in rows
        ]


def _taken(column: pa.Array, rows: pa.Array) -> pa.Array:
    """Some values of a column; Arrow takes none of views of bytes."""
    return (pc.cast(column, pa.binary()) if pa.types.is_binary_view(column.type) else column).take(rows)


class Parquet:
    """A Parquet file; of its columns only those that are wanted are read."""

    def __init__(self, path: Path, identity: str | None) -> None:
        """Raises `OSError` where it cannot be read, `ValueError` where it is no Parquet. `identity` names the ids."""
        self.path, self.total, self.identity = path, path.stat().st_size, identity
        with pq.ParquetFile(path) as file:
            self.schema, self.events = file.schema_arrow, file.metadata.num_rows

    def chunks(self, names: list[str] | None = None) -> Iterator[Chunk]:
        """Chunks of so many rows; texts stay encoded as the file has them, ids aside."""
        wanted = [name for name in self.schema.names if names is None or name in names]
        texts = {item.name for item in self.schema if is_text(item.type)} - {self.identity}
        yield from self._chunks(wanted, [name for name in wanted if name in texts], ROWS)

    def whole_chunks(self, unpacked: Unpacked) -> Iterator[Chunk]:
        """Chunks of whole events, counted as they come; raises `TooLarge`."""
        with pq.ParquetFile(self.path) as file:
            encoded = list_encoded_columns(file)
        for chunk in self._chunks(self.schema.names, encoded, ROWS_AT_ONCE):
            unpacked.add(chunk.batch)
            yield chunk

    def _chunks(self, wanted: list[str], encoded: list[str], rows: int) -> Iterator[ParquetChunk]:
        """Raises `BadEvents` where the events have too many fields."""
        self._refuse_wide()
        first = 1
        with pq.ParquetFile(self.path, read_dictionary=encoded) as file:
            for batch in file.iter_batches(batch_size=rows, columns=wanted):
                done = self.total * (first - 1 + batch.num_rows) // max(self.events, 1)
                yield ParquetChunk(batch, first, done, self.schema.names)
                first += batch.num_rows

    def _refuse_wide(self) -> None:
        width = len(set(self.schema.names))
        if width > MAX_FIELDS and self.events:
            words = f"{width} fields; an event may have {MAX_FIELDS}"
            raise BadEvents([LineProblem(1, None, "too_many_fields", words)])
