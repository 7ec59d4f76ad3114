"""Times as text of a format: the other way round from `formats`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from timeline_app.times.directives import Digits, Directive, Offset, Word
from timeline_app.times.formats import TimeFormat
from timeline_app.times.zones import EPOCH, convert_to_local

_NUMBERS: Mapping[str, Callable[[datetime], int]] = {
    "year": lambda moment: moment.year,
    "month": lambda moment: moment.month,
    "day": lambda moment: moment.day,
    "yearday": lambda moment: moment.timetuple().tm_yday,
    "hour": lambda moment: moment.hour,
    "hour12": lambda moment: moment.hour % 12 or 12,
    "minute": lambda moment: moment.minute,
    "second": lambda moment: moment.second,
    "fraction": lambda moment: moment.microsecond,
}
_WORDS: Mapping[str, Callable[[datetime], int]] = {
    "month": lambda moment: moment.month - 1,
    "weekday": lambda moment: moment.weekday(),
    "half": lambda moment: int(moment.hour >= 12),
}
_FRACTION = 6


def write_format(micros: int, form: TimeFormat, zone: str | None) -> str:
    """Return a moment as a zone's clocks show it; in UTC where the format has an offset."""
    local = micros if form.names("offset") else convert_to_local(micros, zone)
    moment = EPOCH + timedelta(microseconds=local)
    return "".join(_write(element, moment) for element in form.elements)


def _write(element: Directive | str, moment: datetime) -> str:
    if isinstance(element, str):
        return element
    if isinstance(element, Offset):
        return "+0000"
    if isinstance(element, Word):
        return element.words[_WORDS[element.part](moment)]
    return _write_number(element, _NUMBERS[element.part](moment))


def _write_number(number: Digits, value: int) -> str:
    width = _FRACTION if number.part == "fraction" else number.most
    return f"{value:0{width}d}"[-width:]
