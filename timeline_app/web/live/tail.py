"""What is true now of a stretch that changed, from the end of what a page was told; the log is rarely read for it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from timeline_app.algebra.fold import Point, Stretch, cut, fold
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.web.models import Node
from timeline_app.web.nodes.log_pages import MAX_POINTS_PER_ANSWER
from timeline_app.web.nodes.timelines import Document, key_timeline

LONGEST = 100
"""So many change points of a key are kept for a page."""


class TooManyPoints(Exception):
    """More changed than one message may carry: the page needs a new snapshot."""


def latest_points(
    node: Node, key: str, found: Sequence[Document], tail: Stretch | None, start: int | None, end: int | None
) -> tuple[list[Point], Stretch | None]:
    """The points from `start` to `end` after some revisions (oldest first), and the tail to keep for the next ones.

    The tail is what was known before them, from some change point on. Where they reach behind it, the log is read.
    Raises `TooManyPoints`.
    """
    kind, low, high = Kind(node.kind), _low(start), OPEN if end is None else end
    if found[-1]["birth"] == OPEN:
        return [], None
    known = [Stretch(one["start"], one["end"], one["pieces"]) for one in reversed(found)]
    if tail is not None and _low(tail.start) <= low:
        points = fold(kind, [*known, tail], tail.start)
        return cut(kind, points, low, high), _kept(points, low)
    if any(_low(one.start) <= low and high <= _high(one.end) for one in known):
        points = fold(kind, known, start, end)
    else:
        now = key_timeline(node, key, start=start, end=end, limit=MAX_POINTS_PER_ANSWER)
        if now and now.next is not None:
            raise TooManyPoints
        points = now.points if now else []
    return points, _kept(points, low) if end is None else None


def _kept(points: list[Point], low: int) -> Stretch | None:
    """The end of a timeline: where it is long, only from the change point on that holds at `low`."""
    if len(points) > LONGEST:
        points = points[max(0, bisect_right(points, low, key=lambda one: _low(one[0])) - 1) :]
    return Stretch(points[0][0], None, points) if 0 < len(points) <= LONGEST else None


def _low(time: int | None) -> int:
    return BEGINNING if time is None else time


def _high(time: int | None) -> int:
    return OPEN if time is None else time
