"""The directives of time formats: those of strptime that mean the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from timeline_app.times.parts import (
    MONTHS,
    OFFSET,
    WEEKDAYS,
    read_fraction,
    read_half,
    read_month,
    read_offset,
    read_short_year,
)


@dataclass(frozen=True, slots=True)
class Digits:
    """A part that is a number: from `least` to `most` digits."""

    part: str
    least: int
    most: int
    read: Callable[[str], int] = int


@dataclass(frozen=True, slots=True)
class Word:
    """A part that is one of some words, in any case; none of them begins with another one."""

    part: str
    words: tuple[str, ...]
    read: Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Offset:
    """The offset to UTC."""

    part: str = "offset"
    pattern: str = OFFSET
    read: Callable[[str], int] = read_offset


Directive = Digits | Word | Offset


def _shorten_names(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name[:3] for name in names)


def _skip(_: str) -> int:
    return 0


DIRECTIVES: Mapping[str, Directive] = {
    "Y": Digits("year", 4, 4),
    "y": Digits("year", 2, 2, read_short_year),
    "m": Digits("month", 1, 2),
    "b": Word("month", _shorten_names(MONTHS), read_month),
    "B": Word("month", MONTHS, read_month),
    "d": Digits("day", 1, 2),
    "j": Digits("yearday", 1, 3),
    "H": Digits("hour", 1, 2),
    "I": Digits("hour12", 1, 2),
    "p": Word("half", ("AM", "PM"), read_half),
    "M": Digits("minute", 1, 2),
    "S": Digits("second", 1, 2),
    "f": Digits("fraction", 1, 9, read_fraction),
    "z": Offset(),
    "a": Word("weekday", _shorten_names(WEEKDAYS), _skip),
    "A": Word("weekday", WEEKDAYS, _skip),
}
SHORTHANDS = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%R": "%H:%M", "%D": "%m/%d/%y", "%e": "%d", "%h": "%b"}
_LOCALE = "depends on the language of the machine; write the parts one by one, such as %d.%m.%Y %H:%M:%S"
REFUSED = {
    **dict.fromkeys("cxXrE", _LOCALE),
    "Z": "names a zone by letters that several zones share; write %z for an offset, or leave it out and declare zone",
    "s": "counts seconds from 1970; declare unit = s",
    **dict.fromkeys("UWuwGgV", "goes by weeks; week dates such as 2024-W27-1 are read with unit = iso8601"),
    "-": "drops leading zeros; leave the - out: %d reads 1 and 01",
}
