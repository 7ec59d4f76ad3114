"""Keys, ids and times that can be read, and may not be what was meant."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.kinds import SECOND, Kind
from timeline_app.evaluate.tables import EventTable
from timeline_app.events.validate import format_value
from timeline_app.problems.problem import Problem, make_warning
from timeline_app.times.calendar import DAY, count_days

MAX_SHOWN = 5
MAX_KEYS = 1_000_000
"""Keys are not compared with each other beyond this number."""
_FIRST_ROWS = 1 << 16
"""A spreadsheet rounds whole columns: one of the first events shows it."""
_QUICK_CHECK_ROWS = 100
_WHOLE_FLOAT = r"^-?[0-9]+\.0$"
_ABSENT = ["\\N", "NULL", "null", "None", "nan", "NaN", "<NA>", "NaT", "#N/A", "#NV", "N/A", "undefined"]
"""What databases, pandas and spreadsheets write where there is no value."""
_BLANK = (
    "keys differ from others only by a blank",
    "correct the events if the same key is meant: each has a timeline of its own",
)
_NO_VALUE = (
    "keys are words that exports write where there is no value",
    "leave these events out, or give them their keys: all of them are one timeline",
)
_FRACTION = (
    "all keys are whole numbers with a fraction",
    "pandas writes whole numbers so where one is missing: make the column Int64 or text if others write 1 for 1.0",
)
_IN_QUOTES = r"""^('[^']*'|"[^"]*")$"""
_PADDED = (
    "all keys have blanks around them",
    "export the column without padding (TRIM in SQL) if other streams have the keys without blanks",
)
_QUOTED = (
    "all keys stand in quotes, which are part of them",
    "write the file with double quotes around cells, and none inside, if other streams have the keys without",
)
_ROUNDED = r"^[+-]?[0-9](\.[0-9]{1,6})?E\+[0-9]{1,3}$"
_ROUNDED_TIME_MICROS = 10_000 * SECOND
"""Six digits of milliseconds of our time are a multiple of it."""
_YEAR_1990 = count_days(1990, 1, 1) * DAY


def warn_of_identities(table: EventTable) -> Iterator[Problem]:
    """Numbers that a spreadsheet rounded, and keys that differ by a blank."""
    declared = table.declaration
    texts = [name for name in table.fields if declared.fields.get(name) is Kind.TEXT]
    columns = {name: table.table[f"v{table.fields.index(name)}"] for name in texts}
    columns |= {declared.id: table.table["id"]} if declared.id else {}
    columns[declared.key] = table.table["key"]
    for name, column in sorted(columns.items()):
        yield from _warn_of_rounded(name, column, declared.name)
    yield from _warn_of_rounded_times(table)
    yield from _warn_of_keys(table)


def _warn_of_rounded(name: str, column: pa.ChunkedArray, stream: str) -> Iterator[Problem]:
    if not _find_rounded(column.slice(0, _FIRST_ROWS)):
        return
    values = _find_rounded(column)
    message = f"{name!r} has numbers that a spreadsheet may have rounded: {_show(values)}"
    hint = "make the column text in the spreadsheet before it is saved as CSV: rounded digits are lost"
    yield make_warning("rounded_number", message, hint, stream=stream, field=name)


def _find_rounded(column: pa.ChunkedArray) -> list[str]:
    different = pc.unique(column.drop_null())
    texts = different.dictionary_decode() if pa.types.is_dictionary(different.type) else different
    names: list[str] = texts.filter(pc.match_substring_regex(texts, _ROUNDED)).to_pylist()
    return names


def _warn_of_rounded_times(table: EventTable) -> Iterator[Problem]:
    """Warn of milliseconds rounded to six digits: all events lie at full multiples of 10,000 s."""
    declared = table.declaration
    times = table.table["time"].to_numpy()
    if declared.unit not in ("ms", "us", "ns") or len(times) < 2:
        return
    if all(
        ((part % _ROUNDED_TIME_MICROS == 0) & (part >= _YEAR_1990)).all()
        for part in (times[:_QUICK_CHECK_ROWS], times)
    ):
        message = (
            f"all times of {declared.time!r} are multiples of 10,000 s: perhaps a spreadsheet rounded them"
        )
        hint = "make the column text in the spreadsheet before it is saved as CSV, as 1.65982E+12 lost its last digits"
        yield make_warning("rounded_time", message, hint, stream=declared.name, field=declared.time)


def _warn_of_keys(table: EventTable) -> Iterator[Problem]:
    """Warn of keys that differ only by blanks, that mean "no value", or that are integers with a fraction."""
    keys = pc.unique(table.table["key"])
    texts = keys.dictionary_decode() if pa.types.is_dictionary(keys.type) else keys
    if len(texts) > MAX_KEYS:
        return
    trimmed = pc.utf8_trim_whitespace(texts)
    blank = pc.and_(pc.not_equal(trimmed, texts), pc.is_in(trimmed, value_set=texts))
    absent = pc.is_in(trimmed, value_set=pa.array(_ABSENT, texts.type))
    is_whole = pc.match_substring_regex(texts, _WHOLE_FLOAT)
    padded = pc.not_equal(trimmed, texts)
    quoted = pc.match_substring_regex(texts, _IN_QUOTES)
    for code, chosen, words, hint in (
        ("near_key", blank, *_BLANK),
        ("absent_key", absent, *_NO_VALUE),
        ("float_key", is_whole if pc.all(is_whole).as_py() else pc.is_null(texts), *_FRACTION),
        ("padded_key", padded if len(texts) > 1 and pc.all(padded).as_py() else pc.is_null(texts), *_PADDED),
        ("quoted_key", quoted if pc.all(quoted).as_py() else pc.is_null(texts), *_QUOTED),
    ):
        if texts_found := texts.filter(chosen).to_pylist():
            subject = {"stream": table.declaration.name, "field": table.declaration.key}
            yield make_warning(code, f"{words}: {_show(texts_found)}", hint, **subject)


def _show(values: list[str]) -> str:
    more = ", …" if len(values) > MAX_SHOWN else ""
    return f"{', '.join(map(format_value, values[:MAX_SHOWN]))}{more}"
