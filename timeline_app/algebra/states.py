"""Timelines about states: how long one has held, how often it was entered, and when it is looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from timeline_app.algebra.align import align, evaluate_at, share_labels
from timeline_app.algebra.arithmetic import as_ratio
from timeline_app.algebra.kinds import (
    BEGINNING,
    FALSE,
    OPEN,
    SECOND,
    TRUE,
    UNKNOWN,
    Ints,
    Kind,
    Lines,
    Mask,
    Values,
)
from timeline_app.algebra.order import compute_ends, mark_lasts, order_of
from timeline_app.algebra.pieces import compute_cuts
from timeline_app.algebra.retention import Carried, hide_before
from timeline_app.algebra.timelines import Timelines, build_timelines


def measure_time_true(item: Timelines, carried: Carried | None = None) -> Timelines:
    """Seconds since birth for which a bool has been true, exact in microseconds; 0 before birth."""
    if carried is not None:
        item = hide_before(item, carried.at, carried.at)
    key, time, rows = cut_at_birth(item)
    counting = (item.value[rows] == TRUE) & (time != BEGINNING) & (time >= item.birth[key])
    end = compute_ends(time, mark_lasts(key))
    lasted = np.where(counting & (end != OPEN), end - np.where(counting, time, 0), 0)
    total = np.cumsum(lasted) - lasted
    starts = np.flatnonzero(time == BEGINNING)
    total -= np.repeat(total[starts], np.diff(np.append(starts, len(key))))
    if carried is not None:
        total += carried.column(0, 0)[key]
    return build_timelines(
        Kind.NUMBER, item.names, item.birth, key, time, total / SECOND, counting.astype(np.float64)
    )


def measure_time_in_state(item: Timelines) -> Timelines:
    """Return the seconds since the value last changed, or since birth; unknown while it is unknown."""
    key, time, value = cut_at_birth(item)
    is_running = item.known[value] & (time != BEGINNING) & (time >= item.birth[key])
    seconds = np.where(is_running, 0.0, np.nan)
    return build_timelines(
        Kind.NUMBER, item.names, item.birth, key, time, seconds, np.where(is_running, 1.0, 0.0)
    )


def hold_for(item: Timelines, duration: int) -> Timelines:
    """Return True once a bool has been true without a break for this many microseconds, since birth at the earliest."""
    key, time, rows = cut_at_birth(item)
    counting = (item.value[rows] == TRUE) & (time != BEGINNING) & (time >= item.birth[key])
    row, elapsed = compute_cuts(
        time, compute_ends(time, mark_lasts(key)), np.where(counting, float(duration), -1.0)
    )
    values = np.where(elapsed == duration, TRUE, FALSE)
    value = np.where(item.value[rows[row]] == UNKNOWN, UNKNOWN, np.where(counting[row], values, FALSE))
    return build_timelines(
        Kind.BOOL, item.names, item.birth, key[row], time[row] + elapsed, value.astype(np.int8)
    )


def restore_starts(item: Timelines, carried: Carried | None) -> Timelines:
    """Return states with their real starts, which the memory holds."""
    return item if carried is None else hide_before(item, carried.at, carried.column(0, BEGINNING))


def count_entries(
    item: Timelines, entered: Callable[[Timelines], Mask], carried: Carried | None = None
) -> Timelines:
    """Return how many times pieces of a kind were entered: `entered` says of each piece whether it counts."""
    if carried is not None:
        item = hide_before(item, carried.at, np.full(item.size, BEGINNING))
    counting = (entered(item) & (item.time != BEGINNING)).astype(np.int64)
    total = np.cumsum(counting)
    before = total[item.offsets[:-1]] - counting[item.offsets[:-1]]
    count = total - np.repeat(before, np.diff(item.offsets))
    if carried is not None:
        count += carried.column(0, 0)[item.key]
    return build_timelines(Kind.NUMBER, item.names, item.birth, item.key, item.time, count.astype(np.float64))


def shift_timelines(item: Timelines, duration: int) -> Timelines:
    """Return the timelines, this many microseconds later."""
    return replace(item, time=np.where(item.time == BEGINNING, BEGINNING, item.time + duration))


def select_where(condition: Timelines, item: Timelines, otherwise: Timelines | None) -> Timelines:
    """`item` where the bool is true, `otherwise` (or unknown) where it is false, unknown where it is unknown."""
    branches = _unify_kinds([item] if otherwise is None else [item, otherwise])
    kind, (labels, columns) = branches[0].kind, share_labels(*branches)
    aligned = align(condition, *branches)
    truth = condition.value[aligned.rows[0]]
    value = np.full(len(aligned.time), kind.unknown, dtype=kind.dtype)
    slope = np.zeros(len(aligned.time), kind.slope_dtype)
    for branch_truth, branch, column, rows in zip(
        (TRUE, FALSE), branches, columns, aligned.rows[1:], strict=False
    ):
        here = truth == branch_truth
        value[here] = _evaluate(branch, column, rows[here], aligned.time[here])
        slope[here] = branch.slope[rows[here]]
    return build_timelines(
        kind, condition.names, aligned.birth, aligned.key, aligned.time, value, slope, labels
    )


def _unify_kinds(items: list[Timelines]) -> list[Timelines]:
    """Convert a number beside a ratio to a ratio, divided by 1."""
    mixed = any(item.kind is Kind.RATIO for item in items)
    return [as_ratio(item) for item in items] if mixed else items


def _evaluate(item: Timelines, column: Values, rows: Ints, time: Ints) -> Lines:
    return evaluate_at(item, rows, time) if item.kind.is_line else column[rows]


def cut_at_birth(item: Timelines) -> tuple[Ints, Ints, Ints]:
    """Return the pieces with a change point at birth: (key, time, row of the piece that holds there)."""
    born = item.birth != OPEN
    key = np.concatenate((item.key, np.flatnonzero(born)))
    time = np.concatenate((item.time, item.birth[born]))
    order = order_of(key, time)
    key, time = key[order], time[order]
    latest = np.maximum.accumulate(np.where(order < len(item.time), order, -1))
    last = mark_lasts(key, time)
    return key[last], time[last], latest[last]
