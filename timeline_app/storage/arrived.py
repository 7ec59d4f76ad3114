"""When the events of one key happened, and how late each came, from the landing of a stream, in bounded time.

Files, and the events in them, are in the order of arrival: how late an event came is how far it lies behind the
greatest time before it. What the files no longer hold is not known any more.
"""

from __future__ import annotations

import time as wall
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import Ints
from timeline_app.storage.landing import Landing
from timeline_app.storage.segments import spans_of

MOST = 2_000
"""So many events are told."""
SECONDS = 1.0
"""So long is looked for them."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """An event: when it happened, and how far behind the greatest time before it, microseconds."""

    time: int
    late: int


@dataclass(frozen=True, slots=True)
class _File:
    path: Path
    before: int | None
    """The greatest time of an event that came before."""


def arrived(
    landing: Landing, key: str, start: int, end: int, most: int = MOST, seconds: float = SECONDS
) -> tuple[list[Arrived], bool]:
    """The key's events from start to end (microseconds), by time, and whether these are all of them.

    Where they are not, the newest to arrive are told.
    """
    until = wall.monotonic() + seconds
    files = list(_files(landing, start, end, until))
    found: list[Arrived] = []
    complete = wall.monotonic() <= until
    for file in reversed(files):
        if wall.monotonic() > until or len(found) >= most:
            complete = False
            break
        found += _events(file, key, start, end)
    newest = sorted(found[:most], key=lambda one: one.time)
    return newest, complete and len(found) <= most


def _files(landing: Landing, start: int, end: int, until: float) -> Iterator[_File]:
    """Those that reach into the stretch; by their statistics, which are read once for each file."""
    before: int | None = None
    for piece in landing.pieces(0, landing.end()):
        if wall.monotonic() > until:
            return
        try:
            spans = spans_of(piece.path)
        except FileNotFoundError:  # compacted meanwhile
            continue
        if any(low < end and high >= start for low, high in spans):
            yield _File(piece.path, before)
        before = max((high for _, high in [*spans, *_span(before)]), default=None)


def _span(time: int | None) -> list[tuple[int, int]]:
    return [] if time is None else [(time, time)]


def _events(file: _File, key: str, start: int, end: int) -> list[Arrived]:
    """Those of one file, the newest to arrive first."""
    try:
        table = pq.read_table(file.path, columns=["key", "time"])
    except FileNotFoundError:
        return []
    times: Ints = table["time"].to_numpy()
    first = times[:1] if file.before is None else np.array([file.before])
    late = np.maximum(np.maximum.accumulate(np.concatenate((first, times)))[:-1] - times, 0)
    own = pc.equal(table["key"], key).to_numpy(zero_copy_only=False)
    here = np.flatnonzero(own & (times >= start) & (times < end))[::-1]
    return [Arrived(int(times[place]), int(late[place])) for place in here]
