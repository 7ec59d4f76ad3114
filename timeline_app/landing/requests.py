"""What wants to land: the requests of clients and sources, and the batch in which they land together."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import BEGINNING, Ints
from timeline_app.landing import dedup, heartbeats
from timeline_app.landing.dedup import NotInOrder, Receipt
from timeline_app.landing.heartbeats import Beat
from timeline_app.landing.recent_ids import RecentEvents
from timeline_app.landing.segments import ACCEPTED, ARRIVED, SCHEMA
from timeline_app.landing.watermarks import AcceptedWatermark, select_too_late
from timeline_app.operators.parameters import LONGEST


@dataclass(slots=True, eq=False)
class Request:
    """Events that want to land, and what became of them: where they lie, or why they cannot.

    `allowed_lateness` and `retention` of their stream (microseconds) say which the receipt counts as late; those
    at the places `too_late` were too late. By their `digests` those are known that repeat an event.

    Those of a source carry the `positions` up to which it was read for them; they land only where it had been read up
    to the positions `after` which they come (None: never read), so that they land once, however many read it. The
    `watermark` is what it says of itself (microseconds; `BEGINNING`: it cannot tell yet; None: it never does).
    """

    table: pa.Table
    wanted: Receipt
    receipt: Receipt | None = None
    repeated: bool = False
    refusal: NotInOrder | None = None
    failure: Exception | None = None
    positions: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    watermark: int | None = None
    allowed_lateness: int = 0
    retention: int = LONGEST
    digests: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    too_late: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def is_settled(self) -> bool:
        """Whether it is known what became of it."""
        return self.receipt is not None or self.refusal is not None or self.failure is not None

    @property
    def nameless(self) -> bool:
        """Whether neither a key nor a position tells it from another one with the same events."""
        return not self.wanted.id and not self.positions

    def measure(self, accepted: AcceptedWatermark, recent: RecentEvents) -> None:
        """Note how its events stand to the watermark from before them, and to the events before them."""
        times = self.table["time"].to_numpy()
        old = select_too_late(times, accepted.until, self.retention)
        late = (times < accepted.final_until(self.allowed_lateness)) & ~old
        self.too_late = np.flatnonzero(old)
        self.wanted = replace(
            self.wanted,
            late=int(np.count_nonzero(late)),
            too_late=len(self.too_late),
            duplicates=recent.count_repeated(self.digests),
        )


@dataclass(slots=True, eq=False)
class LandedBatch:
    """What is written under one number: requests, or what is said of time; `accepted` is the watermark before it."""

    number: int
    requests: list[Request] = field(default_factory=list)
    said: list[Beat] = field(default_factory=list)
    accepted: int | None = None
    arrived: int = field(default_factory=lambda: time.time_ns() // 1_000)

    @classmethod
    def of(cls, number: int, requests: list[Request], accepted: AcceptedWatermark) -> LandedBatch:
        """One of requests that land together."""
        said = [Beat(number, mark, True) for mark in _list_watermarks(requests)[-1:]]
        return cls(number, requests, said, accepted.until)

    def events(self) -> pa.Table:
        """Those of all requests."""
        return pa.concat_tables(
            [SCHEMA.empty_table(), *(request.table for request in self.requests)]
        ).combine_chunks()

    def greatest(self) -> int:
        """The greatest event time."""
        times = [pc.max(request.table["time"]).as_py() for request in self.requests]
        return max((time for time in times if time is not None), default=BEGINNING)

    def footer(self) -> dict[str | bytes, Any]:
        """What is said beside the events."""
        document: dict[str | bytes, Any] = {ARRIVED: str(self.arrived)}
        document[dedup.FOOTER] = dedup.encode_receipts(request.wanted for request in self.requests)
        if self.accepted is not None:
            document[ACCEPTED] = str(self.accepted)
        if positions := {
            name: value for request in self.requests for name, value in request.positions.items()
        }:
            document[dedup.PLACES] = orjson.dumps(positions)
        if self.said:
            document[heartbeats.FOOTER] = heartbeats.encode_heartbeats(self.said)
        return document


def _list_watermarks(requests: Iterable[Request]) -> list[int]:
    return [request.watermark for request in requests if request.watermark is not None]
