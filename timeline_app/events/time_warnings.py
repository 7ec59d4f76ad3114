"""Warnings of times that can be read, and may not be what was meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import pyarrow as pa

from timeline_app.events import column_values
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode.arrow_values import Raw, is_text
from timeline_app.events.validate import join_time
from timeline_app.problems.problem import Problem, make_warning
from timeline_app.times.hints import UNIT_NAMES, select_formats_of_digits
from timeline_app.times.local_times import Doubt, LocalTimes
from timeline_app.times.ranges import (
    SPREADSHEET_DAYS,
    are_spreadsheet_days,
    count_in_1970,
    describe_spreadsheet_day,
    lie_elsewhere,
    sample_evenly,
    suggest_other_unit,
)
from timeline_app.times.reader import write_moment
from timeline_app.times.units import COUNTS

Row = tuple[int, object]
_SPREADSHEET_HINT = (
    "format the column as yyyy-mm-dd hh:mm:ss before the sheet is saved, and declare unit = iso8601"
)
_WORDS: dict[Doubt, tuple[str, str]] = {
    "local_time": (
        "spell no offset and are read as UTC",
        'declare zone = "Europe/Berlin" or the like if they are local times, zone = "UTC" if they are UTC',
    ),
    "shortened_time": (
        "are shortened as a spreadsheet shows them, so that their last digits are lost",
        "format the column as a number without decimals, or as text, before the sheet is saved",
    ),
    "repeated_time": (
        "occur twice in {zone}, as clocks were put back, and are read as the earlier moment",
        "send the offset, such as +01:00, where that matters",
    ),
    "skipped_time": (
        "do not occur in {zone}, as clocks were put forward, and move on by as much",
        "check the zone, or send the offset",
    ),
}


def look_at_times(raw: Raw, local_times: LocalTimes, rows: Callable[[], Iterable[Row]]) -> None:
    """Count the doubtful times of a column that was taken, and show the first ones by the lines of its rows."""
    if local_times.unit in COUNTS:
        if _may_be_shortened(raw):
            for line, event in rows():
                if isinstance(event, dict):
                    local_times.add(join_time(event, local_times.name), line)
        return
    doubtful = local_times.add_column(*column_values.read_wall_clocks(raw, local_times.unit))
    if not doubtful:
        return
    last = max(int(places[-1]) for places in doubtful.values())
    for index, (line, event) in enumerate(islice(rows(), last + 1)):
        for doubt, places in doubtful.items():
            if index in places and isinstance(event, dict):
                local_times.show(doubt, line, join_time(event, local_times.name))


def _may_be_shortened(raw: Raw) -> bool:
    """Whether a column of numbers in text has one with an exponent; a column of numbers has none to see."""
    if isinstance(raw, pa.Array) and pa.types.is_string(raw.type):
        content = raw.buffers()[-1]
        letters = (
            b"" if content is None else content.to_pybytes()
        )  # two looks at bytes cost less than one at texts
        return b"E" in letters or b"e" in letters
    if isinstance(raw, pa.Array | pa.ChunkedArray) and not is_text(raw.type):
        return False
    return any(isinstance(value, str) and "e" in value.lower() for value in column_values.as_list(raw))


def warn_of_times(
    local_times: LocalTimes, times: pa.ChunkedArray | pa.Array, declaration: StreamDeclaration
) -> Iterator[Problem]:
    """Warnings of local times, and of a unit that all times speak against."""
    for doubt, count in sorted(local_times.counts.items()):
        shown_examples = local_times.examples.get(doubt, [])
        examples = ", ".join(f"line {line} {text}" for line, text in shown_examples)
        words, hint = _WORDS[doubt]
        more = ", …" if count > len(shown_examples) else ""
        message = f"times of {declaration.time!r} {words.format(zone=declaration.zone)} ({count:,}): {examples}{more}"
        yield make_warning(doubt, message, hint, stream=declaration.name, field=declaration.time)
    if count := count_in_1970(times.to_numpy(), declaration.unit):
        subject = f"{count:,} of {len(times):,} times of {declaration.time!r}"
        message = f"{subject} lie in January 1970, the others in our time"
        hint = f"perhaps they are not in {declaration.unit}, or 0 stands for no time: correct them, or leave them out"
        yield make_warning("mixed_units", message, hint, stream=declaration.name, field=declaration.time)
    if other := suggest_other_unit(times.to_numpy(), declaration.unit):
        message = f"all times of {declaration.time!r} lie {other.where} by unit = {declaration.unit}"
        hint = f"they look like {UNIT_NAMES[other.unit]}: declare unit = {other.unit}"
        yield make_warning("other_unit", message, hint, stream=declaration.name, field=declaration.time)
    yield from _warn_of_digits(times, declaration)
    if are_spreadsheet_days(times.to_numpy(), declaration.unit):
        day = describe_spreadsheet_day(float(write_moment(int(times[0].as_py()), declaration.unit)))
        message = f"all times of {declaration.time!r} look like {SPREADSHEET_DAYS}: {day}"
        stream_field = {"stream": declaration.name, "field": declaration.time}
        yield make_warning("spreadsheet_days", message, _SPREADSHEET_HINT, **stream_field)


def _warn_of_digits(times: pa.ChunkedArray | pa.Array, declaration: StreamDeclaration) -> Iterator[Problem]:
    """Warn of dates that are written in digits, such as 2024065, and counted from 1970."""
    if declaration.unit not in COUNTS or not lie_elsewhere(numbers := times.to_numpy()):
        return
    texts = [str(write_moment(int(time), declaration.unit)) for time in sample_evenly(numbers)]
    if formats := select_formats_of_digits(texts):
        message = f"all times of {declaration.time!r} look like dates of digits, such as {texts[0]}"
        words = " or ".join(f'unit = "{spelling}"' for spelling in formats)
        stream_field = {"stream": declaration.name, "field": declaration.time}
        yield make_warning("dates_of_digits", message, f"if they are dates, declare {words}", **stream_field)
