"""Functions over keys that no sum gives: the value of a rank, found at the multiples of a duration.

At each multiple the values of all keys of a group stand in order, and the one of the wanted rank is taken; it holds
until the next multiple.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.align import values_at
from timeline_app.algebra.groups import Members, members
from timeline_app.algebra.kinds import OPEN, Floats, Ints, Kind, Mask
from timeline_app.algebra.timelines import Timelines, constant, ranges, timelines

_AT_ONCE = 1 << 22
"""So many samples are held at a time."""


@dataclass(frozen=True, slots=True)
class Rank:
    """The nearest rank: of n values in order the one at the place ceil(part / whole * n), the first at least."""

    part: int
    whole: int

    def place(self, count: Ints) -> Ints:
        """The place from 0 among so many values."""
        return np.maximum(-(-count * self.part // self.whole), 1) - 1


@dataclass(frozen=True, slots=True, eq=False)
class _Stretches:
    """Where keys count with a known value: at the multiples from `first` to `stop` (exclusive), by piece `row`."""

    group: Ints
    row: Ints
    first: Ints
    stop: Ints

    def take(self, rows: Mask) -> _Stretches:
        """Some of them."""
        return _Stretches(self.group[rows], self.row[rows], self.first[rows], self.stop[rows])


def sampled(of: Timelines, by: Timelines | None, rank: Rank, every: int, span: tuple[int, int]) -> Timelines:
    """Timelines of the groups: the value of the rank, at each multiple of `every` from the start of the span to just
    after its end.

    A group is born where its first member begins to count; before its first multiple, and at those at which it has
    no known value, it is unknown.
    """
    counting = members(of, by)
    birth = counting.births()
    since, after = span[0] // every, span[1] // every + 1
    stretches = _stretches(of, counting, every, (since, after))
    found = [np.empty((3, 0)), *_windows(of, stretches, rank, every)]
    group, multiple, value = np.concatenate(found, axis=1)
    key, place, value = _with_gaps(group.astype(np.int64), multiple.astype(np.int64), value, after)
    base = constant(Kind.NUMBER, counting.names, birth, np.nan)
    keys, times = np.concatenate((base.key, key)), np.concatenate((base.time, place * every))
    values = np.concatenate((base.value, value))
    order = np.lexsort((times, keys))
    made = timelines(Kind.NUMBER, counting.names, birth, keys[order], times[order], values[order])
    return made.take(np.flatnonzero(birth != OPEN))


def _stretches(of: Timelines, counting: Members, every: int, span: tuple[int, int]) -> _Stretches:
    """The multiples of the span that each stretch with a known value covers."""
    since, after = span
    ends = counting.end == OPEN
    stop = np.where(ends, after + 1, -(-np.where(ends, 0, counting.end) // every))
    first = np.maximum(-(-counting.start // every), since)
    found = _Stretches(counting.group, counting.row, first, np.minimum(stop, after + 1))
    return found.take(of.known[counting.row] & (found.first < found.stop))


def _windows(of: Timelines, stretches: _Stretches, rank: Rank, every: int) -> Iterator[Floats]:
    """(group, multiple, value) of everything that can be sampled, so many multiples at a time that it fits."""
    if not len(stretches.row):
        return
    most = _most_at_once(stretches)
    width = max(1, _AT_ONCE // most)
    for start in range(int(stretches.first.min()), int(stretches.stop.max()), width):
        inside = stretches.take((stretches.first < start + width) & (stretches.stop > start))
        first, stop = np.maximum(inside.first, start), np.minimum(inside.stop, start + width)
        multiple = ranges(first, stop - first)
        group, row = (np.repeat(item, stop - first) for item in (inside.group, inside.row))
        yield _ranked(group, multiple, _values(of, row, multiple * every), rank)


def _most_at_once(stretches: _Stretches) -> int:
    """How many stretches cover one multiple, at most."""
    edges = np.concatenate((stretches.first, stretches.stop))
    steps = np.repeat(np.array([1, -1]), len(stretches.row))
    return int(np.cumsum(steps[np.lexsort((steps, edges))]).max())


def _values(of: Timelines, row: Ints, time: Ints) -> Floats:
    value = values_at(of, row, time)
    return np.asarray(value.real / value.imag if of.kind is Kind.RATIO else value)


def _ranked(group: Ints, multiple: Ints, value: Floats, rank: Rank) -> Floats:
    """For each group and multiple the value of the rank."""
    order = np.lexsort((value, multiple, group))
    group, multiple, value = group[order], multiple[order], value[order]
    first = np.ones(len(group), dtype=bool)
    first[1:] = (group[1:] != group[:-1]) | (multiple[1:] != multiple[:-1])
    starts = np.flatnonzero(first)
    counts = np.diff(np.append(starts, len(group)))
    chosen = value[starts + rank.place(counts)]
    return np.stack((group[starts].astype(np.float64), multiple[starts].astype(np.float64), chosen))


def _with_gaps(group: Ints, multiple: Ints, value: Floats, after: int) -> tuple[Ints, Ints, Floats]:
    """The samples, and unknown at the first multiple after each run of them, except after the very last one."""
    order = np.lexsort((multiple, group))
    group, multiple, value = group[order], multiple[order], value[order]
    goes_on = np.zeros(len(group), dtype=bool)
    goes_on[:-1] = (group[1:] == group[:-1]) & (multiple[1:] == multiple[:-1] + 1)
    ends = ~goes_on & (multiple < after)
    gaps = np.full(int(ends.sum()), np.nan)
    return (
        np.concatenate((group, group[ends])),
        np.concatenate((multiple, multiple[ends] + 1)),
        np.concatenate((value, gaps)),
    )
