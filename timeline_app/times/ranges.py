"""Times that all lie where hardly anybody's events do, and by another unit in our time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np

from timeline_app.algebra.kinds import SECOND, Ints
from timeline_app.times.calendar import DAY, count_days
from timeline_app.times.units import COUNTS, SCALE

_SAMPLED_TIMES = 200
_FEBRUARY_1970 = 31 * DAY
_YEAR_2200 = count_days(2200, 1, 1) * DAY
_FROM, _TO = count_days(1990, 1, 1) * DAY, count_days(2100, 1, 1) * DAY
_PER_SECOND = {**{unit: SECOND // scale for unit, scale in SCALE.items()}, "ns": 1_000 * SECOND}


class OtherUnit(NamedTuple):
    """The range of all times, and the unit that they resemble."""

    where: str
    unit: str


def suggest_other_unit(times: Ints, unit: str) -> OtherUnit | None:
    """Return what times that count from 1970 look like, if all lie in January 1970 or after 2200."""
    if unit not in COUNTS or not len(times):
        return None
    first, last = int(times.min()), int(times.max())
    if first >= 0 and last < _FEBRUARY_1970:
        where = "in January 1970"
    elif first >= _YEAR_2200:
        where = "after the year 2200"
    else:
        return None
    other = _find_plausible_unit(first, last, unit)
    return None if other is None else OtherUnit(where, other)


def lie_elsewhere(times: Ints) -> bool:
    """Return whether all times lie between 1970 and 1990, or all after 2200."""
    if not len(times):
        return False
    first, last = int(times.min()), int(times.max())
    return first >= _YEAR_2200 or (first >= 0 and last < _FROM)


def sample_evenly(times: Ints) -> Ints:
    """Return some of the times, among them the first and the last."""
    return times[np.linspace(0, len(times) - 1, min(len(times), _SAMPLED_TIMES)).astype(np.int64)]


def count_in_1970(times: Ints, unit: str) -> int:
    """Return how many times that count from 1970 lie in January 1970, if all others lie in our time; else 0."""
    if unit not in COUNTS or not len(times):
        return 0
    early = (times >= 0) & (times < _FEBRUARY_1970)
    count = int(np.count_nonzero(early))
    in_1970 = count and np.count_nonzero((times >= _FROM) & (times < _TO))
    return count if count and in_1970 and count + in_1970 == len(times) else 0


def _find_plausible_unit(first: int, last: int, unit: str) -> str | None:
    """Return the unit by which times from first to last lie between 1990 and 2100."""
    for other, per_second in _PER_SECOND.items():
        low, high = (time * _PER_SECOND[unit] // per_second for time in (first, last))
        if low >= _FROM and high < _TO:
            return other
    return None


_DAYS_FROM, _DAYS_TO = 32_874, 73_051
"""1990 to 2100 in the days of a spreadsheet."""
SPREADSHEET_DAYS = "days of a spreadsheet, which counts them from 1899-12-30"


def may_be_spreadsheet_days(first: float, last: float) -> bool:
    """Return whether all numbers from first to last are dates of our time as a spreadsheet counts them."""
    return _DAYS_FROM <= first <= last < _DAYS_TO


def are_spreadsheet_days(times: Ints, unit: str) -> bool:
    """Return whether times that count from 1970 are, all of them, numbers that look like days of a spreadsheet."""
    if unit not in COUNTS or not len(times):
        return False
    first, last = (int(time) * _PER_SECOND[unit] / SECOND for time in (times.min(), times.max()))
    return may_be_spreadsheet_days(first, last)


def describe_spreadsheet_day(number: float) -> str:
    """Such a number and the date that it is."""
    day = datetime(1899, 12, 30, tzinfo=UTC) + timedelta(minutes=round(number * 24 * 60))
    return f"{number:.10g} is {day:%Y-%m-%d %H:%M}"
