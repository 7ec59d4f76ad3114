"""A column reads what the reader of one time reads, whatever the spelling; both agree with Python's own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from timeline_app.times.columns import read_column
from timeline_app.times.formats import compile_format
from timeline_app.times.hints import select_formats
from timeline_app.times.reader import read_moment, write_moment
from timeline_app.times.units import COUNTS, EARLIEST, ISO, LATEST
from timeline_app.times.zones import load_zone

ZONES = [
    None,
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "America/Havana",
]
FORMATS = [
    "%d.%m.%Y %H:%M:%S", "%m/%d/%y %I:%M %p", "%Y%m%d%H%M%S", "%a, %d %b %Y %H:%M:%S %z", "%d/%b/%Y:%T %z",
    "%Y-%jT%H:%M:%S.%f", "%B %d, %Y", "%A %e %B %Y %R", "%F", "%d%m%y 100%% %H", "%Y年%m月%d日 %H:%M",
    "%Y-%m-%d %H:%M:%S,%f",
]  # fmt: skip
NAMED = [
    "%d. %b{de} %Y %H:%M",
    "%A{pl}, %d. %B{pl} %Y",
    "%d de %B{pt} de %Y %I:%M %p",
    "%a %d %B %Y г. %H:%M",
]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LOCAL = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30))  # noqa: DTZ001
NEAR_CHANGES = st.builds(
    lambda day, minutes: day + timedelta(minutes=minutes),
    st.sampled_from([datetime(2024, 3, 31), datetime(2024, 10, 27), datetime(2025, 11, 2), datetime(2011, 12, 30), datetime(2024, 4, 7)]),  # noqa: DTZ001, E501
    st.integers(-90, 1_530),
)  # fmt: skip
OFFSETS = st.sampled_from(["", "Z", "z", " UTC", "+01", "-0330", "+05:30", "-00:00", " +0200", "+23:59", "+24:00", "-04:00[America/New_York]"])  # fmt: skip # noqa: E501
MUTATIONS = st.sampled_from([*"0123456789:.-+ TzZWa,", "", "  ", "\u202f", "١", "60", "24:00"])


def read_each(values: list[object], unit: str, zone: str | None) -> list[int] | None:
    """All by the reader of one, None if it refuses any."""
    try:
        return [read_moment(value, unit, zone) for value in values]
    except ValueError:
        return None


def check_agreement(values: list[object], unit: str, zone: str | None) -> None:
    column = read_column(pa.array(values), unit, zone)
    if column is not None:
        assert column.to_pylist() == read_each(values, unit, zone)


def convert_to_micros(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(microseconds=1)


@st.composite
def iso_texts(draw: st.DrawFn) -> str:
    moment = draw(LOCAL | NEAR_CHANGES)
    date = draw(st.sampled_from(["%Y-%m-%d", "%Y%m%d", "%G-W%V-%u", "%Y-%j"]))
    clock = draw(st.sampled_from(["", "T%H", " %H:%M", "T%H:%M:%S", "t%H%M%S", " %H:%M:%S.%f"]))
    text = moment.strftime(
        date.replace("%Y", f"{moment.year:04d}").replace("%G", f"{moment.isocalendar()[0]:04d}")
    )
    text += moment.strftime(clock)
    if "%S" in clock and "%f" not in clock:
        digits = draw(st.text("0123456789", max_size=9))
        text += draw(st.sampled_from(".,")) + digits if digits else ""
    return text + (draw(OFFSETS) if clock else "")


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    text = draw(texts)
    if draw(st.booleans()):
        return text
    place = draw(st.integers(0, len(text)))
    written: str = text[:place] + draw(MUTATIONS) + text[place + draw(st.integers(0, 2)) :]
    return written


@given(st.lists(mutated(iso_texts()), min_size=1, max_size=3), st.sampled_from(ZONES))
@example(["2016-12-31T23:59:60Z"], None)
@example(["2024-12-31T24:00", "2024-12-31T24:00:01"], None)
@example(["1762061400000"], None)
@example(["9999-12-31T23:59:59-01:00"], None)
def test_columns_read_iso_texts_as_one_by_one(texts: list[str], zone: str | None) -> None:
    check_agreement([*texts], ISO, zone)


@given(iso_texts())
def test_what_python_reads_means_the_same(text: str) -> None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    assume(EARLIEST <= convert_to_micros(moment) <= LATEST)
    assert read_moment(text, ISO) == convert_to_micros(moment)


@given(st.lists(LOCAL | NEAR_CHANGES, min_size=1, max_size=4), st.sampled_from(ZONES))
def test_local_times_are_those_of_python_before_the_change(moments: list[datetime], zone: str | None) -> None:
    tz = load_zone(zone) if zone else UTC
    expected = [convert_to_micros(moment.replace(tzinfo=tz)) for moment in moments]
    assume(all(EARLIEST <= time <= LATEST for time in expected))
    texts = [f"{moment.isoformat(' ', 'microseconds')}" for moment in moments]
    column = read_column(pa.array(texts), ISO, zone)
    assert column is not None
    assert column.to_pylist() == expected == read_each([*texts], ISO, zone)
    naive = read_column(pa.array(moments, pa.timestamp("us")), ISO, zone)
    assert naive is not None
    assert naive.to_pylist() == expected


@given(st.data(), st.sampled_from(FORMATS + NAMED), st.sampled_from(ZONES))
def test_columns_read_formats_as_one_by_one(data: st.DataObject, spelling: str, zone: str | None) -> None:
    moments = data.draw(st.lists(LOCAL | NEAR_CHANGES, min_size=1, max_size=3))
    texts = st.sampled_from(
        [str(write_moment(convert_to_micros(moment.replace(tzinfo=UTC)), spelling)) for moment in moments]
    )
    values = data.draw(st.lists(mutated(texts), min_size=1, max_size=3))
    check_agreement([*values], spelling, zone)


@given(st.sampled_from(FORMATS + NAMED), LOCAL, st.sampled_from(ZONES))
def test_what_a_format_writes_it_reads(spelling: str, moment: datetime, zone: str | None) -> None:
    text = write_moment(convert_to_micros(moment.replace(tzinfo=UTC)), spelling, zone)
    column = read_column(pa.array([text]), spelling, zone)
    assert column is not None, text
    assert write_moment(column[0].as_py(), spelling, zone) == text


@given(st.sampled_from(FORMATS), LOCAL)
def test_formats_mean_what_strptime_says(spelling: str, moment: datetime) -> None:
    text = str(write_moment(convert_to_micros(moment.replace(tzinfo=UTC)), spelling))
    plain = (
        spelling.replace("%T", "%H:%M:%S")
        .replace("%R", "%H:%M")
        .replace("%F", "%Y-%m-%d")
        .replace("%e", "%d")
    )
    parsed = datetime.strptime(text, plain)  # noqa: DTZ007
    assert read_moment(text, spelling) == convert_to_micros(
        parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    )


SPELLED = st.from_regex(r"[+-]?[0-9]{1,20}(\.[0-9]{0,9})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)


@pytest.mark.parametrize("unit", COUNTS)
@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=3)
    | st.lists(st.floats(), min_size=1, max_size=3)
)
def test_columns_read_numbers_as_one_by_one(unit: str, numbers: list[object]) -> None:
    check_agreement(numbers, unit, None)


@pytest.mark.parametrize("unit", COUNTS)
@given(st.lists(mutated(SPELLED), min_size=1, max_size=3))
def test_columns_read_spelled_numbers_as_one_by_one(unit: str, texts: list[str]) -> None:
    check_agreement([*texts], unit, None)


@given(st.sampled_from(FORMATS[:5]), NEAR_CHANGES)
def test_usual_formats_are_recognised(spelling: str, moment: datetime) -> None:
    text = str(write_moment(convert_to_micros(moment.replace(tzinfo=UTC)), spelling))
    read = {read_moment(text, item) for item in select_formats([text])}
    assert read_moment(text, spelling) in read


AT = datetime(2026, 8, 13, 14, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["13.08.2026 14.05 Uhr", "13.08.2026 14:05:00 Uhr", "13.8.2026 klo 14.05", "13/08/2026 14h05", "13/08/2026 à 14:05",
     "2026-08-13-14.05.00.000000", "13AUG2026:14:05:00", "13-AUG-26 02.05.00.000000 PM", "2026年8月13日 14:05",
     "2026年08月13日14時05分00秒", "2026-08-13T14-05-00Z", "2026-08-13_14-05-00", "2026-08-13 14:05:00 +0000 UTC",
     "2026-08-13 14:05:00.000000001 +0000 UTC", "2026-08-13 16:05:00 GMT+02:00", "260813 14:05:00",
     "13. August 2026 14:05",
     "Aug 13, 2026, 2:05:00 PM", "2026-08-13 10:05:00 UTC-0400"],
)  # fmt: skip
def test_times_of_databases_machines_and_people_are_recognised(text: str) -> None:
    assert [read_moment(text, item) for item in select_formats([text])] == [convert_to_micros(AT)]


def test_offsets_beyond_a_day_are_of_no_zone() -> None:
    assert read_each(["2024-07-01T08:00:00+24:00"], ISO, None) is None
    zone = timezone(timedelta(hours=23, minutes=59))
    assert read_each(["2024-07-01T08:00:00+23:59"], ISO, None) == [
        convert_to_micros(datetime(2024, 7, 1, 8, tzinfo=zone))
    ]
    assert compile_format("%Y%m%d").read("20240701")[0] == convert_to_micros(datetime(2024, 7, 1, tzinfo=UTC))
