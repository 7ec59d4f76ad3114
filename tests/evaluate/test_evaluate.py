"""`manage.py evaluate`: a plan and a file of events in, JSON lines out."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from tests.evaluate.desk import EVENTS, EXPECTED, NODES, ROOT, START, STREAM, Desk
from tests.evaluate.running import convert_to_floats
from tests.referee import Referee
from tests.strategies import Drawn, Plan, cases
from timeline_app.plan.reads import list_streams


def test_the_example_of_the_contract_to_the_byte(desk: Desk, plan: str, events: str) -> None:
    assert desk.run(plan, events, "--node", "cirr") == EXPECTED
    assert desk.run(plan, f"player={events}", "--node", "cirr") == EXPECTED


TEXT = """
# A plan may be text.
stream player(key = session_id, time = t, unit = ms, fields = {n: number, live: bool})
cirr = duration_where(
    has_existed(player.player_state == "play")
    and not has_existed_within(player.user_action == "seek", 5s)
    and latest_event_to_state(player.player_state) == "buffer")
"""


def test_a_plan_in_the_text_language_gives_the_same_bytes(desk: Desk, events: str) -> None:
    assert desk.run(desk.write("plan.txt", TEXT), events, "--node", "cirr") == EXPECTED
    with_mark = desk.write("plan.txt", b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert desk.run(with_mark, events, "--node", "cirr") == EXPECTED


def test_standard_input_is_read_by_the_real_command(plan: str, events: str) -> None:
    command = [sys.executable, "manage.py", "evaluate", plan, "-", "--node", "cirr"]
    body = Path(events).read_bytes()
    process = subprocess.run(command, input=body, capture_output=True, cwd=ROOT, timeout=120, check=False)
    assert (process.returncode, process.stdout.decode()) == (0, EXPECTED)
    assert [line.split(";")[0] for line in process.stderr.decode().splitlines()] == [
        "warning: seeking: no event has a field 'user_action'",
        "warning: stream player: the stream declares 'live', 'n', and no event has it",
    ]


def test_csv_and_parquet_say_the_same(desk: Desk, plan: str) -> None:
    names = ["session_id", "t", "player_state"]
    rows = [[str(item.get(name, "")) for name in names] for item in EVENTS]
    csv = desk.write("events.csv", "\n".join(",".join(row) for row in [names, *rows]) + "\n")
    assert desk.run(plan, csv, "--node", "cirr") == EXPECTED
    excel = desk.write("excel.csv", "\ufeff" + "\r\n".join(",".join(row) for row in [names, *rows]))
    assert desk.run(plan, excel, "--node", "cirr") == EXPECTED
    pq.write_table(
        pa.Table.from_pylist([{name: item.get(name) for name in names} for item in EVENTS]),
        desk.folder / "e.parquet",
    )
    assert desk.run(plan, str(desk.folder / "e.parquet"), "--node", "cirr") == EXPECTED


def test_cells_and_columns_are_read_as_their_declared_types(desk: Desk) -> None:
    nodes = {
        name: {"op": "latest_event_to_state", "stream": "player", "params": {"field": name}}
        for name in ("n", "live", "x")
    }
    plan = desk.write(
        "plan.json",
        {"version": 1, "nodes": nodes, "streams": {"player": {**STREAM, "unit": "iso8601", "id": "id"}}},
    )
    csv = """session_id,t,id,n,live,x
