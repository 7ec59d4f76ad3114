"""The directives of time formats: those of strptime that mean the same everywhere."""

from __future__ import annotations

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

_LETTERS = r"(?:[^\W\d_][\u0300-\u036f]*)+"
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
        """The word as a pattern of `re`."""
        return self.build_pattern(_LETTERS)

    @property
    def pattern_of_re2(self) -> str:
        """The same pattern for RE2, which has other classes of letters."""
        return self.build_pattern(_LETTERS_OF_RE2)

    def build_pattern(self, letters: str) -> str:
        """Return the pattern of the word; `p. m.` are two words, `segunda-feira` is one."""
        more = {"half": "(?:\\.[ \u00a0\u202f]?[Mmμ])?", "weekday": "(?:-[Ff]eira)?"}.get(self.part, "")
        return f"{letters}{more}" + (r"\.?" if self.dotted else "")


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
