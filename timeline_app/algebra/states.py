"""What follows from how long a state has held, how often it was entered, and when it is looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from timeline_app.algebra.align import align, shared_labels, values_at
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
from timeline_app.algebra.order import ends, lasts, order_of
from timeline_app.algebra.pieces import cuts
from timeline_app.algebra.retention import Carried, forget
from timeline_app.algebra.timelines import Timelines, timelines


def time_true(item: Timelines, carried: Carried | None = None) -> Timelines:
    """Seconds since birth for which a bool has been true, exact in microseconds; 0 before birth."""
    if carried is not None:
        item = forget(item, carried.at, carried.at)
    key, time, rows = cut_at_birth(item)
    counting = (item.value[rows] == TRUE) & (time != BEGINNING) & (time >= item.birth[key])
    end = ends(time, lasts(key))
    lasted = np.where(counting & (end != OPEN), end - np.where(counting, time, 0), 0)
    total = np.cumsum(lasted) - lasted
    starts = np.flatnonzero(time == BEGINNING)
    total -= np.repeat(total[starts], np.diff(np.append(starts, len(key))))
    if carried is not None:
        total += carried.column(0, 0)[key]
    return timelines(
        Kind.NUMBER, item.names, item.birth, key, time, total / SECOND, counting.astype(np.float64)
    )


def time_in_state(item: Timelines) -> Timelines:
    """Seconds since the value last changed, since birth for one held since ever; unknown while it is unknown."""
    key, time, value = cut_at_birth(item)
    begun = item.known[value] & (time != BEGINNING) & (time >= item.birth[key])
    seconds = np.where(begun, 0.0, np.nan)
    return timelines(Kind.NUMBER, item.names, item.birth, key, time, seconds, np.where(begun, 1.0, 0.0))


def lasting(item: Timelines, duration: int) -> Timelines:
    """True once a bool has been true without a break for so many microseconds, since birth at the earliest."""
    key, time, rows = cut_at_birth(item)
    counting = (item.value[rows] == TRUE) & (time != BEGINNING) & (time >= item.birth[key])
    row, elapsed = cuts(time, ends(time, lasts(key)), np.where(counting, float(duration), -1.0))
    held = np.where(elapsed == duration, TRUE, FALSE)
    value = np.where(item.value[rows[row]] == UNKNOWN, UNKNOWN, np.where(counting[row], held, FALSE))
    return timelines(Kind.BOOL, item.names, item.birth, key[row], time[row] + elapsed, value.astype(np.int8))


def remembering_since(item: Timelines, carried: Carried | None) -> Timelines:
    """States that go on since when they really began, where what is carried is that instant."""
    return item if carried is None else forget(item, carried.at, carried.column(0, BEGINNING))


def entries(
    item: Timelines, entered: Callable[[Timelines], Mask], carried: Carried | None = None
) -> Timelines:
    """How many times pieces of a kind were entered: `entered` says of each piece whether it counts."""
    if carried is not None:
        item = forget(item, carried.at, np.full(item.size, BEGINNING))
    counting = (entered(item) & (item.time != BEGINNING)).astype(np.int64)
    total = np.cumsum(counting)
    before = total[item.offsets[:-1]] - counting[item.offsets[:-1]]
    count = total - np.repeat(before, np.diff(item.offsets))
    if carried is not None:
        count += carried.column(0, 0)[item.key]
    return timelines(Kind.NUMBER, item.names, item.birth, item.key, item.time, count.astype(np.float64))


def later(item: Timelines, duration: int) -> Timelines:
    """The same timelines, so many microseconds later."""
    return replace(item, time=np.where(item.time == BEGINNING, BEGINNING, item.time + duration))


def choose(condition: Timelines, item: Timelines, otherwise: Timelines | None) -> Timelines:
    """`item` where the bool is true, `otherwise` (or unknown) where it is false, unknown where it is unknown."""
    branches = _one_kind([item] if otherwise is None else [item, otherwise])
    kind, (labels, columns) = branches[0].kind, shared_labels(*branches)
    both = align(condition, *branches)
    truth = condition.value[both.rows[0]]
    value = np.full(len(both.time), kind.unknown, dtype=kind.dtype)
    slope = np.zeros(len(both.time), kind.slope_dtype)
    for wanted, branch, column, rows in zip((TRUE, FALSE), branches, columns, both.rows[1:], strict=False):
        here = truth == wanted
        value[here] = _values(branch, column, rows[here], both.time[here])
        slope[here] = branch.slope[rows[here]]
    return timelines(kind, condition.names, both.birth, both.key, both.time, value, slope, labels)


def _one_kind(items: list[Timelines]) -> list[Timelines]:
    """A number beside a ratio is one divided by 1."""
    mixed = any(item.kind is Kind.RATIO for item in items)
    return [as_ratio(item) for item in items] if mixed else items


def _values(item: Timelines, column: Values, rows: Ints, time: Ints) -> Lines:
    return values_at(item, rows, time) if item.kind.is_line else column[rows]


def cut_at_birth(item: Timelines) -> tuple[Ints, Ints, Ints]:
    """The pieces with a change point at birth: (key, time, row of the piece that holds there)."""
    born = item.birth != OPEN
    key = np.concatenate((item.key, np.flatnonzero(born)))
    time = np.concatenate((item.time, item.birth[born]))
    order = order_of(key, time)
    key, time = key[order], time[order]
    latest = np.maximum.accumulate(np.where(order < len(item.time), order, -1))
    last = lasts(key, time)
    return key[last], time[last], latest[last]
