"""Formats of times, as strptime has them: compiled once, then read by hand or as a pattern of RE2 for whole columns.

No part has to be given back for another one to fit: a number before another digit has all of its digits, and no word
begins another one. So reading from left to right is exact, and what RE2 finds is the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from timeline_app.times.directives import (
    DIRECTIVES,
    REFUSED,
    SHORTHANDS,
    Digits,
    Directive,
    Offset,
    Word,
    select_language,
)
from timeline_app.times.names import UNKNOWN, describe_unread, list_languages
from timeline_app.times.parts import NO_OFFSET, BadTime, check_parts
from timeline_app.times.units import PADDING

MAX_FORMAT = 100
BLANKS = " \t\u00a0\u202f"
"""Blanks in a format match one or more of these; newer locale data has the last one before AM and PM."""
_TOKEN = re.compile(r"%[aAbBh]\{[a-z]{2}\}|%?.|%$")
_OFFSET = re.compile(Offset().pattern)
_MONTH_AND_DAY, _DAY_OF_YEAR = frozenset({"month", "day"}), frozenset({"yearday"})

_NEEDS = (
    ("minute", {"hour", "hour12"}, "minutes (%M) need hours (%H, or %I and %p)"),
    ("second", {"minute"}, "seconds (%S) need minutes (%M)"),
    ("fraction", {"second"}, "a fraction (%f) needs seconds (%S)"),
)


class BadFormat(ValueError):
    """No format of times; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class TimeFormat:
    """Directives, and texts between them; a blank matches several."""

    spelling: str
    elements: tuple[Directive | str, ...]

    def read(self, raw: object) -> tuple[int, int]:
        """Return what clocks show, in microseconds, and their offset; `NO_OFFSET` where the format has none."""
        if isinstance(raw, int) and not isinstance(raw, bool):
            raw = str(raw)  # a date such as 20240305
        if not isinstance(raw, str):
            raise BadTime("")
        text, at, parts = raw.strip(PADDING), 0, dict[str, int]()
        for element in self.elements:
            end = _find_end(element, text, at)
            if not isinstance(element, str):
                parts[element.part] = element.read(text[at:end])
            at = end
        if at != len(text):
            raise BadTime("")
        parts.pop("weekday", None)
        return check_parts(parts), parts.get("offset", NO_OFFSET)

    @property
    def pattern(self) -> str:
        """The format as a pattern of RE2."""
        inner = "".join(map(_build_pattern, self.elements))
        return f"^[{PADDING}]*{inner}[{PADDING}]*$"

    @property
    def readers(self) -> dict[str, Callable[[str], int]]:
        """How each part is read."""
        return {element.part: element.read for element in self.elements if not isinstance(element, str)}

    def names(self, part: str) -> bool:
        """Return whether it has that part."""
        return any(not isinstance(element, str) and element.part == part for element in self.elements)


@lru_cache(256)
def compile_format(spelling: str) -> TimeFormat:
    """Return a format ready to read times. Raises `BadFormat`."""
    if len(spelling) > MAX_FORMAT or not spelling.isprintable():
        raise BadFormat(f"a format has at most {MAX_FORMAT} characters, all of them printable")
    elements = tuple(_fix_widths(list(_split_elements(spelling.strip(BLANKS)))))
    _check_parts_of(elements)
    return TimeFormat(spelling, elements)


def _split_elements(spelling: str) -> Iterator[Directive | str]:
    for short, long in SHORTHANDS.items():
        spelling = spelling.replace(short, long)
    for part in _TOKEN.findall(spelling):
        if part in BLANKS:
            yield " "
        elif part[0] != "%" or part == "%%":
            yield part[0]
        else:
            yield _parse_directive(part[1:2], part[3:-1])


def _parse_directive(code: str, language: str) -> Directive:
    directive = _find_directive(code)
    if not language:
        return directive
    if language not in list_languages():
        languages = ", ".join(list_languages())
        raise BadFormat(f"%{code}{{{language}}}: names are read in the languages {languages}")
    assert isinstance(directive, Word)
    return select_language(directive, language)


