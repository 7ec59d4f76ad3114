"""A streaming query without Spark: its micro-batch protocol step by step, with all its surprises.

Offsets are texts, and the first one is requested twice. An offset is written before its batch is read. A batch
without a commit is not planned again but read again, possibly by others. A planner is asked repeatedly while nothing
comes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from timeline_app.connectors.source_contract import SplittableSource
from timeline_app.connectors.source_kit.memory import Faults, Memory
from timeline_app.connectors.source_kit.watched import Watched
from timeline_app.connectors.source_kit.world import SourceHarness
from timeline_app.connectors.source_promises import BrokenSourcePromise
from timeline_app.connectors.splits.offsets import Part, Plan
from timeline_app.connectors.splits.planner import Planner

Rows = list[dict[str, Any]]
MAX_EMPTY_TRIGGERS = 40
"""After this many triggers without a row no more will come."""


class Clock:
    """Advances without waiting in real time."""

    def __init__(self) -> None:
        self.now = 1_750_000_000.0

    def __call__(self) -> float:
        """Return the seconds since the epoch."""
        return self.now


class Query:
    """A query whose checkpoint, store and sink outlive its process."""

    def __init__(
        self,
        world: SourceHarness,
        *,
        most: int | None = None,
        tasks: int = 2,
        readings: int = 1,
        watch: Callable[[SplittableSource, Faults], Watched] = Watched,
    ) -> None:
        """`readings` is how often each batch is read; `watch` wraps each new source."""
        self.world, self.faults, self.watch = world, Faults(), watch
        self.most, self.tasks, self.readings = most, tasks, readings
        self.store, self.clock = Memory(self.faults), Clock()
        self.offsets: list[str] = []
        self.commits = 0
        self.sink: list[Rows] = []
        self.planner: Planner

    def start(self) -> None:
        """Start a new process."""
        self.planner = self._planner()
        first, repeated = self.planner.initial(), self.planner.initial()
        assert first == repeated
        self.offsets = self.offsets or [json.dumps(first)]
        if self.commits < len(self.offsets) - 1:
            self._run()

    def trigger(self) -> int:
        """Run a trigger as Spark does. Return how many rows came."""
        start = self.offsets[self.commits]
        end = json.dumps(self.planner.latest(json.loads(start), self.most))
        if end == start:
            self.clock.now += self.planner.source.poll
            return 0
        self.faults.at("planned")
        self.offsets.append(end)
        self.faults.at("offset")
        return self._run()

    def drain(self) -> None:
        """Run triggers until nothing comes any more."""
        quiet = 0
        while quiet < MAX_EMPTY_TRIGGERS:
            quiet = 0 if self.trigger() else quiet + 1

    def numbers(self) -> list[int]:
        """Return the published events, sorted."""
        return sorted(self.world.number(row) for batch in self.sink for row in batch)

    def plan(self) -> Plan:
        """Return the last plan."""
        return Plan.from_document(json.loads(self.offsets[-1]))

    def _planner(self) -> Planner:
        source = cast(SplittableSource, self.watch(self.world.source(), self.faults))
        return Planner(source, self.store, parallelism=self.tasks, clock=self.clock)

    def _run(self) -> int:
        start, end = (json.loads(text) for text in self.offsets[self.commits : self.commits + 2])
        if self.planner.partitions(end, end):
            raise AssertionError("a batch between an offset and itself is empty")
        rows = self._read(start, end)
        for _ in range(self.readings - 1):
            self._same(rows, self._read(start, end), "was read twice")
        if len(self.sink) > self.commits:
            self._same(self.sink[self.commits], rows, "was published, killed, and read again")
        else:
            self.sink.append(rows)
        self.faults.at("published")
        self.commits += 1
        self.faults.at("committed")
        return len(rows)

    def _read(self, start: Any, end: Any) -> Rows:
        """Read a batch, each task in its own simulated process."""
        plan, rows = Plan.from_document(end), Rows()
        for places in self.planner.partitions(start, end):
            task = self._planner()
            for index in places:
                rows += self._split(task, plan.number, index, plan.splits[index])
            task.close()
        return rows

    def _split(self, task: Planner, number: int, index: int, part: Part) -> Rows:
        return [row for batch in task.reader.read(number, index, part) for row in batch.to_pylist()]

    def _same(self, first: Rows, second: Rows, words: str) -> None:
        left, right = (sorted(self.world.number(row) for row in rows) for rows in (first, second))
        if left != right:
            text = f"a batch {words}; first it had {_format_numbers(left)}, then {_format_numbers(right)}"
            raise BrokenSourcePromise("replay", f"{text}; what lies between two positions is always the same")


def _format_numbers(numbers: list[int]) -> str:
    shown_numbers = ", ".join(map(str, numbers[:8]))
    return f"{len(numbers)} events ({shown_numbers}{', …' if len(numbers) > 8 else ''})"
