"""Packets: many rows as one value, so that Spark carries whole columns between Python processes unread.

A packet is an Arrow stream. Empty columns (null, or zero for integers) are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

MAX_ROWS_PER_PACKET = 1 << 16
MAX_BYTES_PER_PACKET = 1 << 26
"""Approximate: with large values a packet has fewer rows."""
WRITE = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
READ = pa.ipc.IpcReadOptions(use_threads=False)
"""For small tables: passing columns to threads takes eight times as long as reading or writing them."""


def pack_rows(rows: pa.Table) -> Iterator[tuple[int, bytes]]:
    """Yield rows as packets, each with the number of its rows."""
    rows_per_packet = min(
        MAX_ROWS_PER_PACKET, max(1, len(rows) * MAX_BYTES_PER_PACKET // max(rows.nbytes, 1))
    )
    for start in range(0, len(rows), rows_per_packet):
        part = rows.slice(start, rows_per_packet).combine_chunks()
        part = part.select([name for name in part.column_names if _has_content(part[name])])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, part.schema, options=WRITE) as writer:
            writer.write_table(part)
        yield min(rows_per_packet, len(rows) - start), sink.getvalue().to_pybytes()


def unpack_rows(packets: Iterable[tuple[int, bytes]], schema: pa.Schema) -> pa.Table:
    """Return the rows of packets in the columns of a schema; missing columns are empty."""
    return pa.concat_tables([schema.empty_table(), *unpack_portions(packets, schema)])


def unpack_portions(packets: Iterable[tuple[int, bytes]], schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of packets, packet by packet."""
    return (_read(count, blob, schema) for count, blob in packets)


def build_empty_column(rows: int, kind: pa.DataType) -> pa.Array:
    """Return an empty column: zeros for integers, else nulls."""
    if pa.types.is_integer(kind):
        return pa.array(np.zeros(rows, dtype=kind.to_pandas_dtype()))
    return pa.nulls(rows, kind)


def _read(count: int, blob: bytes, schema: pa.Schema) -> pa.Table:
    table = pa.ipc.open_stream(pa.py_buffer(blob), options=READ).read_all()
    names = set(table.column_names)
    columns = [
        table[item.name] if item.name in names else build_empty_column(count, item.type) for item in schema
    ]
    return pa.table(columns, schema=schema)


def _has_content(column: pa.ChunkedArray) -> bool:
    if not pa.types.is_integer(column.type):
        return bool(column.null_count < len(column))
    return bool(column.null_count) or bool(column.to_numpy().any())
