"""The events of one stream, all delivered, in the columns that a plan looks at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import ARRIVAL
from timeline_app.algebra.kinds import Ints, Labels
from timeline_app.plan.events import EventBatch
from timeline_app.plan.stream import StreamDeclaration
from timeline_app.storage.landing import host_table, table_of


@dataclass(frozen=True, slots=True)
class EventTable:
    """Delivered events in host columns (see `host_schema`), of these fields only; texts may be encoded.

    `texts` gives the canonical JSON texts of some rows (only copies with one id are asked for them); `mistyped` is
    how many values of the columns did not fit their types and count as missing.
    """

    declaration: StreamDeclaration
    fields: tuple[str, ...]
    table: pa.Table
    texts: Callable[[Ints], Labels] = field(repr=False)
    mistyped: int = 0

    @classmethod
    def of(cls, batch: EventBatch, fields: tuple[str, ...]) -> EventTable:
        """Events that came through the door."""
        table = host_table(table_of(batch), batch.declaration, fields)
        texts = np.array(batch.texts, dtype=object)
        return cls(batch.declaration, fields, table, lambda rows: texts[rows], batch.mistyped)

    @property
    def size(self) -> int:
        """How many events."""
        return int(self.table.num_rows)

    @property
    def last(self) -> int | None:
        """The greatest event time."""
        found: int | None = pc.max(self.table["time"]).as_py()
        return found


def unheard(tables: Mapping[str, EventTable]) -> list[str]:
    """What is wrong where a plan asks when events arrived, and none of a stream's says it."""
    cure = f"give them the field {ARRIVAL} (microseconds since the epoch), or run the plan: the door writes it down"
    return [
        f"the plan asks when the events of {name!r} arrived, and none of them says it; {cure}"
        for name, item in tables.items()
        if ARRIVAL in item.fields
        and item.size
        and item.table[f"v{item.fields.index(ARRIVAL)}"].null_count == item.size
    ]
