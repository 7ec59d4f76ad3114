"""Logs of revisions, as the engine makes them: evaluate, again with more events, keep the difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests.local.running import timelines
from tests.referee import JsonEvent
from tests.strategies import Drawn, Plan
from timeline_app.algebra.align import recode
from timeline_app.algebra.fold import Point, Stretch
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind, Values
from timeline_app.algebra.names import reindex, union_of_names
from timeline_app.algebra.revisions import Revisions
from timeline_app.algebra.timelines import Timelines

Delivered = Sequence[tuple[str, JsonEvent]]


def alike(old: Timelines, new: Timelines) -> tuple[Timelines, Timelines]:
    """Both over all names and labels of both, as `diff` and `apply` want them."""
    names = union_of_names(old, new)
    old, new = reindex(old, names, None), reindex(new, names, None)
    if old.kind is not Kind.TEXT:
        return old, new
    labels = np.unique(np.concatenate([old.labels, new.labels])).astype(object)
    first, second = (
        replace(item, value=recode(item.value, item.labels, labels), labels=labels) for item in (old, new)
    )
    return first, second


def same(one: Timelines, other: Timelines) -> bool:
    """Equal to the bit."""
    columns = ("names", "birth", "offsets", "time", "value", "slope")
    return all(_equal(getattr(one, name), getattr(other, name)) for name in columns)


def _equal(one: Values, other: Values) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def prefixes(plan: Plan, delivered: Delivered, cuts: Sequence[int]) -> list[dict[str, Timelines]]:
    """Every node's timelines after each batch of the delivery."""
    found = []
    for cut in cuts:
        events: Drawn = {
            name: [event for stream, event in delivered[:cut] if stream == name] for name in plan["streams"]
        }
        found.append(timelines(plan, events))
    return found


def stretches(revisions: Revisions) -> Iterator[tuple[str, bool, Stretch]]:
    """Each revision as the log keeps it: its key, whether the key exists, what it says."""
    for place, name in enumerate(revisions.names):
        start, end = int(revisions.start[place]), int(revisions.end[place])
        rows = range(int(revisions.offsets[place]), int(revisions.offsets[place + 1]))
        pieces = [_piece(revisions, row) for row in rows]
        told = Stretch(None if start == BEGINNING else start, None if end == OPEN else end, pieces)
        yield str(name), bool(revisions.birth[place] != OPEN), told


def _piece(revisions: Revisions, row: int) -> Point:
    time: Any = int(revisions.time[row])
    shown = None if time == BEGINNING else time
    value = revisions_value(revisions, row)
    return [shown, value, float(revisions.slope[row])] if revisions.kind is Kind.NUMBER else [shown, value]


def revisions_value(revisions: Revisions, row: int) -> Any:
    """The value of a piece; None is unknown."""
    value = revisions.value[row]
    if revisions.kind is Kind.BOOL:
        return {0: False, 1: None, 2: True}[int(value)]
    if revisions.kind is Kind.TEXT:
        return None if value < 0 else str(revisions.labels[value])
    return None if np.isnan(value) else float(value)


def points(item: Timelines, place: int) -> list[Point]:
    """A key's timeline as the log's points."""
    number = item.kind is Kind.NUMBER
    return [[time, value, slope] if number else [time, value] for time, value, slope in item.points(place)]
