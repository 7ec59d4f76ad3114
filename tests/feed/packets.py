"""Rows as Spark carries and writes them: in packets."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from timeline_app.feed.feed_rows import PACKETS, PIECES, select_node_rows
from timeline_app.feed.packets import build_empty_column, pack_rows, unpack_rows


def write(table: pa.Table, path: Path, *, rows: bool = False) -> None:
    """A file of a feed; with `rows` one of before there were packets."""
    packets = [{"rows": count, "data": data} for count, data in pack_rows(table)]
    pq.write_table(table if rows else pa.Table.from_pylist(packets, PACKETS), path)


def build_batch_rows(*keys: str) -> pa.Table:
    """Rows of a feed that say nothing but their keys."""
    columns = [
        pa.array(keys, pa.string()) if item.name == "key" else build_empty_column(len(keys), item.type)
        for item in PIECES
    ]
    return select_node_rows(pa.table(columns, schema=PIECES), 0)


def unpack_packet_rows(packets: pa.Table, schema: pa.Schema) -> pa.Table:
    """The rows of a table of packets."""
    return unpack_rows(zip(packets["rows"].to_pylist(), packets["data"].to_pylist(), strict=True), schema)
