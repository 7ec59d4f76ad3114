"""Spellings of times that are recognised and not read, and what to do with each."""

from __future__ import annotations

import re

_ZONE_LETTERS = r"(?:[A-Z]{1,2}[SD]?T|[A-Z]{3,5})"
_CLOCK = r"[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2}(?:[.,][0-9]{1,9})?)?"
_NUMBERS_ONLY = "write the number alone into the field, and declare unit = ms"
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"\\?/Date\(-?[0-9]+(?:[+-][0-9]{4})?\)\\?/", f"it is a date of .NET in JSON: {_NUMBERS_ONLY}"),
        (
            r"(?:new Date\(|ISODate\(|Timestamp\().*",
            "it is a call of a program: write what stands in it, as ISO 8601",
        ),
        (r"@[0-9a-fA-F]{16,24}", "it is a TAI64 label: convert it (tai64nlocal does it)"),
        (r"0x[0-9a-fA-F]+", "it is a hexadecimal number: write it in decimal digits"),
        (
            r"[12][0-9]{3}-?W[0-9]{2}",
            "it is a week, and no day: add the day of the week, such as 2024-W10-1",
        ),
        (r"[12][0-9]{3}-[0-9]{2}", "it is a month, and no day: add the day, such as 2024-03-01"),
        (
            rf"(?:[^\W\d_]{{2,4}} )?{_CLOCK}(?: ?[AaPp]\.?[Mm]\.?)?Z?",
            "it is a clock without a date: declare time = [date, clock] if another field has the date, or write both"
            " into one field",
        ),
        (
            rf"(?:[A-Z]?[0-9]{{4}}|[0-9]{{1,2}}[/.-][0-9]{{1,2}}\.?|[^\W\d_]{{3,9}}\.? {{1,2}}[0-9]{{1,2}}),?"
            rf" {_CLOCK}.*",
            "it has no year: write the whole date, such as 2024-03-05 14:05:00",
        ),
        (
            r"-?[0-9]{1,3}(?:[.,' \u00a0\u202f][0-9]{3}){2,9}(?:[.,][0-9]+)?",
            "its digits stand in groups: write the number without signs between them",
        ),
        (
            r"(?:3[3-9]|[4-6][0-9]|7[0-2])[0-9]{3}[.,][0-9]{1,15}",
            "it looks like a day of a spreadsheet: format the column there as yyyy-mm-dd hh:mm:ss",
        ),
        (
            r"-?[0-9]{4,19},[0-9]{1,9}",
            "it has a decimal comma: write a point, or map the field with the cast decimal_comma",
        ),
        (
            r"12[5-9][0-9]{15}|1[3-9][0-9]{16}",
            "it looks like a FILETIME of Windows, which counts 100 ns from 1601: {}",
        ),
        (r"6[2-6][0-9]{16}", "it looks like ticks of .NET, which count 100 ns from the year 1: {}"),
        (r"1[23][0-9]{15}", "it looks like a time of Chrome, which counts microseconds from 1601: {}"),
    )
)
_CONVERT = "write it as ISO 8601, or count from 1970 and declare that unit"
_ZONE = re.compile(rf".*[0-9] ?({_ZONE_LETTERS})(?: [0-9]{{4}}| m=.*)?")
_NO_HYPHENS = "\u2010\u2011\u2012\u2013\u2212"
_MAX_CHARS = 90


def describe_foreign_time(raw: object) -> str:
    """Return which spelling a value has that is not read, and what to do; empty for no known one.

    >>> describe_foreign_time("/Date(1709643900000)/")
    'it is a date of .NET in JSON: write the number alone into the field, and declare unit = ms'
    """
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        return ""
    text = str(raw).strip()[:_MAX_CHARS]
    for pattern, words in _FORMS:
        if pattern.fullmatch(text):
            return words.format(_CONVERT)
    if sign := next((letter for letter in text if letter in _NO_HYPHENS), ""):
        return f"it has the sign U+{ord(sign):04X} where a hyphen-minus (-) belongs: write that"
    match = _ZONE.fullmatch(text)
    return "" if match is None else _describe_letters(match[1])


def _describe_letters(letters: str) -> str:
    return (
        f"{letters!r} names a zone by letters that several zones share: send the offset, such as +01:00, or write the"
        " letters into the format where all times have them, and declare the zone"
    )


def describe_other_count(first: float, last: float) -> str:
    """Return what numbers count if all of them look like a FILETIME or like ticks; else nothing.

    >>> describe_other_count(638452659000000000, 638452660000000000)[:26]
    'it looks like ticks of .NE'
    """
    descriptions = {describe_foreign_time(f"{number:.0f}") for number in (first, last) if number >= 1e16}
    return descriptions.pop() if len(descriptions) == 1 else ""
