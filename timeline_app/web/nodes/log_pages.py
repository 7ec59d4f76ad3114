"""Reading a key's timeline from the revision log in portions, with bounded memory and response time.

A portion is chosen by the bounds of the rows alone, which one index holds. Then the pieces of the relevant rows are
read, a few hundred rows at a time. If a compaction replaces rows in between, the portion is chosen again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from django.db.models import QuerySet, Subquery
from django.db.models.functions import Coalesce

from timeline_app.algebra.fold import Point, cut, join_points
from timeline_app.algebra.kinds import BEGINNING, Kind
from timeline_app.algebra.thin import Buckets, LeftOut, thin_by_buckets
from timeline_app.web.models import Revision

MAX_POINTS_PER_ANSWER = 50_000
"""A longer answer ends here, and says where the next one begins."""
MAX_POINTS_PER_CHART = 300_000
"""Points that a thinned answer reads."""
MAX_ROWS_PER_WINDOW = 10_000
"""Rows that begin in a portion."""
MAX_ROWS_PER_QUERY = 500
"""Rows whose pieces are read at once; fewer if these are long."""
MAX_POINTS_PER_QUERY = 20_000
MAX_POINTS_PER_THINNING = 20_000

Part = tuple[int, int, int]
"""From when to when a row counts, and its number."""


@dataclass(frozen=True, slots=True)
class LogOfKey:
    """The rows of one key, newest first, and the kind of its timeline."""

    kind: Kind
    rows: QuerySet[Revision]

    def read_page(self, low: int, high: int, limit: int | None) -> tuple[list[Point], int | None]:
        """Return the first points from `low` to `high` in normal form, and the time of the first point left out."""
        points: list[Point] = []
        for parts in self.chunks(low, high, limit):
            points[-1:] = join_points(self.kind, [points[-1:], *parts] if points else parts)
            if limit is not None and len(points) > limit:
                return points[:limit], points[limit][0]
        return points, None

    def read_latest(self, low: int, high: int, limit: int) -> tuple[list[Point], int | None]:
        """Return the last points from `low` to `high` in normal form, and their first time if any are left out."""
        points: list[Point] = []
        for parts in self.chunks_back(low, high, limit):
            points = join_points(self.kind, [*parts, points] if points else parts)
            if len(points) > limit:
                return points[-limit:], points[-limit][0]
        return points, None

    def read_thinned(
        self, low: int, high: int, by: Buckets, limit: int
    ) -> tuple[list[Point], list[LeftOut], int | None]:
        """Return points as if thinned at once, the spans left out, and the time of the first point beyond the limit."""
        thinned: list[Point] = []
        left_out: list[LeftOut] = []
        open_points: list[Point] = []
        read, beyond = 0, None
        for parts in self.chunks(low, high, limit):
            points_before = len(open_points)
            open_points[-1:] = join_points(self.kind, [open_points[-1:], *parts] if open_points else parts)
            read += len(open_points) - points_before
            if read > limit:
                first_left = limit - read
                beyond = open_points[first_left][0]
                del open_points[first_left:]
                break
            if len(open_points) > MAX_POINTS_PER_THINNING:
                finished, open_points = _split(open_points, by)
                _take(thinned, left_out, *thin_by_buckets(self.kind, finished, by))
        _take(thinned, left_out, *thin_by_buckets(self.kind, open_points, by))
        return thinned, left_out, beyond

    def chunks(self, low: int, high: int, limit: int | None) -> Iterator[list[list[Point]]]:
        """Yield the timeline from `low` to `high` in consecutive parts, a few hundred rows at a time."""
        max_rows, size = _limit_window_rows(limit), max(1, MAX_ROWS_PER_QUERY // 8)
        while low < high:
            end, parts = self._window(low, high, max_rows, back=False)
            while parts:
                chunk, parts = parts[:size], parts[size:]
                read = self._pieces(chunk)
                if read is None:
                    end = chunk[0][0]
                    break
                yield read
                size = _estimate_rows_per_query(len(chunk), read)
            low = end

    def chunks_back(self, low: int, high: int, limit: int | None) -> Iterator[list[list[Point]]]:
        """Yield the timeline backwards; within a portion the parts are in the order of time."""
        max_rows, size = _limit_window_rows(limit), max(1, MAX_ROWS_PER_QUERY // 8)
        while low < high:
            begin, parts = self._window(low, high, max_rows, back=True)
            while parts:
                chunk, parts = parts[-size:], parts[:-size]
                read = self._pieces(chunk)
                if read is None:
                    begin = chunk[-1][1]
                    break
                yield read
                size = _estimate_rows_per_query(len(chunk), read)
            high = begin

    def _window(self, low: int, high: int, max_rows: int, *, back: bool) -> tuple[int, list[Part]]:
        """Return the edge of a portion in which about `max_rows` rows begin (fewer if many overlap), and its parts."""
        while True:
            edge = self._edge(low, high, max_rows, back=back)
            first, last = (edge, high) if back else (low, edge)
            parts = self._parts(first, last, bounded=max_rows > 1)
            if parts is not None:
                return edge, parts
            max_rows //= 4

    def _edge(self, low: int, high: int, max_rows: int, *, back: bool) -> int:
        begin = self.rows.filter(start__gt=low, start__lt=high).order_by("-start" if back else "start")
        edge = begin.values_list("start", flat=True)[max_rows : max_rows + 1].first()
        return (low if back else high) if edge is None else edge

    def _parts(self, low: int, high: int, *, bounded: bool) -> list[Part] | None:
        """Return which row counts when, ordered by time; None if too many rows would have to be checked.

        Nothing older than the newest row that covers the whole span is needed.
        """
        covering = self.rows.filter(start__lte=low, end__gte=high).values("known_at")[:1]
        newer = self.rows.filter(known_at__gte=Coalesce(Subquery(covering), BEGINNING))
        needed = newer.filter(end__gt=low, start__lt=high).values_list("start", "end", "pk")
        rows = needed.iterator(chunk_size=2_000)
        ranges, parts = [(low, high)], list[Part]()
        for row in islice(rows, 4 * MAX_ROWS_PER_WINDOW) if bounded else rows:
            parts += _cover(row, ranges)
            if not ranges:
                break
        else:
            if bounded and next(rows, None) is not None:
                return None
        return sorted(parts)

    def _pieces(self, parts: Sequence[Part]) -> list[list[Point]] | None:
        """Return the points of some parts; None if a row was compacted meanwhile."""
        numbers = {number for _, _, number in parts}
        # Filter by number only: with the key as well, SQLite scans all rows of the key.
        pieces = dict(Revision.objects.filter(pk__in=numbers).values_list("pk", "pieces"))
        if len(pieces) < len(numbers):
            return None
        read = (cut(self.kind, pieces[number], first, last) for first, last, number in parts)
        return [points for points in read if points]


def _limit_window_rows(limit: int | None) -> int:
    return MAX_ROWS_PER_WINDOW if limit is None else min(MAX_ROWS_PER_WINDOW, max(16, limit))


def _estimate_rows_per_query(rows: int, read: Sequence[Sequence[Point]]) -> int:
    """Return how many rows to read next, by the number of points of the last ones."""
    points = sum(map(len, read))
    return max(1, min(MAX_ROWS_PER_QUERY, MAX_POINTS_PER_QUERY * rows // max(points, 1)))


def _cover(row: Part, ranges: list[tuple[int, int]]) -> Iterable[Part]:
    """Yield the part of a row that is still wanted (spans ordered by time), and remove it from `ranges`."""
    start, end, number = row
    index = bisect_right(ranges, start, key=lambda item: item[1])
    stop, uncovered, covered = index, list[tuple[int, int]](), list[Part]()
    while stop < len(ranges) and ranges[stop][0] < end:
        low, high = ranges[stop]
        first, last = max(low, start), min(high, end)
        covered.append((first, last, number))
        uncovered += [item for item in ((low, first), (last, high)) if item[0] < item[1]]
        stop += 1
    ranges[index:stop] = uncovered
    return covered


def _split(points: list[Point], by: Buckets) -> tuple[list[Point], list[Point]]:
    """Split before the last bucket; the second part repeats the point before it."""
    times = np.array([point[0] for point in points[1:]], dtype=np.int64)
    last = 1 + int(by.groups(times)[-1])
    return points[:last], points[last - 1 :]


def _take(
    thinned: list[Point], left_out: list[LeftOut], points: list[Point], new_gaps: list[LeftOut]
) -> None:
    """Append thinned points; the first one repeats the last one before."""
    thinned += points[1:] if thinned else points
    left_out += new_gaps
