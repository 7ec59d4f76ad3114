"""Small bodies that unpack, or compute, to much."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def build_parquet(columns: Mapping[str, Any], **how: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(dict(columns)), sink, **{"write_statistics": False, **how})
    return sink.getvalue()


def repeat_value(value: Any, count: int) -> pa.DictionaryArray:
    """One value, so often."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array([value]))


def build_rows(count: int) -> dict[str, Any]:
    return {"session_id": ["s"] * count, "t": list(range(count))}


def build_one_long_value(letters: int = 80_000) -> bytes:
    """20,000 rows, one dictionary value: some KB that unpack to 1.6 GB."""
    return build_parquet({**build_rows(20_000), "x": repeat_value("x" * letters, 20_000)})


def build_bytes_of_a_dictionary() -> bytes:
    return build_parquet({**build_rows(20_000), "x": repeat_value(b"x" * 80_000, 20_000)}, store_schema=False)


def build_packed_pages(compression: str) -> Callable[[], bytes]:
    """No dictionary: a page of 120 MB, packed."""
    letters = ["x" * 60_000] * 2_000
    how: dict[str, Any] = {"use_dictionary": False, "compression": compression, "data_page_size": 1 << 30}
    return lambda: build_parquet({**build_rows(2_000), "x": letters}, **how)


def build_nested_lists() -> bytes:
    return build_parquet({**build_rows(3_000), "x": pa.array([[[1] * 200] * 20] * 3_000)}, compression="zstd")


def build_one_endless_list() -> bytes:
    return build_parquet(
        {**build_rows(1), "x": pa.ListArray.from_arrays([0, 30_000_000], np.zeros(30_000_000, np.int8))},
        compression="zstd",
    )


def build_many_rows_of_nothing() -> bytes:
    """A huge row group without a value."""
    return build_parquet({"x": pa.nulls(10_000_000, pa.string()), "t": pa.nulls(10_000_000, pa.int64())})


def build_many_columns() -> bytes:
    return build_parquet({f"c{index}": [1] for index in range(20_000)})


def build_one_name_for_many_columns() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * 20_000, names=["a"] * 20_000), sink)
    return sink.getvalue()


def build_lying_footer(rows_told: int) -> Callable[[], bytes]:
    """A good file whose footer says another number of rows."""
    good = bytearray(build_parquet({**build_rows(100), "x": ["a"] * 100}, use_dictionary=False))
    (length,) = struct.unpack("<I", good[-8:-4])
    start = len(good) - 8 - length
    answer, row_count = _encode_varint(100), _encode_varint(rows_told)
    footer = bytes(good[start:-8]).replace(b"\x16" + answer, b"\x16" + row_count)
    return lambda: bytes(good[:start]) + footer + struct.pack("<I", len(footer)) + b"PAR1"


def _encode_varint(number: int) -> bytes:
    zigzag, result = number << 1, bytearray()
    while zigzag > 127:
        result.append(zigzag & 127 | 128)
        zigzag >>= 7
    return bytes([*result, zigzag])


def build_broken_footer() -> bytes:
    good = bytearray(build_parquet(build_rows(100)))
    (length,) = struct.unpack("<I", good[-8:-4])
    start = len(good) - 8 - length
    good[start : start + 60] = b"\xff" * 60
    return bytes(good)


def build_new_names_in_each_event() -> bytes:
    events = (
        {"session_id": "a", "t": index, **{f"n{index}_{n}": n for n in range(60)}} for index in range(2_000)
    )
    return b"\n".join(json.dumps(event).encode() for event in events)


def build_deep_lines(levels: int = 900) -> bytes:
    line = b'{"session_id":"a","t":1,"x":' + b"[" * levels + b"]" * levels + b"}"
    return b"\n".join([line] * 20)


def build_deep_elements() -> bytes:
    return b"[" + b",".join([b"[" * 800 + b"]" * 800] * 20) + b"]"


def build_many_elements() -> bytes:
    return b"[" + b"[]," * 1_000_000 + b"[]]"


def build_endless_cell() -> bytes:
    return b'session_id,t\n"' + b"x\n" * 2_000_000


def build_endless_row() -> bytes:
    return b"session_id,t\n" + b"," * 4_000_000


def build_many_cells() -> bytes:
    return b",".join(b"c%d" % index for index in range(500_000)) + b"\n1"


PARQUET: dict[str, Callable[[], bytes]] = {
    "one value of 80,000 letters": build_one_long_value,
    "one value of 60,000 letters, used often": lambda: build_one_long_value(60_000),
    "bytes of a dictionary": build_bytes_of_a_dictionary,
    "pages packed by zstd": build_packed_pages("zstd"),
    "pages packed by gzip": build_packed_pages("gzip"),
    "pages packed by snappy": build_packed_pages("snappy"),
    "nested lists": build_nested_lists,
    "one endless list": build_one_endless_list,
    "many rows of nothing": build_many_rows_of_nothing,
    "many columns": build_many_columns,
    "one name for many columns": build_one_name_for_many_columns,
    "a broken footer": build_broken_footer,
}
TEXTS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "an endless cell": ("csv", build_endless_cell),
    "an endless row": ("csv", build_endless_row),
    "half a million cells": ("csv", build_many_cells),
    "a million elements": ("json", build_many_elements),
    "deep elements": ("json", build_deep_elements),
    "deep lines": ("jsonl", build_deep_lines),
}
