"""Fields are renamed, cast and added by rules that read each event as it came."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timeline_app.connectors.messages import decode_messages
from timeline_app.connectors.reading import Message
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.mapping import MAX_RULES, BadMapping, FieldMapping, parse_mapping
from timeline_app.events.validate import WrongEvent
from timeline_app.landing.request_body import read_lines

DECLARED = StreamDeclaration.from_document(
    "s",
    {"key": "machine", "time": "t", "id": "n", "fields": {"level": "number", "live": "bool", "n": "number"}},
)


def map_event(event: dict[str, Any], *rules: dict[str, Any]) -> dict[str, Any]:
    mapping = parse_mapping(list(rules))
    mapped = mapping.rename_fields(event)
    mapping.cast_fields(mapped)
    return mapped


@pytest.mark.parametrize(
    ("rules", "event", "mapped"),
    [
        ([{"to": "b", "from": "a"}], {"a": 1, "c": 2}, {"b": 1, "c": 2}),
        ([{"to": "b", "from": "a"}], {"a": 1, "b": 2}, {"b": 1}),
        ([{"to": "b", "from": "a"}], {"b": 2}, {"b": 2}),
        ([{"to": "b", "from": "a"}], {"a": None, "b": 2}, {"b": 2}),
        ([{"to": "a", "from": "b"}, {"to": "b", "from": "a"}], {"a": 1, "b": 2}, {"a": 2, "b": 1}),
        ([{"to": "a", "from": "b"}, {"to": "b", "from": "a"}], {"a": 1}, {"b": 1}),
        ([{"to": "b", "from": "a"}, {"to": "c", "from": "a", "cast": "text"}], {"a": 1}, {"b": 1, "c": "1"}),
        ([{"to": "os", "from": "ctx.os"}], {"ctx": {"os": "x"}}, {"ctx": {"os": "x"}, "os": "x"}),
        ([{"to": "sku", "from": "items[1].sku"}], {"items": [{}, {"sku": 7}]}, {"items": [{}, {"sku": 7}], "sku": 7}),
        ([{"to": "os", "from": "ctx.os"}], {"ctx.os": "x"}, {"os": "x"}),
        ([{"to": "a", "cast": "number"}], {"a": None}, {"a": None}),
        ([{"to": "site", "constant": "Berlin"}], {"site": "Rome"}, {"site": "Berlin"}),
        ([{"to": "live", "constant": False}, {"to": "n", "constant": 0}], {}, {"live": False, "n": 0}),
    ],
)  # fmt: skip
def test_rules_rename_read_paths_and_add(rules: Any, event: Any, mapped: Any) -> None:
    before = orjson.dumps(event)
    assert map_event(event, *rules) == mapped
    assert orjson.dumps(event) == before, "the event itself stays"


@pytest.mark.parametrize(
    ("cast", "value", "result"),
    [
        ("number", "21.5", 21.5), ("number", " +7 ", 7), ("number", "1e3", 1000.0), ("number", "1,234.5", 1234.5),
        ("number", 4, 4), ("number", True, 1), ("number", "123456789012345678", 123456789012345678),
        ("number", "-0012", -12), ("number", " ", None),
        ("decimal_comma", "21,5", 21.5), ("decimal_comma", "1.234,5", 1234.5), ("decimal_comma", "1.234", 1234.0),
        ("decimal_comma", "7", 7), ("decimal_comma", 2.5, 2.5), ("decimal_comma", "", None),
        ("bool", "Yes", True), ("bool", "no", False), ("bool", 1, True), ("bool", 0.0, False), ("bool", "ON", True),
        ("bool", " f ", False), ("bool", True, True), ("bool", "", None),
        ("bool", "WAHR", True), ("bool", "nein", False),
        ("text", 7, "7"), ("text", 2.5, "2.5"), ("text", True, "true"), ("text", "x", "x"),
    ],
)  # fmt: skip
def test_values_are_cast(cast: str, value: object, result: object) -> None:
    cast_value = map_event({"a": value}, {"to": "a", "cast": cast})["a"]
    assert (cast_value, type(cast_value)) == (result, type(result))


@pytest.mark.parametrize(
    ("cast", "value", "words"),
    [
        ("number", "21,5", "'b', which was 'a', has the value '21,5', which is no number with a decimal point"),
        ("number", "21,5", "or cast as decimal_comma"),
        ("number", "warm", "is no number with a decimal point"),
        ("number", "1e999", "is no number"),
        ("number", [1], "map the fields inside it"),
        ("decimal_comma", "21.5", "is no number with a decimal comma; correct it, or cast as number"),
        ("bool", "perhaps", "is neither true nor false; write true or false, yes or no"),
        ("bool", 2, "is neither true nor false"),
        ("text", {"a": 1}, "is no text; map the fields inside it"),
    ],
)  # fmt: skip
def test_what_cannot_be_cast_is_told_by_field_and_value(cast: str, value: object, words: str) -> None:
    with pytest.raises(WrongEvent) as refused:
        map_event({"a": value}, {"to": "b", "from": "a", "cast": cast})
    assert (refused.value.name, refused.value.code) == ("b", "bad_cast")
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("document", "places"),
    [
        ({"to": "a"}, ["mapping"]),
        ([{"to": "a", "from": "b"}] * (MAX_RULES + 1), ["mapping"]),
        (["a"], ["mapping[0]"]),
        ([{"to": "a", "from": "b"}, {"to": "a", "from": "c"}], ["mapping[1].to"]),
        ([{"to": "a", "cast": "numbr"}], ["mapping[0].cast"]),
        ([{"to": "a", "cast": ["number"]}], ["mapping[0].cast"]),
        ([{"to": "a"}], ["mapping[0]"]),
        ([{"to": "a", "from": "a"}], ["mapping[0]"]),
        ([{"to": " ", "from": "x" * 201}], ["mapping[0].to", "mapping[0].from"]),
        ([{"to": "a\0", "from": "b"}], ["mapping[0].to"]),
        ([{"to": "a", "constant": 1, "cast": "text"}], ["mapping[0]"]),
        ([{"to": "a", "constant": [1]}], ["mapping[0].constant"]),
        ([{"to": "a", "constant": "x" * 1001}], ["mapping[0].constant"]),
        ([{"to": "a", "constant": 10**30}], ["mapping[0].constant"]),
        ([{"to": "a", "constant": float("nan")}], ["mapping[0].constant"]),
        ([{"to": "a", "form": "b"}], ["mapping[0].form", "mapping[0]"]),
        ([{"to": "t", "constant": 1}, {"to": "n", "constant": 1}], ["mapping[0].constant", "mapping[1].constant"]),
        ([{"to": "t", "from": "at", "cast": "bool"}], ["mapping[0].cast"]),
    ],
)  # fmt: skip
def test_all_that_is_wrong_with_a_mapping_is_told_by_place(document: object, places: list[str]) -> None:
    with pytest.raises(BadMapping) as bad:
        parse_mapping(document, DECLARED)
    assert [place for place, _, _ in bad.value.problems] == places
    assert all(words and hint for _, words, hint in bad.value.problems)


NAMES = st.sampled_from("abcde")
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.sampled_from(["1", "2,5", "yes", "x", ""])
)
RULES = st.one_of(
    st.builds(lambda to, origin: {"to": to, "from": origin}, NAMES, NAMES).filter(lambda r: r["to"] != r["from"]),
    st.builds(lambda to, origin, cast: {"to": to, "from": origin, "cast": cast}, NAMES, NAMES,
              st.sampled_from(["text", "number", "bool", "decimal_comma"])),
    st.builds(lambda to, value: {"to": to, "constant": value}, NAMES, st.sampled_from(["k", 1, True])),
)  # fmt: skip


DISTINCT = st.lists(RULES, max_size=5, unique_by=lambda rule: str(rule["to"]))


@given(
    DISTINCT,
    st.dictionaries(NAMES, VALUES),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rules_does_not_matter(
    rules: list[dict[str, Any]], event: dict[str, Any], chance: random.Random
) -> None:
    def map_in_order(order: list[dict[str, Any]]) -> object:
        try:
            return map_event(event, *order)
        except WrongEvent as why:
            return sorted(str(why).split("; "))

    shuffled = list(rules)
    chance.shuffle(shuffled)
    assert map_in_order(rules) == map_in_order(shuffled)
    assert parse_mapping(parse_mapping(rules).to_document()) == parse_mapping(rules)


@given(DISTINCT, st.lists(st.dictionaries(NAMES, VALUES), min_size=1, max_size=8))
def test_messages_together_are_mapped_as_each_by_itself(
    rules: list[dict[str, Any]], events: list[dict[str, Any]]
) -> None:
    mapping = parse_mapping(rules)
    messages = [Message(orjson.dumps(event), "p", number) for number, event in enumerate(events)]
    together = decode_messages([Message(b"\n".join(map(orjson.dumps, events)), "p", 0)], DECLARED, mapping)
    apart = [decode_messages([message], DECLARED, mapping) for message in messages]
    assert together.lines == [line for item in apart for line in item.lines]
    assert [rejected.problem.message for rejected in together.wrong] == [
        rejected.problem.message for item in apart for rejected in item.wrong
    ]


MAPPING = [
    {"to": "machine", "from": "asset"},
    {"to": "t", "from": "when"},
    {"to": "level", "from": "Pegel", "cast": "decimal_comma"},
    {"to": "live", "cast": "bool"},
    {"to": "site", "constant": "Berlin"},
]


def decode(value: bytes, mapping: FieldMapping, declared: StreamDeclaration = DECLARED) -> Any:
    lines = decode_messages([Message(value, "p", 1)], declared, mapping)
    table, problems = read_lines(lines.lines, declared) if lines.lines else (None, [])
    return table, [rejected.problem for rejected in lines.wrong] + problems, lines


def test_a_table_in_a_message_is_decoded_and_mapped() -> None:
    text = b"asset;when;Pegel;live;n\nm1;1719824400000;1.021,5;perhaps;1\nm2;1719824401000;3,5;yes;2\n"
    table, problems, lines = decode(text, parse_mapping(MAPPING, DECLARED))
    assert [problem.code for problem in problems] == ["bad_cast"]
    assert "'live' has the value 'perhaps'" in problems[0].message
    kept = orjson.loads(lines.wrong[0].text)
    assert (kept["machine"], kept["level"], kept["live"], kept["site"]) == ("m1", 1021.5, "perhaps", "Berlin")
    assert table["key"].to_pylist() == ["m2"]
    assert orjson.loads(lines.lines[0]) == {
        "machine": "m2", "t": "1719824401000", "level": 3.5, "live": True, "site": "Berlin", "n": 2,
    }  # fmt: skip


def test_a_renamed_column_is_decoded_by_the_type_of_its_field() -> None:
    mapping = parse_mapping([{"to": "level", "from": "Pegel"}, {"to": "machine", "constant": "m9"}])
    table, problems, lines = decode(b"t;Pegel\n1719824400000;21,5\n", mapping)
    assert not problems
    assert orjson.loads(lines.lines[0]) == {"t": "1719824400000", "level": 21.5, "machine": "m9"}
    assert table["key"].to_pylist() == ["m9"]


def test_a_key_of_several_fields_is_mapped_field_by_field() -> None:
    declared = StreamDeclaration.from_document("s", {"key": ["machine", "card"], "time": "t"})
    mapping = parse_mapping([{"to": "machine", "from": "asset"}])
    table, problems, _ = decode(b'{"asset": "m1", "card": 7, "t": 1719824400000}', mapping, declared)
    assert not problems
    assert table["key"].to_pylist() == ['["m1",7]']
