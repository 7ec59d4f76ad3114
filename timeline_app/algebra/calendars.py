"""Numbers that begin anew with each period of a calendar.

Whoever knows the calendar gives it as `Calendar`: the algebra knows no zones. Only boundaries after which something can
be different are looked at: the two that follow a change, and all of them while a number climbs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from timeline_app.algebra.align import evaluate_at
from timeline_app.algebra.arithmetic import add_floats, subtract_timelines
from timeline_app.algebra.kinds import BEGINNING, OPEN, Floats, Ints, Kind
from timeline_app.algebra.limits import check_points
from timeline_app.algebra.order import mark_firsts, order_of
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines, build_timelines, concatenate_ranges

MAX_ROUNDING = 4.0
"""The rounding of a line's start, slope, climb and sum, in units of the last place of the greatest of them."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """Beginnings of periods: the one up to each instant, the one after it, and all of a stretch (both ends included).

    `length` is about how long a period is, hardly longer than the shortest, in microseconds.
    """

    start: Callable[[Ints], Ints]
    following: Callable[[Ints], Ints]
    between: Callable[[int, int], Ints]
    length: int


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """A number, from when on its periods are reckoned, and its value just before the first of them began."""

    of: Timelines
    begin: Ints
    base: Floats

    @classmethod
    def of_carried(cls, of: Timelines, carried: Carried | None) -> _Counted:
        """Count from birth on; for a summarized key from its instant on, with its memory."""
        if carried is None:
            return cls(of, of.birth, np.zeros(of.size))
        begin = np.where(carried.folded, carried.at, of.birth)
        return cls(of, begin, np.where(carried.folded, _read_float(carried, 0), 0.0))

    def before(self, key: Ints, time: Ints) -> Floats:
        """Return the value just before boundaries, the line in force carried on to them."""
        known = time > self.begin[key]
        known_rows = np.flatnonzero(known)
        value = self.base[key].copy()
        value[known_rows] = _evaluate_before(self.of, key[known_rows], time[known_rows])
        return value

    def boundaries(self, calendar: Calendar, until: int) -> tuple[Ints, Ints]:
        """(key, boundary) after which something may be different, sorted; none of them at an instant or later."""
        key, start, end, climbs = self._pieces()
        first = calendar.following(start)
        boundaries = [(key, first), (key, calendar.following(first))]
        if climbs.any():
            boundaries.append(_find_boundaries(key[climbs], start[climbs], end[climbs], calendar, until))
        keys, times = (np.concatenate(columns) for columns in zip(*boundaries, strict=True))
        keys, times = keys[times < until], times[times < until]
        order = order_of(keys, times)
        keys, times = keys[order], times[order]
        is_first = mark_firsts(keys, times) if len(keys) else np.zeros(0, dtype=bool)
        return keys[is_first], times[is_first]

    def _pieces(self) -> tuple[Ints, Ints, Ints, np.ndarray]:
        """(key, start, end, whether it climbs) of the pieces from each key's begin on; a key without one has none."""
        key, end = self.of.key, self.of.end
        selected = np.flatnonzero((end > self.begin[key]) & (self.begin[key] != OPEN))
        start = np.maximum(self.of.time[selected], self.begin[key[selected]])
        return key[selected], start, end[selected], self.of.slope[selected] != 0.0


def compute_since_period(of: Timelines, calendar: Calendar, until: int, carried: Carried | None) -> Timelines:
    """Return what has come since the beginning of the period; unknown from an instant on."""
    counted = _Counted.of_carried(of, carried)
    key, time = counted.boundaries(calendar, until)
    base = _build_steps(of, counted.base, key, time, counted.before(key, time))
    return cut_knowledge(subtract_timelines(of, base), until)


def compute_period_totals(
    of: Timelines, calendar: Calendar, until: int, carried: Carried | None
) -> Timelines:
    """Return the total of the last complete period; unknown before the first, and from an instant on."""
    counted = _Counted.of_carried(of, carried)
    key, time = counted.boundaries(calendar, until)
    value = add_floats(counted.before(key, time), -counted.before(key, calendar.start(time - 1)))
    first = np.full(of.size, np.nan)
    if carried is not None:
        first = np.where(carried.folded, _read_float(carried, 1), first)
    return cut_knowledge(_build_steps(of, first, key, time, value), until)


def compute_base(of: Timelines, calendar: Calendar, at: Ints, carried: Carried | None) -> Ints:
    """Return the value just before the period began that each key's instant lies in, bit by bit, as a column."""
    counted = _Counted.of_carried(of, carried)
    return _to_bits(counted.before(np.arange(of.size), calendar.start(at)))


