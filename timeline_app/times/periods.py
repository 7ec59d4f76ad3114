"""Periods of a local calendar: minutes and hours by the clocks of a zone, days, weeks and months by its dates.

Minutes and hours begin whenever the clock shows so many since midnight: a reading that comes twice begins one twice, a
skipped one none. Days, weeks (from Monday on) and months begin at the first moment whose local date is theirs or later.
"""

from __future__ import annotations

import numpy as np

from timeline_app.algebra.kinds import SECOND, Ints
from timeline_app.times.calendar import DAY
from timeline_app.times.offsets import Stretches, list_stretches
from timeline_app.times.units import EARLIEST, LATEST
from timeline_app.times.zones import convert_local_column

_MINUTE = 60 * SECOND
CLOCK_PERIODS = {
    "1min": _MINUTE, "5min": 5 * _MINUTE, "10min": 10 * _MINUTE, "15min": 15 * _MINUTE, "30min": 30 * _MINUTE,
    "1h": 60 * _MINUTE,
}  # fmt: skip
"""The periods that a clock shows, in microseconds."""
PERIODS = (*CLOCK_PERIODS, "1d", "1w", "1month")
MAX_PERIOD = 32 * DAY
"""An upper limit of all periods."""
_MONDAY = 4
"""The first Monday is 1970-01-05."""


def start_period(time: Ints, every: str, zone: str) -> Ints:
    """Return the beginning of the period that each moment lies in."""
    time = _clip_to_calendar(time)
    stretches = list_stretches(time, zone)
    if every in CLOCK_PERIODS:
        return _find_last_reading(time, CLOCK_PERIODS[every], stretches)
    return _start_of(_find_first_day(_find_day(time, stretches, zone), every), zone)


def find_next_period(time: Ints, every: str, zone: str) -> Ints:
    """Return the first beginning of a period after each moment."""
    time = _clip_to_calendar(time)
    stretches = list_stretches(time, zone)
    if every in CLOCK_PERIODS:
        return _find_next_reading(time, CLOCK_PERIODS[every], stretches)
    return _start_of(_find_next_day(_find_day(time, stretches, zone), every), zone)


def list_periods(start: int, end: int, every: str, zone: str) -> Ints:
    """Return all beginnings from one moment to another one, both included, in order."""
    if every in CLOCK_PERIODS:
        return _list_readings(start, end, CLOCK_PERIODS[every], zone)
    edges = np.array([start, end], dtype=np.int64)
    first, last = _find_day(
        _clip_to_calendar(edges), list_stretches(_clip_to_calendar(edges), zone), zone
    ).tolist()
    days = np.arange(first, last + 2, dtype=np.int64)
    starts = np.unique(_start_of(days[_find_first_day(days, every) == days], zone))
    return starts[(starts >= start) & (starts <= end)]


def get_shortest_period(every: str) -> int:
    """Return how long the shortest of the periods is, or hardly longer, in microseconds."""
    shortest = {"1d": 23 * 60 * _MINUTE, "1w": 7 * DAY - 60 * _MINUTE, "1month": 28 * DAY - 60 * _MINUTE}
    return {**CLOCK_PERIODS, **shortest}[every]


def _clip_to_calendar(time: Ints) -> Ints:
    """Moments in the years in which there are dates, with room for periods around them."""
    return np.clip(time, EARLIEST + MAX_PERIOD * 2, LATEST - MAX_PERIOD * 2)


def _find_last_reading(time: Ints, every: int, stretches: Stretches) -> Ints:
    """Return the last moment up to each at which the clock shows a multiple of a period."""
    numbers, todo = time.copy(), np.arange(len(time))
    while len(todo):
        number = stretches.at(numbers[todo])
        start, offset = stretches.start[number], stretches.offset[number]
        latest = numbers[todo] - (numbers[todo] + offset) % every
        valid = latest >= start
        numbers[todo] = np.where(valid, latest, start - 1)
        todo = todo[~valid]
    return numbers


def _find_next_reading(time: Ints, every: int, stretches: Stretches) -> Ints:
    """Return the first moment after each at which the clock shows a multiple of a period."""
    numbers, todo = time + 1, np.arange(len(time))
    while len(todo):
        number = stretches.at(numbers[todo])
        end, offset = stretches.end(number), stretches.offset[number]
        earliest = numbers[todo] + -(numbers[todo] + offset) % every
        valid = earliest < end
        numbers[todo] = np.where(valid, earliest, end)
        todo = todo[~valid]
    return numbers


def _list_readings(start: int, end: int, every: int, zone: str) -> Ints:
    """Return all moments of a span at which the clock shows a multiple of a period."""
    years = np.unique(np.append(np.arange(start, end, 200 * DAY, dtype=np.int64), (start, end)))
    stretches = list_stretches(_clip_to_calendar(years), zone)
    first, last = np.maximum(stretches.start, start), np.minimum(np.append(stretches.start[1:] - 1, end), end)
    first += -(first + stretches.offset) % every
    return np.concatenate(
        [np.arange(left, right + 1, every, dtype=np.int64) for left, right in zip(first, last, strict=True)]
    )


def _find_day(time: Ints, stretches: Stretches, zone: str) -> Ints:
    """Return the last date that has begun: where clocks go back over midnight, that is not the one that they show."""
    day = (time + stretches.offset[stretches.at(time)]) // DAY
    dates, day_numbers = np.unique(day + 1, return_inverse=True)
    return day + (_start_of(dates, zone)[day_numbers] <= time)


def _start_of(day: Ints, zone: str) -> Ints:
    return convert_local_column(day * DAY, zone)


def _find_first_day(day: Ints, every: str) -> Ints:
    """Return the first date of the period that a date lies in."""
    if every == "1d":
        return day
    if every == "1w":
        return day - (day - _MONDAY) % 7
    months = day.astype("datetime64[D]").astype("datetime64[M]")
    return months.astype("datetime64[D]").astype(np.int64)


def _find_next_day(day: Ints, every: str) -> Ints:
    """Return the first date of the period after that."""
    if every == "1month":
        months = day.astype("datetime64[D]").astype("datetime64[M]") + np.timedelta64(1, "M")
        return months.astype("datetime64[D]").astype(np.int64)
    return _find_first_day(day, every) + (1 if every == "1d" else 7)
