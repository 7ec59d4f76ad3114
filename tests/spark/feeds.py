"""Reading what a query published, the way the revision log does: revisions by key, folded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from timeline_app.algebra.fold import Point, Stretch, fold
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.algebra.timelines import Timelines, to_scalar
from timeline_app.feed.feed_rows import read_revisions, select_node_revisions
from timeline_app.feed.files import FileFeed

Folded = dict[str, tuple[int, list[Point]]]
"""By key: its birth and its points."""


def list_batches(feed: FileFeed) -> list[pa.Table]:
    """Every batch of a feed, in order."""
    tables: list[pa.Table] = []
    while feed.has(len(tables)):
        tables.append(feed.read(len(tables)))
    return tables


def fold_batches(kind: Kind, tables: Iterable[pa.Table], node: int = 0) -> Folded:
    """The timelines of a node that the batches of a feed say, keys that are gone left out."""
    log: dict[str, list[Stretch]] = {}
    birth: dict[str, int] = {}
    for table in tables:
        revisions = read_revisions(select_node_revisions(table, node, ()), kind)
        for index, key in enumerate(revisions.names):
            rows = range(revisions.offsets[index], revisions.offsets[index + 1])
            pieces = [
                build_point(kind, int(revisions.time[row]), to_scalar(kind, revisions.value[row], revisions.labels),
                      float(revisions.slope[row]))
                for row in rows
            ]  # fmt: skip
            start, end = int(revisions.start[index]), int(revisions.end[index])
            stretch = Stretch(None if start == BEGINNING else start, None if end == OPEN else end, pieces)
            log.setdefault(key, []).append(stretch)
            birth[key] = int(revisions.birth[index])
    return {
        key: (birth[key], fold(kind, reversed(stretches)))
        for key, stretches in log.items()
        if birth[key] != OPEN
    }


def build_point(kind: Kind, time: int | None, value: Any, slope: float) -> Point:
    """A point as the log keeps it."""
    shown_time = None if time == BEGINNING else time
    return [shown_time, value, slope] if kind is Kind.NUMBER else [shown_time, value]


def fold_timelines(item: Timelines) -> Folded:
    """The same of timelines that were computed at once."""
    return {
        str(name): (
            int(item.birth[index]),
            [build_point(item.kind, *result) for result in item.points(index)],
        )
        for index, name in enumerate(item.names)
    }
