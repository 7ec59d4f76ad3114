"""Thinning a timeline for a chart: no more change points than pixels, and none that was not there.

Time is cut into buckets. Where many change points share one, some of them stay as they are (the first and the last, of
numbers also the least and the greatest value), the others are left out; what is left out is told: from where to where,
how many change points, and how long each value held or between which bounds the number went. Outside of what is left
out the points are the whole truth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from timeline_app.algebra.fold import Point
from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND, Floats, Ints, Kind

MAX_POINTS_KEPT_WHOLE = 4
"""Fewer change points in a bucket are all kept."""
MAX_SHARES = 4
"""For this many values, the longest-lasting ones, the omitted part says how long they hold."""

LeftOut = dict[str, Any]
"""`from` and `to` (microseconds), `changes` that are left out between them; of steps the `shares` as (value, seconds)
pairs, longest first, and the seconds of `others`; of numbers the bounds `low` and `high` (None: all unknown) and the
seconds that are `unknown`."""


@dataclass(frozen=True, slots=True)
class Buckets:
    """Buckets of `width` microseconds, and of `fine` ones from `low` to `high`."""

    width: int
    low: int = OPEN
    high: int = OPEN
    fine: int = 1

    def groups(self, times: Ints) -> Ints:
        """Return where in increasing times a new bucket begins."""
        inside = (times >= self.low) & (times < self.high)
        buckets = np.where(inside, times // self.fine, times // self.width)
        region = np.searchsorted(np.array([self.low, self.high]), times, side="right")
        new = (np.diff(buckets) != 0) | (np.diff(region) != 0)
        return np.concatenate(([0], np.flatnonzero(new) + 1))

    def begin(self, time: int) -> int:
        """Return where the bucket of an instant begins."""
        if self.low <= time < self.high:
            return max(self.low, time // self.fine * self.fine)
        start = time // self.width * self.width
        return max(start, self.high) if time >= self.high else start

    def end(self, time: int) -> int:
        """Return where the bucket of the instant before `time` ends."""
        last = time - 1
        if self.low <= last < self.high:
            return min(self.high, (last // self.fine + 1) * self.fine)
        stop = (last // self.width + 1) * self.width
        return min(stop, self.low) if last < self.low else stop


def compute_buckets(points: Sequence[Point], count: int, start: int | None, end: int | None) -> Buckets:
    """Return at most `count` buckets from `start` to `end`; open ends are the first and last change point."""
    times = [point[0] for point in points if point[0] is not None]
    low = start if start is not None else times[0] if times else 0
    high = end if end is not None else times[-1] if times else 0
    return Buckets(max(1, -((low - high) // count)))


def thin_by_buckets(kind: Kind, points: list[Point], by: Buckets) -> tuple[list[Point], list[LeftOut]]:
    """Return the kept points, and the omitted stretches, each of which lies in one bucket.

    The first point is kept: it is the value at the beginning.
    """
    dated = points[1:]
    if len(dated) <= MAX_POINTS_KEPT_WHOLE:
        return points, []
    times = np.array([point[0] for point in dated], dtype=np.int64)
    starts = by.groups(times)
    ends = np.append(starts[1:], len(dated))
    busy = np.flatnonzero(ends - starts > MAX_POINTS_KEPT_WHOLE)
    if not busy.size:
        return points, []
    curve: _Steps | _Lines = _Lines(dated, times) if kind.is_line else _Steps(dated, times)
    keeps, left_out = np.ones(len(dated), dtype=bool), []
    for low, high in zip(starts[busy].tolist(), ends[busy].tolist(), strict=True):
        selected = curve.select_kept(low, high)
        keeps[low:high] = False
        keeps[selected] = True
        omitted = high - low - len(selected)
        stretch = {"from": dated[low][0], "to": dated[high - 1][0], "changes": omitted}
        left_out.append(stretch | curve.summarize(low, high - 1))
    return [points[0], *(dated[index] for index in np.flatnonzero(keeps).tolist())], left_out


class _Steps:
    """Bools and texts."""

    def __init__(self, points: Sequence[Point], times: Ints) -> None:
        codes: dict[Any, int] = {}
        self.codes = np.array([codes.setdefault(point[1], len(codes)) for point in points])
        self.values, self.lengths = list(codes), np.diff(times)

    def select_kept(self, low: int, high: int) -> list[int]:
        return [low, high - 1]

    def summarize(self, low: int, last: int) -> LeftOut:
        # Sums of whole microseconds are exact, so equals are equal, and stand in one order however they were read.
        lasted = np.bincount(self.codes[low:last], self.lengths[low:last], len(self.values))
        seconds = lasted / SECOND
        codes = np.flatnonzero(lasted).tolist()
        longest = sorted(codes, key=lambda code: (-lasted[code], str(self.values[code])))
        shares = [(self.values[code], float(seconds[code])) for code in longest[:MAX_SHARES]]
        return {"shares": shares, "others": float(seconds[longest[MAX_SHARES:]].sum())}


class _Lines:
    """Numbers and ratios of them."""

    def __init__(self, points: Sequence[Point], times: Ints) -> None:
        columns = np.array([point[1:] for point in points], dtype=np.float64)
        self.lengths = np.diff(times) / SECOND
        passed = np.append(self.lengths, 0.0)
        self.value = _divide_lines(columns[:, 0::2])
        end = _divide_lines(columns[:, 0::2] + columns[:, 1::2] * passed[:, None])
        self.unknown = np.isnan(self.value)
        self.least, self.most = (
            _replace_nan(np.fmin(self.value, end), np.inf),
            _replace_nan(np.fmax(self.value, end), -np.inf),
        )
        self.small, self.great = _replace_nan(self.value, np.inf), _replace_nan(self.value, -np.inf)

    def select_kept(self, low: int, high: int) -> list[int]:
        least, most = int(self.small[low:high].argmin()), int(self.great[low:high].argmax())
        return sorted({low, high - 1, low + least, low + most})

    def summarize(self, low: int, last: int) -> LeftOut:
        least, most = float(self.least[low:last].min()), float(self.most[low:last].max())
        return {
            "low": None if least == np.inf else least,
            "high": None if most == -np.inf else most,
            "unknown": float(self.lengths[low:last][self.unknown[low:last]].sum()),
        }


def _replace_nan(values: Floats, instead: float) -> Floats:
    """Numbers with another one in place of unknown."""
    return np.where(np.isnan(values), instead, values)


def _divide_lines(lines: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        floats: Floats = lines[:, 0] if lines.shape[1] == 1 else lines[:, 0] / lines[:, 1]
    return np.where(np.isinf(floats), np.nan, floats)


def find_differences(kind: Kind, item: Sequence[Point], other: Sequence[Point]) -> Iterator[tuple[int, int]]:
    """The stretches in which two timelines of one extent say different things, in order, joined where they meet."""
    times = sorted({_get_time(point) for points in (item, other) for point in points})
    stretch: tuple[int, int] | None = None
    for index, (left, right) in enumerate(
        zip(_iterate_pieces(item, times), _iterate_pieces(other, times), strict=True)
    ):
        until = times[index + 1] if index + 1 < len(times) else OPEN
        if _is_alike(kind, left, right, times[index]):
            continue
        if stretch is not None and stretch[1] == times[index]:
            stretch = (stretch[0], until)
            continue
        if stretch is not None:
            yield stretch
        stretch = (times[index], until)
    if stretch is not None:
        yield stretch


def _iterate_pieces(points: Sequence[Point], times: Sequence[int]) -> Iterator[Point | None]:
    """Yield the piece that holds at each of some times."""
    index = -1
    for time in times:
        while index + 1 < len(points) and _get_time(points[index + 1]) <= time:
            index += 1
        yield points[index] if index >= 0 else None


def _is_alike(kind: Kind, left: Point | None, right: Point | None, time: int) -> bool:
    if left is None or right is None or left == right:
        return left == right
    if not kind.is_line or left[1] is None or right[1] is None:
        return bool(left[1] == right[1])
    return all(
        abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))
        for a, b in zip(_move_point(left, time), _move_point(right, time), strict=True)
    )


def _move_point(point: Point, time: int) -> list[float]:
    """Return value and slope of each line of a piece, continued to a later time."""
    passed = 0.0 if point[0] is None else (time - point[0]) / SECOND
    return [
        part
        for value, slope in zip(point[1::2], point[2::2], strict=True)
        for part in (value + slope * passed, slope)
    ]


def _get_time(point: Point) -> int:
    return BEGINNING if point[0] is None else int(point[0])
