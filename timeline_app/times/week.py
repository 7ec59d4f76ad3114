"""Zones, times of day and days of the week: how each is read and spelled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from timeline_app.algebra.kinds import SECOND
from timeline_app.times.calendar import DAY
from timeline_app.times.zones import list_zones

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_ZONE_HINT = "write the name of one, such as Europe/Copenhagen or UTC"
_LONG = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CLOCK = re.compile(r"([01]?[0-9]|2[0-4]):([0-5][0-9])(?::([0-5][0-9]))?")
_MAX_WEEKDAY_NAMES = 50


def read_zone(raw: object) -> str:
    """Return the name of a zone, whose small and capital letters do not matter."""
    zones = {name.lower(): name for name in list_zones()}
    zone = zones.get(raw.strip().lower()) if isinstance(raw, str) else None
    if zone is None:
        near = get_close_matches(raw.strip().lower(), zones, n=1) if isinstance(raw, str) else []
        hint = f"did you mean {zones[near[0]]}?" if near else _ZONE_HINT
        raise ValueError(f"{show(raw)} is no time zone; {hint}")
    return zone


def read_clock(raw: object) -> int:
    """Return a time of day in microseconds since midnight; 24:00 is the end of the day."""
    match = _CLOCK.fullmatch(raw.strip()) if isinstance(raw, str) else None
    hours, minutes, seconds = (int(part or 0) for part in match.groups()) if match else (99, 0, 0)
    if (micros := ((hours * 60 + minutes) * 60 + seconds) * SECOND) > DAY:
        raise ValueError(f"{show(raw)} is no time of day; write hours and minutes, such as 08:00 or 17:30")
    return micros


def spell_clock(micros: int) -> str:
    """Return a time of day as clocks show it."""
    minutes, seconds = divmod(micros // SECOND, 60)
    text = f"{minutes // 60:02}:{minutes % 60:02}"
    return f"{text}:{seconds:02}" if seconds else text


def read_days(raw: object) -> tuple[int, ...]:
    """Days of the week, Monday is 0: `mon-fri, sun`, or a list of names."""
    parts: Sequence[object] = raw if isinstance(raw, list | tuple) else ()
    if isinstance(raw, str):
        parts = raw.replace(",", " ").split()
    days = {day for part in parts[:_MAX_WEEKDAY_NAMES] for day in _read_days(part, raw)}
    if not days:
        raise _refuse_days(raw)
    return tuple(sorted(days))


def spell_days(days: Sequence[int]) -> str:
    """Days one by one; several in a row as one span: `mon-fri,sun`."""
    return ",".join(_iterate_spans(days))


def _iterate_spans(days: Sequence[int]) -> Iterator[str]:
    start = 0
    for index, day in enumerate(days):
        if index + 1 < len(days) and days[index + 1] == day + 1:
            continue
        first = days[start]
        yield DAYS[day] if first == day else f"{DAYS[first]}-{DAYS[day]}"
        start = index + 1


def _read_days(part: object, raw: object) -> list[int]:
    """Return a day, or a span of days, which may go over Sunday: `sat-mon`."""
    ends = [_number(name) for name in part.lower().split("-")] if isinstance(part, str) else [None]
    if None in ends or len(ends) > 2:
        raise _refuse_days(raw)
    first, last = ends[0] or 0, ends[-1] or 0
    return [(first + step) % 7 for step in range((last - first) % 7 + 1)]


def _number(name: str) -> int | None:
    return next((index for index, names in enumerate(zip(DAYS, _LONG, strict=True)) if name in names), None)


def _refuse_days(raw: object) -> ValueError:
    hint = "write mon, tue and so on, or a span such as mon-fri"
    return ValueError(f"{show(raw)} are no days of the week; {hint}")


def show(raw: object) -> str:
    """Return what was given, cut short."""
    text = repr(raw)
    return text if len(text) <= 60 else f"{text[:57]}…"
