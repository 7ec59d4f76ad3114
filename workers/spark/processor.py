"""What every stateful processor of the host shares: pages of state, Arrow tables in, Arrow tables out."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from timeline_app.compiler import read_program
from workers.spark.pages import Pages
from workers.spark.telling import TakenOver


@lru_cache(maxsize=1)
def _settle() -> None:
    """Everything that is imported by now stays for ever: take it out of the collection after every task."""
    gc.collect()
    gc.freeze()


BUCKETS = 2
"""Into so many parts the state of a pass is divided by the hash of the keys."""


class PagedProcessor(StatefulProcessor):
    """A processor whose state is pages of columns; `process` takes the rows of a bucket and gives rows."""

    buckets = BUCKETS

    def __init__(
        self, program: str, input_schema: pa.Schema, state_schema: pa.Schema, taken: TakenOver | None = None
    ) -> None:
        """`program` is the JSON text of a program document; `taken` says which nodes came from other queries."""
        self.taken: TakenOver = taken or {}
        self.text, self.input_schema, self.state_schema = program, input_schema, state_schema

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Called by Spark for every task."""
        _settle()
        self.program = read_program(self.text)
        self.state = handle.getMapState("pages", "kind string, name string, number int", "data binary")

    @property
    def width(self) -> int:
        """How many whole numbers are remembered of a folded key."""
        return 0

    def pages(self, state: Any, bucket: int) -> Pages:
        """The state of a bucket."""
        return Pages(state, self.state_schema, self.width, bucket, self.buckets).open()

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[pd.DataFrame]:
        """One call for each bucket that has new rows; all its rows at once."""
        frames = [self._table(frame) for frame in rows]
        for table in self.process(pa.concat_tables(frames), self.pages(self.state, int(key[0]))):
            yield table.to_pandas()

    def process(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """The answer to the new rows of one bucket."""
        raise TypeError(f"{type(self).__name__} must say how it processes rows")

    def _table(self, frame: pd.DataFrame) -> pa.Table:
        return pa.Table.from_pandas(
            frame[self.input_schema.names], schema=self.input_schema, preserve_index=False
        )

    def close(self) -> None:
        """Nothing is held open."""
