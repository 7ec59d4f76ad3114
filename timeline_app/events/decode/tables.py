"""Tables of Arrow: Parquet, Arrow IPC and Avro files; one row is one event, lines are counted by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.events.decode.arrow_values import Raw, list_values
from timeline_app.events.decode.chunks import Row
from timeline_app.events.decode.errors import describe_repeated
from timeline_app.events.validate import MAX_FIELDS, BadEvents, LineProblem


@dataclass(frozen=True, slots=True)
class TableChunk:
    """Some rows, the first of them with that number."""

    batch: pa.RecordBatch
    first: int
    done: int
    columns: Sequence[str] = ()
    """The names of all columns of the file."""

    def __len__(self) -> int:
        """Return how many events."""
        return int(self.batch.num_rows)

    def names(self) -> Sequence[str]:
        """Return the names of all columns of the file."""
        return self.columns

    def column(self, name: str) -> Raw:
        """Return the values of one field."""
        places = self.batch.schema.get_all_field_indices(name)
        return _simplify(self.batch.column(places[-1])) if places else pa.nulls(self.batch.num_rows)

    def rows(self) -> Iterator[Row]:
        """Yield the events by row."""
        return enumerate(self.events(range(self.batch.num_rows)), self.first)

    def events(self, places: Iterable[int]) -> list[dict[str, Any]]:
        """Events, by their places, of the columns that have been read."""
        rows = pa.array(np.fromiter(places, np.int64))
        columns = [_list_rows(column, rows) for column in self.batch.columns]
        names = self.batch.schema.names
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)] or [
            {} for _ in rows
        ]


def _list_rows(column: pa.Array, rows: pa.Array) -> list[Any]:
    """Return some values of a column as in JSON."""
    try:
        return list_values(take_rows(column, rows))
    except pa.ArrowNotImplementedError:  # of types inside others that Arrow cannot take
        values = list_values(column)
        return [values[row] for row in rows.to_pylist()]


def take_rows(column: pa.Array, rows: pa.Array) -> pa.Array:
    """Take values of a column; Arrow's `take` lacks views of bytes and run-end encoding."""
    kind = column.type
    if pa.types.is_run_end_encoded(kind):
        return pc.run_end_decode(column).take(rows)
    if pa.types.is_binary_view(kind) or pa.types.is_string_view(kind):
        column = pc.cast(column, pa.binary() if pa.types.is_binary_view(kind) else pa.string())
    return column.take(rows)


def refuse_repeated(schema: pa.Schema, names: Collection[str] | None) -> None:
    """Raise `DecodeError` for a name that two columns have and that is read (None: every name is)."""
    count = Counter(schema.names)
    for name in schema.names if names is None else names:
        if count[name] > 1:
            raise describe_repeated(name, count[name])


def refuse_wide(schema: pa.Schema, rows: int) -> None:
    """Raise `BadEvents` where events have too many fields."""
    width = len(set(schema.names))
    if width > MAX_FIELDS and rows:
        words = f"{width} fields; an event may have {MAX_FIELDS}"
        raise BadEvents([LineProblem(1, None, "too_many_fields", words)])


def _simplify(column: pa.Array) -> Raw:
    """Return a column in a type that converts quickly, where there is one."""
    kind = column.type
    if isinstance(column, pa.ExtensionArray):
        return _simplify_extension(column)
    if pa.types.is_float16(kind):
        return pc.cast(column, pa.float64())
    if pa.types.is_run_end_encoded(kind):
        return _simplify(pc.run_end_decode(column))
    if _is_bytes(kind):
        return pa.array(list_values(column), pa.string())
    if pa.types.is_dictionary(kind) and not _is_text(kind.value_type):
        return _simplify(column.dictionary_decode())
    if pa.types.is_decimal(kind):
        return _simplify_decimals(column)
    if pa.types.is_duration(kind) or pa.types.is_interval(kind):
        return list_values(column)
    return column


def _simplify_decimals(column: pa.Array) -> pa.Array:
    """Return whole numbers with all their digits, as far as they have 64 bits; others to the nearest float."""
    if column.type.scale <= 0:
        for kind in (pa.int64(), pa.uint64()):
            try:
                return pc.cast(column, kind)
            except pa.ArrowInvalid:
                continue
    return pc.cast(column, pa.float64())


def _simplify_extension(column: pa.ExtensionArray) -> Raw:
    if pa.types.is_fixed_size_binary(column.storage.type):
        return pa.array(list_values(column), pa.string())
    is_bool = isinstance(column.type, pa.Bool8Type)
    return pc.cast(column.storage, pa.bool_()) if is_bool else _simplify(column.storage)


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_binary_view(kind)
        or pa.types.is_fixed_size_binary(kind)
    )


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
