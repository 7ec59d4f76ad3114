"""How fast batches were, from Spark's own reports: from the end of the first to the end of the last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

RETAINED_REPORTS = 100_000
"""Reports that Spark is asked to keep of a query, more than there are batches."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A micro-batch: when it began and ended, in seconds since the epoch, and how many events it had."""

    began: float
    ended: float
    rows: int

    @classmethod
    def from_report(cls, report: Mapping[str, Any], rows: int) -> Batch:
        """Return the batch that a progress report of Spark describes."""
        started = datetime.fromisoformat(report["timestamp"]).timestamp()
        return cls(started, started + report["durationMs"]["triggerExecution"] / 1_000, rows)

    def after(self, moment: float) -> float:
        """How many of its events count as worked on after a moment, if each took as long as the others."""
        if self.began >= moment:
            return self.rows
        return self.rows * max(0.0, self.ended - moment) / (self.ended - self.began)


def select_made_reports(reports: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The reports on batches that were made; Spark also reports that it looked and found nothing."""
    return [report for report in reports if "addBatch" in report["durationMs"]]


@dataclass(frozen=True, slots=True)
class Steady:
    """The time in which all queries were under way, and how many events of the stream were worked on in it."""

    began: float
    ended: float
    events: float

    @classmethod
    def measure(cls, queries: Sequence[Sequence[Batch]]) -> Steady:
        """From the end of the slowest first batch to the end of the last of all; a lone batch as a whole.

        What several queries did is averaged: an event counts once all of them have had it.
        """
        if all(len(batches) == 1 for batches in queries):
            started = min(batches[0].began for batches in queries)
        else:
            started = max(batches[0].ended for batches in queries)
        ended = max(batches[-1].ended for batches in queries)
        events = sum(batch.after(started) for batches in queries for batch in batches) / len(queries)
        return cls(started, ended, events)

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.ended - self.began

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.events / self.seconds
