"""Instants meet states: what a timeline says when an event comes or a bool becomes true."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from timeline_app.algebra.align import evaluate_at
from timeline_app.algebra.arithmetic import divide_floats
from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import BEGINNING, OPEN, TRUE, Floats, Ints, Kind, Mask
from timeline_app.algebra.order import mark_lasts, order_of
from timeline_app.algebra.recall import recall_values
from timeline_app.algebra.retention import Carried, find_holding, find_starts, select_after
from timeline_app.algebra.steps import build_steps
from timeline_app.algebra.timelines import Timelines, build_timelines

BEFORE = "before"
"""The side of an instant that sees the piece in force just before it; the other side is `at`."""


@dataclass(frozen=True, slots=True, eq=False)
class Instants:
    """Instants of keys, each once, sorted by key and time."""

    key: Ints
    time: Ints


def find_rows(item: Timelines, key: Ints, time: Ints, side: str) -> Ints:
    """Return the piece of its key that is in force at each instant, or just before it; keys and times are sorted."""
    pieces, asked_keys = (item.key, item.time), (key, time)
    first, second = (asked_keys, pieces) if side == BEFORE else (pieces, asked_keys)
    order = order_of(np.concatenate((first[0], second[0])), np.concatenate((first[1], second[1])))
    begin = len(key) if side == BEFORE else 0
    in_range = (order >= begin) & (order < begin + len(item.time))
    return np.asarray(np.maximum.accumulate(np.where(in_range, order - begin, -1))[~in_range])


def select_qualifying(events: Events, matching: Mask, while_: Timelines | None, side: str) -> Mask:
    """Return the matching events at whose instant, or just before it, a bool is true; all of them without one."""
    if while_ is None:
        return matching
    rows = np.flatnonzero(matching)
    condition_values = while_.value[find_rows(while_, events.key[rows], events.time[rows], side)]
    mask = np.zeros(events.size, dtype=bool)
    mask[rows[condition_values == TRUE]] = True
    return mask


def share_births(item: Timelines, *more: Timelines | Events | None) -> Timelines:
    """Return the same timelines, born with the earliest of several."""
    births = [item.birth, *(other.birth for other in more if other is not None)]
    return replace(item, birth=np.minimum.reduce(births))


def select_event_instants(events: Events, matching: Mask, carried: Carried | None) -> Instants:
    """Return when matching events came that are not folded away."""
    rows = np.flatnonzero(matching & select_after(events, carried))
    key, time = events.key[rows], events.time[rows]
    last = mark_lasts(key, time) if len(rows) else np.empty(0, dtype=bool)
    return Instants(key[last], time[last])


def select_truth_instants(item: Timelines, birth: Ints, carried: Carried | None) -> Instants:
    """Return when a bool became true; at birth, if it is true there."""
    folded = np.full(item.size, BEGINNING) if carried is None else carried.at
    key = item.key
    starts = np.flatnonzero((item.value == TRUE) & (item.time > np.maximum(folded, birth)[key]))
    born = np.flatnonzero((birth != OPEN) & (birth > folded))
    born = born[item.value[find_holding(item, birth)[born]] == TRUE]
    keys, times = np.concatenate((born, key[starts])), np.concatenate((birth[born], item.time[starts]))
    order = order_of(keys, times)
    return Instants(keys[order], times[order])


def sample_at_instants(
    item: Timelines, instants: Instants, side: str, carried: Carried | None = None, start: float | None = None
) -> Timelines:
    """Return steps with the value at the latest instant so far; before the first, `start` or unknown."""
    kind = Kind.NUMBER if item.kind.is_line else item.kind
    labels, column, first = recall_values(item, carried, kind)
    if start is not None:
        folded = np.zeros(item.size, dtype=bool) if carried is None else carried.folded
        first = np.where(folded, first, start)
    rows = find_rows(item, instants.key, instants.time, side)
    value = _evaluate_numbers(item, rows, instants.time) if item.kind.is_line else column[rows]
    return build_steps(item, kind, first, instants.key, instants.time, value, labels)


def _evaluate_numbers(item: Timelines, rows: Ints, time: Ints) -> Floats:
    """Return the value of a line, or a ratio; unknown where it has none."""
    value = evaluate_at(item, rows, time)
    with np.errstate(all="ignore"):
        number = divide_floats(value.real, value.imag) if item.kind is Kind.RATIO else value
    return np.where(np.isfinite(number), number + 0.0, np.nan)


def measure_age(like: Timelines | Events, instants: Instants, carried: Carried | None) -> Timelines:
    """Seconds since the latest instant so far; unknown before the first."""
    last = np.full(len(like.names), BEGINNING) if carried is None else carried.column(0, BEGINNING)
    keys = np.arange(len(last), dtype=np.int64)
    before = np.flatnonzero(last != BEGINNING)
    key, time = np.concatenate((before, instants.key)), np.concatenate((last[before], instants.time))
    key, time = np.concatenate((keys, key)), np.concatenate((np.full(len(last), BEGINNING), time))
    order = order_of(key, time)
    key, time = key[order], time[order]
    counts = time != BEGINNING
    return build_timelines(
        Kind.NUMBER,
        like.names,
        like.birth,
        key,
        time,
        np.where(counts, 0.0, np.nan),
        counts.astype(np.float64),
    )


def find_last_instants(item: Timelines, at: Ints) -> Ints:
    """Return the latest instant up to each key's, where `item` is the result of `age_of`; `BEGINNING` for none."""
    return find_starts(item, at)[:, np.newaxis]
