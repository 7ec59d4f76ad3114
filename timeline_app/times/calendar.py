"""Years, months, days and clocks as microseconds. Every function takes numbers, or columns of numbers, alike."""

from __future__ import annotations

from typing import Any, TypeAlias

from timeline_app.algebra.kinds import SECOND

Number: TypeAlias = Any
"""An int, or a numpy array of int64."""
DAY = 86_400 * SECOND


def count_days(year: Number, month: Number, day: Number) -> Number:
    """Days since 1970-01-01 (after Howard Hinnant, days_from_civil)."""
    shifted = year - (month <= 2)
    era = shifted // 400
    in_era = shifted - era * 400
    in_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + in_era * 365 + in_era // 4 - in_era // 100 + in_year - 719_468


def is_date(year: Number, month: Number, day: Number) -> Number:
    """Return whether there is such a day."""
    return (
        (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= _compute_month_length(year, month))
    )


def is_clock(hour: Number, minute: Number, second: Number, micro: Number) -> Number:
    """Return whether a clock shows that, 24:00 at the end of a day included."""
    is_valid = (hour <= 23) & (minute <= 59) & (second <= 59)
    return is_valid | ((hour == 24) & (minute == 0) & (second == 0) & (micro == 0))


def count_clock(hour: Number, minute: Number, second: Number, micro: Number) -> Number:
    """Microseconds since midnight."""
    return ((hour * 60 + minute) * 60 + second) * SECOND + micro


def count_days_of_week(year: Number, week: Number, weekday: Number) -> Number:
    """Days since 1970-01-01 of a day of an ISO week; Monday is 1."""
    fourth = count_days(year, 1, 4)
    return fourth - (fourth + 3) % 7 + (week - 1) * 7 + weekday - 1


def is_week(year: Number, week: Number) -> Number:
    """Return whether a year has that week: its Thursday lies in the year."""
    return (year >= 1) & (week >= 1) & (count_days_of_week(year, week, 4) < count_days(year + 1, 1, 1))


def is_day_of_year(year: Number, day: Number) -> Number:
    """Return whether a year has this many days."""
    return (year >= 1) & (day >= 1) & (day <= 365 + _is_leap(year))


def _is_leap(year: Number) -> Number:
    return (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))


def _compute_month_length(year: Number, month: Number) -> Number:
    return 30 + (month + month // 8) % 2 - (month == 2) * (2 - _is_leap(year))
