"""Guesses the unit or format of times in the values of a field."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from timeline_app.events.guess.columns import Column
from timeline_app.times.foreign import describe_other_count
from timeline_app.times.hints import UNIT_NAMES, is_iso_like, rank_formats, select_formats_of_digits
from timeline_app.times.parts import NO_OFFSET
from timeline_app.times.ranges import SPREADSHEET_DAYS, describe_spreadsheet_day, may_be_spreadsheet_days
from timeline_app.times.reader import read_clock
from timeline_app.times.units import ISO

_RANGES = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_FROM, _TO = 631_152_000, 4_102_444_800
"""1990 to 2100, in seconds."""
_EXAMINED_VALUES = 500
_MIN_SHARE = 0.5
_FEW_DIGITS = len("2024183")
"""So many digits may be another number as well."""


@dataclass(frozen=True, slots=True)
class UnitGuess:
    """A unit or format: which share of the values it fits, why, and what fits as well."""

    unit: str
    share: float
    why: str
    alternatives: tuple[str, ...] = ()
    is_local: bool = False


def guess_unit(column: Column) -> UnitGuess | None:
    """Return the unit of times; None where the values are no times."""
    texts = [str(text) for text in column.present[:_EXAMINED_VALUES] if isinstance(text, str | int)]
    if column.numbers:
        formats = (
            select_formats_of_digits(texts) if len(texts) == len(column.numbers[:_EXAMINED_VALUES]) else []
        )
        if not formats:
            return _guess_unit_of_numbers(column)
        if len(texts[0]) <= _FEW_DIGITS:
            why = f"{texts[0]} and the others are dates of digits, if they are no counts"
            return UnitGuess(formats[0], 0.6, why, (), is_local=True)
    unit = _guess_unit_of_texts(texts, min(len(column.present), _EXAMINED_VALUES))
    is_number = bool(column.numbers) and not all(isinstance(value, str) for value in column.present)
    return replace(unit, unit="%Y%m%d") if unit and is_number and unit.unit == ISO else unit


def _guess_unit_of_numbers(column: Column) -> UnitGuess | None:
    numbers = column.numbers
    middle = sorted(numbers)[len(numbers) // 2]
    if other := describe_other_count(min(numbers), max(numbers)):
        return UnitGuess("s", 0.2, f"{column.list_examples()[0]}: {other}")
    for unit, scale in _RANGES.items():
        if _FROM * scale <= middle <= _TO * scale:
            year = datetime.fromtimestamp(middle / scale, tz=UTC).year
            return UnitGuess(unit, 1.0, f"{column.list_examples()[0]} is {year} in {UNIT_NAMES[unit]}")
    if may_be_spreadsheet_days(min(numbers), max(numbers)):
        spreadsheet_day = f"{describe_spreadsheet_day(numbers[0])} in {SPREADSHEET_DAYS}"
        return UnitGuess(
            "s",
            0.2,
            f"{spreadsheet_day}: format the column as yyyy-mm-dd hh:mm:ss there, as days are no unit",
        )
    if min(numbers) >= 0:
        return UnitGuess("s", 0.2, "small numbers: seconds from a beginning of their own")
    return None


def _guess_unit_of_texts(texts: list[str], size: int) -> UnitGuess | None:
    dates = [text for text in texts if is_iso_like(text)]
    if dates and len(dates) >= _MIN_SHARE * size:
        why = f"{dates[0][:40]} is a date and time of ISO 8601"
        return UnitGuess(ISO, len(dates) / size, why, (), _is_local(texts, ISO))
    ranked = rank_formats(texts)
    if not ranked or ranked[0][1] * len(texts) < _MIN_SHARE * size:
        return None
    is_month_first = any(text.rstrip().endswith(("AM", "PM", "am", "pm")) for text in texts[:1])
    (best, share), *others = sorted(
        ranked,
        key=lambda rated: (
            -rated[1],
            is_month_first and "%p" in rated[0] and not rated[0].startswith("%m"),
            "%y" in rated[0] and _measure_span(texts, rated[0]),
        ),
    )
    other_spellings = tuple(spelling for spelling, other in others if other == share)
    why = f"{texts[0][:40]} is a time of this format"
    if other_spellings:
        component = "year" if "%y" in best else "day"
        why += f", and of others: no value tells which number is the {component}"
    return UnitGuess(best, share * len(texts) / size, why, other_spellings, _is_local(texts, best))


def _measure_span(texts: list[str], spelling: str) -> int:
    """Return how far times lie apart by a format: the wrong one puts days of a month into many years."""
    clocks = list[int]()
    for text in texts:
        with suppress(ValueError):
            clocks.append(read_clock(text, spelling)[0])
    return max(clocks) - min(clocks)


def _is_local(texts: list[str], unit: str) -> bool:
    """Return whether a time lacks an offset to UTC."""
    return any(_is_without_offset(text, unit) for text in texts)


def _is_without_offset(text: str, unit: str) -> bool:
    try:
        return read_clock(text, unit)[1] == NO_OFFSET
    except ValueError:
        return False
