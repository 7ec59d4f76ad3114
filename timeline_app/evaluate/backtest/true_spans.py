"""Spans in which bools are true, of many timelines at once, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.kinds import OPEN, TRUE, Ints, Mask
from timeline_app.algebra.timelines import Timelines


@dataclass(frozen=True, slots=True, eq=False)
class TrueSpans:
    """Spans sorted by owner and start; those of one owner do not touch."""

    owner: Ints
    start: Ints
    end: Ints

    @classmethod
    def from_timelines(cls, item: Timelines, owners: Ints) -> TrueSpans:
        """Return where timelines are true; `owners` are the owners of its keys, ascending."""
        rows = np.flatnonzero(item.value == TRUE)
        return cls(owners[item.key[rows]], item.time[rows], item.end[rows])

    @classmethod
    def join(cls, parts: Sequence[TrueSpans]) -> TrueSpans:
        """Join the spans of several parts, in any order."""
        columns = [[getattr(part, name) for part in parts] for name in ("owner", "start", "end")]
        empty = np.empty(0, dtype=np.int64)
        owner, start, end = (np.concatenate([empty, *column]) for column in columns)
        order = np.lexsort((start, owner))
        return cls(owner[order], start[order], end[order])

    def filter(self, mask: Mask) -> TrueSpans:
        """Return the spans of these rows."""
        return TrueSpans(self.owner[mask], self.start[mask], self.end[mask])

    def clip(self, least: Ints, most: Ints) -> TrueSpans:
        """Return the spans between the `least` time of each owner and its `most` (exclusive)."""
        start, end = np.maximum(self.start, least[self.owner]), np.minimum(self.end, most[self.owner])
        return TrueSpans(self.owner, start, end).filter(start < end)

    def give_to(self, owners: Ints) -> TrueSpans:
        """Return the spans with other owners, touching ones joined."""
        owner = owners[self.owner]
        order = np.lexsort((self.start, owner))
        owner, start, end = owner[order], self.start[order], self.end[order]
        first = np.ones(len(owner), dtype=bool)
        first[1:] = (owner[1:] != owner[:-1]) | (start[1:] > end[:-1])
        last = np.append(first[1:], True)[: len(owner)]
        return TrueSpans(owner[first], start[first], end[last])


def find_first_differences(before: TrueSpans, after: TrueSpans, size: int) -> Ints:
    """Return the first time at which one of `size` owners differs in two sets of spans; `OPEN` where none does."""
    owner = np.concatenate([before.owner, before.owner, after.owner, after.owner])
    time = np.concatenate([before.start, before.end, after.start, after.end])
    first = np.full(size, OPEN, dtype=np.int64)
    order = np.lexsort((time, owner))
    owner, time = owner[order], time[order]
    starts = np.flatnonzero(np.append(True, (owner[1:] != owner[:-1]) | (time[1:] != time[:-1])))[
        : len(owner)
    ]
    if len(owner):
        unpaired = starts[np.diff(np.append(starts, len(owner))) % 2 == 1]
        np.minimum.at(first, owner[unpaired], time[unpaired])
    return first
