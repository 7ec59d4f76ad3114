"""What the calendar means, in steps of a quarter of an hour, by Python's own clocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from tests.predicates.conditions import UNKNOWN
from tests.referee.points import FLAT, Point, Points, constant, list_instants, normalize_points, read_at

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICRO = timedelta(microseconds=1)
QUARTER, MINUTE = 900_000_000, 60_000_000
"""With one exception, zones change their clocks at whole quarters of an hour."""
DAY = 86_400_000_000
CLOCK = {
    name: seconds * 1_000_000
    for name, seconds in {
        "1min": 60, "5min": 300, "10min": 600, "15min": 900, "30min": 1800, "1h": 3600,
    }.items()
}  # fmt: skip
NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def convert_to_local(time: int, zone: str) -> datetime:
    """Return what the clocks of a zone show."""
    return (EPOCH + time * MICRO).astimezone(ZoneInfo(zone))


def read_clock(time: int, zone: str) -> int:
    """Return microseconds since midnight, as the clock shows them."""
    clock = convert_to_local(time, zone)
    return ((clock.hour * 60 + clock.minute) * 60 + clock.second) * 1_000_000 + clock.microsecond


def parse_clock(text: str) -> int:
    hours, minutes, *seconds = (int(part) for part in text.split(":"))
    return (hours * 3600 + minutes * 60 + sum(seconds)) * 1_000_000


def parse_days(text: str) -> set[str]:
    """Parse days such as `mon-wed,sat`."""
    names = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        place = NAMES.index(first)
        while NAMES[place % 7] != (last or first):
            names.add(NAMES[place % 7])
            place += 1
        names.add(NAMES[place % 7])
    return names


def is_open(time: int, params: Mapping[str, Any]) -> bool:
    """Return whether the hours are open."""
    zone, begin, end = params.get("zone", "UTC"), parse_clock(params["from"]), parse_clock(params["to"])
    days = parse_days(params.get("days", "mon-sun"))
    now, local = read_clock(time, zone), convert_to_local(time, zone).date()
    today, yesterday = (NAMES[day.weekday()] in days for day in (local, local - timedelta(days=1)))
    if begin < end:
        return today and begin <= now < end
    return (today and begin <= now) or (yesterday and now < end)


def in_schedule(birth: int | None, params: Mapping[str, Any], frontier: int | None) -> Points:
    if birth is None or frontier is None:
        return constant(UNKNOWN)
    zone = params.get("zone", "UTC")
    points: Points = [(None, UNKNOWN, FLAT), (birth, is_open(birth, params), FLAT)]
    for time in _iterate_moments(
        birth, frontier + 8 * DAY, {parse_clock(params["from"]), parse_clock(params["to"])}, zone
    ):
        now = is_open(time, params)
        if now is not is_open(time - 1, params):
            points.append((time, now if time <= frontier else UNKNOWN, FLAT))
            if time > frontier:
                break
    return normalize_points(points)


def _iterate_moments(after: int, until: int, readings: set[int], zone: str) -> Iterator[int]:
    """Yield instants after one at which clocks may change or show one of the readings (into a quarter of an hour)."""
    step = MINUTE if zone == "America/St_Johns" else QUARTER
    into = sorted({0, *(reading % step for reading in readings)})
    for number in range(after // step, until // step):
        yield from (number * step + item for item in into if number * step + item > after)


CALENDAR: dict[str, Callable[[int | None, Mapping[str, Any], int | None], Points]] = {
    "in_schedule": in_schedule
}


def list_periods(after: int, until: int, every: str, zone: str) -> list[int]:
    """Return the beginnings of periods, from the last one up to `after` to the first one after `until`."""
    start = after - (40 * DAY if every not in CLOCK else 2 * CLOCK[every] + QUARTER)
    end = until + (40 * DAY if every not in CLOCK else 2 * CLOCK[every] + QUARTER)
    result = sorted(
        _of_clock(start, end, CLOCK[every], zone) if every in CLOCK else _of_dates(start, end, every, zone)
    )
    first = max(time for time in result if time <= after)
    last = min(time for time in result if time > until)
    return [time for time in result if first <= time <= last]


def _of_clock(start: int, end: int, every: int, zone: str) -> Iterator[int]:
    step = min(every, QUARTER)
    for number in range(start // step, end // step + 1):
        if read_clock(number * step, zone) % every == 0:
            yield number * step


def _of_dates(start: int, end: int, every: str, zone: str) -> Iterator[int]:
    """Yield the first instant of each date that begins a period, or that of a later one."""
    step = MINUTE if zone == "America/St_Johns" else QUARTER
    latest = convert_to_local(start, zone).date()
    for number in range(start // step + 1, end // step + 1):
        local = convert_to_local(number * step, zone).date()
        begun = [latest + timedelta(days=days) for days in range(1, (local - latest).days + 1)]
        if any(
            every == "1d" or (every == "1w" and day.weekday() == 0) or (every == "1month" and day.day == 1)
            for day in begun
        ):
            yield number * step
        latest = max(latest, local)


def read_before(points: Points, birth: int, time: int) -> Any:
    """Return the value just before an instant, with its line continued; before birth nothing has come."""
    if time <= birth:
        return FLAT
    value, slope = read_at(points, time - 1)
    return value + slope * Fraction(1, 1_000_000) if isinstance(value, Fraction) else UNKNOWN


def subtract_values(later: Any, earlier: Any) -> Any:
    known = isinstance(later, Fraction) and isinstance(earlier, Fraction)
    return later - earlier if known else UNKNOWN


def so_far(birth: int | None, points: Points, params: Mapping[str, Any], frontier: int | None) -> Points:
    if birth is None or frontier is None:
        return points
    edges = list_periods(birth, frontier, params["every"], params.get("zone", "UTC"))
    until, result = edges[-1], list[Point]()
    for time in list_instants(points, [(edge, UNKNOWN, FLAT) for edge in edges if edge > birth]):
        begun = [edge for edge in edges if time is not None and birth < edge <= time]
        base = read_before(points, birth, begun[-1]) if begun else FLAT
        value, slope = read_at(points, time)
        if time is not None and time >= until:
            result.append((until, UNKNOWN, FLAT))
            break
        came = subtract_values(value, base)
        result.append((time, came, FLAT if came is UNKNOWN else slope))
    return normalize_points(result)


def per(birth: int | None, points: Points, params: Mapping[str, Any], frontier: int | None) -> Points:
    if birth is None or frontier is None:
        return constant(UNKNOWN)
    edges = list_periods(birth, frontier, params["every"], params.get("zone", "UTC"))
    result: Points = [(None, UNKNOWN, FLAT)]
    for start, end in pairwise(edges):
        if end > frontier:
            result.append((end, UNKNOWN, FLAT))
        elif end > birth:
            first, last = read_before(points, birth, start), read_before(points, birth, end)
            result.append((end, subtract_values(last, first), FLAT))
    return normalize_points(result)


OVER_PERIODS = {"so_far": so_far, "per": per}
