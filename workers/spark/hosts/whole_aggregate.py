"""The host of an aggregate in one bucket: both halves in one pass, without a shuffle between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from timeline_app.events.columns import hash_texts
from workers.spark.hosts.aggregate import (
    DELTA_SCHEMA,
    STATE_SCHEMA,
    SUMS_SCHEMA,
    FinalAggregate,
    PartialAggregate,
)
from workers.spark.hosts.processor import PagedProcessor
from workers.spark.state.pages import Pages
from workers.spark.state.sums_state import SumsState


class WholeAggregate(PagedProcessor):
    """Passes the output of `PartialAggregate` straight to `FinalAggregate`."""

    def __init__(
        self, program: str, input_schema: pa.Schema, state_schema: pa.Schema, *of_bucket: Any
    ) -> None:
        """Take the arguments of `PartialAggregate`."""
        super().__init__(program, input_schema, state_schema, *of_bucket)
        self.partial = PartialAggregate(program, input_schema, state_schema, *of_bucket)
        self.final = FinalAggregate(program, SUMS_SCHEMA, STATE_SCHEMA, *of_bucket)

    def process(self, rows: pa.Table, pages: Pages) -> Iterator[pa.Table]:
        """Apply the revisions that arrived, and emit how the groups changed."""
        self.partial.program = self.final.program = self.program
        deltas = pa.concat_tables([DELTA_SCHEMA.empty_table(), *self.partial.process(rows, pages)])
        if len(deltas):
            sums = pa.table([hash_texts(deltas["name"]), *deltas.columns], schema=SUMS_SCHEMA)
            yield from self.final.process(sums, self.final.pages(SumsState(pages.state), pages.bucket))
