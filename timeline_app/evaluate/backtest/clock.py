"""The steps in which events arrived, and the newest event time after each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, Ints
from timeline_app.evaluate.tables import EventTable
from timeline_app.landing.heartbeats import Beat
from timeline_app.landing.watermarks import AcceptedWatermark


@dataclass(frozen=True, slots=True, eq=False)
class StreamArrivals:
    """The events of a stream in the order of arrival.

    `batch` numbers the batch of each row, and `arrived` is its arrival in microseconds; neither decreases.
    """

    table: EventTable
    batch: Ints
    arrived: Ints
    heartbeats: Sequence[Beat] = ()

    @classmethod
    def one_by_one(cls, table: EventTable, arrived: Ints | None = None) -> StreamArrivals:
        """Return events that arrive one by one; without `arrived`, each when the newest of them happened."""
        times = table.table["time"].to_numpy() if arrived is None else arrived
        return cls(table, np.arange(table.size), np.maximum.accumulate(times))


@dataclass(frozen=True, slots=True, eq=False)
class ArrivalClock:
    """The arrival, the newest event time, and the final time of each step; none of them decreases."""

    arrived: Ints
    newest: Ints
    final: Ints

    @property
    def size(self) -> int:
        """The number of steps."""
        return len(self.arrived)

    def before(self, step: Ints) -> Ints:
        """Return the newest event time before each of these steps."""
        return np.where(step > 0, self.newest[np.maximum(step, 1) - 1], BEGINNING)


def build_clock(
    streams: Mapping[str, StreamArrivals], resolution: int = 0
) -> tuple[ArrivalClock, dict[str, Ints]]:
    """Return the steps of all streams together, and the step of each row by stream.

    Each batch is a step; with a resolution, all batches within that many microseconds are one.
    """
    batches = [_list_batches(item) for item in streams.values()]
    arrived = np.concatenate([times for _, times in batches])
    if resolution:
        arrived = arrived // resolution * resolution + resolution - 1
    owner = np.repeat(np.arange(len(batches)), [len(times) for _, times in batches])
    order = np.lexsort((np.arange(len(arrived)), owner, arrived))
    is_repeated = np.zeros(len(order), dtype=bool)
    if resolution:
        is_repeated[1:] = arrived[order][1:] == arrived[order][:-1]
    step = np.empty(len(order), dtype=np.int64)
    step[order] = np.cumsum(~is_repeated) - 1
    size = int(step.max(initial=-1)) + 1
    clock = np.full(size, BEGINNING, dtype=np.int64)
    np.maximum.at(clock, step, arrived)
    newest, final, steps = np.full(size, BEGINNING, dtype=np.int64), list[Ints](), {}
    for index, (name, item) in enumerate(streams.items()):
        steps_of_stream = step[owner == index]
        steps[name] = steps_of_stream[np.searchsorted(batches[index][0], item.batch)]
        greatest, until = _measure_stream(item, batches[index][0])
        np.maximum.at(newest, steps_of_stream, greatest)
        reached = np.full(size, BEGINNING, dtype=np.int64)
        np.maximum.at(reached, steps_of_stream, until)
        final.append(np.maximum.accumulate(reached))
    everywhere = np.minimum.reduce(final) if final else clock
    return ArrivalClock(clock, np.maximum.accumulate(newest), everywhere), steps


def _list_batches(item: StreamArrivals) -> tuple[Ints, Ints]:
    """Return the numbers of the batches and their arrivals; one of heartbeats alone arrives with the one before it."""
    numbers = np.union1d(item.batch, np.array([beat.number for beat in item.heartbeats], dtype=np.int64))
    positions = np.searchsorted(item.batch, numbers, side="right") - 1
    first = item.arrived[:1] if len(item.arrived) else np.zeros(1, dtype=np.int64)
    return numbers, np.where(positions < 0, first, np.append(item.arrived, 0)[positions])


def _measure_stream(item: StreamArrivals, numbers: Ints) -> tuple[Ints, Ints]:
    """Return for each batch the greatest time, heartbeats included, and the time before which the stream is final."""
    greatest = np.full(len(numbers), BEGINNING, dtype=np.int64)
    np.maximum.at(greatest, np.searchsorted(numbers, item.batch), item.table.table["time"].to_numpy())
    lateness = item.table.declaration.allowed_lateness
    if not item.heartbeats:
        reached = np.maximum.accumulate(greatest)
        return greatest, np.where(reached == BEGINNING, BEGINNING, reached - lateness)
    final, watermark, beats_by_batch = (
        np.empty(len(numbers), dtype=np.int64),
        AcceptedWatermark(),
        _group(item),
    )
    for index, number in enumerate(numbers.tolist()):
        watermark.take(int(greatest[index]), beats_by_batch.get(number, ()), BEGINNING)
        final[index] = watermark.final_until(lateness)
    beats = [beat for beat in item.heartbeats if not beat.holds]
    at = np.searchsorted(numbers, [beat.number for beat in beats]).astype(np.int64)
    np.maximum.at(greatest, at, np.array([beat.until for beat in beats], dtype=np.int64))
    return greatest, final


def _group(item: StreamArrivals) -> dict[int, list[Beat]]:
    beats_by_batch: dict[int, list[Beat]] = {}
    for beat in item.heartbeats:
        beats_by_batch.setdefault(beat.number, []).append(beat)
    return beats_by_batch
