"""Reads Spark's reports on the batches of a query.

They are polled: Spark Connect serves one listener per session, in the first process that asks, and all workers share
ours. Spark keeps the last `RETAINED_REPORTS` of each query, more than the batches between two polls, so none is missed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

RETAINED_REPORTS = 10
OBSERVED_ROWS = "read"
"""The name of the observed metric: the rows in the packets of a batch."""


@dataclass(frozen=True, slots=True)
class Report:
    """One batch; `offsets` are the next numbers to read, by source in the order of the program.

    While there is nothing to read, Spark reports the upcoming batch; such a report is not `made`.
    """

    moment: datetime
    batch: int
    rows: int
    batch_ms: int
    offsets: tuple[int, ...]
    state_rows: int
    state_bytes: int
    made: bool = True

    @classmethod
    def parse(cls, report: Any) -> Report:
        """Convert one of Spark's reports."""
        state = report.stateOperators or []
        return cls(
            datetime.fromisoformat(report.timestamp),
            report.batchId,
            _count_rows(report),
            report.batchDuration or 0,
            tuple(parse_offset(source.endOffset) for source in report.sources),
            sum(item.numRowsTotal for item in state),
            sum(item.memoryUsedBytes + item.customMetrics.get("rocksdbSstFileSize", 0) for item in state),
            "addBatch" in report.durationMs,
        )


def _count_rows(report: Any) -> int:
    """Return how many rows the packets of a batch held. Spark Connect reports values beside a schema."""
    observed = report.observedMetrics.get(OBSERVED_ROWS)
    return int(observed["values"][0] or 0) if observed else 0


def parse_offset(text: str | None) -> int:
    """Return the number in an offset of our sources; 0 before the first."""
    return 0 if text in (None, "null", "-") else int(json.loads(text or "{}").get("next", 0))


def list_reports(running: Any) -> list[Report]:
    """Return the reports that Spark still has of a query, in order."""
    return [Report.parse(report) for report in running.recentProgress]


def find_first(reports: Sequence[Report]) -> Report | None:
    """Return the first batch of a run, as long as Spark still has its report."""
    return next((item for item in reports if item.made), None) if len(reports) < RETAINED_REPORTS else None


@dataclass(frozen=True, slots=True)
class Rates:
    """Rows per second of wall time and of processing time, and the mean duration of a batch.

    The mean leaves out the first batch of a run, which starts processes and says nothing about later ones; it is 0
    where there is no other.
    """

    read: float
    processed: float
    batch_ms: int

    @classmethod
    def compute(cls, new: Sequence[Report], since: datetime | None, first: Report | None = None) -> Rates:
        """Compute the rates of all new reports.

        `since` is the moment of the report before them, `first` the first report of the run.
        """
        rows, work = sum(item.rows for item in new), max(sum(item.batch_ms for item in new), 1)
        last = new[-1].moment
        recent = since is not None and since < last < since + MAX_RATE_GAP
        wall = (last - since).total_seconds() if since is not None and recent else work / 1000
        steady = [item.batch_ms for item in new if item != first]
        return cls(rows / wall, rows * 1000 / work, round(sum(steady) / max(len(steady), 1)))


MAX_RATE_GAP = timedelta(seconds=20)
"""A longer pause does not count towards a rate."""
