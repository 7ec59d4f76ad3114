"""Columns of events, in the form that conditions and expressions use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from timeline_app.algebra.events import TIME, Column
from timeline_app.algebra.kinds import Ints, Kind

Fields = Mapping[str, Column]


class EventColumns(Protocol):
    """`size` events in columns."""

    @property
    def fields(self) -> Fields:
        """The columns by name."""

    @property
    def size(self) -> int:
        """The number of events."""

    @property
    def time(self) -> Ints:
        """The event times in microseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class LooseColumns:
    """Columns that belong to no collection of events."""

    fields: Fields
    size: int
    time: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))


def select_fields(events: EventColumns, *, with_time: bool) -> Fields:
    """Return the columns by name, with that of the event's time if an expression needs it."""
    return {**events.fields, TIME: Column(Kind.NUMBER, events.time)} if with_time else events.fields