s,2024-07-01T08:00:00Z,1,2.5,TRUE,"a,""b"\""
s,2024-07-01T08:00:01Z,2,many,maybe,
"""
    moment = pa.array([1_719_820_800_000_000], pa.timestamp("us", "UTC"))
    table = pa.table(
        {
            "session_id": ["s"],
            "t": moment,
            "id": ["1"],
            "n": [Decimal("2.5")],
            "live": [True],
            "x": ['a,"b"'],
            "raw": [b"\xff"],
        }
    )
    pq.write_table(table, desk.folder / "e.parquet")
    for file in (desk.write("e.csv", csv), str(desk.folder / "e.parquet")):
        values = {
            json.loads(line)["node"]: json.loads(line)["value"]
            for line in desk.run(plan, file, "--at", "2024-07-01T08:00:02Z").splitlines()
        }
        assert values == {"n": 2.5, "live": True, "x": 'a,"b"'}


def test_several_streams_each_from_its_file(desk: Desk) -> None:
    leaf = {"op": "has_existed", "params": {"where": "x is missing"}}
    nodes = {
        "both": {"op": "and", "inputs": {"of": ["a", "b"]}},
        "a": {**leaf, "stream": "one"},
        "b": {**leaf, "stream": "two"},
    }
    plan = desk.write(
        "plan.json",
        {"version": 1, "nodes": nodes, "streams": {"one": STREAM, "two": {**STREAM, "unit": "s"}}},
    )
    item = desk.write("1.jsonl", [{"session_id": "k", "t": 5_000}])
    two = desk.write("2.jsonl", [{"session_id": "k", "t": 9}])
    (line,) = desk.run(plan, f"two={two}", f"one={item}", "--node", "both").splitlines()
    assert json.loads(line)["points"] == [{"t": None, "value": False}, {"t": 9_000_000, "value": True}]
    assert json.loads(line)["final_until"] == 5_000_000 - 30_000_000
    assert "give NAME=FILE once for each" in desk.refusal(plan, item)
    assert "no events for two; give two=FILE" in desk.refusal(plan, f"one={item}")
    assert "no stream 'tow'; did you mean two" in desk.refusal(plan, f"one={item}", f"tow={two}")


def test_lines_are_ordered_by_node_then_key_and_chosen_by_both(desk: Desk, plan: str) -> None:
    some = [{"session_id": key, "t": START} for key in ("b", "é", "a", "B", "10", "9")]
    file = desk.write("e.jsonl", some)
    items = [json.loads(line) for line in desk.run(plan, file).splitlines()]
    assert [(line["node"], line["key"]) for line in items] == [
        (node, key) for node in sorted(NODES) for key in ("10", "9", "B", "a", "b", "é")
    ]
    chosen = [
        json.loads(line)
        for line in desk.run(plan, file, "--node", "state", "calm", "--key", "é", "a", "x").splitlines()
    ]
    assert [(line["node"], line["key"]) for line in chosen] == [
        ("calm", "a"),
        ("calm", "é"),
        ("state", "a"),
        ("state", "é"),
    ]
    assert '"key": "é"' in desk.run(plan, file, "--key", "é")


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (str(START * 1_000), 0.0),
        ("-62135596800000000", 0.0),
        (str(START * 1_000 + 7_000_000), 0.0),
        (str(START * 1_000 + 8_500_001), 1.500001),
        ("2024-07-01T08:00:09Z", 2.0),
        ("2024-07-01T10:00:09+02:00", 2.0),
        ("2024-07-01T08:00:10", 3.0),
        ("2099-01-01", 3.0),
    ],
)
def test_the_value_at_an_instant(desk: Desk, plan: str, events: str, at: str, value: float) -> None:
    answer = json.loads(desk.run(plan, events, "--node", "cirr", f"--at={at}"))
    assert (answer["value"], "points" in answer) == (value, False)


def test_unknown_is_null(desk: Desk, plan: str, events: str) -> None:
    before = json.loads(desk.run(plan, events, "--node", "state", "--at", "0"))
    assert before == {
        "node": "state",
        "key": "s1",
        "kind": "text",
        "final_until": 1719824400000000,
        "value": None,
    }


def test_a_key_that_nobody_has_is_told(
    desk: Desk, plan: str, events: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert desk.run(plan, events, "--node", "cirr", "--key", "s1", "nobody") == EXPECTED
    assert capsys.readouterr().err.splitlines()[-1] == "no timeline has the key 'nobody'"


def test_no_event_at_all_is_no_line(desk: Desk, plan: str) -> None:
    assert desk.run(plan, desk.write("none.jsonl", [])) == ""


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=25,
    phases=[__import__("hypothesis").Phase.generate],
)
@given(cases())
def test_what_is_printed_is_what_the_referee_says(desk: Desk, case: tuple[Plan, Drawn]) -> None:
    plan, drawn = case
    files = [
        f"{name}={desk.write(f'{name}.jsonl', events)}"
        for name, events in drawn.items()
        if name in _read(plan)
    ]
    referee = Referee(plan, drawn)
    for line in map(json.loads, desk.run(desk.write("plan.json", plan), *files).splitlines()):
        node, points = line["node"], referee.answer(line["node"])[line["key"]]
        assert (line["kind"], line["final_until"]) == (referee.kind(node), referee.final_until(node))
        assert [point["t"] for point in line["points"]] == [time for time, _, _ in convert_to_floats(points)]
        assert all(
            ("slope" in point or "num" in point) == (line["kind"] == "number") for point in line["points"]
        )


def _read(plan: Plan) -> set[str]:
    return {name for node in plan["nodes"].values() for name in list_streams(node)}
