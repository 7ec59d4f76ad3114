"""A sample says what its stream is: the guesses, why, what else; and how its events would be read."""

from __future__ import annotations

import io
import itertools
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timeline_app.demos import load_demos
from timeline_app.events.decode import DecodeError
from timeline_app.events.guess import Guessed, guess, read_sample
from timeline_app.events.guess.lateness import compute_lateness, compute_quantiles, measure

NOON = datetime(2024, 7, 1, 12, tzinfo=UTC)


def format_lines(events: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, events)).encode()


def guess_body(body: bytes, **options: Any) -> Guessed:
    return guess(read_sample(body), options)


def build_viewing(size: int = 60, **more: Any) -> list[dict[str, Any]]:
    return [
        {
            "session_id": f"s{index % 7}",
            "event_id": f"e{index}",
            "t": 1_719_824_400_000 + 500 * index,
            "live": True,
        }
        | more
        for index in range(size)
    ]


def format_swipes(size: int = 40) -> str:
    rows = (
        f"{4000 + index % 5};Carlton;{(NOON + timedelta(seconds=index)).isoformat()};{index}.5"
        for index in range(size)
    )
    return "\n".join(["card;suburb;at;amount", *rows])


def test_json_lines_say_key_time_unit_id_and_types() -> None:
    result = guess_body(format_lines(build_viewing(bitrate=1.5, player_state="play", dropped=3)))
    document = result.document
    assert [document[name] for name in ("key", "time", "unit", "id")] == ["session_id", "t", "ms", "event_id"]
    assert document["fields"] == {
        "event_id": "text", "live": "bool", "bitrate": "number", "player_state": "text", "dropped": "number",
    }  # fmt: skip
    assert all(guess.why for guess in result.guesses)
    assert all(field.why for field in result.fields)
    assert (result.refused, len(result.rows), result.rows[0].time) == (0, 20, 1_719_824_400_000_000)


@pytest.mark.parametrize("name", list(load_demos()))
def test_what_the_demos_declare_is_guessed_from_what_they_send(name: str) -> None:
    demo = load_demos()[name]
    events = [delivery.event for delivery in itertools.islice(demo.deliveries(seed=1), 1000)]
    result, expected = guess_body(format_lines(events)).document, demo.declaration
    roles = ("key", "time", "unit", "id")
    assert [result[what] for what in roles] == [expected[what] for what in roles]
    assert expected["fields"].items() <= result["fields"].items()


def test_csv_with_semicolons_is_read_with_its_types() -> None:
    result = guess_body(format_swipes().encode())
    assert [result.document[name] for name in ("key", "time", "unit", "id")] == [
        "card",
        "at",
        "iso8601",
        None,
    ]
    assert result.document["fields"] == {"suburb": "text", "amount": "number"}
    assert result.rows[0].values == {"suburb": "Carlton", "amount": "0.5"}


def test_csv_without_names_is_refused_as_everywhere() -> None:
    with pytest.raises(
        DecodeError, match="line 1: There are no names of columns: 'a1, 1719824400, 3' are values"
    ):
        read_sample(b"a1,1719824400,3\na2,1719824401,4\na1,1719824402,5")


def test_numbers_with_decimal_commas_are_numbers() -> None:
    result = guess_body(
        b"tank;at;litres\nT1;2026-08-03T10:00:00Z;1.001,5\nT1;2026-08-03T10:05:00Z;0,25\n", key="tank"
    )
    assert result.document["fields"]["litres"] == "number"
    assert [row.values["litres"] for row in result.rows] == ["1001.5", "0.25"]


def test_a_quote_that_is_not_closed_is_told_by_line() -> None:
    [row] = read_sample(b'host,ts\n"a,1\nb,2').rows
    assert row.problem is not None
    assert (row.line, row.problem.code) == (2, "bad_row")


def test_an_array_and_parquet_say_the_same_as_lines() -> None:
    events = build_viewing(cdn="CDN1")
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(events), sink)
    expected = guess_body(format_lines(events))
    for body, form in ((json.dumps(events).encode(), "json_array"), (sink.getvalue(), "parquet")):
        assert read_sample(body).format == form
        result = guess_body(body)
        assert (result.document, result.rows) == (expected.document, expected.rows)


