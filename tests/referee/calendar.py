"""What the calendar means: quarter of an hour by quarter of an hour, by what Python's own clocks show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.predicates.conditions import UNKNOWN
from tests.referee.points import FLAT, Points, constant, normal

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICRO = timedelta(microseconds=1)
QUARTER, MINUTE = 900_000_000, 60_000_000
"""Zones of our time change their clocks at whole quarters of an hour, but for one."""
DAY = 86_400_000_000
NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def shown(time: int, zone: str) -> datetime:
    """What the clocks of a zone show."""
    return (EPOCH + time * MICRO).astimezone(ZoneInfo(zone))


def reading(time: int, zone: str) -> int:
    """Microseconds since midnight, as the clock shows it."""
    clock = shown(time, zone)
    return ((clock.hour * 60 + clock.minute) * 60 + clock.second) * 1_000_000 + clock.microsecond


def clock(text: str) -> int:
    hours, minutes, *seconds = (int(part) for part in text.split(":"))
    return (hours * 3600 + minutes * 60 + sum(seconds)) * 1_000_000


def days_of(text: str) -> set[str]:
    """`mon-wed,sat`."""
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        place = NAMES.index(first)
        while NAMES[place % 7] != (last or first):
            found.add(NAMES[place % 7])
            place += 1
        found.add(NAMES[place % 7])
    return found


def is_open(time: int, params: Mapping[str, Any]) -> bool:
    """Whether the hours hold."""
    zone, begin, end = params.get("zone", "UTC"), clock(params["from"]), clock(params["to"])
    days = days_of(params.get("days", "mon-sun"))
    now, local = reading(time, zone), shown(time, zone).date()
    today, yesterday = (NAMES[day.weekday()] in days for day in (local, local - timedelta(days=1)))
    if begin < end:
        return today and begin <= now < end
    return (today and begin <= now) or (yesterday and now < end)


def in_schedule(birth: int | None, params: Mapping[str, Any], frontier: int | None) -> Points:
    if birth is None or frontier is None:
        return constant(UNKNOWN)
    zone = params.get("zone", "UTC")
    found: Points = [(None, UNKNOWN, FLAT), (birth, is_open(birth, params), FLAT)]
    for time in _moments(birth, frontier + 8 * DAY, {clock(params["from"]), clock(params["to"])}, zone):
        now = is_open(time, params)
        if now is not is_open(time - 1, params):
            found.append((time, now if time <= frontier else UNKNOWN, FLAT))
            if time > frontier:
                break
    return normal(found)


def _moments(after: int, until: int, readings: set[int], zone: str) -> Iterator[int]:
    """Moments after one at which clocks may change or show one of the readings (into a quarter of an hour)."""
    step = MINUTE if zone == "America/St_Johns" else QUARTER
    into = sorted({0, *(one % step for one in readings)})
    for number in range(after // step, until // step):
        yield from (number * step + one for one in into if number * step + one > after)


CALENDAR: dict[str, Callable[[int | None, Mapping[str, Any], int | None], Points]] = {
    "in_schedule": in_schedule
}
