"""Spark's reports on the batches of a query, as far as they are used.

They are asked for, not listened to: Spark Connect serves one listener for each session, in the process that asked
first, and ours is shared by all workers. Spark keeps the last `REPORTS` of each query, more than there are batches
between two looks, so that none is missed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

REPORTS = 10
READ = "read"
"""The name of what a query observes of its input: the rows in the packets of a batch."""


@dataclass(frozen=True, slots=True)
class Report:
    """One batch; `offsets` are the next numbers to read, source by source in the order of the program.

    While there is nothing to read Spark reports the batch that is to come, as one that was not `made`.
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
    def of(cls, report: Any) -> Report:
        """From Spark's own."""
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
    """How many rows the packets of a batch held; Spark Connect tells what is observed as values beside a schema."""
    observed = report.observedMetrics.get(READ)
    return int(observed["values"][0] or 0) if observed else 0


def parse_offset(text: str | None) -> int:
    """The number that an offset of our sources is; 0 before the first."""
    return 0 if text in (None, "null", "-") else int(json.loads(text or "{}").get("next", 0))


def list_reports(running: Any) -> list[Report]:
    """What Spark still knows of the batches of a query, in order."""
    return [Report.of(report) for report in running.recentProgress]


def find_first(reports: Sequence[Report]) -> Report | None:
    """The first batch of a run, as long as Spark still knows of it."""
    return next((item for item in reports if item.made), None) if len(reports) < REPORTS else None


@dataclass(frozen=True, slots=True)
class Rates:
    """How fast some batches were: rows a second of wall time, and of the time at work; the mean length of a batch.

    The length is without the first batch of a run, which starts processes and says nothing of those that follow:
    0 where there is no other.
    """

    read: float
    processed: float
    batch_ms: int

    @classmethod
    def of(cls, new: Sequence[Report], since: datetime | None, first: Report | None = None) -> Rates:
        """Of all new reports together; `since` is the moment of the one before them, `first` the first of the run."""
        rows, work = sum(item.rows for item in new), max(sum(item.batch_ms for item in new), 1)
        last = new[-1].moment
        recent = since is not None and since < last < since + LONGEST
        wall = (last - since).total_seconds() if since is not None and recent else work / 1000
        steady = [item.batch_ms for item in new if item != first]
        return cls(rows / wall, rows * 1000 / work, round(sum(steady) / max(len(steady), 1)))


LONGEST = timedelta(seconds=20)
"""A longer pause is no part of a rate."""
