"""Guesses a time of several fields: one has the day, another one the clock."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

import orjson

from timeline_app.events.declaration import split_key
from timeline_app.events.guess.columns import Column, split_words
from timeline_app.events.guess.roles import ENDS, Candidate, Guess, Other, are_days, rate_time_candidate
from timeline_app.events.guess.units import UnitGuess, guess_unit
from timeline_app.events.validate import WrongEvent, join_time
from timeline_app.times.hints import is_iso_like
from timeline_app.times.parts import NO_OFFSET, BadTime
from timeline_app.times.reader import read_clock
from timeline_app.times.units import ISO

_CLOCK = re.compile(
    r"(?:[0-9]{4}-[0-9]{2}-[0-9]{2} )?[0-9]{1,2}[:.h][0-9]{2}(?:[:.][0-9]{2}(?:[.,][0-9]{1,9})?)?"
    "(?: ?[^\\W\\d_]\\.?[ \u00a0\u202f]?[Mm]?\\.?)?(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?"
)
_OFFSET = re.compile(r"[+-][0-9]{2}:?[0-9]{2}|Z|UTC")
_DIGITS = re.compile(r"(?:[01]?[0-9]|2[0-4])(?:[0-5][0-9]){0,2}")
_CLOCK_NAMES = {
    "clock", "time", "hour", "uhrzeit", "zeit", "stunde", "heure", "hora", "ora", "ore", "tijd", "uur", "godzina",
    "czas", "tid", "klockan", "timme", "aika", "kello", "čas", "hodina", "saat", "час", "время", "時刻", "时间",
    "uzeit",
}  # fmt: skip
"""Digits alone are clocks only in a field of such a name."""
_CLOCKS = (
    "%H:%M:%S", "%H:%M", "%H:%M:%S.%f", "%H:%M:%S,%f", "%H.%M.%S", "%H.%M", "%Hh%M", "%H%M%S", "%H%M", "%H",
    "%I:%M %p", "%I:%M:%S %p", "%I:%M%p", "%H:%M:%S %z", "%H:%M:%S%z", "%H:%M%z",
)  # fmt: skip
_EXAMINED_VALUES = 200
_MIN_SHARE = 0.5


def build_time_column(columns: Mapping[str, Column], time: str | None) -> Column | None:
    """Return the column of a time, also of one in several fields; None where a field is unknown."""
    names = split_key(time or "")
    if any(name not in columns for name in names):
        return None
    first = columns[names[0]]
    if len(names) == 1:
        return first
    return Column(time or "", list(_join_values(first, time or "")), first.events, first.sample)


def _join_values(column: Column, time: str) -> Iterator[object]:
    for event in column.sample.events[: column.events]:
        try:
            yield join_time(event, time)
        except WrongEvent:
            continue


def join_time_fields(
    time: Guess, columns: Mapping[str, Column], names_used: Collection[str | None]
) -> tuple[Guess, Candidate] | None:
    """Return the guess of a time in two fields, where the guessed one has only days and another one the clock."""
    day = columns.get(time.value or "")
    unit = None if day is None else guess_unit(day)
    if day is None or unit is None or not are_days(day, unit):
        return None
    free = [column for column in columns.values() if column.name not in (day.name, *names_used)]
    for other in sorted(filter(_are_clocks, free), key=_rank_clock):
        offsets = [column.name for column in free if _are_offsets(column)][:1]
        name = orjson.dumps([day.name, other.name, *offsets]).decode()
        joined = build_time_column(columns, name)
        if joined is not None and (result := guess_joined_unit(joined, unit)) is not None:
            why = f"{day.name} has the day and {other.name} the clock: {result.why}"
            alternatives = (Other(day.name, "all events of a day at midnight"), *time.alternatives)
            return Guess("time", name, 0.85, why, alternatives), Candidate(name, 0.85, why, result)
    return None


def rate_joined_time(column: Column, columns: Mapping[str, Column]) -> Candidate | None:
    """Rate the column of a given time, and guess its unit."""
    first, *others = split_key(column.name)
    if not others:
        return rate_time_candidate(column)
    unit = guess_joined_unit(column, guess_unit(columns[first]))
    return Candidate(column.name, 0.85, unit.why, unit) if unit else None


def guess_joined_unit(joined: Column, day: UnitGuess | None = None) -> UnitGuess | None:
    """Return the unit of dates and clocks that are joined by blanks; `day` is the unit of the dates."""
    texts = [text for text in joined.present[:_EXAMINED_VALUES] if isinstance(text, str)]
    if not texts:
        return None
    why = f"{texts[0][:60]} is a date and a clock"
    if all(map(is_iso_like, texts)):
        is_local = any(read_clock(text, ISO)[1] == NO_OFFSET for text in texts)
        return UnitGuess(ISO, 1.0, f"{why} of ISO 8601", (), is_local)
    days = ("%Y-%m-%d", "%Y%m%d") if day is None or day.unit == ISO else (day.unit, *day.alternatives)
    shares = {f"{date} {clock}": _rate(texts, f"{date} {clock}") for date in days for clock in _CLOCKS}
    best = max(shares, key=lambda spelling: shares[spelling])
    if (iso := _rate(texts, ISO)) >= max(_MIN_SHARE, shares[best]):
        return UnitGuess(ISO, iso, f"{why} of ISO 8601", (), is_local=True)
    if shares[best] < _MIN_SHARE:
        return guess_unit(joined)
    others = tuple(spelling for spelling in shares if spelling != best and shares[spelling] == shares[best])
    is_local = "%z" not in best
    return UnitGuess(best, shares[best], f"{why} of this format", others, is_local)


def _rate(texts: list[str], unit: str) -> float:
    """Return the share of texts that a unit reads."""
    return sum(_is_read(text, unit) for text in texts) / len(texts)


def _is_read(text: str, unit: str) -> bool:
    try:
        read_clock(text, unit)
    except BadTime:
        return False
    return True


def _rank_clock(column: Column) -> tuple[bool, bool]:
    words = set(split_words(column.name))
    return not words & _CLOCK_NAMES, bool(words & ENDS)


def _are_offsets(column: Column) -> bool:
    return bool(column.present) and all(
        _OFFSET.fullmatch(str(value)) for value in column.present[:_EXAMINED_VALUES]
    )


def _are_clocks(column: Column) -> bool:
    texts = [str(value).strip() for value in column.present[:_EXAMINED_VALUES]]
    named = bool(set(split_words(column.name)) & _CLOCK_NAMES)
    return bool(texts) and all(
        _CLOCK.fullmatch(text) or (named and _DIGITS.fullmatch(text)) for text in texts
    )
