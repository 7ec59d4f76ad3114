"""Functions over keys that no sum of lines gives: found on a grid, multiples of a duration or beginnings of periods.

At each instant of the grid the values of all keys of a group stand in order, and the one of the wanted rank is taken,
or how far they lie apart; it holds until the next one. Only instants at which something can have changed are looked
at: those after a change point, and all of them while a value climbs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from timeline_app.algebra.align import evaluate_at
from timeline_app.algebra.calendars import Calendar
from timeline_app.algebra.groups import Members, find_members
from timeline_app.algebra.kinds import OPEN, Floats, Ints, Kind, Mask
from timeline_app.algebra.limits import TooFine
from timeline_app.algebra.order import mark_firsts, order_of
from timeline_app.algebra.spread import square
from timeline_app.algebra.sums import Amounts
from timeline_app.algebra.timelines import (
    Timelines,
    build_constant,
    build_timelines,
    compute_offsets,
    concatenate_ranges,
)

_SAMPLES_PER_BLOCK = 1 << 22
MAX_SAMPLED_POINTS = 5_000_000
"""The limit of computed points in one call: each needs about 150 bytes."""
MAX_SAMPLED_VALUES = 1 << 30
"""The limit of ranked values (keys times multiples) in one call: about 10 million a second."""


@dataclass(frozen=True, slots=True)
class Rank:
    """The nearest rank: of n values in order the one at the place ceil(share * n), the first at least."""

    share: Fraction

    def summarise(self, value: Floats, starts: Ints, counts: Ints) -> Floats:
        """Return the value of the rank of each stretch of rows in order."""
        return np.asarray(value[starts + self.place(counts)])

    def place(self, count: Ints) -> Ints:
        """Return the index of the rank among `count` values."""
        numerator, denominator = self.share.as_integer_ratio()
        return np.maximum(-(-count * numerator // denominator), 1) - 1


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread from the exact sums of all values and their squares."""

    function: Callable[[Amounts], Floats]

    def summarise(self, value: Floats, starts: Ints, _counts: Ints) -> Floats:
        """Return the spread of each stretch of rows."""
        rows = square(np.ones(len(value), dtype=bool), value)
        return self.function(np.add.reduceat(rows, starts, axis=0))


Summary = Rank | Spread


class Grid(Protocol):
    """Ascending instants, each with a place, a whole number."""

    def up_to(self, time: Ints) -> Ints:
        """Return the place of the last instant up to each time."""

    def at_or_after(self, time: Ints) -> Ints:
        """Return the place of the first instant at or after each time."""

    def instants(self, indices: Ints) -> Ints:
        """Return the instants at these places."""


MakeGrid = Callable[[int, int], Grid]
"""A grid that has every instant from a time to just after another one."""


