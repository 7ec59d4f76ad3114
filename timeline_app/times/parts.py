"""The parts of a time that is text, from their spelling to numbers, and together to microseconds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from timeline_app.algebra.kinds import SECOND
from timeline_app.times.calendar import (
    DAY,
    count_clock,
    count_days,
    count_days_of_week,
    is_clock,
    is_date,
    is_day_of_year,
    is_week,
)

OFFSET = r"[Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]|[+-][0-9]{2}(?::?[0-9]{2}(?::?[0-9]{2})?)?"
"""How the offset of a time to UTC is spelled."""
SPOKEN_OFFSET = (
    rf"(?:(?:[Uu][Tt][Cc]|[Gg][Mm][Tt])[+-][0-9]{{1,2}}(?::?[0-9]{{2}})?|{OFFSET})(?: ?\([^()]{{1,60}}\))?"
)
"""As mails and JavaScript spell it, too: `GMT+0100 (CET)`."""
_OFFSET = re.compile(r"([+-])([0-9]{1,2}):?([0-9]{2})?:?([0-9]{2})?")
_LETTERS_BEFORE = re.compile(r"(?:UTC|GMT)(?=[+-])", re.IGNORECASE)
_COMMENT = re.compile(r" ?\([^()]*\)$")
NO_OFFSET = -(10**15)
"""Replaces the offset of a time without one."""
BAD_OFFSET = -NO_OFFSET
_CENTURY = 69
"""Two-digit years from here on are in the 20th century, as in POSIX."""


class BadTime(ValueError):
    """No time: the text says why, where that is known."""


def read_fraction(text: str) -> int:
    """Digits after the point of seconds in microseconds, rounded down."""
    return int(text.ljust(9, "0")) // 1_000


def read_short_year(text: str) -> int:
    """Return a year of two digits."""
    year = int(text)
    return year + (1900 if year >= _CENTURY else 2000)


def read_offset(text: str) -> int:
    """Microseconds by which clocks are ahead of UTC; `BAD_OFFSET` where no clocks are."""
    if not text:
        return NO_OFFSET
    match = _OFFSET.fullmatch(_LETTERS_BEFORE.sub("", _COMMENT.sub("", text)))
    if match is None:
        return 0
    hours, minutes, seconds = (int(part or 0) for part in match.groups()[1:])
    if hours > 23 or minutes > 59 or seconds > 59:
        return BAD_OFFSET
    size = (hours * 3_600 + minutes * 60 + seconds) * SECOND
    return -size if match[1] == "-" else size


def compute_days(parts: Mapping[str, Any]) -> tuple[Any, Any]:
    """Days since 1970-01-01 of parts that are numbers or columns, and whether there is such a day."""
    year = parts["year"]
    if "week" in parts:
        days = count_days_of_week(year, parts["week"], parts["weekday"])
        return days, is_week(year, parts["week"])
    if "yearday" in parts:
        return count_days(year, 1, 1) + parts["yearday"] - 1, is_day_of_year(year, parts["yearday"])
    month, day = parts["month"], parts["day"]
    return count_days(year, month, day), is_date(year, month, day)


def compute_clock(parts: Mapping[str, Any]) -> tuple[Any, Any]:
    """Microseconds since midnight of parts that are numbers or columns, and whether a clock shows that."""
    hour, right = parts.get("hour", 0), True
    if "hour12" in parts:
        twelve = parts["hour12"]
        hour, right = twelve % 12 + 12 * parts["half"], (twelve >= 1) & (twelve <= 12)
    clock = (hour, parts.get("minute", 0), parts.get("second", 0), parts.get("fraction", 0))
    return count_clock(*clock), is_clock(*clock) & right


def compute_local(parts: Mapping[str, Any]) -> tuple[Any, Any]:
    """What clocks show, in microseconds, of parts that are numbers or columns, and whether there is such a time."""
    (days, is_day), (clock, is_shown) = compute_days(parts), compute_clock(parts)
    return days * DAY + clock, is_day & is_shown & (parts.get("offset", 0) != BAD_OFFSET)


def check_parts(parts: Mapping[str, int]) -> int:
    """Return what clocks show, in microseconds. Raises `BadTime` with the part that is wrong."""
    local, right = compute_local(parts)
    if right:
        return int(local)
    raise BadTime(_describe_wrong(parts))


def _describe_wrong(parts: Mapping[str, int]) -> str:
    if not compute_days(parts)[1]:
        return "there is no such day"
    if parts.get("second") == 60:
        return "second 60 is a leap second, which times that count from 1970 do not have; send second 59"
    return "no clock shows that" if not compute_clock(parts)[1] else "no zone has that offset"
