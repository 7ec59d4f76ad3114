"""Measure the speed of batches from Spark's reports, from the end of the first batch to the end of the last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

RETAINED_REPORTS = 100_000
"""The number of reports that Spark keeps for a query; more than there are batches."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A micro-batch: its start and end in seconds since the epoch, and its number of events."""

    began: float
    ended: float
    rows: int

    @classmethod
    def from_report(cls, report: Mapping[str, Any], rows: int) -> Batch:
        started = datetime.fromisoformat(report["timestamp"]).timestamp()
        return cls(started, started + report["durationMs"]["triggerExecution"] / 1_000, rows)

    def after(self, moment: float) -> float:
        """Return how many of its events count as processed after an instant, if all take equally long."""
        if self.began >= moment:
            return self.rows
        return self.rows * max(0.0, self.ended - moment) / (self.ended - self.began)


def select_made_reports(reports: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the reports of real batches; Spark also reports checks that found nothing."""
    return [report for report in reports if "addBatch" in report["durationMs"]]


@dataclass(frozen=True, slots=True)
class Steady:
    """The span in which all queries were at work, and the number of events processed in it."""

    began: float
    ended: float
    events: float

    @classmethod
    def measure(cls, queries: Sequence[Sequence[Batch]]) -> Steady:
        """Measure from the end of the slowest first batch to the end of the last one; a single batch counts whole.

        Queries are averaged: an event counts once all of them have processed it.
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
        return self.ended - self.began

    @property
    def rate(self) -> float:
        """The events per second."""
        return self.events / self.seconds