def test_moments_of_parquet_are_read() -> None:
    sink = io.BytesIO()
    times = [NOON + timedelta(seconds=index) for index in range(5)]
    pq.write_table(pa.table({"device": ["a", "b", "a", "b", "a"], "time": times}), sink)
    result = guess_body(sink.getvalue())
    assert (result.document["unit"], result.refused) == ("iso8601", 0)


@pytest.mark.parametrize(("unit", "scale"), [("s", 1), ("ms", 1_000), ("us", 1_000_000)])
def test_the_unit_is_told_by_the_size_of_the_numbers(unit: str, scale: int) -> None:
    result = guess_body(
        format_lines([{"host": "a", "ts": 1_719_824_400 * scale}, {"host": "a", "ts": 1_719_824_401 * scale}])
    )
    assert (result.document["unit"], result.rows[0].time) == (unit, 1_719_824_400_000_000)


def test_nanoseconds_are_a_unit() -> None:
    result = guess_body(format_lines([{"host": "a", "ts": 1_719_824_400 * 10**9}]))
    assert result.document["unit"] == "ns"
    assert result.rows[0].time == 1_719_824_400 * 10**6


@pytest.mark.parametrize(
    ("texts", "unit", "others"),
    [
        (["13.07.2024 08:00:00", "2.7.2024 9:30:00"], "%d.%m.%Y %H:%M:%S", []),
        (["07/13/2024 8:00 AM", "07/02/2024 1:30 PM"], "%m/%d/%Y %I:%M %p", []),
        (["01/02/2024", "03/04/2024"], "%d/%m/%Y", ["%m/%d/%Y"]),
        (["20240701080000", "20240702093000"], "%Y%m%d%H%M%S", []),
        (
            ["Mon, 01 Jul 2024 08:00:00 GMT", "Tue, 02 Jul 2024 09:30:00 +0200"],
            "%a, %d %b %Y %H:%M:%S %z",
            [],
        ),
        (["01/Jul/2024:08:00:00 +0200", "02/Jul/2024:08:00:00 +0200"], "%d/%b/%Y:%H:%M:%S %z", []),
        (["2024-07-01 08:00:00 UTC", "2024-07-01T08:00:00.1z"], "iso8601", []),
        (["20240701", "20240702"], "iso8601", []),
    ],
)
def test_formats_are_guessed_from_all_values(texts: list[str], unit: str, others: list[str]) -> None:
    result = guess_body(format_lines([{"host": "a", "at": text} for text in texts]))
    [guess] = [item for item in result.guesses if item.what == "unit"]
    assert guess.value == result.document["unit"] == unit
    assert [alternative.value for alternative in guess.alternatives if "%" in alternative.value] == others
    assert (guess.confidence < 0.5) == bool(others)
    assert result.refused == 0


def test_a_zone_is_asked_for_where_times_spell_no_offset() -> None:
    for text, is_asked in (
        ("2024-07-01 08:00:00", True),
        ("2024-07-01 08:00:00Z", False),
        ("1719820800", False),
    ):
        result = guess_body(format_lines([{"host": "a", "at": text}]))
        assert any(guess.what == "zone" and guess.value is None for guess in result.guesses) == is_asked


def test_a_zone_that_is_said_moves_the_times() -> None:
    body = format_lines([{"host": "a", "at": "2024-07-01 08:00:00"}])
    assert guess(read_sample(body), {"zone": "Europe/Berlin"}).rows[0].time == 1_719_813_600_000_000


def test_codes_with_a_dash_are_no_days_of_a_year() -> None:
    result = guess_body(
        format_lines(
            [{"host": "a", "ts": 1_719_824_400, "order": f"1234-{number}"} for number in range(100, 130)]
        )
    )
    assert result.document["time"] == "ts"


def test_what_happened_is_preferred_to_when_it_arrived() -> None:
    result = guess_body(format_lines([{"user": "a", "received_at": 1_719_824_402, "at": 1_719_824_400}]))
    [time] = [guess for guess in result.guesses if guess.what == "time"]
    assert (time.value, [alternative.value for alternative in time.alternatives]) == ("at", ["received_at"])


