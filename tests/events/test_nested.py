"""Fields inside objects and lists: one answer by column, event by event, from files and from a log."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from timeline_app.algebra.kinds import Kind
from timeline_app.evaluate.files import read_file
from timeline_app.evaluate.tables import EventTable
from timeline_app.events import nested
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.nested import MixedTypes, list_fields, parse_texts, parse_uniform
from timeline_app.events.paths import NESTED, list_paths, read_field, split_path
from timeline_app.events.validate import BadEvents, EventBatch, LineProblem, spell
from timeline_app.landing.log import build_host_table, build_table
from timeline_app.landing.recording import describe_events
from timeline_app.landing.request_body import read_batch, read_events

FIELDS = ("ctx.os", "ctx.temp", "ctx.on", "items[0].sku", "items[1]", "ctx", "ctx.deep.er", "plain")
TYPES = {"ctx.temp": "number", "ctx.on": "bool"}


def build_stream(**more: Any) -> StreamDeclaration:
    return StreamDeclaration.from_document("s", {"key": "k", "time": "t", "fields": TYPES, **more})


SCALARS = st.sampled_from([None, "a", "", "é", 1, -0.0, 1.5, 2**53 + 1, True, False])
LEAVES = SCALARS | st.just([1]) | st.just({"er": "x"})
CONTEXTS = st.dictionaries(st.sampled_from(["os", "temp", "on", "deep", "deep.er"]), LEAVES, max_size=4)
ITEMS = st.lists(SCALARS | st.fixed_dictionaries({"sku": LEAVES}), max_size=3)
EVENTS = st.fixed_dictionaries(
    {"k": st.sampled_from(["a", "b"]), "t": st.integers(1, 9)},
    optional={
        "ctx": CONTEXTS | SCALARS,
        "items": ITEMS,
        "ctx.os": SCALARS,
        "plain": LEAVES,
        "ctx.temp": st.sampled_from([None, 2]),
    },
)


def list_columns(table: pa.Table) -> dict[str, list[Any]]:
    return {name: table[f"v{index}"].to_pylist() for index, name in enumerate(FIELDS)}


def list_problems(read: Callable[[bytes, StreamDeclaration], object], body: bytes) -> tuple[LineProblem, ...]:
    try:
        read(body, build_stream())
    except BadEvents as bad:
        return bad.problems
    return ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=st.lists(EVENTS, min_size=1, max_size=8))
def test_by_column_and_event_by_event_they_are_the_same(tmp_path: Path, events: list[dict[str, Any]]) -> None:
    body = "\n".join(map(json.dumps, events)).encode()
    declaration = build_stream()
    one_by_one = EventBatch(declaration)
    for event in events:
        one_by_one.add(event, strict=False)
    truth = list_columns(EventTable.from_batch(one_by_one, FIELDS).table)
    (tmp_path / "e.jsonl").write_bytes(body)
    assert list_columns(read_file(str(tmp_path / "e.jsonl"), declaration, FIELDS).table) == truth
    problems = list_problems(read_batch, body)
    assert list_problems(read_events, body) == problems
    if problems:
        return
    batch = read_batch(body, declaration)
    landed = read_events(body, declaration)
    assert landed["fields"].to_pylist() == [
        sorted(fields) for fields in build_table(batch)["fields"].to_pylist()
    ]
    assert list_columns(build_host_table(landed, declaration, FIELDS)) == truth


def test_a_name_that_is_spelled_like_the_path_goes_first() -> None:
    assert read_field({"a.b": 1, "a": {"b": 2}}, "a.b") == 1
    assert read_field({"a.b": None, "a": {"b": 2}}, "a.b") == 2
    assert read_field({"a": {"b.c": 1, "b": {"c": 2}}}, "a.b.c") == 1
    assert read_field({"a": [{"b": 1}, [7, 8]]}, "a[1][0]") == 7
    assert read_field({"a": [1]}, "a[1]") is read_field({"a": 1}, "a.b") is None


@pytest.mark.parametrize("name", ["a", "", ".", "a.", ".a", "a[", "a[x]", "a[0", "[0]", "a..b", "a[0]b"])
def test_what_is_no_path_is_a_plain_name(name: str) -> None:
    assert [step.key for step in split_path(name)] == [name]


def test_objects_that_nobody_reads_are_kept_whole_and_come_back() -> None:
    event = {"k": "a", "t": 1, "o": {"b": [1, {"c": None}], "a": 2**63}, "l": [], "x": "y"}
    landed = read_events(json.dumps(event).encode(), build_stream())
    assert dict(landed["fields"][0].as_py()) == {
        "o" + NESTED: '{"a":9223372036854775808,"b":[1,{"c":null}]}',
        "l" + NESTED: "[]",
        "x": "y",
    }
    assert describe_events(landed, build_stream()) == [event]
    assert list_fields(landed["fields"]) == {"o.a", "o.b[0]", "x"}


def test_what_lies_deeper_may_be_key_time_and_id() -> None:
    declaration = build_stream(key="d.key", time="d.at", id="d.ids[0]")
    event = {"d": {"key": "k1", "at": 5, "ids": [7, 8]}}
    for table in (read_events(json.dumps(event).encode(), declaration), _read_one_by_one(event, declaration)):
        assert table.select(["key", "time", "id"]).to_pylist() == [{"key": "k1", "time": 5_000, "id": "7"}]


def _read_one_by_one(event: dict[str, Any], declaration: StreamDeclaration) -> pa.Table:
    return build_table(read_batch(json.dumps(event).encode(), declaration))


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"t": 1, "d": {"k": "a"}}, "the key 'k' is missing; it lies deeper: declare 'd.k'"),
        ({"k": "a", "d": {"e": [{"t": 5}]}}, "the time 't' is missing; it lies deeper: declare 'd.e[0].t'"),
        ({"k": "a", "t": 1, "ctx": {"temp": "warm"}}, "'ctx.temp' is declared number, but is 'warm'"),
        ({"k": "a", "t": 1, "ctx": {"on": {}}}, "'ctx.on' is an object or a list"),
        ({"k": "a", "t": 1, "o": ["x" * 262_144]}, "'o' has 262,148 characters of JSON"),
        ({"k": "a", "t": 1, "o": ["\0"]}, "'o' holds a NUL character"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(event: dict[str, Any], words: str) -> None:
    for read in (read_events, read_batch):
        with pytest.raises(BadEvents) as bad:
            read(json.dumps(event).encode(), build_stream())
        assert words in bad.value.problems[0].message


def test_a_key_of_several_fields_is_their_list_as_json(tmp_path: Path) -> None:
    declaration = build_stream(key=["machine", "d.card"])
    events = [{"machine": 'm"1', "d": {"card": 7}, "t": 1}, {"machine": "m2", "d": {"card": 7}, "t": 2}]
    body = "\n".join(map(json.dumps, events)).encode()
    keys = ['["m\\"1",7]', '["m2",7]']
    assert read_batch(body, declaration).keys == read_events(body, declaration)["key"].to_pylist() == keys
    (tmp_path / "e.jsonl").write_bytes(body)
    pq.write_table(pa.Table.from_pylist(events), tmp_path / "e.parquet")
    for name in ("e.jsonl", "e.parquet"):
        read = read_file(str(tmp_path / name), declaration, ("machine",)).table
        assert read["key"].to_pylist() == keys
        assert read["v0"].to_pylist() == ['m"1', "m2"]
    assert describe_events(read_events(body, declaration), declaration)[0]["machine"] == 'm"1'
    with pytest.raises(BadEvents, match=r"the key 'd\.card' is missing"):
        read_events(b'{"machine": "m", "t": 1}', declaration)


def test_paths_into_structs_of_parquet(tmp_path: Path) -> None:
    events = [
        {"k": "a", "t": 1, "ctx": {"os": "x", "temp": 1.5, "on": True}, "items": [{"sku": "s"}]},
        {"k": "a", "t": 2, "ctx": None, "items": []},
    ]
    pq.write_table(pa.Table.from_pylist(events), tmp_path / "e.parquet")
    (tmp_path / "e.jsonl").write_text("\n".join(map(json.dumps, events)))
    names = [str(tmp_path / name) for name in ("e.parquet", "e.jsonl")]
    by_format = [list_columns(read_file(name, build_stream(), FIELDS).table) for name in names]
    assert by_format[0] == by_format[1]
    assert by_format[0]["ctx.temp"] == [1.5, None]


def test_the_paths_of_a_large_object_are_few() -> None:
    assert len(list_paths("a", {f"n{index}": index for index in range(1_000)})) == 200
    deep: Any = 1
    for _ in range(500):
        deep = {"x": deep}
    assert list_paths("a", deep) == []


def test_maps_of_parquet_are_objects(tmp_path: Path) -> None:
    rows = {"k": ["a"], "t": [1], "ctx": [[("os", "x")]], "o": [{"m": [("os", "y")]}]}
    kind = pa.map_(pa.string(), pa.string())
    schema = pa.schema([("k", "string"), ("t", "int64"), ("ctx", kind), ("o", pa.struct([("m", kind)]))])
    pq.write_table(pa.table(rows, schema), tmp_path / "e.parquet")
    read = read_file(str(tmp_path / "e.parquet"), build_stream(), ("ctx.os", "o.m.os")).table
    assert read.select(["v0", "v1"]).to_pylist() == [{"v0": "x", "v1": "y"}]


UNIFORM = st.fixed_dictionaries(
    {},
    optional={
        "on": st.none() | st.booleans(),
        "temp": st.none()
        | st.integers(-(2**63), 2**64 - 1)
        | st.floats(allow_nan=False, allow_infinity=False),
        "os": st.none() | st.text(),
        "deep": st.none()
        | st.fixed_dictionaries(
            {}, optional={"er": st.none() | st.text(), "temp": st.none() | st.floats(-1, 1)}
        ),
        "deep.er": st.none() | st.text(),
        "unread": st.recursive(st.none() | st.booleans() | st.text(), st.lists, max_leaves=4),
    },
)
KINDS = {
    "ctx.on": Kind.BOOL,
    "ctx.temp": Kind.NUMBER,
    "ctx.os": Kind.TEXT,
    "ctx.deep.er": Kind.TEXT,
    "ctx.deep.temp": Kind.NUMBER,
}


@given(values=st.lists(st.none() | UNIFORM, min_size=1, max_size=6))
def test_a_column_of_uniform_texts_is_read_as_value_by_value(values: list[Any]) -> None:
    texts = pa.array([orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode() for value in values])
    columns = parse_uniform(texts, KINDS)
    for path, kind in KINDS.items():
        assert [None if value is None else format_leaf(value) for value in columns[path].to_pylist()] == [
            spell(read_field({"ctx": value}, path), kind) for value in values
        ]


def format_leaf(value: object) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else repr(value)


@pytest.mark.parametrize(
    ("path", "kind", "values", "read"),
    [
        ("ctx.a", Kind.NUMBER, [1, True, "2", None, -0.0], [1.0, None, None, None, 0.0]),
        ("ctx.a", Kind.TEXT, ["x", 1, 2.5, True, [1]], ["x", "1", "2.5", "true", None]),
        ("ctx.a", Kind.BOOL, [True, 1, "true"], [True, None, None]),
        ("ctx.a.b", Kind.TEXT, [{"b": "x"}, "y", [{"b": "z"}]], ["x", None, None]),
        ("ctx.a[1]", Kind.NUMBER, [[1, 2], [3], {"1": 4}], [2.0, None, None]),
    ],
)
def test_values_of_mixed_types_are_read_one_by_one(
    path: str, kind: Kind, values: list[Any], read: list[Any]
) -> None:
    texts = pa.array([orjson.dumps({"a": value}).decode() for value in values])
    with pytest.raises(MixedTypes):
        parse_uniform(texts, {path: kind})
    column = parse_texts(texts, {path: kind})[path]
    assert column.to_pylist() == read
    assert repr(column.drop_null().to_pylist()) == repr([value for value in read if value is not None])


def test_an_object_that_is_also_a_value_is_read_both_ways() -> None:
    texts = pa.array(['{"a":{"b":"x"}}', '{"a":"y"}'])
    columns = parse_texts(texts, {"ctx.a": Kind.TEXT, "ctx.a.b": Kind.TEXT})
    assert {path: column.to_pylist() for path, column in columns.items()} == {
        "ctx.a": [None, "y"],
        "ctx.a.b": ["x", None],
    }


def test_no_text_gives_columns_without_rows() -> None:
    column = parse_texts(pa.array([], pa.string()), {"ctx.a": Kind.NUMBER})["ctx.a"]
    assert (column.type, len(column)) == (pa.float64(), 0)


def test_texts_are_parsed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested, "PART_TEXTS", 2)
    texts = pa.array([orjson.dumps({"a": value}).decode() for value in [1, 2, "x", 4, 5]])
    assert parse_texts(texts, {"ctx.a": Kind.NUMBER})["ctx.a"].to_pylist() == [1, 2, None, 4, 5]