@dataclass(frozen=True, slots=True)
class Multiples:
    """The multiples of a duration since the epoch."""

    every: int

    def up_to(self, time: Ints) -> Ints:
        """Rounded down."""
        return time // self.every

    def at_or_after(self, time: Ints) -> Ints:
        """Rounded up."""
        return -(-time // self.every)

    def instants(self, indices: Ints) -> Ints:
        """Return these multiples of the duration."""
        return indices * self.every


@dataclass(frozen=True, slots=True, eq=False)
class Boundaries:
    """Instants that are listed."""

    times: Ints

    @classmethod
    def compute(cls, calendar: Calendar, start: int, end: int) -> Boundaries:
        """Return the beginnings of periods from a time to the first one after another.

        Raises `TooFine` for too many.
        """
        first = int(calendar.start(np.array([start]))[0])
        last = int(calendar.following(np.array([end]))[0])
        if (count := max(last - first, 0) // calendar.length) > MAX_SAMPLED_POINTS:
            raise TooFine(count, MAX_SAMPLED_POINTS, "points")
        return cls(calendar.between(first, last))

    def up_to(self, time: Ints) -> Ints:
        """Return the last one up to each time."""
        return np.asarray(np.searchsorted(self.times, time, side="right") - 1, dtype=np.int64)

    def at_or_after(self, time: Ints) -> Ints:
        """Return the first one from each time on."""
        return np.asarray(np.searchsorted(self.times, time), dtype=np.int64)

    def instants(self, indices: Ints) -> Ints:
        """Return the listed instants at these indexes."""
        return self.times[indices]


@dataclass(frozen=True, slots=True, eq=False)
class _Stretches:
    """Where keys count with a known value: at indexes from `first` to `stop` (exclusive), by piece `row`."""

    group: Ints
    row: Ints
    first: Ints
    stop: Ints

    def take(self, rows: Mask) -> _Stretches:
        """Return some of them."""
        return _Stretches(self.group[rows], self.row[rows], self.first[rows], self.stop[rows])


def sample_groups(
    of: Timelines, by: Timelines | None, summary: Summary, make_grid: MakeGrid, span: tuple[int, int]
) -> Timelines:
    """Timelines of the groups: the summary of the values, at each instant of a grid from the start of the span to
    just after its end.

    A group is born where its first member begins to count; before its first instant, and at those at which it has
    no known value, it is unknown.
    """
    counting = find_members(of, by)
    birth = counting.births()
    start, end = max(span[0], int(birth.min(initial=OPEN))), span[1]
    grid = make_grid(min(start, end), end)
    since, last = grid.up_to(np.array([start, end])).tolist()
    after = last + 1
    stretches = _compute_stretches(of, counting, grid, (since, after))
    samples = [np.empty((3, 0)), *_iterate_windows(of, stretches, summary, grid)]
    group, multiple, value = np.concatenate(samples, axis=1)
    gap_groups, gap = _find_gaps(stretches, after)
    key = np.concatenate((group.astype(np.int64), gap_groups))
    place = np.concatenate((multiple.astype(np.int64), gap))
    value = np.concatenate((value, np.full(len(gap), np.nan)))
    base = build_constant(Kind.NUMBER, counting.names, birth, np.nan)
    keys, times = np.concatenate((base.key, key)), np.concatenate((base.time, grid.instants(place)))
    values = np.concatenate((base.value, value))
    order = order_of(keys, times)
    timelines = build_timelines(Kind.NUMBER, counting.names, birth, keys[order], times[order], values[order])
    return timelines.take(np.flatnonzero(birth != OPEN))


def _compute_stretches(of: Timelines, counting: Members, grid: Grid, span: tuple[int, int]) -> _Stretches:
    """Return the places of the span that each stretch with a known value covers."""
    since, after = span
    ends = counting.end == OPEN
    stop = np.where(ends, after + 1, grid.at_or_after(np.where(ends, 0, counting.end)))
    first = np.maximum(grid.at_or_after(counting.start), since)
    result = _Stretches(counting.group, counting.row, first, np.minimum(stop, after + 1))
    return result.take(of.known[counting.row] & (result.first < result.stop))


def _iterate_windows(of: Timelines, stretches: _Stretches, summary: Summary, grid: Grid) -> Iterator[Floats]:
    """(group, multiple, value) at every multiple at which a group may change, as many at a time as fit."""
    if not len(stretches.row):
        return
    first, stop = _find_interesting(of, stretches)
    _check_budget(stretches, first, stop)
    width = max(1, _SAMPLES_PER_BLOCK // _count_most_at_once(stretches))
    offsets = compute_offsets(stop - first)
    for start in range(0, int(offsets[-1]), width):
        rows = slice(
            np.searchsorted(offsets, start, side="right") - 1, np.searchsorted(offsets, start + width)
        )
        lows = np.maximum(first[rows], first[rows] + start - offsets[:-1][rows])
        highs = np.minimum(stop[rows], first[rows] + start + width - offsets[:-1][rows])
        yield _sample_at(of, stretches, concatenate_ranges(lows, highs - lows), summary, grid)


def _check_budget(stretches: _Stretches, first: Ints, stop: Ints) -> None:
    """Raise `TooFine` where the multiples of these runs make too many points, or too many values to rank."""
    _, begin, end = _merge_stretches(stretches.group, stretches.first, stretches.stop)
    for since, until, limit, subject in (
        (begin, end, MAX_SAMPLED_POINTS, "points"),
        (stretches.first, stretches.stop, MAX_SAMPLED_VALUES, "values"),
    ):
        counts = _count_before(first, stop, until) - _count_before(first, stop, since)
        # Sums of keys times microseconds may exceed 64 bits.
        if (count := float(counts.sum(dtype=np.float64))) > limit:
            raise TooFine(int(count), limit, subject)


def _count_before(first: Ints, stop: Ints, at: Ints) -> Ints:
    """Return how many multiples of disjoint ascending runs lie before each of these."""
    offsets, stretch = compute_offsets(stop - first), np.searchsorted(first, at, side="right") - 1
    return np.where(stretch < 0, 0, offsets[stretch] + np.minimum(at, stop[stretch]) - first[stretch])


def _sample_at(of: Timelines, stretches: _Stretches, multiples: Ints, summary: Summary, grid: Grid) -> Floats:
    """(group, multiple, value) at these multiples, which ascend."""
    low, high = np.searchsorted(multiples, stretches.first), np.searchsorted(multiples, stretches.stop)
    multiple = multiples[concatenate_ranges(low, high - low)]
    group, row = (np.repeat(item, high - low) for item in (stretches.group, stretches.row))
    return _summarize(group, multiple, _evaluate(of, row, grid.instants(multiple)), summary)


def _find_interesting(of: Timelines, stretches: _Stretches) -> tuple[Ints, Ints]:
    """Return disjoint runs of multiples: at the beginnings and ends of stretches, and all along climbing ones."""
    edges = np.concatenate((stretches.first, stretches.stop))
    climbing = of.slope[stretches.row] != 0.0
    starts = np.concatenate((edges, stretches.first[climbing]))
    stops = np.concatenate((edges + 1, stretches.stop[climbing]))
    _, first, stop = _merge_stretches(np.zeros(len(starts), dtype=np.int64), starts, stops)
    return first, stop


def _find_gaps(stretches: _Stretches, after: int) -> tuple[Ints, Ints]:
    """(group, multiple) at which a group has no known value any more."""
    group, _, stop = _merge_stretches(stretches.group, stretches.first, stretches.stop)
    is_past = stop <= after
    return group[is_past], stop[is_past]


def _merge_stretches(group: Ints, start: Ints, stop: Ints) -> tuple[Ints, Ints, Ints]:
    """Stretches of each group that touch or overlap as one: (group, start, stop), in order."""
    edges = np.unique(np.concatenate((start, stop)))
    order = np.lexsort((start, group))
    group = group[order]
    # Indexes of edges, with those of different groups far apart, so that one running maximum suffices.
    apart = group * (len(edges) + 1)
    begin, end = (np.searchsorted(edges, item[order]) + apart for item in (start, stop))
    reach = np.maximum.accumulate(end)
    first = np.ones(len(group), dtype=bool)
    first[1:] = begin[1:] > reach[:-1]
    last = np.append(first[1:], True)[: len(first)]
    return group[first], edges[(begin - apart)[first]], edges[(reach - apart)[last]]


def _count_most_at_once(stretches: _Stretches) -> int:
    """Return how many stretches cover one multiple, at most."""
    edges = np.concatenate((stretches.first, stretches.stop))
    steps = np.repeat(np.array([1, -1]), len(stretches.row))
    return int(np.cumsum(steps[np.lexsort((steps, edges))]).max())


def _evaluate(of: Timelines, row: Ints, time: Ints) -> Floats:
    value = evaluate_at(of, row, time)
    return np.asarray(value.real / value.imag if of.kind is Kind.RATIO else value)


def _summarize(group: Ints, multiple: Ints, value: Floats, summary: Summary) -> Floats:
    """For each group and multiple the summary of the values, which it is given in order."""
    order = np.lexsort((value, multiple, group))
    group, multiple, value = group[order], multiple[order], value[order]
    starts = np.flatnonzero(mark_firsts(group, multiple))
    counts = np.diff(np.append(starts, len(group)))
    summaries = summary.summarise(value, starts, counts)
    return np.stack((group[starts].astype(np.float64), multiple[starts].astype(np.float64), summaries))
