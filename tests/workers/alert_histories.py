"""Random histories of a bool node: each batch revises some keys, also far in the past, and time goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import numpy as np
import pyarrow as pa

from timeline_app.algebra.kinds import BEGINNING, FALSE, OPEN, TRUE, UNKNOWN, Kind
from timeline_app.algebra.revisions import diff
from timeline_app.algebra.timelines import Timelines, build_timelines
from timeline_app.feed.feed_rows import build_progress_row, build_rows, select_node_rows

Steps = dict[int, int]
"""Values by the time of the change point."""
SPREAD = 40
"""Change points of a batch lie so far around the present."""


@dataclass
class AlertHistory:
    """The timelines of some keys as they are known, and how far time has come."""

    random: Random
    keys: int = 4
    now: int = 0
    known: dict[str, Steps] = field(default_factory=dict)

    def batches(self, many: int) -> Iterator[pa.Table]:
        """So many batches as they stand in a feed, each with a mark of how far time has come."""
        for _ in range(many):
            before = self.timelines()
            self._change()
            self.now += self.random.choice((0, 1, 3, 10))
            revised = select_node_rows(build_rows(diff(before, self.timelines())), 0)
            mark = build_progress_row("s", self.now - 5, self.now - 1, self.now, events=1)
            yield pa.concat_tables([revised, select_node_rows(mark)])

    def timelines(self) -> Timelines:
        """All keys that there may be; those that were never born are so."""
        names = [f"k{number}" for number in range(self.keys)]
        pieces = [sorted({BEGINNING: int(UNKNOWN), **self.known.get(name, {})}.items()) for name in names]
        births = [min(self.known.get(name, {OPEN: 0})) for name in names]
        flat = [piece for own in pieces for piece in own]
        return build_timelines(
            Kind.BOOL,
            np.array(names, dtype=object),
            np.array(births, dtype=np.int64),
            np.repeat(np.arange(self.keys), [len(own) for own in pieces]),
            np.array([time for time, _ in flat], dtype=np.int64),
            np.array([value for _, value in flat], dtype=np.int8),
        )

    def spans(self) -> dict[str, list[tuple[int, int]]]:
        """Where each key is true, in the slowest way."""
        return {name: list(self._spans(steps)) for name, steps in self.known.items()}

    def _spans(self, steps: Steps) -> Iterator[tuple[int, int]]:
        start: int | None = None
        for time, value in sorted(steps.items()):
            if value == TRUE and start is None:
                start = time
            elif value != TRUE and start is not None:
                yield start, time
                start = None
        if start is not None:
            yield start, OPEN

    def _change(self) -> None:
        """Change points come, go and move: what is late, and what lies ahead."""
        for _ in range(self.random.randint(0, 3)):
            steps = self.known.setdefault(f"k{self.random.randrange(self.keys)}", {self.now: int(FALSE)})
            time = self.now + self.random.randint(-SPREAD, SPREAD // 4)
            if self.random.random() < 0.3 and len(steps) > 1:
                del steps[self.random.choice(sorted(steps))]
            else:
                steps[time] = int(self.random.choice((TRUE, TRUE, FALSE, FALSE, UNKNOWN)))
