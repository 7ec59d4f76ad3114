"""Timelines made from events: the leaves of every plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from timeline_app.algebra.events import Column, Events
from timeline_app.algebra.kinds import (
    BEGINNING,
    FALSE,
    NO_LABELS,
    OPEN,
    TRUE,
    Floats,
    Ints,
    Kind,
    Labels,
    Mask,
    Values,
)
from timeline_app.algebra.order import mark_firsts, mark_lasts
from timeline_app.algebra.retention import Carried, select_after, select_between, sum_by_key
from timeline_app.algebra.sums import from_limbs, to_limbs
from timeline_app.algebra.timelines import Timelines, build_timelines


class Born(Protocol):
    """Anything with keys and births: events, or other timelines."""

    @property
    def names(self) -> Labels:
        """Their names."""

    @property
    def birth(self) -> Ints:
        """When each was born, `OPEN` where it never was."""


def build_steps(
    born: Born,
    kind: Kind,
    start: object,
    key: Ints,
    time: Ints,
    value: Values,
    labels: Labels = NO_LABELS,
) -> Timelines:
    """Return `start`, then the given values (sorted by key, strictly increasing time).

    Each key may have its own `start`.
    """
    size = len(born.names)
    keys = np.concatenate((np.arange(size, dtype=np.int64), key))
    times = np.concatenate((np.full(size, BEGINNING, dtype=np.int64), time))
    values = np.concatenate((np.full(size, start, dtype=kind.dtype), value))
    order = np.argsort(keys, kind="stable")
    return build_timelines(
        kind, born.names, born.birth, keys[order], times[order], values[order], labels=labels
    )


def build_unchanging(events: Events, kind: Kind, value: bool | float | str) -> Timelines:
    """Return the same value at all times."""
    nothing = np.empty(0, dtype=np.int64)
    labels: Labels = np.array([value] if kind is Kind.TEXT else [], dtype=object)
    truth = TRUE if value else FALSE
    code = {Kind.TEXT: 0, Kind.BOOL: truth}.get(kind, value)
    return build_steps(events, kind, code, nothing, nothing, np.empty(0, dtype=kind.dtype), labels)


def order_by_value(events: Events, column: Column) -> Ints:
    """Return the rows that have a field, in their order; of those that tie the one with the greatest value last."""
    rows = np.flatnonzero(column.present)
    if events.rank is None:
        return rows
    return rows[np.lexsort((column.value[rows], events.rank[rows], events.time[rows], events.key[rows]))]


def track_latest(events: Events, column: Column) -> Timelines:
    """Return the latest value of a field; unknown before the first; an event without the field changes nothing."""
    rows = order_by_value(events, column)
    key, time = events.key[rows], events.time[rows]
    last = mark_lasts(key, time)
    return build_steps(
        events,
        column.kind,
        column.kind.unknown,
        key[last],
        time[last],
        column.value[rows][last],
        column.labels,
    )


def turn_true(events: Events, matching: Mask) -> Timelines:
    """Return False, then True for ever from the first matching event of each key."""
    rows = np.flatnonzero(matching)
    rows = rows[mark_firsts(events.key[rows])]
    return build_steps(
        events, Kind.BOOL, FALSE, events.key[rows], events.time[rows], np.full(len(rows), TRUE)
    )


def cover_durations(events: Events, matching: Mask, duration: int) -> Timelines:
    """True on the union of `[t, t + duration)` over the matching events, else false."""
    rows = np.flatnonzero(matching)
    time = events.time[rows]
    return cover_spans(events, events.key[rows], time, time + duration)


def cover_rows(events: Events, matching: Mask, until: Ints) -> Timelines:
    """True on the union of `[time, until)` over the matching rows, else false; a row whose end is `OPEN` has none."""
    rows = np.flatnonzero(matching & (until > events.time))
    return cover_spans(events, events.key[rows], events.time[rows], until[rows])


def cover_spans(events: Events, key: Ints, time: Ints, until: Ints) -> Timelines:
    """True on the union of `[time, until)`, sorted by key and time, else false."""
    reached = _compute_greatest_ends(key, until)
    joined = np.zeros(len(key), dtype=bool)
    joined[1:] = (key[1:] == key[:-1]) & (time[1:] <= reached[:-1])
    starts = ~joined
    ends = np.append(~joined[1:], True) if len(key) else starts
    keys = np.repeat(key[starts], 2)
    times = np.column_stack((time[starts], reached[ends])).ravel()
    values = np.tile(np.array([TRUE, FALSE]), int(starts.sum()))
    has_time = times != OPEN
    return build_steps(events, Kind.BOOL, FALSE, keys[has_time], times[has_time], values[has_time])


def _compute_greatest_ends(key: Ints, until: Ints) -> Ints:
    """Return the greatest end so far of each key, of rows sorted by key."""
    if ((until[1:] >= until[:-1]) | (key[1:] != key[:-1])).all():
        return until
    order = np.lexsort((until, key))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))  # a later key's count is greater, so each key starts over
    return until[order[np.maximum.accumulate(rank)]]


def count(events: Events, matching: Mask, carried: Carried | None = None) -> Timelines:
    """Return how many matching events so far; 0 before."""
    return _build_running(
        events, matching, make_ones(events), lambda sums: sums[:, 0].astype(np.float64), carried
    )


def sum_running(events: Events, column: Column, matching: Mask, carried: Carried | None = None) -> Timelines:
    """Return the running sum of a number over the matching events that have it; 0 before. Exact, rounded once."""
    counted = matching & column.present
    return _build_running(events, counted, split_limbs(column, counted), from_limbs, carried)


def make_ones(events: Events) -> Ints:
    """Return what each event adds to a count, as a column."""
    return np.ones((events.size, 1), dtype=np.int64)


def split_limbs(column: Column, counted: Mask) -> Ints:
    """Return what each event adds to the sum of a field, in whole numbers."""
    return to_limbs(np.where(counted, column.value, 0.0))


def compute_total(events: Events, matching: Mask, amounts: Ints, at: Ints, carried: Carried | None) -> Ints:
    """Return a running total at each key's instant, in integers."""
    total = sum_by_key(events, matching & select_between(events, carried, at), amounts)
    return total if carried is None else total + carried.totals()


def _build_running(
    events: Events,
    matching: Mask,
    amounts: Ints,
    value_of: Callable[[Ints], Floats],
    carried: Carried | None,
) -> Timelines:
    """Return running totals by key, in integers: exact whatever precedes a key in the columns."""
    rows = np.flatnonzero(matching & select_after(events, carried))
    key, time, sums = events.key[rows], events.time[rows], np.cumsum(amounts[rows], axis=0)
    starts = np.flatnonzero(mark_firsts(key))
    base = sums[starts] - amounts[rows][starts]
    sums -= np.repeat(base, np.diff(np.append(starts, len(rows))), axis=0)
    start: Floats = np.zeros(len(events.names))
    if carried is not None:
        sums += carried.totals()[key]
        start = value_of(carried.totals())
    last = mark_lasts(key, time)
    return build_steps(events, Kind.NUMBER, start, key[last], time[last], value_of(sums[last]))