def test_what_is_said_is_not_guessed() -> None:
    result = guess_body(
        format_swipes().encode(), key="suburb", fields={"card": "text"}, allowed_lateness="1h"
    )
    assert result.document["key"] == "suburb"
    assert result.document["fields"] == {"card": "text"}
    assert result.document["allowed_lateness"] == "1h"


def test_codes_with_leading_zeros_stay_text() -> None:
    result = guess_body(b"device,ts,zip\na,1719824400,0800\na,1719824401,3000")
    assert result.document["fields"]["zip"] == "text"
    assert result.rows[0].values["zip"] == "0800"


def test_refused_lines_are_told_with_their_reasons_and_texts() -> None:
    body = (
        format_lines(build_viewing(3))
        + b'\n{"session_id": "a"\n17\n{"session_id": "b"}\n{"session_id": "c", "t": 1, "x": {}}'
    )
    result = guess_body(body, fields={"x": "text"})
    assert [(item.line, item.code) for item, _ in result.problems] == [
        (4, "cut_short"), (5, "not_an_object"), (6, "missing_time"), (7, "nested"),
    ]  # fmt: skip
    assert result.problems[1][1] == "17"


def test_mixed_values_are_text_with_the_reason() -> None:
    events = [
        {"host": "a", "ts": 1_719_824_400 + index, "load": value}
        for index, value in enumerate([1, 2, "high"])
    ]
    [load] = [field for field in guess_body(format_lines(events)).fields if field.name == "load"]
    assert (load.type, load.why) == ("text", "2 are numbers and 1 are text: text takes them all")


NO_SAMPLES = {
    "nothing": (b"", "empty"),
    "blank": (b" \n\t\n", "empty"),
    "signs that part lines": ("\u2028\x1c\x85".encode(), "no_format"),
    "a word": (b"hello", "no_format"),
    "half an array": (b"[1, 2", "cut_short"),
    "an empty array": (b"[]", "empty"),
    "not UTF-8": (b"a,b\n\xc3\xa4\xff\xfe,1", "not_utf8"),
    "half a Parquet file": (b"PAR1" + b"\0" * 20, "bad_parquet"),
    "names alone": (b"host,ts", "empty"),
    "too many columns": (",".join(f"c{index}" for index in range(501)).encode() + b"\n1", "too_many_fields"),
    "too many rows": (b"[" + b"1," * 200_000 + b"1]", "too_much"),
    "deep nesting": (b"[" * 100_000, "not_json"),
}


@pytest.mark.parametrize(("body", "code"), NO_SAMPLES.values(), ids=NO_SAMPLES.keys())
def test_what_is_no_sample_is_refused_with_a_hint(body: bytes, code: str) -> None:
    with pytest.raises(DecodeError) as refused:
        read_sample(body)
    assert (refused.value.code, bool(refused.value.hint)) == (code, True)


def test_lateness_proposes_what_covers_it() -> None:
    times = [
        1_719_824_400_000_000 + 1_000_000 * index - (7_000_000 if index % 10 == 0 else 0)
        for index in range(1000)
    ]
    result = measure(times)
    assert (result.unordered, result.quantiles["max"], result.proposal) == (99, 6_000_000, "10s")
    assert result.quantiles["p50"] == 0


@pytest.mark.parametrize("times", [range(50), range(50, 0, -1)])
def test_an_order_that_says_nothing_proposes_what_is_usual(times: range) -> None:
    result = measure([place * 1_000_000 for place in times])
    assert result.proposal == "30s"
    assert "says nothing" in result.words


def test_a_long_sample_is_retained_whole() -> None:
    result = guess_body(
        format_lines([{"host": "a", "ts": 1_719_824_400 + 86_400 * day} for day in range(30)])
    )
    assert result.document["retention"] == "90d"


@given(st.lists(st.integers(-(10**15), 10**15), min_size=1, max_size=40))
def test_lateness_is_the_distance_to_the_greatest_before(times: list[int]) -> None:
    expected = [max(max(times[:index], default=time) - time, 0) for index, time in enumerate(times)]
    late = compute_lateness(pa.array(times).to_numpy())
    assert late.tolist() == expected
    assert compute_quantiles(late)["max"] == max(expected)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_sample_or_none(body: bytes) -> None:
    refused = ""
    try:
        unit = guess(read_sample(body), {}).document["unit"]
    except DecodeError as why:
        unit, refused = "", why.hint
    assert unit or refused


