"""Logs of revisions, as the engine makes them: evaluate, again with more events, keep the difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tests.evaluate.running import timelines
from tests.referee import JsonEvent
from tests.strategies import Drawn, Plan
from timeline_app.algebra.align import recode
from timeline_app.algebra.fold import Point, points_of
from timeline_app.algebra.kinds import Kind, Values
from timeline_app.algebra.names import reindex, union_of_names
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
    return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")


def prefixes(plan: Plan, delivered: Delivered, cuts: Sequence[int]) -> list[dict[str, Timelines]]:
    """Every node's timelines after each batch of the delivery."""
    found = []
    for cut in cuts:
        events: Drawn = {
            name: [event for stream, event in delivered[:cut] if stream == name] for name in plan["streams"]
        }
        found.append(timelines(plan, events))
    return found


def points(item: Timelines, place: int) -> list[Point]:
    """A key's timeline as the log's points."""
    return points_of(item)[item.offsets[place] : item.offsets[place + 1]]
