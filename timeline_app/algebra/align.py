"""Several timelines on one set of change points: the one primitive that every combining operator uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.events import Column
from timeline_app.algebra.kinds import Floats, Ints, Kind, Labels, Values
from timeline_app.algebra.lines import evaluate_after
from timeline_app.algebra.order import compute_ends, mark_lasts, order_of
from timeline_app.algebra.timelines import Timelines


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """The union of the change points of several timelines over the same keys.

    `key` and `time` describe the union, one row for each piece; `rows[i]` says for each of them which piece of
    input `i` holds there.
    """

    key: Ints
    time: Ints
    rows: tuple[Ints, ...]
    birth: Ints

    @property
    def end(self) -> Ints:
        """The end of every piece of the union, exclusive; `OPEN` for the last of a key."""
        return compute_ends(self.time, mark_lasts(self.key))


def align(*inputs: Timelines) -> Aligned:
    """Align timelines over the same keys; the birth of a key is the earliest of its births."""
    birth = np.minimum.reduce([item.birth for item in inputs])
    if len(inputs) == 1:
        only = inputs[0]
        return Aligned(only.key, only.time, (np.arange(len(only.time)),), birth)
    key = np.concatenate([item.key for item in inputs])
    time = np.concatenate([item.time for item in inputs])
    sizes = [len(item.time) for item in inputs]
    order = order_of(key, time)
    key, time = key[order], time[order]
    last = mark_lasts(key, time)
    rows = tuple(_find_latest_rows(order, start, start + size)[last] for start, size in _compute_spans(sizes))
    return Aligned(key[last], time[last], rows, birth)


def _compute_spans(sizes: Sequence[int]) -> list[tuple[int, int]]:
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(int)
    return [(int(start), size) for start, size in zip(starts, sizes, strict=True)]


def _find_latest_rows(order: Ints, start: int, stop: int) -> Ints:
    """For every row of the merged order, the latest piece so far of the input that fills [start, stop)."""
    in_range = (order >= start) & (order < stop)
    return np.maximum.accumulate(np.where(in_range, order - start, -1))


def evaluate_at(item: Timelines, rows: Ints, time: Ints) -> Floats:
    """Return the value of a number at each time, which must lie in the piece named by its row."""
    with np.errstate(over="ignore"):
        elapsed = time - item.time[rows]
    return evaluate_after(item.value[rows], item.slope[rows], elapsed)


def share_labels(*inputs: Timelines | Column) -> tuple[Labels, list[Values]]:
    """One sorted set of labels for several texts, and each one's values recoded to it; other kinds have no labels."""
    first = inputs[0].labels
    if inputs[0].kind is not Kind.TEXT or all(item.labels is first for item in inputs):
        return first, [item.value for item in inputs]
    labels = np.unique(np.concatenate([item.labels for item in inputs])).astype(object)
    return labels, [recode(item.value, item.labels, labels) for item in inputs]


def recode(value: Values, labels: Labels, target: Labels) -> Values:
    """Codes into `labels` as codes into `target`, a sorted superset of them."""
    codes = np.append(np.searchsorted(target, labels), -1).astype(np.int32)
    return np.asarray(codes[value])
