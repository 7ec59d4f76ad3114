"""Kleene's logic and equality on timelines."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.align import align, shared_labels, values_at
from timeline_app.algebra.kinds import FALSE, TRUE, UNKNOWN, Ints, Kind, Mask, Scalar
from timeline_app.algebra.lines import same_line
from timeline_app.algebra.timelines import Timelines, timelines


def all_of(*inputs: Timelines) -> Timelines:
    """Kleene's `and`."""
    return _combine(np.minimum, inputs)


def any_of(*inputs: Timelines) -> Timelines:
    """Kleene's `or`."""
    return _combine(np.maximum, inputs)


def negate(item: Timelines) -> Timelines:
    """Kleene's `not`."""
    return timelines(
        Kind.BOOL, item.names, item.birth, item.key, item.time, (TRUE - item.value).astype(np.int8)
    )


def _combine(function: np.ufunc, inputs: tuple[Timelines, ...]) -> Timelines:
    both = align(*inputs)
    value = function.reduce([item.value[rows] for item, rows in zip(inputs, both.rows, strict=True)])
    return timelines(Kind.BOOL, inputs[0].names, both.birth, both.key, both.time, value)


def equals_value(item: Timelines, value: Scalar) -> Timelines:
    """Where a text, bool or steady number is this value; unknown where it is unknown."""
    truth = _truth(is_value(item, value), item.known)
    return timelines(Kind.BOOL, item.names, item.birth, item.key, item.time, truth)


def is_value(item: Timelines, value: Scalar) -> Mask:
    """Which pieces of a text, bool or steady number hold this value."""
    if item.kind is Kind.TEXT:
        found = np.flatnonzero(item.labels == value)
        return np.asarray(item.value == (found[0] if len(found) else -2))
    if item.kind is Kind.BOOL:
        return np.asarray(item.value == (TRUE if value else FALSE))
    return np.asarray(item.value == value)


def equals(left: Timelines, right: Timelines) -> Timelines:
    """Where two texts, bools or steady numbers are the same; unknown where either is unknown."""
    both = align(left, right)
    (rows, others) = both.rows
    if left.kind is Kind.TEXT:
        _, (mine, theirs) = shared_labels(left, right)
    else:
        mine, theirs = left.value, right.value
    equal = mine[rows] == theirs[others]
    value = _truth(np.asarray(equal), left.known[rows] & right.known[others])
    return timelines(Kind.BOOL, left.names, both.birth, both.key, both.time, value)


def _truth(condition: Mask, is_known: Mask) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    return np.where(is_known, np.where(condition, TRUE, FALSE), UNKNOWN).astype(np.int8)


def differences(old: Timelines, new: Timelines) -> tuple[Ints, Ints, Mask]:
    """The union of the change points of two timelines and where on it they differ: (key, time, differ)."""
    both = align(old, new)
    (rows, others) = both.rows
    if old.kind.is_line:
        before, after = values_at(old, rows, both.time), values_at(new, others, both.time)
        differ = ~same_line(before, old.slope[rows], after, new.slope[others])
    elif old.kind is Kind.TEXT:
        _, (mine, theirs) = shared_labels(old, new)
        differ = mine[rows] != theirs[others]
    else:
        differ = old.value[rows] != new.value[others]
    return both.key, both.time, np.asarray(differ)
