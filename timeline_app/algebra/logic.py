"""Kleene's logic and equality on timelines."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.align import align, evaluate_at, share_labels
from timeline_app.algebra.kinds import FALSE, TRUE, UNKNOWN, Ints, Kind, Mask, Scalar
from timeline_app.algebra.lines import is_same_line
from timeline_app.algebra.timelines import Timelines, build_timelines


def apply_and(*inputs: Timelines) -> Timelines:
    """Kleene's `and`."""
    return _combine(np.minimum, inputs)


def apply_or(*inputs: Timelines) -> Timelines:
    """Kleene's `or`."""
    return _combine(np.maximum, inputs)


def negate(item: Timelines) -> Timelines:
    """Kleene's `not`."""
    return build_timelines(
        Kind.BOOL, item.names, item.birth, item.key, item.time, (TRUE - item.value).astype(np.int8)
    )


def _combine(function: np.ufunc, inputs: tuple[Timelines, ...]) -> Timelines:
    aligned = align(*inputs)
    value = function.reduce([item.value[rows] for item, rows in zip(inputs, aligned.rows, strict=True)])
    return build_timelines(Kind.BOOL, inputs[0].names, aligned.birth, aligned.key, aligned.time, value)


def is_equal_to_value(item: Timelines, value: Scalar) -> Timelines:
    """Return where a text, bool or steady number is this value; unknown where it is unknown."""
    truth = _build_truth(is_value(item, value), item.known)
    return build_timelines(Kind.BOOL, item.names, item.birth, item.key, item.time, truth)


def is_value(item: Timelines, value: Scalar) -> Mask:
    """Return which pieces of a text, bool or steady number hold this value."""
    if item.kind is Kind.TEXT:
        places = np.flatnonzero(item.labels == value)
        return np.asarray(item.value == (places[0] if len(places) else -2))
    if item.kind is Kind.BOOL:
        return np.asarray(item.value == (TRUE if value else FALSE))
    return np.asarray(item.value == value)


def is_equal(left: Timelines, right: Timelines) -> Timelines:
    """Return where two texts, bools or steady numbers are the same; unknown where either is unknown."""
    aligned = align(left, right)
    (rows, other_rows) = aligned.rows
    if left.kind is Kind.TEXT:
        _, (old_values, other_values) = share_labels(left, right)
    else:
        old_values, other_values = left.value, right.value
    equal = old_values[rows] == other_values[other_rows]
    value = _build_truth(np.asarray(equal), left.known[rows] & right.known[other_rows])
    return build_timelines(Kind.BOOL, left.names, aligned.birth, aligned.key, aligned.time, value)


def _build_truth(condition: Mask, is_known: Mask) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    return np.where(is_known, np.where(condition, TRUE, FALSE), UNKNOWN).astype(np.int8)


def find_differences(old: Timelines, new: Timelines) -> tuple[Ints, Ints, Mask]:
    """Return the union of the change points of two timelines and where on it they differ: (key, time, differ)."""
    aligned = align(old, new)
    (rows, other_rows) = aligned.rows
    if old.kind.is_line:
        before, after = evaluate_at(old, rows, aligned.time), evaluate_at(new, other_rows, aligned.time)
        differ = ~is_same_line(before, old.slope[rows], after, new.slope[other_rows])
    elif old.kind is Kind.TEXT:
        _, (old_values, new_values) = share_labels(old, new)
        differ = old_values[rows] != new_values[other_rows]
    else:
        differ = old.value[rows] != new.value[other_rows]
    return aligned.key, aligned.time, np.asarray(differ)
