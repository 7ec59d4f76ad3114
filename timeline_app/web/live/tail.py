"""The current values of a changed span, from the tail of what a page was sent; this rarely reads the log."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from timeline_app.algebra.fold import Point, Stretch, cut, fold
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.web.models import Node
from timeline_app.web.nodes.log_pages import MAX_POINTS_PER_ANSWER
from timeline_app.web.nodes.timelines import Document, read_key_timeline

MAX_TAIL_POINTS = 100
"""Change points of a key that are kept for a page."""


class TooManyPoints(Exception):
    """More changed than one message may carry: the page needs a new snapshot."""


def merge_latest_points(
    node: Node,
    key: str,
    documents: Sequence[Document],
    tail: Stretch | None,
    start: int | None,
    end: int | None,
) -> tuple[list[Point], Stretch | None]:
    """Return the points from `start` to `end` after some revisions (oldest first), and the next tail.

    The tail is what was known before them, from some change point on. If they reach behind it, the log is read. Raise
    `TooManyPoints`.
    """
    kind, low, high = Kind(node.kind), _parse_lower_bound(start), OPEN if end is None else end
    if documents[-1]["birth"] == OPEN:
        return [], None
    stretches = [Stretch(item["start"], item["end"], item["pieces"]) for item in reversed(documents)]
    if tail is not None and _parse_lower_bound(tail.start) <= low:
        points = fold(kind, [*stretches, tail], tail.start)
        return cut(kind, points, low, high), _keep_tail(points, low)
    if any(
        _parse_lower_bound(item.start) <= low and high <= _parse_upper_bound(item.end) for item in stretches
    ):
        points = fold(kind, stretches, start, end)
    else:
        now = read_key_timeline(node, key, start=start, end=end, limit=MAX_POINTS_PER_ANSWER)
        if now and now.next is not None:
            raise TooManyPoints
        points = now.points if now else []
    return points, _keep_tail(points, low) if end is None else None


def _keep_tail(points: list[Point], low: int) -> Stretch | None:
    """Return the end of a timeline; of a long one, only from the change point that holds at `low`."""
    if len(points) > MAX_TAIL_POINTS:
        points = points[max(0, bisect_right(points, low, key=lambda item: _parse_lower_bound(item[0])) - 1) :]
    return Stretch(points[0][0], None, points) if 0 < len(points) <= MAX_TAIL_POINTS else None


def _parse_lower_bound(time: int | None) -> int:
    return BEGINNING if time is None else time


def _parse_upper_bound(time: int | None) -> int:
    return OPEN if time is None else time
