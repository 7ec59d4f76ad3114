"""Computes up to when a stream is final, from events, heartbeats and source watermarks in the order of the log.

Each statement counts from its batch on, however the log is cut into batches of the query, so the result is
reproducible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import BEGINNING, Ints
from timeline_app.landing.heartbeats import Beat, order_in_log
from timeline_app.landing.segments import FILE, HOLDS


@dataclass(slots=True)
class StreamProgress:
    """The progress of a stream in microseconds.

    `source_watermark` is None where the source has none, or a heartbeat came since. Everything before `final_until`
    is final; it never goes back.
    """

    max_event_time: int = BEGINNING
    last_heartbeat: int = BEGINNING
    source_watermark: int | None = None
    final_until: int = BEGINNING

    @classmethod
    def load(cls, memory: Mapping[str, Mapping[str, int]], stream: str, lateness: int) -> StreamProgress:
        """Read the progress from the memory of a bucket."""
        progress = cls(
            memory.get("seen", {}).get(stream, BEGINNING),
            memory.get("beats", {}).get(stream, BEGINNING),
            memory.get("held", {}).get(stream),
            memory.get("final", {}).get(stream, BEGINNING),
        )
        progress._update_final(lateness)  # an older memory does not contain it
        return progress

    def store(self, memory: dict[str, Any], stream: str) -> None:
        """Write the progress to the memory of a bucket."""
        columns = {
            "seen": self.max_event_time,
            "beats": self.last_heartbeat,
            "held": self.source_watermark,
            "final": self.final_until,
        }
        for name, value in columns.items():
            times_by_stream = memory.setdefault(name, {})
            if value is None:
                times_by_stream.pop(stream, None)
            elif value > BEGINNING or name == "held":
                times_by_stream[stream] = value

    def advance(self, files: Ints, times: Ints, beats_of_stream: list[Beat], lateness: int) -> None:
        """Advance by the events of some batches of the log, each with its batch number, and by their heartbeats."""
        order = np.argsort(files, kind="stable")
        files, peaks = files[order], np.maximum.accumulate(times[order])
        for number, together in groupby(beats_of_stream, lambda beat: beat.number):
            self._advance_to(peaks[: np.searchsorted(files, number)], lateness)
            for beat in together:
                self.source_watermark = beat.until if beat.holds else None
                if not beat.holds:
                    self.last_heartbeat = max(self.last_heartbeat, beat.until)
            self._advance_to(peaks[: np.searchsorted(files, number, side="right")], lateness)
        self._advance_to(peaks, lateness)

    def _advance_to(self, peaks: Ints, lateness: int) -> None:
        """Advance by events; `peaks` are their running maxima."""
        if len(peaks):
            self.max_event_time = max(self.max_event_time, int(peaks[-1]))
        self._update_final(lateness)

    def _update_final(self, lateness: int) -> None:
        arrived, key_rows = max(self.max_event_time, self.last_heartbeat), self.source_watermark
        until = arrived - lateness if key_rows is None else min(key_rows, max(arrived, key_rows) - lateness)
        self.final_until = max(self.final_until, until, BEGINNING)


def read_frontiers(
    rows: pa.Table, streams: Sequence[str], last_frontiers: Mapping[str, int]
) -> dict[str, int]:
    """Return the frontiers of streams after the heartbeats and greatest times of a batch."""
    beats_of_stream = rows.filter(
        pc.and_(pc.is_null(rows["key"]), pc.invert(pc.fill_null(_get_row_kinds(rows), False)))
    )
    frontiers = dict(last_frontiers)
    for index, time in zip(
        beats_of_stream["stream"].to_pylist(), beats_of_stream["time"].to_pylist(), strict=True
    ):
        if time > BEGINNING:
            frontiers[streams[index]] = max(time, frontiers.get(streams[index], time))
    return frontiers


def _get_row_kinds(rows: pa.Table) -> pa.ChunkedArray:
    """Return the kinds of rows without a key; a column of nulls alone has no type."""
    return rows[HOLDS].cast(pa.bool_())


def read_heartbeats(rows: pa.Table) -> list[Beat]:
    """Return the heartbeats and watermarks of a stream, its rows without a key, in order: rows may be unordered."""
    heartbeat_rows = rows.filter(pc.and_(pc.is_null(rows["key"]), pc.fill_null(_get_row_kinds(rows), True)))
    columns = (heartbeat_rows[name].to_pylist() for name in (FILE, "time", HOLDS))
    beats_of_stream = [
        Beat(number, until, bool(holds)) for number, until, holds in zip(*columns, strict=True)
    ]
    return sorted(beats_of_stream, key=order_in_log)


def append_greatest_time(rows: pa.Table) -> pa.Table:
    """Append a row without a key, which goes to every bucket: the greatest time of all events."""
    events = rows.filter(pc.is_valid(rows["key"]))
    if not len(events):
        return rows
    greatest = {name: pa.array([pc.max(events[name]).as_py()], pa.int64()) for name in ("time", FILE)}
    greatest_row = pa.table({**greatest, HOLDS: pa.array([False])})
    return pa.concat_tables([rows, greatest_row], promote_options="default")
