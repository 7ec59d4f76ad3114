"""Timelines as plain points, the way answers print them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from timeline_app.algebra.fold import Stretch, to_points
from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.algebra.revisions import Revisions
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Compiled
from timeline_app.evaluate.engine import describe
from timeline_app.events.validate import EventBatch

JsonEvent = dict[str, Any]
Shown = list[tuple[int | None, Any, float]]
"""Points as they are printed: time, value, slope (0 where there is none); the value of a ratio is
(value and slope of the numerator, value and slope of the denominator)."""


def build_batches(compiled: Compiled, events: Mapping[str, Sequence[JsonEvent]]) -> dict[str, EventBatch]:
    """Delivered events as the door takes them."""
    batches = {}
    for name, declared in compiled.streams.items():
        batches[name] = EventBatch(declared)
        for event in events.get(name, ()):
            batches[name].add(dict(event), strict=False)
    return batches


def group_points(item: Timelines) -> dict[str, Shown]:
    """Return timelines as points by key."""
    return {
        str(name): [_to_point(point) for point in describe(item, index, None)["points"]]
        for index, name in enumerate(item.names)
    }


def _to_point(point: Mapping[str, Any]) -> tuple[int | None, Any, float]:
    if point.get("num") is not None:
        return (
            point["t"],
            tuple(point[name][item] for name in ("num", "den") for item in ("value", "slope")),
            0.0,
        )
    return point["t"], point.get("value"), point.get("slope", 0.0)


def read_logged_points(points: Sequence[Sequence[Any]]) -> Shown:
    """Points of the log: [time, value], with a slope, or with both lines of a ratio."""
    return [
        (time, (value, *lines), 0.0)
        if len(lines) > 1 and value is not None
        else (time, value, (*lines, 0.0)[0])
        for time, value, *lines in points
    ]


def close(left: Shown, right: Shown) -> bool:
    """Return whether two timelines agree up to rounding wherever one of them changes.

    A change that is only rounding (two thirds and a third twice) may be a point of one of them alone.
    """
    times = {time for points in (left, right) for time, _, _ in points}
    return all(are_close(find_value(left, time), find_value(right, time)) for time in times)


def find_value(points: Shown, time: int | None) -> Any:
    """Value and slope at an instant; of a ratio, of numerator and denominator."""
    reached = [point for point in points if point[0] is None or (time is not None and point[0] <= time)]
    since, value, slope = reached[-1]
    if since is None or time is None or value is None:
        return value, slope
    seconds = (time - since) / 1e6
    if isinstance(value, tuple):
        num, climbs, den, its = value
        return num + climbs * seconds, climbs, den + its * seconds, its
    return (value + slope * seconds if slope else value), slope


def are_close(left: Any, right: Any) -> bool:
    """Return whether two values agree up to rounding; pairs agree part by part."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return all(are_close(*pair) for pair in zip(left, right, strict=True))
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-12, abs_tol=1e-9)
    return type(left) is type(right) and bool(left == right)


def iterate_stretches(revisions: Revisions) -> Iterator[tuple[str, bool, Stretch]]:
    """Yield each revision as the log keeps it: its key, whether the key exists, what it says."""
    pieces = to_points(revisions)
    for index, name in enumerate(revisions.names):
        start, end = int(revisions.start[index]), int(revisions.end[index])
        rows = pieces[revisions.offsets[index] : revisions.offsets[index + 1]]
        stretch = Stretch(None if start == BEGINNING else start, None if end == OPEN else end, rows)
        yield str(name), bool(revisions.birth[index] != OPEN), stretch
