"""Folding the log of one key's revisions, newest first, into its timeline: what a peek is."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, OPEN, Floats, Kind
from timeline_app.algebra.lines import evaluate_after, is_same_line
from timeline_app.algebra.revisions import Revisions
from timeline_app.algebra.timelines import Timelines

Point = list[Any]
"""[time or None, value], for numbers [time or None, value, slope], for ratios numerator and denominator one after the
other: [time or None, value, slope, value, slope]. The value None is unknown."""


def to_points(item: Timelines | Revisions) -> list[Point]:
    """Return all pieces of timelines or revisions as points."""
    times = [None if time == BEGINNING else time for time in item.time.tolist()]
    if item.kind is Kind.TEXT:
        spelled = [*item.labels.tolist(), None]
        return [[time, spelled[code]] for time, code in zip(times, item.value.tolist(), strict=True)]
    if item.kind is Kind.BOOL:
        return [
            [time, (False, None, True)[code]] for time, code in zip(times, item.value.tolist(), strict=True)
        ]
    values, slopes = (
        [column] if item.kind is Kind.NUMBER else [column.real, column.imag]
        for column in (item.value, item.slope)
    )
    columns = [
        column_part
        for line in zip(values, slopes, strict=True)
        for column_part in (_replace_nan(line[0]), line[1].tolist())
    ]
    return [list(row) for row in zip(times, *columns, strict=True)]


def _replace_nan(value: Floats) -> list[float | None]:
    return [
        None if unknown else item
        for item, unknown in zip(value.tolist(), np.isnan(value).tolist(), strict=True)
    ]


def format_point(kind: Kind, point: Point) -> dict[str, Any]:
    """Return a point as people read it: t and value, the slope of numbers, numerator and denominator of ratios."""
    if kind is Kind.NUMBER:
        return {"t": point[0], "value": point[1], "slope": point[2]}
    if kind is not Kind.RATIO:
        return {"t": point[0], "value": point[1]}
    is_known = point[1] is not None
    num, den = ({"value": value, "slope": slope} if is_known else None for value, slope in _list_lines(point))
    return {"t": point[0], "num": num, "den": den}


@dataclass(frozen=True, slots=True)
class Stretch:
    """The points of a timeline from `start` to `end` (None: unbounded); the first is at `start`."""

    start: int | None
    end: int | None
    pieces: list[Point]


def fold(
    kind: Kind, newest_first: Iterable[Stretch], start: int | None = None, end: int | None = None
) -> list[Point]:
    """Return the points of a timeline from `start` to `end`, in normal form; the first stands at `start`.

    Reads only as many revisions as it takes to know the whole stretch; empty if none of it is known. The pieces of
    each revision must be in normal form.
    """
    gaps = [(_parse_lower_bound(start), _parse_upper_bound(end))]
    parts: list[tuple[int, list[Point]]] = []
    for revision in newest_first:
        gaps = _take_from_revision(kind, revision, gaps, parts)
        if not gaps:
            break
    return join_points(kind, [pieces for _, pieces in sorted(parts, key=lambda item: item[0]) if pieces])


def _take_from_revision(
    kind: Kind, revision: Stretch, gaps: list[tuple[int, int]], parts: list[tuple[int, list[Point]]]
) -> list[tuple[int, int]]:
    """Take from a revision what is still needed. Return what is needed after it."""
    low, high = _parse_lower_bound(revision.start), _parse_upper_bound(revision.end)
    uncovered: list[tuple[int, int]] = []
    for start, end in gaps:
        first, last = max(start, low), min(end, high)
        if first >= last:
            uncovered.append((start, end))
            continue
        parts.append((first, cut(kind, revision.pieces, first, last)))
        uncovered += [span for span in ((start, first), (last, end)) if span[0] < span[1]]
    return uncovered


def cut(kind: Kind, pieces: list[Point], start: int, end: int) -> list[Point]:
    """Return the pieces from `start` to `end`; the one that holds at `start` begins there, with its value there."""
    after, before = bisect_right(pieces, start, key=_get_time), bisect_left(pieces, end, key=_get_time)
    inside = pieces[after:before]
    return [move_point(kind, pieces[after - 1], start), *inside] if after else inside


def move_point(kind: Kind, point: Point, time: int) -> Point:
    """Return a piece as it goes on from a later time."""
    if _get_time(point) == time:
        return point
    shown_time = None if time == BEGINNING else time
    if not kind.is_line:
        return [shown_time, point[1]]
    return [
        shown_time,
        *(
            number
            for line in _list_lines(point)
            for number in (_evaluate_line(point[0], line, time), line[1])
        ),
    ]


def _list_lines(point: Point) -> list[tuple[Any, Any]]:
    """(value, slope) of a number, of both lines of a ratio."""
    return list(zip(point[1::2], point[2::2], strict=True))


def _evaluate_line(since: int | None, line: tuple[Any, Any], time: int) -> Any:
    """Return the value of a line at a time."""
    value, slope = line
    if value is None or not slope or since is None:
        return value
    return float(evaluate_after(np.float64(value), np.float64(slope), np.int64(time - since)))  # type: ignore[arg-type]


def join_points(kind: Kind, parts: list[list[Point]]) -> list[Point]:
    """Return one timeline from parts that follow each other, without the points that only say that a part goes on."""
    goes_on = _are_continuations(kind, [(left[-1], right[0]) for left, right in pairwise(parts)])
    points = list(parts[0]) if parts else []
    for part, superfluous in zip(parts[1:], goes_on, strict=True):
        points += part[1:] if superfluous else part
    return points


def _are_continuations(kind: Kind, joints: list[tuple[Point, Point]]) -> list[bool]:
    """At each joint, whether the point says what the one before it says."""
    if not kind.is_line or not joints:
        return [bool(before[1] == point[1]) for before, point in joints]
    before, after = (np.array([joint[side][1:] for joint in joints], dtype=np.float64) for side in (0, 1))
    elapsed = np.array([_measure_elapsed(*joint) for joint in joints])
    continues = np.ones(len(joints), dtype=bool)
    for value in range(0, before.shape[1], 2):
        slope = value + 1
        moved_on = evaluate_after(before[:, value], before[:, slope], elapsed)
        continues &= is_same_line(moved_on, before[:, slope], after[:, value], after[:, slope])
    return [bool(is_same) for is_same in continues]


def _measure_elapsed(before: Point, point: Point) -> int:
    """Return the microseconds between two points; a piece without a start is flat and moves nowhere."""
    return 0 if before[0] is None else _get_time(point) - _get_time(before)


def _get_time(point: Point) -> int:
    return BEGINNING if point[0] is None else int(point[0])


def _parse_lower_bound(time: int | None) -> int:
    return BEGINNING if time is None else time


def _parse_upper_bound(time: int | None) -> int:
    return OPEN if time is None else time
