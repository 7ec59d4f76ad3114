"""What a time looks like that does not fit the unit of its stream."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product

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
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y",
    "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%d-%b-%Y",
    "%d-%b-%y", "%d/%b/%Y", "%a, %d %b %Y", "%d%b%Y", "%d. %b %Y", "%d. %B %Y", "%y%m%d",
)  # fmt: skip
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
_OTHER_FORMATS = ("%Y%m%d%H%M%S", "%a %b %d %H:%M:%S %Y", "%a %b %d %H:%M:%S %z %Y")
_OFFSETS = {"": ("",), " %z": ("", " ", " +", " -", " +:", " -:"), "%z": ("", "+", "-", "+:", "-:")}
"""Ends of formats, and what of them is left in an outline."""
_NO_OFFSET = {"": ("",)}
_SECONDS = ("%H:%M:%S", "%H:%M:%S.%f")
_OF_JAPAN = "%Y年%m月%d日"
_COMBINATIONS = (
    (_DATES, _JOINS, _CLOCKS, _OFFSETS),
    (_DATES, (" ", ", "), ("%H:%M Uhr", "%H:%M:%S Uhr", "%H.%M Uhr", "%Hh%M"), _NO_OFFSET),
    (_DATES, (" ", ", "), ("klo %H.%M", "klo %H.%M.%S", "kl. %H.%M", "kl. %H:%M"), _NO_OFFSET),
    (_DATES, (" à ", " um "), ("%H:%M", "%H:%M:%S", "%Hh%M"), _NO_OFFSET),
    (_DATES, (" ", "-"), ("%H.%M.%S.%f", "%I.%M.%S %p", "%I.%M.%S.%f %p"), _NO_OFFSET),
    (_DATES, ("T", "_"), ("%H-%M-%S",), _OFFSETS),
    (_DATES, (" ",), _SECONDS, {" %z UTC": (" + ",)}),
    (_DATES, (" ",), _SECONDS, {" GMT%z": (" +", " -", " +:", " -:"), " UTC%z": (" +", " -", " +:", " -:")}),
    ((_OF_JAPAN,), (" ", ""), ("%H:%M", "%H:%M:%S", "%H時%M分", "%H時%M分%S秒"), _NO_OFFSET),
)
"""Dates, what joins them with clocks, clocks, and offsets behind, as databases, machines and people write them."""
_LETTERS = re.compile(r"%?[A-Za-z0-9]+")
_RUN_OF_BLANKS = re.compile(r"[ \t\u00a0\u202f]+")
_LONGEST, _TRIED = 64, 20


def describe_unit(unit: str) -> str:
    """Return what times of a unit or format are, for people."""
    if unit == ISO:
        return "ISO 8601, such as 2024-07-01T08:00:00Z"
    return f"a number of {unit}" if unit in COUNTS else f"text of the format {unit!r}"


def suggest_unit(raw: object, unit: str) -> str:
    """Return what else the time looks like, and what to declare; empty if it looks like nothing."""
    other = _suggest_unit(raw)
    if other is None or other == unit:
        return ""
    return f"it looks like {UNIT_NAMES.get(other, 'text of a format')}: declare unit = {other}"


def _suggest_unit(raw: object) -> str | None:
    if isinstance(raw, bool) or not isinstance(raw, (str, int, float)):
        return None
    text = str(raw).strip()[:_LONGEST]
    whole = text.split(".")[0].removeprefix("-")
    if whole.isdigit() and len(whole) in _DIGITS:
        return _DIGITS[len(whole)]
    if is_iso_like(text):
        return ISO
    return " or ".join(f'"{spelling}"' for spelling in select_formats([text])[:2]) or None


def is_iso_like(text: str) -> bool:
    """Whether it is a date of our time, with or without a clock, as `iso8601` reads it: 1234-123 names something."""
    try:
        read_iso(text)
    except BadTime:
        return False
    return "1900" <= text.strip(PADDING)[:4] < "2200"


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
    for date in (*_DATES, _OF_JAPAN, *_OTHER_FORMATS):
        yield date, [date.replace(" %z", end) for end in _OFFSETS[" %z"]]
    for dates, joins, clocks, offsets in _COMBINATIONS:
        for date, join, clock, (end, ends) in product(dates, joins, clocks, offsets.items()):
            yield f"{date}{join}{clock}{end}", [f"{date}{join}{clock}{ending}" for ending in ends]


def _get_outline(text: str) -> str:
    return _RUN_OF_BLANKS.sub(" ", _LETTERS.sub("", text)).strip()
