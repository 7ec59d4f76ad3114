"""Whole columns at the door say what the rules for one event say, whatever comes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timeline_app.algebra.events import UNTIL
from timeline_app.landing import request_body
from timeline_app.landing.log import build_table
from timeline_app.landing.request_body import TooManyEvents, read_batch, read_events
from timeline_app.plan import BadEvents, StreamDeclaration
from timeline_app.web.streams.ingest import collect_field_names

DECLARED: dict[str, Any] = {"key": "k", "time": "t", "id": "id", "fields": {"n": "number", "on": "bool"}}
TYPED = st.fixed_dictionaries(
    {
        "k": st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=3)
        | st.integers(0, 9),
        "t": st.integers(0, 2_000_000_000_000),
    },
    optional={
        "id": st.text(max_size=2),
        "n": st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False),
        "on": st.none() | st.booleans(),
        "x": st.text(max_size=3),
        "y": st.none() | st.text(max_size=2) | st.integers(-5, 5) | st.booleans() | st.floats(-1e30, 1e30),
        "z": st.integers() | st.none(),
        "e": st.none() | st.just("") | st.integers(1_000_000_000_000, 4_000_000_000_000),
    },
)
LOOSE = st.dictionaries(
    st.sampled_from(["k", "t", "id", "n", "on", "x", "e"]),
    st.none()
    | st.booleans()
    | st.integers(-5, 2**65)
    | st.floats()
    | st.text(max_size=2)
    | st.just([1])
    | st.just("\0"),
)


def build_stream(unit: str = "ms", declared: dict[str, Any] = DECLARED) -> StreamDeclaration:
    return StreamDeclaration.from_document("s", declared | {"unit": unit})


def list_rows(table: pa.Table) -> list[dict[str, Any]]:
    return [row | {"fields": dict(row["fields"])} for row in table.to_pylist()]


def read_by_columns(body: bytes, declared: StreamDeclaration) -> list[Any]:
    """What the door takes of a body, or why it refuses it."""
    return _answer(lambda: read_events(body, declared))


def read_one_by_one(body: bytes, declared: StreamDeclaration) -> list[Any]:
    """The same by the rules for one event."""
    return _answer(lambda: build_table(read_batch(body, declared)))


def _answer(read: Callable[[], pa.Table]) -> list[Any]:
    try:
        return list_rows(read())
    except BadEvents as bad:
        return list(bad.problems)


@given(st.lists(TYPED, min_size=1, max_size=5), st.sampled_from(["ms", "us", "s"]), st.booleans())
def test_good_events_are_the_same_by_columns_as_one_by_one(events: list[Any], unit: str, ids: bool) -> None:
    body = "\n".join(json.dumps(event) for event in events).encode()
    declared = build_stream(unit, DECLARED if ids else DECLARED | {"id": None})
    array = json.dumps(events).encode()
    assert read_by_columns(body, declared) == read_one_by_one(body, declared)
    assert read_by_columns(array, declared) == read_one_by_one(array, declared)


@given(st.lists(TYPED | LOOSE, min_size=1, max_size=5), st.booleans())
def test_rows_with_ends_are_the_same_by_columns_as_one_by_one(events: list[Any], ids: bool) -> None:
    body = "\n".join(json.dumps(event) for event in events).encode()
    declared = build_stream("ms", DECLARED | {"id": "id" if ids else None, "until": "e"})
    assert read_by_columns(body, declared) == read_one_by_one(body, declared)


def test_ends_are_kept_in_microseconds_and_shown_to_nobody_as_a_field() -> None:
    declared = build_stream("iso8601", DECLARED | {"until": "e"})
    body = b"""{"k": "a", "t": "1970-01-01T00:00:01Z", "e": "1970-01-01T01:00:02+01:00", "_until": "mine"}
        {"k": "a", "t": "1970-01-01T00:00:01Z"}"""
    table = read_events(body, declared)
    assert [dict(row["fields"]).get(UNTIL) for row in table.to_pylist()] == ["2000000", None]
    assert collect_field_names(table) == {"e"}
    assert read_batch(body, declared).field_names == {"e"}


@given(st.lists(LOOSE | TYPED | st.integers() | st.none(), max_size=4), st.sampled_from(["ms", "iso8601"]))
def test_bad_events_are_refused_alike(events: list[Any], unit: str) -> None:
    body, declared = "\n".join(json.dumps(event) for event in events).encode(), build_stream(unit)
    assert read_by_columns(body, declared) == read_one_by_one(body, declared)


@given(st.binary(max_size=40))
def test_no_bytes_are_taken_that_are_no_events(body: bytes) -> None:
    assert read_by_columns(body, build_stream()) == read_one_by_one(body, build_stream())


@pytest.mark.parametrize(
    "event",
    [
        {"k": "é" * 600, "t": 1},
        {"k": "a" * 1_025, "t": 1},
        {"k": "a", "t": 1, "x": "é" * 40_000},
        {"k": "a", "t": 1, "x": "y" * 65_537},
        {"k": "a", "t": 1, "x": "\\u0000"},
        {"k": "a", "t": 1, "x" * 1_024: "y"},
        {"k": "a", "t": 1, "x" * 1_025: "y"},
        {"k": "a", "t": 1, "x" * 1_025: None},
        {"k": "a", "t": 1, **{f"f{n}": n for n in range(100)}},
        {"k": "a", "t": 1, **{f"f{n}": n for n in range(500)}},
        {"k": "a", "t": "1719820800000"},
        {"k": "a", "t": 1.5},
        {"k": "a", "t": 2**62},
        {"k": "a", "t": 2**64},
        {"k": 2**63, "t": 1},
        {"k": 1.5, "t": 1, "x": 1e22, "y": -0.0, "n": -0.0},
        {"k": "a", "t": 1, "t2": None},
    ],
)
def test_what_is_odd_is_taken_or_refused_as_one_by_one(event: dict[str, Any]) -> None:
    body = json.dumps(event).encode() + b'\n\n{"k": "b", "t": 2}\r\n'
    assert read_by_columns(body, build_stream()) == read_one_by_one(body, build_stream())


def test_iso_times_are_read_by_columns() -> None:
    body = b'{"k": "a", "t": "2024-07-01T08:00:00Z"}\n{"k": "b", "t": "2024-07-01T10:00:00+02:00"}'
    declared = build_stream("iso8601")
    assert read_by_columns(body, declared) == read_one_by_one(body, declared)


def test_good_rows_with_ends_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(request_body, "read_batch", raise_never)
    declared = build_stream("ms", DECLARED | {"until": "e"})
    assert len(read_events(b'{"k": "a", "t": 1, "e": 2}\n{"k": "b", "t": 2, "e": null}', declared)) == 2


def test_good_events_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(request_body, "read_batch", raise_never)
    body = (
        b'{"k": "a", "t": 1, "id": "i", "n": 2, "on": true, "x": "y", "z": 3}\n{"k": "b", "t": 2, "n": 1.5}'
    )
    assert len(read_events(body, build_stream())) == 2


@pytest.mark.parametrize(
    "body",
    [
        b"[" + b",".join([b"{}"] * 4) + b"]",
        b"{}\n" * 4,
        b"{\n" * 4,
        b"k,t\n" + b"a,1\n" * 4,
        gzip.compress(b"k,t\n" + b"a,1\n" * 4),
        b"\n" * 7,
    ],
)
def test_a_request_has_a_limit_of_events(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_body, "MAX_EVENTS_PER_REQUEST", 3)
    with pytest.raises(TooManyEvents, match="more than 3 events"):
        read_events(body, build_stream())