def compute_bases(of: Timelines, calendar: Calendar, at: Ints, carried: Carried | None) -> Ints:
    """Return the value just before the current period, and the total of the last complete period."""
    counted, keys = _Counted.of_carried(of, carried), np.arange(of.size)
    start = calendar.start(at)
    value = counted.before(keys, start)
    counted_value = add_floats(value, -counted.before(keys, calendar.start(start - 1)))
    earlier = np.full(of.size, np.nan)
    if carried is not None:
        earlier = np.where(carried.folded, _read_float(carried, 1), earlier)
    return np.concatenate(
        (_to_bits(value), _to_bits(np.where(start > counted.begin, counted_value, earlier))), axis=1
    )


def cut_knowledge(item: Timelines, until: int) -> Timelines:
    """Return the timelines, unknown from an instant on for every key that was born."""
    if until == OPEN:
        return item
    key, born = item.key, np.flatnonzero(item.birth != OPEN)
    selected = np.flatnonzero((item.time < until) | (item.birth[key] == OPEN))
    keys = np.concatenate((key[selected], born))
    times = np.concatenate((item.time[selected], np.full(len(born), until, dtype=np.int64)))
    values = np.concatenate((item.value[selected], np.full(len(born), np.nan)))
    slopes = np.concatenate((item.slope[selected], np.zeros(len(born))))
    order = order_of(keys, times)
    return build_timelines(
        item.kind, item.names, item.birth, keys[order], times[order], values[order], slopes[order]
    )


def _build_steps(of: Timelines, start: Floats, key: Ints, time: Ints, value: Floats) -> Timelines:
    """Return steps: `start` from the beginning, then the given values."""
    keys = np.concatenate((np.arange(of.size), key))
    times = np.concatenate((np.full(of.size, BEGINNING, dtype=np.int64), time))
    values = np.concatenate((start, value))
    order = order_of(keys, times)
    return build_timelines(Kind.NUMBER, of.names, of.birth, keys[order], times[order], values[order])


def _find_boundaries(key: Ints, start: Ints, end: Ints, calendar: Calendar, until: int) -> tuple[Ints, Ints]:
    """Return all boundaries after the start of stretches, up to and including their ends, and before an instant."""
    last = np.minimum(end, until)
    check_points(np.maximum(last - start, 0)[start < last] // calendar.length)
    going = np.flatnonzero(start < last)
    if not len(going):
        return key[going], start[going]
    grid = calendar.between(int(start[going].min()), int(last[going].max()))
    low = np.searchsorted(grid, start[going], side="right")
    counts = np.maximum(np.searchsorted(grid, last[going], side="right") - low, 0)
    return np.repeat(key[going], counts), grid[concatenate_ranges(low, counts)]


def _evaluate_before(item: Timelines, key: Ints, time: Ints) -> Floats:
    """Return the value just before an instant, the line in force carried on to it.

    A line that goes on in another piece just there ends at the beginning of that: what differs is rounding, and would
    stand where nothing has come.
    """
    rows = _find_rows_before(item, key, time)
    value: Floats = evaluate_at(item, rows, time) + 0.0
    following = np.minimum(rows + 1, len(item.key) - 1)
    begins = (item.key[following] == key) & (item.time[following] == time) & (item.slope[rows] != 0.0)
    next_start = item.value[following]
    start = item.value[rows]
    terms = np.abs(start), np.abs(value - start), np.abs(value), np.abs(next_start)
    width = np.spacing(np.maximum.reduce(terms))
    return np.where(begins & (np.abs(next_start - value) <= MAX_ROUNDING * width), next_start, value)


def _find_rows_before(item: Timelines, key: Ints, time: Ints) -> Ints:
    """Return the piece of each key that is in force just before an instant."""
    keys, times = np.concatenate((key, item.key)), np.concatenate((time, item.time))
    order = order_of(keys, times)  # stable: where a piece begins at the instant, the question sorts before it
    piece = np.maximum.accumulate(np.where(order >= len(key), order - len(key), 0))
    rows = np.empty(len(order), dtype=np.int64)
    rows[order] = piece
    return rows[: len(key)]


def _to_bits(value: Floats) -> Ints:
    return np.ascontiguousarray(value).view(np.int64)[:, np.newaxis]


def _read_float(carried: Carried, column: int) -> Floats:
    return np.ascontiguousarray(carried.amounts[:, column]).view(np.float64)
