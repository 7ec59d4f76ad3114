"""Files whose fields are mapped: read by column they say what their events say one by one."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.evaluate.desk import CIRR, EVENTS, EXPECTED, Desk
from tests.evaluate.reading import SETTINGS
from tests.events.test_mapping import DISTINCT, NAMES, VALUES
from timeline_app.evaluate.files import read_file
from timeline_app.evaluate.tables import EventTable
from timeline_app.events.decode import Notes
from timeline_app.events.mapping import FieldMapping, parse_mapping
from timeline_app.events.uploads import read_whole
from timeline_app.plan import BadEvents, StreamDeclaration

DECLARED = StreamDeclaration.from_document(
    "s", {"key": "k", "time": "t", "fields": {"a": "number", "b": "bool", "d": "number"}}
)
FIELDS = ("a", "b", "c", "d", "e")
T = 1_719_824_400_000


def describe_reading(read: Any) -> object:
    """What comes of reading: columns, names and warnings, or every reason why not."""
    try:
        table: EventTable = read()
    except BadEvents as bad:
        return bad.problems
    columns = [column.to_pylist() for column in table.table.columns]
    return columns, [str(warning) for warning in table.warnings]


def read_by_event(body: bytes, mapping: FieldMapping) -> object:
    return describe_reading(
        lambda: EventTable.from_batch(read_whole(body, DECLARED, 1_000, Notes(), mapping), FIELDS)
    )


def read_by_column(path: Path, mapping: FieldMapping) -> object:
    return describe_reading(lambda: read_file(str(path), DECLARED, FIELDS, mapping))


@SETTINGS
@example([{"to": "a", "cast": "number"}], [{"a": None}])
@example([{"to": "a", "from": "b"}, {"to": "b", "from": "a"}], [{"a": 1}, {"b": True}])
@given(DISTINCT, st.lists(st.dictionaries(NAMES, VALUES), min_size=1, max_size=6))
def test_columns_are_mapped_as_events_are(
    tmp_path: Path, rules: list[dict[str, Any]], events: list[dict[str, Any]]
) -> None:
    mapping = parse_mapping(rules)
    rows = [{"k": "m", "t": T + index, **event} for index, event in enumerate(events)]
    body = b"\n".join(map(orjson.dumps, rows))
    (tmp_path / "e.jsonl").write_bytes(body)
    assert read_by_column(tmp_path / "e.jsonl", mapping) == read_by_event(body, mapping)
    text = io.StringIO()
    table = csv.DictWriter(text, ["k", "t", *"abcde"], restval="", quoting=csv.QUOTE_MINIMAL)
    table.writeheader()
    table.writerows(rows)
    (tmp_path / "e.csv").write_text(text.getvalue())
    assert read_by_column(tmp_path / "e.csv", mapping) == read_by_event(text.getvalue().encode(), mapping)


def test_a_table_of_arrow_is_read_at_the_origins_only(tmp_path: Path) -> None:
    rows = {
        "Anlage": ["m1", "m2"],
        "t": [T, T + 1],
        "ctx": [{"Pegel": "1.021,5"}, {"Pegel": " 7 "}],
        "n": ["2.5", "1e3"],
        "unread": [1, 2],
    }
    pq.write_table(pa.table(rows), tmp_path / "e.parquet")
    mapping = parse_mapping([
        {"to": "k", "from": "Anlage"}, {"to": "a", "from": "ctx.Pegel", "cast": "decimal_comma"},
        {"to": "d", "from": "n", "cast": "number"}, {"to": "b", "constant": True},
    ])  # fmt: skip
    table = read_file(str(tmp_path / "e.parquet"), DECLARED, FIELDS, mapping)
    read = {name: table.table[name].to_pylist() for name in ("key", "v0", "v1", "v3")}
    assert read == {"key": ["m1", "m2"], "v0": [1021.5, 7.0], "v1": [True, True], "v3": [2.5, 1000.0]}
    assert not table.warnings
    assert {"a", "b", "d"} <= table.names


def test_what_cannot_be_cast_is_mistyped_in_a_field_and_refused_in_a_key(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"k": "7", "t": 1719824400000, "T": "N/A"}\n{"k": "x", "t": 1719824400001, "T": "3"}\n')
    level = {"to": "a", "from": "T", "cast": "number"}
    table = read_file(str(path), DECLARED, ("a",), parse_mapping([level], DECLARED))
    assert table.table["v0"].to_pylist() == [None, 3.0]
    [warning] = table.warnings
    assert warning.message == "1 value of field 'a' not of type number, taken as missing: line 1 'N/A'"
    with pytest.raises(BadEvents) as bad:
        read_file(str(path), DECLARED, ("a",), parse_mapping([level, {"to": "k", "cast": "number"}]))
    [problem] = bad.value.problems
    assert (problem.line, problem.code) == (2, "bad_cast")
    assert "'k' has the value 'x', which is no number" in problem.message


def test_evaluate_maps_fields(desk: Desk) -> None:
    renamed = [
        {"who": item["session_id"], "t": item["t"], "ctx": {"state": item.get("player_state")}}
        for item in EVENTS
    ]
    rules = [{"to": "session_id", "from": "who"}, {"to": "player_state", "from": "ctx.state"}]
    plan, events = desk.write("p.json", CIRR), desk.write("e.jsonl", renamed)
    mapping = desk.write("m.json", json.dumps(rules))
    assert desk.run(plan, events, "--node", "cirr", "--mapping", mapping) == EXPECTED
    assert desk.run(plan, events, "--node", "cirr", "--mapping", f"player={mapping}") == EXPECTED


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[{"to": "a"}]', "m.json: mapping[0]: The rule changes nothing. Say from which field"),
        ('[{"to": "t", "constant": 1}]', "mapping[0].constant: 't' is the time of the stream's events"),
        ("[", "m.json: not a JSON list of rules"),
    ],
)
def test_evaluate_refuses_a_mapping_that_cannot_be_used(desk: Desk, content: str, words: str) -> None:
    plan, events = desk.write("p.json", CIRR), desk.write("e.jsonl", EVENTS)
    assert words in desk.refusal(plan, events, "--mapping", desk.write("m.json", content))
    assert "cannot be read" in desk.refusal(plan, events, "--mapping", "nowhere.json")
