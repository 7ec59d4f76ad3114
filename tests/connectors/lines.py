"""A source that other processes can read as well: each file of a directory is a log, one number on a line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa

from timeline_app.connectors.options import Option
from timeline_app.connectors.source_contract import Acknowledge, Given, Restriction, SplittableSource, resume
from timeline_app.connectors.source_kit import SourceHarness
from timeline_app.connectors.splits.estimators import Estimator, Observed
from timeline_app.connectors.splits.readers import JournalledReader
from timeline_app.connectors.splits.tracker import Position, Tracker


class Lines(SplittableSource):
    """Seconds since the epoch, as text; acknowledged into a file beside."""

    schema = pa.schema([pa.field("number", pa.int64(), nullable=False), ("at", pa.timestamp("us", "UTC"))])
    event_time, reader, poll = "at", JournalledReader, 0.2

    def __init__(self, path: Annotated[str, Option("The directory")]) -> None:
        self.path = Path(path)

    def estimator(self) -> Estimator | None:
        return Observed(5)

    def restrictions(self) -> Iterable[Restriction]:
        return [Restriction(path.name, 0) for path in sorted(self.path.glob("*.log"))]

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        return (self.path / key).stat().st_size > int(start)

    def now(self, key: str) -> Position:
        return (self.path / key).stat().st_size

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        with (self.path / key).open("rb") as file:
            file.seek(tracker.start)
            while (line := file.readline()).endswith(b"\n"):
                if not tracker.try_claim(file.tell()):
                    return None
                number = int(line)
                watermark.observe(number * 1_000_000)
                ack(number)
                yield number, datetime.fromtimestamp(number, UTC)
        return resume(0.2)

    def finalize(self, key: str, payloads: Sequence[Any]) -> None:
        with (self.path / f"{key}.acknowledged").open("a") as file:
            file.writelines(f"{number}\n" for number in payloads)


class LinesWorld(SourceHarness):
    """A directory of two logs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        for name in ("even.log", "odd.log"):
            (path / name).touch()

    def source(self) -> Lines:
        return Lines(str(self.path))

    def send(self, events: Iterable[int]) -> None:
        for number in events:
            with (self.path / ("odd.log" if number % 2 else "even.log")).open("a") as file:
                file.write(f"{number}\n")
                os.fsync(file.fileno())

    def number(self, row: Mapping[str, Any]) -> int:
        return int(row["number"])

    def unacknowledged(self) -> int:
        sent, done = (self.read(pattern) for pattern in ("*.log", "*.acknowledged"))
        return len(set(sent) - set(done))

    def read(self, pattern: str) -> list[int]:
        return [int(line) for path in self.path.glob(pattern) for line in path.read_text().split()]