def stops(**more: Any) -> list[dict[str, Any]]:
    return [
        {
            "machine": f"m{index % 3}",
            "start": f"2024-07-01T0{index}:00:00Z",
            "end": f"2024-07-01T0{index}:30:00Z",
        }
        | more
        for index in range(9)
    ]


def test_the_end_of_a_row_is_guessed_by_its_name_unit_and_order() -> None:
    result = guess_body(format_lines(stops(reason="tool")))
    assert [result.document[role] for role in ("key", "time", "until")] == ["machine", "start", "end"]
    assert result.document["fields"] == {"reason": "text"}
    assert result.refused == 0
    (why,) = [guess.why for guess in result.guesses if guess.what == "until"]
    assert why == "2024-07-01T00:30:00Z is a time as those of start, and end is what ends are called"


def test_an_open_row_has_no_end_and_the_guess_stands() -> None:
    rows = stops()
    assert guess_body(format_lines([*rows, {**rows[0], "end": None}])).document["until"] == "end"


@pytest.mark.parametrize(
    "ends",
    [
        {"end": "2024-06-30T00:00:00Z"},
        {"end": 1_719_824_400_000},
        {"end": "shift"},
        {"end": None, "seen": "2024-07-02T00:00:00Z"},
    ],
)
def test_what_is_before_the_time_of_another_unit_or_otherwise_called_is_no_end(ends: dict[str, Any]) -> None:
    result = guess_body(format_lines(stops(**ends)), time="start")
    assert result.document["until"] is None
    assert "until" not in [guess.what for guess in result.guesses]


def test_who_says_that_rows_have_no_end_is_believed() -> None:
    assert guess_body(format_lines(stops()), until=None).document["until"] is None


def test_what_lies_inside_objects_is_proposed_by_path() -> None:
    events = [
        {
            "data": {"device": f"d{index % 2}", "at": 1_719_824_400 + index, "on": True},
            "tags": [{"n": 1}, {"m": 2}],
        }
        for index in range(6)
    ]
    result = guess_body(format_lines(events))
    assert (result.document["key"], result.document["time"]) == ("data.device", "data.at")
    assert result.document["fields"] == {"data.on": "bool", "tags[0].n": "number"}
    assert not result.problems
    assert result.rows[0].values["tags"] == '[{"n":1},{"m":2}]'


@pytest.mark.parametrize(
    ("texts", "unit", "others"),
    [
        ([f"24/03/{day:02}" for day in range(1, 20)], "%y/%m/%d", ["%d/%m/%y"]),
        ([f"{day:02}/03/24" for day in range(1, 20)], "%d/%m/%y", ["%y/%m/%d"]),
        ([f"03/{day:02}/24" for day in range(1, 13)], "%m/%d/%y", ["%y/%m/%d", "%d/%m/%y"]),
        ([f"24-03-{day:02} 10:00:00" for day in range(1, 20)], "%y-%m-%d %H:%M:%S", ["%d-%m-%y %H:%M:%S"]),
        ([f"2024{day:03}" for day in range(60, 80)], "%Y%j", []),
        ([f"2403{day:02}" for day in range(1, 20)], "%y%m%d", []),
        ([f"202403{day:02}1230" for day in range(1, 20)], "%Y%m%d%H%M", []),
        ([f"2403{day:02}123015" for day in range(1, 20)], "%y%m%d%H%M%S", []),
    ],
)
@pytest.mark.parametrize("form", ["csv", "json"])
def test_dates_with_two_digits_a_year_and_dates_of_digits(
    texts: list[str], unit: str, others: list[str], form: str
) -> None:
    values = [int(text) if text.isdigit() else text for text in texts]
    lines = [json.dumps({"key": "AB"[index % 2], "at": value}).encode() for index, value in enumerate(values)]
    table = "key,at\n" + "".join(f"{'AB'[index % 2]},{text}\n" for index, text in enumerate(texts))
    guessed = guess(read_sample(table.encode() if form == "csv" else b"\n".join(lines)), {})
    [told] = [item for item in guessed.guesses if item.what == "unit"]
    assert told.value == unit
    assert [item.value for item in told.alternatives if "%" in item.value] == others
    assert ("no value tells which number is the year" in told.why) == bool(others)
    assert guessed.refused == 0
