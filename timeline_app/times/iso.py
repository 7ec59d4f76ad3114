"""Times as ISO 8601 and RFC 3339 spell them, and as databases and logs do."""

from __future__ import annotations

import re
from collections.abc import Callable

from timeline_app.times.parts import NO_OFFSET, OFFSET, BadTime, check_parts, read_fraction, read_offset

_YEAR = r"(?P<year>[0-9]{4})"
_DAY = r"-?(?P<month>[0-9]{2})-?(?P<day>[0-9]{2})"
_OTHER_DAYS = r"-?W(?P<week>[0-9]{2})-?(?P<weekday>[1-7])|-(?P<yearday>[0-9]{3})"
_SECONDS = r"(?::?(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)?"
_CLOCK = rf"(?P<hour>[0-9]{{2}})(?::?(?P<minute>[0-9]{{2}}){_SECONDS})?"
_OFFSET = rf"(?: ?(?P<offset>{OFFSET})(?:\[[A-Za-z0-9_+/-]{{1,40}}\])?)?"
_END = rf"(?:[Tt ]{_CLOCK}{_OFFSET})?[ \t]*"
CALENDAR = rf"[ \t]*{_YEAR}{_DAY}{_END}"
"""Dates with year, month and day, also as a pattern of RE2."""
_TIME = re.compile(rf"[ \t]*{_YEAR}(?:{_DAY}|{_OTHER_DAYS}){_END}")
READERS: dict[str, Callable[[str], int]] = {"fraction": read_fraction, "offset": read_offset}
_NAMED_ZONE = re.compile(r"[A-Za-z_]{2,30}/[A-Za-z_]{2,30}\]?[ \t]*$")


def read_iso(raw: object) -> tuple[int, int]:
    """Return what clocks show, in microseconds, and their offset; `NO_OFFSET` where the text spells none."""
    if not isinstance(raw, str):
        raise BadTime("")
    match = _TIME.fullmatch(raw)
    if match is None:
        raise BadTime(_describe_form(raw))
    parts = {name: READERS.get(name, int)(text) for name, text in match.groupdict().items() if text}
    return check_parts(parts), parts.get("offset", NO_OFFSET)


def _describe_form(raw: str) -> str:
    if _NAMED_ZONE.search(raw[-80:]):
        return "it names a zone: send the offset, or leave the zone out and declare it as the stream's zone"
    return ""
