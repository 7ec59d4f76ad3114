"""The events of one stream, all delivered, in the columns that a plan looks at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
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

    def says_nothing(self, field: str) -> bool:
        """Whether no event has one of the fields."""
        return bool(self.table[f"v{self.fields.index(field)}"].null_count == self.size)

    @property
    def size(self) -> int:
        """How many events."""
        return int(self.table.num_rows)

    @property
    def last(self) -> int | None:
        """The greatest event time."""
        found: int | None = pc.max(self.table["time"]).as_py()
        return found


CURE = (
    f"give them the field {ARRIVAL} (microseconds since the epoch), or run the plan: the door writes it down"
)


def unheard(tables: Mapping[str, EventTable], fields: Mapping[str, Collection[str]]) -> dict[str, str]:
    """By stream what is wrong: nodes that look at these fields ask when its events arrived, and none says it."""
    return {
        name: f"the plan asks when the events of {name!r} arrived, and none of them says it"
        for name, item in tables.items()
        if ARRIVAL in fields.get(name, ()) and item.size and item.says_nothing(ARRIVAL)
    }
