"""Logs of revisions, as the engine makes them: evaluate, again with more events, keep the difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tests.evaluate.running import compute_timelines
from tests.referee import JsonEvent
from tests.strategies import Drawn, Plan
from timeline_app.algebra.align import recode
from timeline_app.algebra.fold import Point, to_points
from timeline_app.algebra.kinds import Kind, Values
from timeline_app.algebra.names import reindex, unite_names
from timeline_app.algebra.timelines import Timelines

Delivered = Sequence[tuple[str, JsonEvent]]


def align_both(old: Timelines, new: Timelines) -> tuple[Timelines, Timelines]:
    """Both over all names and labels of both, as `diff` and `apply` want them."""
    names = unite_names(old, new)
    old, new = reindex(old, names, None), reindex(new, names, None)
    if old.kind is not Kind.TEXT:
        return old, new
    labels = np.unique(np.concatenate([old.labels, new.labels])).astype(object)
    first, second = (
        replace(item, value=recode(item.value, item.labels, labels), labels=labels) for item in (old, new)
    )
    return first, second


def is_same(left: Timelines, right: Timelines) -> bool:
    """Equal to the bit."""
    columns = ("names", "birth", "offsets", "time", "value", "slope")
    return all(_is_equal(getattr(left, name), getattr(right, name)) for name in columns)


def _is_equal(left: Values, right: Values) -> bool:
    return np.array_equal(left, right, equal_nan=left.dtype.kind in "fc")


def compute_prefixes(plan: Plan, delivered: Delivered, cuts: Sequence[int]) -> list[dict[str, Timelines]]:
    """Every node's timelines after each batch of the delivery."""
    items = []
    for cut in cuts:
        events: Drawn = {
            name: [event for stream, event in delivered[:cut] if stream == name] for name in plan["streams"]
        }
        items.append(compute_timelines(plan, events))
    return items


def list_points(item: Timelines, index: int) -> list[Point]:
    """A key's timeline as the log's points."""
    return to_points(item)[item.offsets[index] : item.offsets[index + 1]]
