"""Brokers in memory, and sources that read from them as they promise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

import pyarrow as pa

from timeline_app.connectors.source_contract import (
    Acknowledge,
    Given,
    Restriction,
    SplittableSource,
    resume,
    split_evenly,
)
from timeline_app.connectors.source_kit import SourceHarness
from timeline_app.connectors.splits.estimators import Estimator, Observed
from timeline_app.connectors.splits.readers import JournalledReader, PlannedReader, PlanReader, SpooledReader
from timeline_app.connectors.splits.tracker import Position, Tracker

SCHEMA = pa.schema([("number", pa.int64()), ("at", pa.timestamp("us", "UTC"))])
BEGIN = 1_750_000_000


def sift_rows(batch: Given, goes: Callable[[Any], bool]) -> Given:
    """The rows of a source that may go, each looked at before; it ends as the source does."""
    while True:
        try:
            row: Any = next(batch)
        except StopIteration as end:
            return end.value
        if goes(row):
            yield row


def build_row(number: int) -> tuple[int, datetime]:
    return number, datetime.fromtimestamp(BEGIN + number, UTC)


class Shelf:
    """Logs of numbers that are kept for good, and what was acknowledged of them."""

    def __init__(self, logs: int = 3) -> None:
        self.logs: dict[str, list[int]] = {f"log{index}": [] for index in range(logs)}
        self.done: set[int] = set()


class Journalled(SplittableSource):
    """Reads on until there is no more."""

    schema, event_time = SCHEMA, "at"
    reader: ClassVar[type[PlanReader]] = JournalledReader

    def __init__(self) -> None:
        self.shelf = Shelf()

    def estimator(self) -> Estimator | None:
        return Observed(5)

    def restrictions(self) -> Iterable[Restriction]:
        return [Restriction(key, 0) for key in self.shelf.logs]

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        return bool(len(self.shelf.logs[key]) > start)

    def size(self, key: str, start: Position, end: Position) -> int | None:
        return int(len(self.shelf.logs[key]) - start)

    def now(self, key: str) -> Position:
        return len(self.shelf.logs[key])

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        place = tracker.start
        while place < len(self.shelf.logs[key]):
            number = self.shelf.logs[key][place]
            place += 1
            if not tracker.try_claim(place):
                return None
            watermark.observe((BEGIN + number) * 1_000_000)
            ack(number)
            yield build_row(number)
        return resume(0.5)

    def finalize(self, key: str, payloads: Sequence[Any]) -> None:
        self.shelf.done.update(payloads)


class Planned(Journalled):
    """Reads stretches."""

    reader = PlannedReader

    def estimator(self) -> Estimator | None:
        return None

    def restrictions(self) -> Iterable[Restriction]:
        return [Restriction(key, 0, len(log)) for key, log in self.shelf.logs.items()]

    def size(self, key: str, start: Position, end: Position) -> int | None:
        return SplittableSource.size(self, key, start, end)

    def split(self, key: str, start: Position, end: Position, parts: int) -> Sequence[Position]:
        return split_evenly(start, end, parts)

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        batch = self.shelf.logs[key][tracker.start : tracker.end]
        if batch and tracker.try_claim(tracker.end, len(batch)):
            columns = list(zip(*map(build_row, batch), strict=True))
            yield pa.RecordBatch.from_arrays(
                [pa.array(column, kind) for column, kind in zip(columns, SCHEMA.types, strict=True)],
                schema=SCHEMA,
            )

    def finalize(self, key: str, payloads: Sequence[Any]) -> None:
        self.shelf.done.update(self.shelf.logs[key][: payloads[-1]])


class Bounded(Journalled):
    """Logs that have an end, split while they are read."""

    def restrictions(self) -> Iterable[Restriction]:
        return [
            Restriction(f"{key}/{first}", first, min(first + 10, len(log)))
            for key, log in self.shelf.logs.items()
            for first in range(0, len(log) - len(log) % 10, 10)
        ]

    def log(self, key: str) -> list[int]:
        return self.shelf.logs[key.partition("/")[0]]

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        return True

    def size(self, key: str, start: Position, end: Position) -> int | None:
        return SplittableSource.size(self, key, start, end)

    def now(self, key: str) -> Position:
        return None

    def split(self, key: str, start: Position, end: Position, parts: int) -> Sequence[Position]:
        return split_evenly(start, end, parts)

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        for index in range(tracker.start, tracker.end or 0):
            if not tracker.try_claim(index + 1):
                return
            number = self.log(key)[index]
            ack(number)
            yield build_row(number)


class Spooled(Journalled):
    """A broker that gives what was not acknowledged to whoever comes, in any order, and nothing twice."""

    reader = SpooledReader

    def restrictions(self) -> Iterable[Restriction]:
        return [Restriction(key, 0) for key in self.shelf.logs]

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        return any(number not in self.shelf.done for number in self.shelf.logs[key])

    def now(self, key: str) -> Position:
        return None

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        waiting = [number for number in self.shelf.logs[key] if number not in self.shelf.done]
        for index, number in enumerate(reversed(waiting), tracker.start + 1):
            if not tracker.try_claim(index):
                return None
            ack(number)
            yield build_row(number)
        return resume(0.5)


class ShelfWorld(SourceHarness):
    """A shelf, and a kind of source that reads from it."""

    kind: type[Journalled] = Journalled

    def __init__(self) -> None:
        self.shelf = Shelf()

    def source(self) -> Journalled:
        source = self.kind()
        source.shelf = self.shelf
        return source

    def send(self, events: Iterable[int]) -> None:
        for number in events:
            self.shelf.logs[f"log{number % len(self.shelf.logs)}"].append(number)

    def number(self, row: Mapping[str, Any]) -> int:
        return int(row["number"])

    def unacknowledged(self) -> int | None:
        return sum(number not in self.shelf.done for log in self.shelf.logs.values() for number in log)


def build_harness(kind: type[Journalled]) -> type[ShelfWorld]:
    """Worlds of that kind of source."""
    return type(f"WorldOf{kind.__name__}", (ShelfWorld,), {"kind": kind})
