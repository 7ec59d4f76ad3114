"""Splits tables for writing, each row with the number of its batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa


def number_rows(table: pa.Table, name: str, number: int) -> pa.Table:
    """Append the number of a batch as a column."""
    return table.append_column(name, pa.array(np.full(len(table), number), pa.int64()))


def gather_tables(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Yield the rows in tables of at least `rows` rows, but the last; nothing where there was no table at all."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(map(len, waiting)) >= rows:
            yield pa.concat_tables(waiting).combine_chunks()
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()
