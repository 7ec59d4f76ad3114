"""What a stream may declare, and everything that is wrong with one that may not."""

from __future__ import annotations

from typing import Any

import pytest

from timeline_app.algebra.kinds import Kind
from timeline_app.plan import Refused, StreamDeclaration

GOOD: dict[str, Any] = {"key": "session_id", "time": "t"}
FULL: dict[str, Any] = {
    **GOOD,
    "unit": "us",
    "id": "event_id",
    "fields": {"bitrate": "number", "live": "bool", "state": "text"},
    "allowed_lateness": "90s",
    "retention": "1d",
    "idle_after": "2s",
    "until": "end",
}

BAD: dict[str, tuple[Any, str | None, str, str]] = {
    "a key of no fields": ({**GOOD, "key": []}, "key", "bad_field", "machine"),
    "a key of one field twice": ({**GOOD, "key": ["a", "a"]}, "key", "bad_field", "machine"),
    "a key with a number": ({**GOOD, "key": ["a", 1]}, "key", "bad_field", "machine"),
    "a key with the time": ({**GOOD, "key": ["a", "t"]}, "time", "same_field", "two different fields"),
    "a list": ([], None, "not_an_object", "key"),
    "no key": ({"time": "t"}, "key", "bad_field", "session_id"),
    "an empty time": ({**GOOD, "time": " "}, "time", "bad_field", "session_id"),
    "an id that is a number": ({**GOOD, "id": 7}, "id", "bad_field", "session_id"),
    "an end that is the time": ({**GOOD, "until": "t"}, "until", "same_field", "when it ended"),
    "an end that is a part of the key": (
        {**GOOD, "key": ["line", "end"], "until": "end"},
        "until",
        "same_field",
        "when it ended",
    ),
    "an end that is a list": ({**GOOD, "until": ["end"]}, "until", "bad_field", "session_id"),
    "half a character": ({**GOOD, "key": "\ud83d"}, "key", "bad_field", "session_id"),
    "an unknown unit": ({**GOOD, "unit": "minutes"}, "unit", "bad_unit", "iso8601"),
    "a type of our own": ({**GOOD, "fields": {"n": "int"}}, "fields.n", "bad_type", "number"),
    "an arrival that is a text": (
        {**GOOD, "fields": {"_arrived": "text"}},
        "fields._arrived",
        "bad_type",
        "declare it a number",
    ),
    "fields as a list": ({**GOOD, "fields": ["n"]}, "fields", "bad_fields", "name"),
    "too many fields": (
        {**GOOD, "fields": {f"f{n}": "text" for n in range(501)}},
        "fields",
        "bad_fields",
        "500",
    ),
    "a nameless field": ({**GOOD, "fields": {" ": "text"}}, "fields", "bad_field", "characters"),
    "a lateness without unit": (
        {**GOOD, "allowed_lateness": "30"},
        "allowed_lateness",
        "bad_duration",
        "10min",
    ),
    "idle at once": ({**GOOD, "idle_after": "500ms"}, "idle_after", "too_short", "2s"),
    "idle after nothing": (
        {**GOOD, "idle_after": "0s"},
        "idle_after",
        "too_short",
        "2s or more, or leave it out",
    ),
    "idle after a bare nothing": ({**GOOD, "idle_after": "0"}, "idle_after", "too_short", "2s or more"),
    "idle after a number": ({**GOOD, "idle_after": 10}, "idle_after", "bad_duration", "10min"),
    "a retention of no time": ({**GOOD, "retention": "0d"}, "retention", "bad_duration", "30s"),
    "an unknown key": ({**GOOD, "kee": "x"}, "kee", "unknown_key", "key"),
    "key and time in one": ({"key": "t", "time": "t"}, "time", "same_field", "different"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_declaration_is_refused_with_place_reason_and_hint(name: str) -> None:
    document, port, code, hint = BAD[name]
    with pytest.raises(Refused) as refused:
        StreamDeclaration.from_document("player", document)
    (problem,) = [item for item in refused.value.problems if item.code == code]
    assert (problem.node, problem.port) == ("player", port)
    assert hint in problem.hint


@pytest.mark.parametrize("name", ["", "two words", "1st", "a" * 101, "a-b", "\ud800"])
def test_a_stream_is_named_as_a_variable_is(name: str) -> None:
    with pytest.raises(Refused) as refused:
        StreamDeclaration.from_document(name, GOOD)
    assert [item.code for item in refused.value.problems] == ["bad_name"]


def test_everything_that_is_wrong_comes_at_once() -> None:
    with pytest.raises(Refused) as refused:
        StreamDeclaration.from_document("s", {"unit": 5, "fields": {"n": 1}, "retention": [], "more": 1})
    codes = [item.code for item in refused.value.problems]
    assert sorted(codes) == ["bad_duration", "bad_field", "bad_field", "bad_type", "bad_unit", "unknown_key"]


def test_defaults_are_written_out() -> None:
    declared = StreamDeclaration.from_document("player", GOOD)
    assert declared.to_document() == {
        **GOOD, "unit": "ms", "id": None, "fields": {}, "allowed_lateness": "30s", "retention": "7d",
        "idle_after": None,
        "zone": None,
        "until": None,
        "allowed_ahead": "1d",
        "encoding": None,
    }  # fmt: skip
    assert declared.kind_of("anything") is Kind.TEXT


@pytest.mark.parametrize("document", [GOOD, FULL])
def test_a_declaration_is_read_back_as_it_is(document: dict[str, Any]) -> None:
    declared = StreamDeclaration.from_document("player", document)
    assert StreamDeclaration.from_document("player", declared.to_document()) == declared


def test_durations_are_kept_in_microseconds_and_spelled_in_the_largest_unit() -> None:
    declared = StreamDeclaration.from_document("player", {**FULL, "allowed_lateness": "1.001ms"})
    assert (declared.allowed_lateness, declared.retention) == (1_001, 86_400_000_000)
    assert declared.to_document()["allowed_lateness"] == "1001us"
    assert (
        StreamDeclaration.from_document("p", {**GOOD, "retention": "48h"}).to_document()["retention"] == "2d"
    )


@pytest.mark.parametrize("unit", ["ns", "iso8601", "%d.%m.%Y %H:%M:%S", "%Y-%jT%H"])
def test_units_and_formats_are_kept_as_written(unit: str) -> None:
    declared = StreamDeclaration.from_document("player", GOOD | {"unit": unit})
    assert declared.unit == declared.to_document()["unit"] == unit


@pytest.mark.parametrize(
    ("fields", "port", "words"),
    [
        ({"unit": "minutes"}, "unit", "or write a format"),
        ({"unit": "%c"}, "unit", "language of the machine"),
        ({"unit": "%H:%M"}, "unit", "whole date"),
        ({"unit": "iso8601", "zone": "Europe/Berlni"}, "zone", "did you mean Europe/Berlin"),
        ({"unit": "iso8601", "zone": "../../etc/passwd"}, "zone", "such as Europe/Berlin"),
        ({"unit": "iso8601", "zone": 1}, "zone", "such as Europe/Berlin"),
        ({"unit": "ms", "zone": "Europe/Berlin"}, "zone", "leave zone out"),
    ],
)
def test_bad_units_and_zones_are_refused_in_words(fields: dict[str, Any], port: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        StreamDeclaration.from_document("player", GOOD | fields)
    [problem] = refused.value.problems
    assert problem.port == port
    assert words in problem.hint


def test_a_zone_is_part_of_the_identity() -> None:
    here, other_zone = (
        StreamDeclaration.from_document("player", GOOD | {"unit": "iso8601", "zone": zone})
        for zone in ("Europe/Berlin", None)
    )
    assert here.identity(()) != other_zone.identity(())


def test_a_key_of_several_fields_comes_back_as_it_was_declared() -> None:
    declared = StreamDeclaration.from_document("s", {**GOOD, "key": ["machine", "d.card"]})
    assert declared.key == '["machine","d.card"]'
    assert StreamDeclaration.from_document("s", declared.to_document()) == declared
    assert StreamDeclaration.from_document("s", {**GOOD, "key": ["a"]}).key == "a"