def _find_directive(code: str) -> Directive:
    if code in REFUSED:
        raise BadFormat(f"%{code} {REFUSED[code]}")
    if code not in DIRECTIVES:
        directives = " ".join(f"%{directive}" for directive in DIRECTIVES)
        raise BadFormat(f"%{code} is no directive of a time; there are {directives}")
    return DIRECTIVES[code]


def _fix_widths(elements: list[Directive | str]) -> Iterator[Directive | str]:
    """Yield a number right before another digit has all its digits; several blanks are one."""
    for element, following in zip(elements, [*elements[1:], ""], strict=True):
        if element == following == " ":
            continue
        if isinstance(element, Offset) and (following == ":" or _is_starting_with_digit(following)):
            raise BadFormat("%z has no fixed length; put a blank after it, or nothing")
        if isinstance(element, Word) and isinstance(following, Word):
            raise BadFormat("two words stand side by side; put a blank between them")
        if isinstance(element, Word) and not isinstance(following, Word | Digits | Offset):
            if following[:1].isalpha():
                raise BadFormat(
                    f"{following!r} would be part of the word before it; put a blank between them"
                )
            yield replace(element, dotted=following != ".")
            continue
        is_fixed = isinstance(element, Digits) and _is_starting_with_digit(following)
        yield _fix_width(element) if is_fixed else element


def _fix_width(number: Directive | str) -> Directive:
    assert isinstance(number, Digits)
    if number.part == "fraction":
        raise BadFormat("%f has no fixed length; let no digit follow it")
    return replace(number, least=number.most)


def _is_starting_with_digit(element: Directive | str) -> bool:
    return isinstance(element, Digits) or (isinstance(element, str) and element in set("0123456789"))


def _check_parts_of(elements: tuple[Directive | str, ...]) -> None:
    parts = [element.part for element in elements if not isinstance(element, str)]
    has = set(parts)
    if twice := {part for part in parts if parts.count(part) > 1}:
        raise BadFormat(f"the {min(twice)} stands there twice")
    if "year" not in has or not (has >= _MONTH_AND_DAY or has >= _DAY_OF_YEAR):
        raise BadFormat("a format needs a whole date: %Y (or %y), and %m (or %b, %B) with %d, or %j")
    if "yearday" in has and has & _MONTH_AND_DAY:
        raise BadFormat("%j says the day already; leave out month and day")
    if ("hour12" in has) != ("half" in has) or ("hour12" in has and "hour" in has):
        raise BadFormat("%I and %p belong together, and %H stands alone")
    for finer, coarser, words in _NEEDS:
        if finer in has and not has & coarser:
            raise BadFormat(words)


def _find_end(element: Directive | str, text: str, at: int) -> int:
    """Return where an element that begins at a place ends. Raises `BadTime` where it is not there."""
    if isinstance(element, Digits):
        end = at
        while end < len(text) and end - at < element.most and "0" <= text[end] <= "9":
            end += 1
        return _check(end, end - at >= element.least)
    if isinstance(element, Offset):
        match = _OFFSET.match(text, at)
        return _check(match.end() if match else at, match is not None)
    if isinstance(element, Word):
        return _find_end_of_word(element, text, at)
    if element == " ":
        end = at + len(text[at:]) - len(text[at:].lstrip(BLANKS))
        return _check(end, end > at)
    return _check(at + 1, text[at : at + 1] == element)


def _check(end: int, is_there: bool) -> int:
    if not is_there:
        raise BadTime("")
    return end


def _find_end_of_word(word: Word, text: str, at: int) -> int:
    end = _check(word.find_end(text, at), word.find_end(text, at) > at)
    if word.read(text[at:end]) == UNKNOWN:
        raise BadTime(describe_unread(word.part, text[at:end]))
    return end


def _build_pattern(element: Directive | str) -> str:
    if isinstance(element, Digits):
        return f"(?P<{element.part}>[0-9]{{{element.least},{element.most}}})"
    if isinstance(element, Offset | Word):
        return f"(?P<{element.part}>{element.pattern})"
    return f"[{BLANKS}]+" if element == " " else re.escape(element)
