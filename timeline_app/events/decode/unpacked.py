"""Counts the unpacked bytes of Parquet columns: neither the footer nor the file size tells them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.events.decode.errors import TooLarge
from timeline_app.events.validate import MAX_VALUE

MAX_UNPACKED_BYTES = 64 * 2**20
MAX_COLUMNS = 2_000
"""Leaves of nested columns count."""
ROWS_PER_CHUNK = 1 << 12
"""Rows that are unpacked before they are counted."""
_MIN_VALUE_BYTES = 8
"""Bytes that a value takes at least."""


class Unpacked:
    """Counts rows and bytes; raises `TooLarge` as soon as there are too many, or a text is too long."""

    def __init__(self, max_rows: int, max_bytes: int = MAX_UNPACKED_BYTES) -> None:
        self.max_rows, self.max_bytes = max_rows, max_bytes
        self.rows = self.bytes = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Count some rows more."""
        self.rows += batch.num_rows
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            _check_texts(name, column.dictionary if pa.types.is_dictionary(column.type) else column)
            self.bytes += count_unpacked_bytes(column)
        if self.rows > self.max_rows or self.bytes > self.max_bytes:
            words = (
                f"{self.rows:,} rows unpack to {self.bytes / 2**20:,.0f} MiB, more than a sample may have."
            )
            hint = f"At most {self.max_rows:,} rows and {self.max_bytes // 2**20} MiB are read; send fewer."
            raise TooLarge("too_much", words, hint)


def list_encoded_columns(file: pq.ParquetFile) -> list[str]:
    """Return the columns of texts and bytes for `read_dictionary`, which stores repeated values once.

    Raises `TooLarge` for too many columns.
    """
    if file.metadata.num_columns > MAX_COLUMNS:
        words = f"The file has {file.metadata.num_columns:,} columns; at most {MAX_COLUMNS:,} are read."
        raise TooLarge("too_many_fields", words, "Leave some columns out.")
    return [item.name for item in file.schema_arrow if _is_sized(item.type)]


def count_unpacked_bytes(column: pa.Array) -> int:
    """Return the bytes of a column's values, counting a dictionary value as often as it is used."""
    if not pa.types.is_dictionary(column.type) or not _is_sized(column.type.value_type):
        return max(int(column.nbytes), _MIN_VALUE_BYTES * len(column))
    sizes = np.asarray(pc.fill_null(_measure_sizes(column.dictionary), 0), dtype=np.int64)
    codes = np.asarray(column.indices.drop_null(), dtype=np.int64)
    return int(np.bincount(codes, minlength=len(sizes)) @ sizes) + _MIN_VALUE_BYTES * len(column)


def _is_sized(kind: pa.DataType) -> bool:
    """Return whether values are texts or bytes, with individual sizes."""
    return any(
        is_kind(kind)
        for is_kind in (
            pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary,
        )
    )  # fmt: skip


def _measure_sizes(values: pa.Array) -> pa.Array:
    return pc.binary_length(values)


def _check_texts(name: str, values: pa.Array) -> None:
    """Refuse a text of more than `MAX_VALUE` characters."""
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)) or not len(values):
        return
    longest = pc.max(_measure_sizes(values)).as_py() or 0
    if longest > MAX_VALUE and (letters := pc.max(pc.utf8_length(values)).as_py()) > MAX_VALUE:
        words = f"{name[:60]!r} has a value of {letters:,} characters; a value may have {MAX_VALUE:,}."
        raise TooLarge("value_too_long", words, "Leave the column out, or shorten it.")
