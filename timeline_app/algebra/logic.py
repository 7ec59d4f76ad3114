"""Kleene's logic, equality and durations on timelines."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.align import align, shared_labels, values_at
from timeline_app.algebra.kinds import BEGINNING, FALSE, OPEN, SECOND, TRUE, UNKNOWN, Ints, Kind, Mask, Scalar
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
    if item.kind is Kind.TEXT:
        found = np.flatnonzero(item.labels == value)
        equal = item.value == (found[0] if len(found) else -2)
    elif item.kind is Kind.BOOL:
        equal = item.value == (TRUE if value else FALSE)
    else:
        equal = item.value == value
    return timelines(
        Kind.BOOL, item.names, item.birth, item.key, item.time, _truth(np.asarray(equal), item.known)
    )


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


def time_true(item: Timelines) -> Timelines:
    """Seconds since birth for which a bool has been true, exact in microseconds; 0 before birth."""
    key, time, value = _cut_at_birth(item)
    counting = (value == TRUE) & (time != BEGINNING)
    ends = np.full_like(time, OPEN)
    same = key[1:] == key[:-1]
    ends[:-1][same] = time[1:][same]
    lasting = np.where(counting & (ends != OPEN), ends - np.where(counting, time, 0), 0)
    total = np.cumsum(lasting) - lasting
    firsts = np.concatenate(([0], np.flatnonzero(~same) + 1)) if len(key) else np.empty(0, dtype=int)
    total -= np.repeat(total[firsts], np.diff(np.append(firsts, len(key))))
    return timelines(
        Kind.NUMBER, item.names, item.birth, key, time, total / SECOND, counting.astype(np.float64)
    )


def _cut_at_birth(item: Timelines) -> tuple[Ints, Ints, Ints]:
    """The pieces with a change point at birth: what holds before it does not count (unknown stands for it)."""
    born = item.birth != OPEN
    key = np.concatenate((item.key, np.flatnonzero(born)))
    time = np.concatenate((item.time, item.birth[born]))
    order = np.lexsort((time, key))
    key, time = key[order], time[order]
    latest = np.maximum.accumulate(np.where(order < len(item.time), order, -1))
    last = np.ones(len(key), dtype=bool)
    last[:-1] = (key[1:] != key[:-1]) | (time[1:] != time[:-1])
    key, time, value = key[last], time[last], item.value[latest[last]]
    return key, time, np.where(time < item.birth[key], UNKNOWN, value)


def differences(old: Timelines, new: Timelines) -> tuple[Ints, Ints, Mask]:
    """The union of the change points of two timelines and where on it they differ: (key, time, differ)."""
    both = align(old, new)
    (rows, others) = both.rows
    if old.kind is Kind.NUMBER:
        before, after = values_at(old, rows, both.time), values_at(new, others, both.time)
        differ = ~same_line(before, old.slope[rows], after, new.slope[others])
    elif old.kind is Kind.TEXT:
        _, (mine, theirs) = shared_labels(old, new)
        differ = mine[rows] != theirs[others]
    else:
        differ = old.value[rows] != new.value[others]
    return both.key, both.time, np.asarray(differ)
