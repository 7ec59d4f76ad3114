"""The directives of time formats: those of strptime that mean the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from timeline_app.times.names import (
    MONTHS,
    WEEKDAYS,
    list_months,
    list_weekdays,
    read_half,
    read_month,
    read_weekday,
)
from timeline_app.times.parts import SPOKEN_OFFSET, read_fraction, read_offset, read_short_year

_NAME = re.compile(r"(?:[^\W\d_][\u0300-\u036f]*)+(?:-[Ff]eira)?")
_HALF = re.compile(r"(?:[^\W\d_][\u0300-\u036f]*)+(?:\.[ \u00a0\u202f]?[Mmμ])?")
_ENDS = {
    "month": "(?:-[Ff]eira)?",
    "weekday": "(?:-[Ff]eira)?",
    "half": "(?:\\.[ \u00a0\u202f]?[Mmμ])?",
}
"""The ends of words of two parts: `segunda-feira`, `p. m.`"""
_LETTERS_OF_RE2 = r"(?:\p{L}[\x{300}-\x{36f}]*)+"


@dataclass(frozen=True, slots=True)
class Digits:
    """A part that is a number: from `least` to `most` digits."""

    part: str
    least: int
    most: int
    read: Callable[[str], int] = int


@dataclass(frozen=True, slots=True)
class Word:
    """A part that is a word of letters, maybe with a dot behind it; `read` knows it, `words` are written."""

    part: str
    words: tuple[str, ...]
    read: Callable[[str], int]
    dotted: bool = True

    @property
    def pattern(self) -> str:
        """The word as a pattern of RE2."""
        return _LETTERS_OF_RE2 + _ENDS.get(self.part, "") + (r"\.?" if self.dotted else "")

    def find_end(self, text: str, at: int) -> int:
        """Return where the word ends that begins at a place; the place itself where there is none."""
        match = (_HALF if self.part == "half" else _NAME).match(text, at)
        end = match.end() if match else at
        return end + (self.dotted and end > at and text[end : end + 1] == ".")


@dataclass(frozen=True, slots=True)
class Offset:
    """The offset to UTC."""

    part: str = "offset"
    pattern: str = SPOKEN_OFFSET
    read: Callable[[str], int] = read_offset


Directive = Digits | Word | Offset


def _shorten_names(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name[:3] for name in names)


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
    "a": Word("weekday", _shorten_names(WEEKDAYS), read_weekday),
    "A": Word("weekday", WEEKDAYS, read_weekday),
}


def select_language(directive: Word, language: str) -> Word:
    """Return a directive of names that reads and writes those of one language."""
    if directive.part == "month":
        return replace(directive, words=list_months(language), read=partial(read_month, language=language))
    return replace(directive, words=list_weekdays(language), read=partial(read_weekday, language=language))


SHORTHANDS = {"%F": "%Y-%m-%d", "%T": "%H:%M:%S", "%R": "%H:%M", "%D": "%m/%d/%y", "%e": "%d", "%h": "%b"}
_LOCALE = "depends on the language of the machine; write the parts one by one, such as %d.%m.%Y %H:%M:%S"
REFUSED = {
    **dict.fromkeys("cxXrE", _LOCALE),
    "Z": "names a zone by letters that several zones share; write %z for an offset, or leave it out and declare zone",
    "s": "counts seconds from 1970; declare unit = s",
    **dict.fromkeys("UWuwGgV", "goes by weeks; week dates such as 2024-W27-1 are read with unit = iso8601"),
    "-": "drops leading zeros; leave the - out: %d reads 1 and 01",
}
