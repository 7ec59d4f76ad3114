"""Folding the log of one key's revisions, newest first, into its timeline: what a peek is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind, Scalar
from timeline_app.algebra.lines import same_line, value_after

Point = list[Scalar | int]
"""[time or None, value] or, for numbers, [time or None, value, slope]; the value None is unknown."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """From `start` to `end` (None: since ever, open) a timeline is these points; the first is at `start`."""

    start: int | None
    end: int | None
    pieces: list[Point]


def fold(
    kind: Kind, newest_first: Iterable[Stretch], start: int | None = None, end: int | None = None
) -> list[Point]:
    """The points of a timeline from `start` to `end`, in normal form; the first stands at `start`.

    Reads only as many revisions as it takes to know the whole stretch; empty if none of it is known.
    """
    wanted = [(_low(start), _high(end))]
    found: list[tuple[int, list[Point]]] = []
    for revision in newest_first:
        wanted = _cover(kind, revision, wanted, found)
        if not wanted:
            break
    points = [point for _, pieces in sorted(found, key=lambda item: item[0]) for point in pieces]
    return normal_form(kind, points)


def _cover(
    kind: Kind, revision: Stretch, wanted: list[tuple[int, int]], found: list[tuple[int, list[Point]]]
) -> list[tuple[int, int]]:
    """Take from a revision what is still wanted; returns what is wanted after it."""
    low, high = _low(revision.start), _high(revision.end)
    left: list[tuple[int, int]] = []
    for start, end in wanted:
        first, last = max(start, low), min(end, high)
        if first >= last:
            left.append((start, end))
            continue
        found.append((first, cut(kind, revision.pieces, first, last)))
        left += [part for part in ((start, first), (last, end)) if part[0] < part[1]]
    return left


def cut(kind: Kind, pieces: list[Point], start: int, end: int) -> list[Point]:
    """The pieces from `start` to `end`; the one that holds at `start` begins there, with its value there."""
    inside = [point for point in pieces if start < _time(point) < end]
    holding = [point for point in pieces if _time(point) <= start]
    return [moved(kind, holding[-1], start), *inside] if holding else inside


def moved(kind: Kind, point: Point, time: int) -> Point:
    """A piece as it goes on from a later time."""
    shown = None if time == BEGINNING else time
    if kind is not Kind.NUMBER:
        return [shown, point[1]]
    return [shown, value_of(kind, point, time), point[2]]


def value_of(kind: Kind, point: Point, time: int) -> Scalar:
    """The value of a piece at a time that lies in it."""
    value = point[1]
    if kind is not Kind.NUMBER or value is None or not point[2]:
        return value
    elapsed = np.int64(time - _time(point))
    return float(value_after(np.float64(value), np.float64(point[2] or 0.0), elapsed))  # type: ignore[arg-type]


def normal_form(kind: Kind, points: list[Point]) -> list[Point]:
    """Drop every point that says what the one before it says."""
    kept: list[Point] = []
    for point in points:
        if not kept or not _continues(kind, kept[-1], point):
            kept.append(point)
    return kept


def _continues(kind: Kind, before: Point, point: Point) -> bool:
    if kind is not Kind.NUMBER or before[1] is None or point[1] is None:
        return before[1] == point[1]
    here = value_of(kind, before, _time(point))
    lines = [np.float64(item) for item in (here, before[2], point[1], point[2])]
    return bool(same_line(*lines))  # type: ignore[arg-type]


def _time(point: Point) -> int:
    return BEGINNING if point[0] is None else int(point[0])


def _low(time: int | None) -> int:
    return BEGINNING if time is None else time


def _high(time: int | None) -> int:
    return OPEN if time is None else time
