"""Windows over events: what came in the last so many microseconds, as steps; unknown before birth.

An event at `e` counts in a window of `d` for t in `[e, e + d)`. The events of one window stand beside each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from timeline_app.algebra.events import Column, Events
from timeline_app.algebra.kinds import NO_LABELS, OPEN, Floats, Ints, Kind, Labels, Mask, Values
from timeline_app.algebra.order import mark_firsts, mark_lasts, order_of
from timeline_app.algebra.sliding import find_range_maximum
from timeline_app.algebra.spread import compute_deviation, square
from timeline_app.algebra.steps import build_steps, order_by_value
from timeline_app.algebra.sums import compute_mean, from_limbs, to_limbs
from timeline_app.algebra.timelines import Timelines

Instants = tuple[Ints, Ints]
"""Keys, and a time of each."""


def count_of_window(events: Events, matching: Mask, duration: int) -> Timelines:
    """Return how many matching events came in the window."""
    windows = EventWindows.over(events, np.flatnonzero(matching), duration)
    return windows.steps(Kind.NUMBER, windows.count.astype(np.float64))


def sum_window(events: Events, column: Column, matching: Mask, duration: int) -> Timelines:
    """Return the sum of a number over the matching events of the window that have it; exact, rounded once."""
    rows = np.flatnonzero(matching & column.present)
    windows = EventWindows.over(events, rows, duration)
    return windows.steps(Kind.NUMBER, from_limbs(windows.sums(to_limbs(column.value[rows]))))


def summarize_window(
    events: Events, column: Column, matching: Mask, duration: int, function: str
) -> Timelines:
    """Return what a function makes of the values that the matching events of the window have."""
    rows = order_by_value(events, column)
    rows = rows[matching[rows]]
    value = column.value[rows]
    if function == "distinct":
        return _count_different(events, rows, value, duration)
    windows = EventWindows.over(events, rows, duration)
    if function in _EDGES:
        edges = windows.chosen(value, _EDGES[function], column.kind.unknown)
        return windows.steps(column.kind, edges, column.labels)
    return windows.steps(Kind.NUMBER, _NUMBERS[function](windows, value))


@dataclass(frozen=True, slots=True, eq=False)
class EventWindows:
    """Where windows change, from birth on, and the rows in each: those in `[first, end)`."""

    events: Events
    key: Ints
    time: Ints
    first: Ints
    end: Ints

    @classmethod
    def over(cls, events: Events, rows: Ints, duration: int) -> EventWindows:
        """Return the windows over rows in order."""
        key, time = events.key[rows], events.time[rows]
        (keys, times), started, ended = count_spans(events, (key, time), (key, time + duration))
        return cls(events, keys, times, ended, started)

    @property
    def count(self) -> Ints:
        """How many rows lie in each."""
        return self.end - self.first

    def steps(self, kind: Kind, value: Values, labels: Labels = NO_LABELS) -> Timelines:
        """Return a value of each window as timelines."""
        return build_steps(self.events, kind, kind.unknown, self.key, self.time, value, labels)

    def sums(self, amounts: Values) -> Values:
        """Return the sums of whole numbers over the rows of each; what leaves a window cancels exactly."""
        sums = np.zeros((len(amounts) + 1, *amounts.shape[1:]), amounts.dtype)
        np.cumsum(amounts, axis=0, out=sums[1:])
        return np.asarray(sums[self.end] - sums[self.first])

    def chosen(self, value: Values, choose: Callable[[Values, Ints, Ints], Values], nothing: Any) -> Values:
        """Return what `choose` selects from each window's first and last row; `nothing` for an empty one."""
        values: Values = np.full(len(self.key), nothing, dtype=value.dtype)
        has_events = self.end > self.first
        values[has_events] = choose(value, self.first[has_events], self.end[has_events] - 1)
        return values


def count_spans(events: Events, begin: Instants, end: Instants) -> tuple[Instants, Ints, Ints]:
    """Return where spans begin and end, births included, and how many have begun and ended by then.

    Both counts continue from key to key: every span of an earlier key has begun and ended.
    """
    born = np.flatnonzero(events.birth != OPEN)
    key = np.concatenate((born, begin[0], end[0]))
    time = np.concatenate((events.birth[born], begin[1], end[1]))
    order = order_of(key, time)
    key, time, span = key[order], time[order], order - len(born)
    last = mark_lasts(key, time)
    ends = span >= len(begin[0])
    started, ended = (np.cumsum(here, dtype=np.int64)[last] for here in ((span >= 0) & ~ends, ends))
    return (key[last], time[last]), started, ended


def _count_different(events: Events, rows: Ints, value: Values, duration: int) -> Timelines:
    """How many different values: of each the spans for which it counts, joined, and how many of them are open."""
    order = np.lexsort((events.time[rows], value, events.key[rows]))
    key, time, value = events.key[rows][order], events.time[rows][order], value[order]
    begins = mark_firsts(key, value)
    begins[1:] |= time[1:] > time[:-1] + duration
    ends = np.append(begins[1:], True) if len(key) else begins
    changes, started, ended = count_spans(
        events, (key[begins], time[begins]), (key[ends], time[ends] + duration)
    )
    different = (started - ended).astype(np.float64)
    return build_steps(events, Kind.NUMBER, np.nan, *changes, different)


def _compute_mean(windows: EventWindows, value: Floats) -> Floats:
    return compute_mean(windows.sums(to_limbs(value)), windows.count)


def _compute_deviation(windows: EventWindows, value: Floats) -> Floats:
    deviation = compute_deviation(windows.sums(square(np.ones(len(value), dtype=bool), value)))
    return np.where(windows.count > 1, deviation, np.nan)


def _find_greatest(windows: EventWindows, value: Floats) -> Floats:
    return windows.chosen(value, find_range_maximum, np.nan)


_NUMBERS: dict[str, Callable[[EventWindows, Floats], Floats]] = {
    "mean": _compute_mean,
    "min": lambda windows, value: -_find_greatest(windows, -value) + 0.0,
    "max": _find_greatest,
    "deviation": _compute_deviation,
}
_EDGES: dict[str, Callable[[Values, Ints, Ints], Values]] = {
    "first": lambda value, first, _: value[first],
    "last": lambda value, _, last: value[last],
}
