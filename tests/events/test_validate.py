"""The door for events: what is taken, in which form, and what is refused, by line, with nothing taken."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from timeline_app.landing.request_body import read_batch
from timeline_app.plan import BadEvents, EventBatch, StreamDeclaration

DECLARED: dict[str, Any] = {
    "key": "k",
    "time": "t",
    "unit": "ms",
    "id": "id",
    "fields": {"n": "number", "on": "bool"},
}
STREAM = StreamDeclaration.from_document("s", DECLARED)
GOOD = b'{"k": "a", "t": 1}'


def build_stream(**changes: Any) -> StreamDeclaration:
    return StreamDeclaration.from_document("s", {**DECLARED, **changes})


def format_lines(*events: Any) -> bytes:
    return "\n".join(json.dumps(item) for item in events).encode()


BAD: dict[str, tuple[bytes, str | None, str]] = {
    "not JSON": (b'{"k": "a", "t": 1', None, "cut_short"),
    "not UTF-8": (b'{"k": "\xff", "t": 1}', None, "not_utf8"),
    "NaN": (b'{"k": "a", "t": 1, "n": NaN}', "n", "not_json"),
    "beyond all floats": (b'{"k": "a", "t": 1, "n": 1e999}', None, "not_json"),
    "half a character": (b'{"k": "\\ud800", "t": 1}', "k", "not_json"),
    "bottomless": (b'{"k": "a", "t": 1, "x": ' + b"[" * 3_000 + b"]" * 3_000 + b"}", None, "not_json"),
    "a list": (b"[1]", None, "not_an_object"),
    "null": (b"null", None, "not_an_object"),
    "no key": (b'{"t": 1}', "k", "missing_key"),
    "an empty key": (b'{"k": "", "t": 1}', "k", "missing_key"),
    "a key that is true": (b'{"k": true, "t": 1}', "k", "bad_key"),
    "a key with NUL": (b'{"k": "a\\u0000", "t": 1}', "k", "bad_key"),
    "an endless key": (format_lines({"k": "a" * 1_025, "t": 1}), "k", "key_too_long"),
    "no time": (b'{"k": "a", "t": null}', "t", "missing_time"),
    "a time that is true": (b'{"k": "a", "t": true}', "t", "bad_time"),
    "a time in words": (b'{"k": "a", "t": "noon"}', "t", "bad_time"),
    "a time with underscores": (b'{"k": "a", "t": "1_000"}', "t", "bad_time"),
    "a time after the year 9999": (b'{"k": "a", "t": 1719820800000000}', "t", "bad_time"),
    "a time before the year 1": (b'{"k": "a", "t": -99999999999999}', "t", "bad_time"),
    "text for a number": (b'{"k": "a", "t": 1, "n": "5"}', "n", "wrong_type"),
    "true for a number": (b'{"k": "a", "t": 1, "n": true}', "n", "wrong_type"),
    "a number for a bool": (b'{"k": "a", "t": 1, "on": 1}', "on", "wrong_type"),
    "a nested field": (b'{"k": "a", "t": 1, "n": {"y": 1}}', "n", "nested"),
    "a nested id": (b'{"k": "a", "t": 1, "id": [1]}', "id", "nested"),
    "a NUL in a value": (format_lines({"k": "a", "t": 1, "x": "y\0"}), "x", "bad_text"),
    "a NUL in a name": (format_lines({"k": "a", "t": 1, "x\0": "y"}), "x\0", "bad_text"),
    "an endless name": (format_lines({"k": "a", "t": 1, "x" * 1_025: "y"}), f"{'x' * 40}…", "name_too_long"),
    "an endless value": (format_lines({"k": "a", "t": 1, "x": "y" * 65_537}), "x", "value_too_long"),
    "too many fields": (
        format_lines({"k": "a", "t": 1, **{f"f{n}": 1 for n in range(500)}}),
        None,
        "too_many_fields",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_event_is_refused_by_its_line_and_nothing_is_taken(name: str) -> None:
    line, field, code = BAD[name]
    with pytest.raises(BadEvents) as bad:
        read_batch(b"\n".join([GOOD, b"", line, GOOD]), STREAM)
    (problem,) = bad.value.problems
    assert (problem.line, problem.field, problem.code) == (3, field, code)
    assert problem.message


def test_every_bad_line_is_told_up_to_a_hundred() -> None:
    with pytest.raises(BadEvents) as bad:
        read_batch(b"\n".join([b"{}", GOOD, b"x", b'{"k": "a"}']), STREAM)
    assert [(item.line, item.code) for item in bad.value.problems] == [
        (1, "missing_key"),
        (3, "not_json"),
        (4, "missing_time"),
    ]
    with pytest.raises(BadEvents) as bad:
        read_batch(b"{}\n" * 5_000, STREAM)
    assert len(bad.value.problems) == 100


@pytest.mark.parametrize("body", [b"", b"\n \n", b"[]"])
def test_nothing_at_all_is_refused(body: bytes) -> None:
    with pytest.raises(BadEvents) as bad:
        read_batch(body, STREAM)
    assert [item.code for item in bad.value.problems] == ["empty"]


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"[" + GOOD, "cut_short"), (b'[{"k": 1,]', "not_json"), (b"[" * 5_000, "not_json")],
)
def test_a_broken_array_is_refused(body: bytes, code: str) -> None:
    with pytest.raises(BadEvents) as bad:
        read_batch(body, STREAM)
    assert [item.code for item in bad.value.problems] == [code]


def test_an_array_counts_its_elements() -> None:
    with pytest.raises(BadEvents) as bad:
        read_batch(b'\n[\n{"k": "a", "t": 1},\n5]', STREAM)
    assert [(item.line, item.code) for item in bad.value.problems] == [(2, "not_an_object")]
    assert read_batch(b'[{"k": "a", "t": 1}, {"k": "b", "t": 2}]', STREAM).keys == ["a", "b"]


def test_values_are_kept_in_their_canonical_text() -> None:
    raw = {"k": 7, "t": 1, "id": 12, "n": 2, "on": False, "a": "é", "b": 1.5, "c": True, "d": None}
    batch = read_batch(format_lines(raw), STREAM)
    assert (batch.keys, batch.times, batch.ids) == (["7"], [1_000], ["12"])
    assert dict(batch.fields[0]) == {"id": "12", "n": "2.0", "on": "false", "a": "é", "b": "1.5", "c": "true"}
    assert batch.texts == ['{"a":"é","b":1.5,"c":true,"d":null,"id":12,"k":7,"n":2,"on":false,"t":1}']


def test_line_ends_of_windows_and_blank_lines_are_fine() -> None:
    assert read_batch(GOOD + b"\r\n\r\n" + GOOD + b"\r\n", STREAM).size == 2


@pytest.mark.parametrize(
    ("unit", "raw", "micros"),
    [
        ("s", 1, 1_000_000),
        ("s", 1719820800.123456, 1_719_820_800_123_456),
        ("s", "-1.5", -1_500_000),
        ("ms", 0.001, 1),
        ("us", "1719820800000000", 1_719_820_800_000_000),
        ("iso8601", "2024-07-01T08:00:00Z", 1_719_820_800_000_000),
        ("iso8601", "2024-07-01T10:00:00.000001+02:00", 1_719_820_800_000_001),
        ("iso8601", "2024-07-01T08:00:00", 1_719_820_800_000_000),
        ("iso8601", "1969-12-31T23:59:59.999999Z", -1),
        ("iso8601", "0001-01-01T00:00:00Z", -62_135_596_800_000_000),
        ("iso8601", "9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ],
)
def test_a_time_is_converted_once_to_microseconds(unit: str, raw: Any, micros: int) -> None:
    assert read_batch(format_lines({"k": "a", "t": raw}), build_stream(unit=unit)).times == [micros]


@pytest.mark.parametrize("raw", [1719820800, "yesterday", "2024-13-01T00:00:00Z", "", True, ["2024-07-01"]])
def test_what_is_no_iso_time_is_refused(raw: Any) -> None:
    with pytest.raises(BadEvents):
        read_batch(format_lines({"k": "a", "t": raw}), build_stream(unit="iso8601"))


def test_leniently_a_mistyped_value_counts_as_missing_and_is_counted() -> None:
    batch = EventBatch(STREAM)
    batch.add({"k": "a", "t": 1, "n": "x", "on": "yes", "id": [1], "a": 5}, strict=False)
    assert batch.fields == [[("a", "5")]]
    assert batch.mistyped == 3


@given(st.binary(max_size=60) | st.text(max_size=40).map(str.encode))
def test_whatever_comes_is_taken_or_refused(body: bytes) -> None:
    with suppress(BadEvents):
        assert read_batch(body, STREAM).size


@pytest.mark.parametrize("body", [b'{"k": "a", "t": 1}', b'[{"k": "a", "t": 1}]'])
def test_a_byte_order_mark_is_no_part_of_the_events(body: bytes) -> None:
    assert read_batch(b"\xef\xbb\xbf" + body, STREAM).keys == ["a"]
