"""The progress that feeds carry: watermarks of sources, and how far back later revisions may reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from timeline_app.algebra.kinds import BEGINNING

Progress = tuple[int, int, int]
"""Final until, greatest event time, frontier."""


@dataclass(frozen=True, slots=True)
class SourceProgress:
    """The progress of a source of the input with index `port`."""

    port: int
    source: str
    final_until: int
    max_event_time: int
    frontier: int
    bucket: int
    buckets: int
    horizon: int


@dataclass(frozen=True, slots=True)
class FeedProgress:
    """The progress in one batch."""

    items: list[SourceProgress]

    @classmethod
    def from_rows(cls, rows: pa.Table) -> FeedProgress:
        """Read feed rows without a key, with their port."""
        names = ("port", "source", "t", "end", "start", "bucket", "buckets", "horizon")
        return cls(
            [
                SourceProgress(*values)
                for values in zip(*(rows[name].to_pylist() for name in names), strict=True)
            ]
        )

    def sources(self) -> Iterator[tuple[int, str, Progress]]:
        """Yield (port, source, (until, seen, frontier)), each source once."""
        for port, source in sorted({(item.port, item.source) for item in self.items}):
            matching = [item for item in self.items if (item.port, item.source) == (port, source)]
            progress = (
                [item.final_until for item in matching],
                [item.max_event_time for item in matching],
                [item.frontier for item in matching],
            )
            yield port, source, (max(progress[0]), max(progress[1]), max(progress[2]))

    def horizon(self, memory: dict[str, Any], inputs: int) -> int:
        """Return the instant before which no input will revise anything, except for new keys.

        `memory` keeps the last report of each bucket of each input; while one is missing, the instant is unknown.
        Reports of another number of buckets, from a former query, are forgotten.
        """
        horizons: dict[str, dict[str, int]] = memory.setdefault("horizons", {})
        counts: dict[str, int] = memory.setdefault("buckets", {})
        for item in self.items:
            if counts.get(str(item.port)) != item.buckets:
                horizons[str(item.port)] = {}
            horizons_of_port = horizons[str(item.port)]
            horizons_of_port[str(item.bucket)] = max(
                item.horizon, horizons_of_port.get(str(item.bucket), BEGINNING)
            )
            counts[str(item.port)] = item.buckets
        complete = len(horizons) == inputs and all(len(horizons[port]) == counts[port] for port in horizons)
        return (
            min(value for horizons_of_port in horizons.values() for value in horizons_of_port.values())
            if complete
            else BEGINNING
        )
