"""Finds when the events of one key happened, and how late each came, in the landing of a stream, in bounded time.

Files, and the events in them, are in the order of arrival. An event's lateness is its distance to the greatest time
before it. Events that the files no longer hold are unknown.
"""

from __future__ import annotations

import time as wall
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from timeline_app.algebra.kinds import Ints
from timeline_app.fs.paths import Place, open_for_arrow
from timeline_app.landing.batches import Piece
from timeline_app.landing.log import Landing
from timeline_app.landing.segments import read_group_spans

MAX_EVENTS = 2_000
SEARCH_TIMEOUT_S = 1.0
Clock = Callable[[], float]
Span = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Arrived:
    """An event: when it happened, and its lateness in microseconds (None: unknown)."""

    time: int
    late: int | None


@dataclass(frozen=True, slots=True)
class _Before:
    """The greatest time of an event that came before; unknown where not all earlier events were read."""

    time: int | None = None
    known: bool = True

    def after(self, span: Span) -> _Before:
        """Return the state after more events."""
        if span is None:
            return self
        return _Before(span[1] if self.time is None else max(span[1], self.time), self.known)


UNKNOWN = _Before(known=False)


@dataclass(frozen=True, slots=True)
class _Stretch:
    key: str
    start: int
    end: int

    def reaches(self, span: Span) -> bool:
        return span is not None and span[0] < self.end and span[1] >= self.start


def load_arrivals(
    landing: Landing,
    key: str,
    start: int,
    end: int,
    most: int = MAX_EVENTS,
    seconds: float = SEARCH_TIMEOUT_S,
    clock: Clock = wall.monotonic,
) -> tuple[list[Arrived], bool]:
    """Return the key's events from start to end (microseconds) by time, and whether these are all of them.

    An incomplete list holds the events that arrived last. Lateness is unknown where half of the time was too short to
    read the statistics of all earlier files.
    """
    started = clock()
    pieces = landing.pieces(0, landing.end())
    befores, complete = _compute_befores(pieces, lambda: clock() - started > seconds / 2)
    arrivals: list[Arrived] = []
    for piece in reversed(pieces):
        if clock() - started > seconds:
            return _sort_by_time(arrivals[:most]), False
        try:
            for events in _iterate_newest_first(
                piece.path, _Stretch(key, start, end), befores.get(piece.path, UNKNOWN)
            ):
                arrivals += events
                if len(arrivals) > most or clock() - started > seconds:
                    return _sort_by_time(arrivals[:most]), False
        except FileNotFoundError:  # compacted meanwhile, or dropped
            complete = False
    return _sort_by_time(arrivals), complete


def _sort_by_time(arrivals: list[Arrived]) -> list[Arrived]:
    return sorted(arrivals, key=lambda arrival: arrival.time)


def _compute_befores(pieces: Sequence[Piece], late: Callable[[], bool]) -> tuple[dict[Place, _Before], bool]:
    """Return what came before each file, oldest first, as far as time allows, and whether nothing is gone."""
    befores: dict[Place, _Before] = {}
    before, complete = _Before(), True
    for piece in pieces:
        if late():
            break
        befores[piece.path] = before
        try:
            for span in read_group_spans(piece.path):
                before = before.after(span)
        except FileNotFoundError:
            before, complete = UNKNOWN, False
    return befores, complete


def _iterate_newest_first(path: Place, stretch: _Stretch, before: _Before) -> Iterator[list[Arrived]]:
    """Yield the events of one file, a row group at a time; read only row groups that overlap the stretch."""
    groups: list[tuple[int, _Before]] = []
    for index, span in enumerate(read_group_spans(path)):
        if stretch.reaches(span):
            groups.append((index, before))
        before = before.after(span)
    if not groups:
        return
    with pq.ParquetFile(open_for_arrow(path)) as file:
        for index, came_before in reversed(groups):
            yield _read_events(file, index, stretch, came_before)


def _read_events(file: pq.ParquetFile, group: int, stretch: _Stretch, before: _Before) -> list[Arrived]:
    """Return the events of one row group, the last to arrive first."""
    table = file.read_row_group(group, columns=["key", "time"])
    times: Ints = table["time"].to_numpy()
    first = times[:1] if before.time is None else np.array([before.time])
    late = np.maximum(np.maximum.accumulate(np.concatenate((first, times)))[:-1] - times, 0)
    is_of_key = pc.equal(table["key"], stretch.key).to_numpy(zero_copy_only=False)
    here = np.flatnonzero(is_of_key & (times >= stretch.start) & (times < stretch.end))[::-1]
    return [Arrived(int(times[index]), int(late[index]) if before.known else None) for index in here]
