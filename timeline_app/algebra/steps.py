"""Timelines made from events: the leaves of every plan."""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.events import Column, Events
from timeline_app.algebra.kinds import BEGINNING, FALSE, NO_LABELS, TRUE, Ints, Kind, Labels, Mask, Values
from timeline_app.algebra.timelines import Timelines, timelines


def steps_from(
    events: Events,
    kind: Kind,
    start: object,
    key: Ints,
    time: Ints,
    value: Values,
    labels: Labels = NO_LABELS,
) -> Timelines:
    """`start` since ever, then the given values (sorted by key, strictly increasing time) as they come."""
    size = len(events.names)
    keys = np.concatenate((np.arange(size, dtype=np.int64), key))
    times = np.concatenate((np.full(size, BEGINNING, dtype=np.int64), time))
    values = np.concatenate((np.full(size, start, dtype=kind.dtype), value))
    order = np.argsort(keys, kind="stable")
    return timelines(
        kind, events.names, events.birth, keys[order], times[order], values[order], labels=labels
    )


def latest(events: Events, column: Column) -> Timelines:
    """The latest value of a field; unknown before the first; an event without the field changes nothing."""
    rows = np.flatnonzero(column.present)
    if events.rank is not None:
        rows = rows[np.lexsort((column.value[rows], events.rank[rows], events.time[rows], events.key[rows]))]
    key, time = events.key[rows], events.time[rows]
    last = _last_of_instant(key, time)
    return steps_from(
        events,
        column.kind,
        column.kind.unknown,
        key[last],
        time[last],
        column.value[rows][last],
        column.labels,
    )


def ever(events: Events, matching: Mask) -> Timelines:
    """False, then true for ever from the first matching event of each key."""
    rows = np.flatnonzero(matching)
    key = events.key[rows]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = key[1:] != key[:-1]
    rows = rows[first]
    return steps_from(events, Kind.BOOL, FALSE, events.key[rows], events.time[rows], np.full(len(rows), TRUE))


def within(events: Events, matching: Mask, duration: int) -> Timelines:
    """True on the union of `[t, t + duration)` over the matching events, else false."""
    rows = np.flatnonzero(matching)
    key, time = events.key[rows], events.time[rows]
    joined = np.zeros(len(rows), dtype=bool)
    joined[1:] = (key[1:] == key[:-1]) & (time[1:] <= time[:-1] + duration)
    starts = ~joined
    ends = np.append(~joined[1:], True) if len(rows) else starts
    keys = np.repeat(key[starts], 2)
    times = np.column_stack((time[starts], time[ends] + duration)).ravel()
    values = np.tile(np.array([TRUE, FALSE]), int(starts.sum()))
    return steps_from(events, Kind.BOOL, FALSE, keys, times, values)


def _last_of_instant(key: Ints, time: Ints) -> Mask:
    """Which rows are the last of their key and time."""
    last = np.ones(len(key), dtype=bool)
    last[:-1] = (key[1:] != key[:-1]) | (time[1:] != time[:-1])
    return last
