"""What a time looks like that does not fit the unit of its stream."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product

from timeline_app.times.foreign import describe_foreign_time
from timeline_app.times.formats import BadFormat, compile_format
from timeline_app.times.iso import read_iso
from timeline_app.times.parts import BadTime
from timeline_app.times.units import COUNTS, ISO, PADDING

UNIT_NAMES = {
    "s": "seconds",
    "ms": "milliseconds",
    "us": "microseconds",
    "ns": "nanoseconds",
    ISO: "ISO 8601",
}
_DIGITS = {10: "s", 13: "ms", 16: "us", 19: "ns"}
"""How long the numbers of each unit are, from 2001 to 2286."""
_DATES = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y%m%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%y/%m/%d",
    "%y-%m-%d",
    "%d-%m-%y",
    "%m-%d-%y",
    "%d %b %Y",
    "%b %d, %Y",
    "%b %d %Y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%d/%b/%Y",
    "%a, %d %b %Y",
    "%d%b%Y",
    "%d. %b %Y",
    "%y%m%d",
)
_DATES_OF_LANGUAGES = (
    "%a %d %b %Y",
    "%a, %d. %b %Y",
    "%a %d. %b %Y",
    "%a, %b %d, %Y",
    "%a, %d-%b-%y",
    "%a, %d-%b-%Y",
    "%a %b %d %Y",
    "%a, %d.%m.%Y",
    "%a %d.%m.%Y",
    "%a %d/%m/%Y",
    "%d de %b de %Y",
    "%d de %b %Y",
    "%d %b de %Y",
    "%a, %d de %b de %Y",
    "%d %b %Y г.",
    "%d %b %Y р.",
    "%a, %d %b %Y г.",
    "%Y. %b %d.",
    "%Y. %m. %d.",
    "%d. %m. %Y",
    "%Y m. %b %d d.",
    "%d %b, %Y",
    "%d.%b.%Y",
    "%d %b %y",
    "%d/%b/%y",
)
"""Dates with names of months and weekdays in many languages."""
_CLOCKS = (
    "%H:%M",
    "%H:%M:%S",
    "%H:%M:%S.%f",
    "%H:%M:%S,%f",
    "%H.%M",
    "%H.%M.%S",
    "%H%M%S",
    "%I:%M %p",
    "%I:%M:%S %p",
)
_JOINS = (" ", ", ", "T", ":", "_", "-")
_OTHER_FORMATS = (
    "%Y%m%d%H%M%S", "%Y%m%d%H%M%S%f", "%Y%m%d%H%M", "%y%m%d%H%M%S", "%Y%j",
    "%a %b %d %H:%M:%S %Y", "%a %b %d %H:%M:%S %z %Y",
    "[%d/%b/%Y:%H:%M:%S %z]", "[%a %b %d %H:%M:%S %Y]", "[%a %b %d %H:%M:%S.%f %Y]",
)  # fmt: skip
_OFFSETS = {"": ("",), " %z": ("", " ", " +", " -", " +:", " -:"), "%z": ("", "+", "-", "+:", "-:")}
"""Ends of formats, and what of them is left in an outline."""
_NO_OFFSET = {"": ("",)}
_SECONDS = ("%H:%M:%S", "%H:%M:%S.%f")
_OF_JAPAN, _OF_KOREA = "%Y年%m月%d日", "%Y년 %m월 %d일"
_SPOKEN_CLOCKS = (
    "%H:%M Uhr",
    "%H:%M:%S Uhr",
    "%H.%M Uhr",
    "%Hh%M",
    "klo %H.%M",
    "klo %H.%M.%S",
    "kl. %H.%M",
    "kl. %H:%M",
    "kl. %H:%M:%S",
    "kl %H:%M",
)
_SPOKEN_JOINS = (
    " à ", " um ", ", um ", " às ", " om ", " alle ", " alle ore ", " ore ", " a las ", ", a las ", " o ", " в ",
)  # fmt: skip
_CLOCKS_AFTER_HALF = ("%p %I:%M", "%p %I:%M:%S", "%p%I:%M", "%p%I:%M:%S")
_COMBINATIONS = (
    (_DATES, _JOINS, _CLOCKS, _OFFSETS),
    (_DATES, (" ", ", "), _SPOKEN_CLOCKS, _NO_OFFSET),
    (_DATES, (" ", "-"), ("%H.%M.%S.%f", "%I.%M.%S %p", "%I.%M.%S.%f %p"), _NO_OFFSET),
    (_DATES, ("T", "_"), ("%H-%M-%S",), _OFFSETS),
    (_DATES, (" ",), _SECONDS, {" %z UTC": (" + ",)}),
    (_DATES_OF_LANGUAGES, (" ", ", "), _CLOCKS, _OFFSETS),
    (_DATES_OF_LANGUAGES, (" ", ", "), _SPOKEN_CLOCKS, _NO_OFFSET),
    ((*_DATES, *_DATES_OF_LANGUAGES), _SPOKEN_JOINS, ("%H:%M", "%H:%M:%S", "%H.%M", "%Hh%M"), _NO_OFFSET),
    (("%H:%M:%S", "%H:%M:%S.%f", "%H:%M"), (" ", ", "), _DATES, _NO_OFFSET),
    (
        (_OF_JAPAN,),
        (" ", ""),
        ("%H:%M", "%H:%M:%S", "%H時%M分", "%H時%M分%S秒", *_CLOCKS_AFTER_HALF),
        _NO_OFFSET,
    ),
    (
        (_OF_KOREA, "%Y. %m. %d."),
        (" ",),
        ("%H:%M", "%H:%M:%S", "%H시 %M분", "%H시 %M분 %S초", *_CLOCKS_AFTER_HALF),
        _NO_OFFSET,
    ),
    (("%Y/%m/%d", "%Y-%m-%d"), (" ",), _CLOCKS_AFTER_HALF, _NO_OFFSET),
)
"""Dates, what joins them with clocks, clocks, and offsets behind, as databases, machines and people write them."""
_LETTERS = re.compile("[A-Za-z0-9\u00aa-\u02ff\u0300-\u036f\u0370-\u1fff\uac00-\ud7a3上下午前後]+")
_FORMAT_CODE = re.compile(r"%[A-Za-z]")
_COMMENT = re.compile(r" ?\([^()]{1,60}\)$")
_DOT_OF_WORD = re.compile(r"(?<=[^\W\d_])\.(?=[\s,]|[^\W\d_]|$)|(?<=[ta])-feira", re.IGNORECASE)
_RUN_OF_BLANKS = re.compile(r"[ \t\u00a0\u202f]+")
_LONGEST, _TRIED = 90, 20
_DATES_OF_DIGITS = {
    6: ("%y%m%d",), 7: ("%Y%j",), 8: ("%Y%m%d",), 12: ("%Y%m%d%H%M", "%y%m%d%H%M%S"), 14: ("%Y%m%d%H%M%S",),
    17: ("%Y%m%d%H%M%S%f",),
}  # fmt: skip
"""Formats of digits alone, by their number."""


def describe_unit(unit: str) -> str:
    """Return what times of a unit or format are, for people."""
    if unit == ISO:
        return "ISO 8601, such as 2024-07-01T08:00:00Z"
    return f"a number of {unit}" if unit in COUNTS else f"text of the format {unit!r}"


def suggest_unit(raw: object, unit: str) -> str:
    """Return what else the time looks like, and what to declare; empty if it looks like nothing."""
    other = _suggest_unit(raw)
    if other is None or other == unit:
        return describe_foreign_time(raw) or _describe_ambiguous(raw)
    return f"it looks like {UNIT_NAMES.get(other, 'text of a format')}: declare unit = {other}"


def _suggest_unit(raw: object) -> str | None:
    if isinstance(raw, bool) or not isinstance(raw, (str, int, float)):
        return None
    text = str(raw).strip()[:_LONGEST]
    digits = text.split(".")[0].removeprefix("-")
    if digits.isdigit() and len(digits) in _DIGITS:
        return _DIGITS[len(digits)]
    if is_iso_like(text):
        return ISO
    formats = select_formats_of_digits([text]) or select_formats([text])
    return " or ".join(f'"{spelling}"' for spelling in formats[:2]) or None


def describe_unreadable(raw: object) -> str:
    """Return why a value is no time in any spelling that is read, and what to do; empty where that is unknown."""
    try:
        read_iso(raw)
    except BadTime as why:
        return str(why) or describe_foreign_time(raw) or _describe_ambiguous(raw)
    return ""


def _describe_ambiguous(raw: object) -> str:
    """Return which word of a date is a month of several languages, or none."""
    text = str(raw)[:_LONGEST]
    for spelling in _index_formats().get(_get_outline(text), ()):
        try:
            compile_format(spelling).read(text)
        except (BadTime, BadFormat) as why:
            if "name the language" in str(why):
                return str(why)
    return ""


def is_iso_like(text: str) -> bool:
    """Whether it is a date of our time, with or without a clock, as `iso8601` reads it: 1234-123 names something."""
    try:
        read_iso(text)
    except BadTime:
        return False
    return "1900" <= text.strip(PADDING)[:4] < "2200"


def select_formats_of_digits(texts: Sequence[str]) -> list[str]:
    """Of the formats without signs between their parts, those by which all digits are dates of our time."""
    if not texts or not all(text.isdigit() and len(text) in _DATES_OF_DIGITS for text in texts):
        return []
    return [
        spelling
        for spelling in _DATES_OF_DIGITS[len(texts[0])]
        if all(_is_readable(spelling, text) for text in texts)
        and (spelling[1] == "y" or all("1900" <= text[:4] < "2200" for text in texts))
    ]


def select_formats(texts: Sequence[str]) -> list[str]:
    """Of usual formats, those that read all of the texts."""
    usual = _index_formats().get(_get_outline(texts[0][:_LONGEST]), ()) if texts else ()
    return [spelling for spelling in usual if all(_is_readable(spelling, text) for text in texts)]


def rank_formats(texts: Sequence[str]) -> list[tuple[str, float]]:
    """Usual formats that read some of the texts, with the share that they read, the greatest first."""
    usual = dict.fromkeys(spelling for text in texts[:_TRIED] for spelling in select_formats([text]))
    shares = {
        spelling: sum(_is_readable(spelling, text) for text in texts) / len(texts) for spelling in usual
    }
    return sorted(shares.items(), key=lambda item: -item[1])


def _is_readable(spelling: str, text: str) -> bool:
    try:
        compile_format(spelling).read(text)
    except (BadTime, BadFormat):
        return False
    return True


@cache
def _index_formats() -> Mapping[str, Sequence[str]]:
    """Many formats, by what stands between their parts: few have to be tried."""
    formats: dict[str, list[str]] = {}
    for spelling, outlines in _iterate_usual_formats():
        for outline in set(map(_get_outline, outlines)):
            formats.setdefault(outline, []).append(spelling)
    return formats


def _iterate_usual_formats() -> Iterable[tuple[str, list[str]]]:
    for date in (*_DATES, *_DATES_OF_LANGUAGES, _OF_JAPAN, _OF_KOREA, *_OTHER_FORMATS):
        yield date, [date.replace(" %z", end) for end in _OFFSETS[" %z"]]
    for dates, joins, clocks, offsets in _COMBINATIONS:
        for date, join, clock, (end, ends) in product(dates, joins, clocks, offsets.items()):
            yield f"{date}{join}{clock}{end}", [f"{date}{join}{clock}{ending}" for ending in ends]


def _get_outline(text: str) -> str:
    """Return the signs between words and numbers, without a comment behind and without dots of words."""
    plain = _DOT_OF_WORD.sub("", _COMMENT.sub("", _FORMAT_CODE.sub("0", text)))
    return _RUN_OF_BLANKS.sub(" ", _LETTERS.sub("", plain)).strip()
