"""The base of all stateful processors: pages of state, packets of rows in, packets of rows out."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pyarrow as pa
from pyspark.sql import Row

from timeline_app.compiler import read_program
from timeline_app.events.columns import hash_texts
from timeline_app.feed import feed_rows
from timeline_app.feed.packets import unpack_rows
from workers.spark.buckets import BUCKETS, build_batch, list_labels
from workers.spark.hosts.emit import HandoverLimits
from workers.spark.state.pages import Pages
from workers.spark.state.rows import build_summary_schema


@lru_cache(maxsize=1)
def _freeze_imports() -> None:
    """Exclude all imported modules from the garbage collection that runs after every task."""
    gc.collect()
    gc.freeze()


class PagedProcessor:
    """A processor whose state is pages of columns; `process` takes the rows of a bucket and yields rows."""

    output_schema = feed_rows.SCHEMA
    """The columns of the rows that it yields."""
    tracks_positions = False
    """Whether it marks the loaded rows that stay, so that only new rows are written."""

    def __init__(
        self,
        program: str,
        input_schema: pa.Schema,
        state_schema: pa.Schema,
        handover: HandoverLimits | None = None,
        buckets: int = BUCKETS,
    ) -> None:
        """`program` is a program document as JSON; `handover` limits nodes that other queries handed over."""
        self.handover: HandoverLimits = handover or {}
        self.buckets = buckets
        self.text, self.input_schema, self.state_schema = program, input_schema, state_schema

    def open(self, state: Any) -> None:
        """Prepare a task with the state of its partition."""
        _freeze_imports()
        self.program, self.state = read_program(self.text), state

    @property
    def width(self) -> int:
        """Return the number of integers in a key's summary: what the operators remember."""
        return sum(self.program.memories.values())

    @property
    def texts(self) -> int:
        """Return the number of texts in a key's summary."""
        return len(self.program.texts)

    def pages(self, state: Any, bucket: int) -> Pages:
        """Open the state of a bucket."""
        remembered = build_summary_schema(self.width, self.texts)
        return Pages(state, self.state_schema, remembered, bucket, self.buckets, self.tracks_positions).open()

    def process_bucket(self, label: int, packets: Iterator[Row]) -> Iterator[Row]:
        """Process all new rows of one bucket."""
        arrived = unpack_rows(((packet.rows, packet.data) for packet in packets), self.input_schema)
        if self.buckets == 1:
            hashes = pa.array(hash_texts(arrived["key"]))
            arrived = arrived.set_column(arrived.schema.get_field_index("hash"), "hash", hashes)
        bucket = list_labels(self.buckets).index(label)
        rows_out = pa.concat_tables(
            [self.output_schema.empty_table(), *self.process(arrived, self.pages(self.state, bucket))]
        )
        for batch in self.to_batches(rows_out):
            yield from (Row(**packet) for packet in batch.to_pylist())

    def to_batches(self, rows: pa.Table) -> Iterator[pa.RecordBatch]:
        """Convert the yielded rows to Spark's batches."""
        yield build_batch(rows, 0)

    def process(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """Process the new rows of one bucket."""
        raise TypeError(f"{type(self).__name__} must say how it processes rows")
