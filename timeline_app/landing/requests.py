"""The requests of clients and sources, and the batch in which they land together."""

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
from timeline_app.operators.parameters import MAX_DURATION_MICROS


@dataclass(slots=True, eq=False)
class Request:
    """Events to land, and the outcome: their receipt, or the reason why they cannot land.

    `allowed_lateness` and `retention` (microseconds) decide which events the receipt counts as late; `too_late` are
    the indexes of those beyond the retention. `digests` identify repeated events.

    Events of a source carry the `positions` up to which it was read. They land only where it had been read up to the
    positions `after` (None: never read), so that they land once, however many processes read it. `watermark` is the
    source's own (microseconds; `BEGINNING`: unknown yet; None: it has none).
    """

    table: pa.Table
    claim: Receipt
    receipt: Receipt | None = None
    repeated: bool = False
    refusal: NotInOrder | None = None
    failure: Exception | None = None
    positions: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    watermark: int | None = None
    allowed_lateness: int = 0
    retention: int = MAX_DURATION_MICROS
    digests: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    too_late: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def is_settled(self) -> bool:
        """Whether the outcome is known."""
        return self.receipt is not None or self.refusal is not None or self.failure is not None

    @property
    def nameless(self) -> bool:
        """Whether neither an id nor a position distinguishes it from another request with the same events."""
        return not self.claim.id and not self.positions

    def measure(self, accepted: AcceptedWatermark, recent: RecentEvents) -> None:
        """Compare its events with the watermark before them, and with recent events."""
        times = self.table["time"].to_numpy()
        old = select_too_late(times, accepted.until, self.retention)
        late = (times < accepted.final_until(self.allowed_lateness)) & ~old
        self.too_late = np.flatnonzero(old)
        self.claim = replace(
            self.claim,
            late=int(np.count_nonzero(late)),
            too_late=len(self.too_late),
            duplicates=recent.count_repeated(self.digests),
        )


@dataclass(slots=True, eq=False)
class LandedBatch:
    """The contents of one batch: requests, or a heartbeat; `accepted` is the watermark before it."""

    number: int
    requests: list[Request] = field(default_factory=list)
    said: list[Beat] = field(default_factory=list)
    accepted: int | None = None
    arrived: int = field(default_factory=lambda: time.time_ns() // 1_000)

    @classmethod
    def build(cls, number: int, requests: list[Request], accepted: AcceptedWatermark) -> LandedBatch:
        """Build a batch of requests that land together."""
        beats = [Beat(number, mark, True) for mark in _list_watermarks(requests)[-1:]]
        return cls(number, requests, beats, accepted.until)

    def events(self) -> pa.Table:
        """Return the events of all requests."""
        return pa.concat_tables(
            [SCHEMA.empty_table(), *(request.table for request in self.requests)]
        ).combine_chunks()

    def greatest(self) -> int:
        """Return the greatest event time."""
        times = [pc.max(request.table["time"]).as_py() for request in self.requests]
        return max((time for time in times if time is not None), default=BEGINNING)

    def footer(self) -> dict[str | bytes, Any]:
        """Return the metadata beside the events."""
        document: dict[str | bytes, Any] = {ARRIVED: str(self.arrived)}
        document[dedup.FOOTER] = dedup.encode_records(request.claim for request in self.requests)
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
