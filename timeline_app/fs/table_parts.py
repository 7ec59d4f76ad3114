"""Tables on their way into a file, a part at a time, each row with the number of the batch that it is of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa


def number_rows(table: pa.Table, name: str, number: int) -> pa.Table:
    """The rows of one batch, with its number as the column of that name."""
    return table.append_column(name, pa.array(np.full(len(table), number), pa.int64()))


def gather_tables(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """The same rows in tables of about so many; nothing where there was no table, be it an empty one."""
    waiting: list[pa.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(map(len, waiting)) >= rows:
            yield pa.concat_tables(waiting).combine_chunks()
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()
