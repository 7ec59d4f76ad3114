"""Buckets divide the state of a pass by the hashes of keys; this module sends rows to them.

Spark carries rows of `SCHEMA`: a bucket and a packet of its rows. Spark's own hash spreads few buckets unevenly over
partitions, so each bucket has a label that the hash maps to the wanted partition.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.events.columns import hash_texts
from timeline_app.feed.packets import pack_rows

BUCKETS = 2
"""The default of a query, and the number of partitions of its shuffles."""
SCHEMA = pa.schema([("bucket", pa.int32()), ("rows", pa.int64()), ("data", pa.binary())])
_WORD = 0xFFFF_FFFF


@lru_cache
def list_labels(buckets: int) -> tuple[int, ...]:
    """Return the label of each bucket: the least number that Spark maps to the partition of its index."""
    labels_by_bucket: dict[int, int] = {}
    number = 0
    while len(labels_by_bucket) < buckets:
        labels_by_bucket.setdefault(hash_like_spark(number) % buckets, number)
        number += 1
    return tuple(labels_by_bucket[index] for index in range(buckets))


def hash_like_spark(number: int) -> int:
    """Return Spark's `hash` of one int: MurmurHash3 of 32 bits, seed 42; use its remainder as `pmod` does."""
    mixed = _rotate(number * 0xCC9E2D51 & _WORD, 15) * 0x1B873593 & _WORD
    mixed = (_rotate(42 ^ mixed, 13) * 5 + 0xE6546B64 & _WORD) ^ 4
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B & _WORD
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 & _WORD
    mixed ^= mixed >> 16
    return mixed - (1 << 32) if mixed >> 31 else mixed


def _rotate(word: int, bits: int) -> int:
    return (word << bits | word >> 32 - bits) & _WORD


def split_into_buckets(rows: pa.Table, column: str, buckets: int = BUCKETS) -> Iterator[pa.RecordBatch]:
    """Yield rows for the buckets of a column, with its `hash`; rows with null go to all buckets.

    For a single bucket the processor adds the hash: hashing needs pandas, which no planning process should load.
    """
    if buckets == 1:
        yield build_batch(rows, list_labels(1)[0])
        return
    rows = rows.append_column("hash", pa.array(hash_texts(rows[column])))
    bucket_of_row, marks = np.mod(rows["hash"].to_numpy(), buckets), pc.is_null(rows[column]).to_numpy()
    for index in range(buckets):
        chosen = np.flatnonzero((bucket_of_row == index) | marks)
        bucket_rows = rows if len(chosen) == len(rows) else rows.take(pa.array(chosen))
        yield build_batch(bucket_rows, list_labels(buckets)[index])


def build_batch(rows: pa.Table, label: int) -> pa.RecordBatch:
    """Return rows of one bucket in Spark's form."""
    packets = [*pack_rows(rows)]
    columns = [[label] * len(packets), [count for count, _ in packets], [data for _, data in packets]]
    return pa.record_batch(
        [pa.array(column, item.type) for column, item in zip(columns, SCHEMA, strict=True)], schema=SCHEMA
    )
