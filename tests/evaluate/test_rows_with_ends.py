"""Plans on rows with a start and an end, through `evaluate`, from files as people export them."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.core.management import CommandError

from tests.evaluate.desk import Desk

STOPS = """plan "Downtime as the union of stops"
stream stop(key = machine, time = start, until = end, unit = iso8601, fields = {reason: text})
down = is_during(stop)
downtime = duration_where(down)
results downtime
"""
ROWS = [
    ("A", "2021-12-23T00:00:00Z", "2021-12-23T15:00:00Z", "tool"),
    ("A", "2021-12-23T00:10:00Z", "2021-12-23T14:00:00Z", "staff"),
    ("A", "2021-12-23T15:00:00Z", "2021-12-23T15:30:00Z", "tool"),
    ("B", "2021-12-23T05:00:00Z", "2021-12-23T05:00:00Z", "zero"),
    ("B", "2021-12-23T08:00:00Z", "2021-12-23T09:00:00Z", "tool"),
    ("B", "2021-12-23T08:30:00Z", "2021-12-23T09:45:00Z", "staff"),
]
NAMES = ("machine", "start", "end", "reason")
DOWNTIME = {"A": 55_800.0, "B": 6_300.0}

UPTIME = """plan "Uptime without maintenance"
stream probe(key = target, time = t, unit = ms, fields = {up: bool})
stream maintenance(key = target, time = begins, until = ends, id = window, unit = ms)
up = latest_event_to_state(probe.up)
calm = not is_during(maintenance)
uptime = duration_where(up and calm) / duration_where((up or not up) and calm)
results uptime
"""
EIGHT = 1_744_876_800_000
MINUTE = 60_000
PROBES = [
    {"target": target, "t": EIGHT + minute * MINUTE, "up": up}
    for target, changes in {
        "web": [(0, True), (70, False), (100, True), (180, False), (210, True)],
        "db": [(0, True), (140, False), (170, True)],
        "calm": [(0, True), (120, False)],
    }.items()
    for minute, up in changes
]
WINDOWS = [
    {"target": target, "begins": EIGHT + begins * MINUTE, "ends": EIGHT + ends * MINUTE, "window": window}
    for target in ("web", "db")
    for window, begins, ends in (("first", 60, 90), ("second", 165, 195))
]


def parse_values(printed: str) -> dict[str, Any]:
    return {item["key"]: item["value"] for item in map(json.loads, printed.splitlines())}


def format_csv(rows: Any) -> str:
    return "\n".join(",".join(row) for row in [NAMES, *rows]) + "\n"


def compute_downtime(desk: Desk, file: str) -> dict[str, Any]:
    at = ("--node", "downtime", "--at", "2021-12-24T00:00:00Z")
    return parse_values(desk.run(desk.write("stops.txt", STOPS), file, *at))


def test_overlapping_stops_of_a_csv_count_once(desk: Desk) -> None:
    assert compute_downtime(desk, desk.write("rows.csv", format_csv(ROWS))) == DOWNTIME
    assert compute_downtime(desk, desk.write("turned.csv", format_csv(reversed(ROWS)))) == DOWNTIME


def test_json_and_parquet_say_the_same(desk: Desk) -> None:
    events = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    assert compute_downtime(desk, desk.write("rows.jsonl", events)) == DOWNTIME
    table = pa.Table.from_pylist(events)
    pq.write_table(table, desk.folder / "texts.parquet")
    assert compute_downtime(desk, str(desk.folder / "texts.parquet")) == DOWNTIME
    for name in ("start", "end"):
        moments = table[name].cast(pa.timestamp("us", "UTC"))
        table = table.set_column(table.column_names.index(name), name, moments)
    pq.write_table(table, desk.folder / "moments.parquet")
    assert compute_downtime(desk, str(desk.folder / "moments.parquet")) == DOWNTIME


@pytest.mark.parametrize("empty", ["A,2021-12-23T20:00:00Z,,tool", "A,2021-12-23T20:00:00Z,,"])
def test_an_empty_cell_leaves_the_row_open(desk: Desk, empty: str) -> None:
    rows = desk.write("open.csv", format_csv(ROWS) + empty + "\n")
    assert compute_downtime(desk, rows) == {**DOWNTIME, "A": DOWNTIME["A"] + 4 * 3_600}


def test_a_row_that_ends_before_it_begins_is_told_by_its_line(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = desk.write("turned.csv", format_csv([*ROWS, ("A", ROWS[0][2], ROWS[0][1], "tool")]))
    assert compute_downtime(desk, rows) == DOWNTIME
    text = "2 rows end no later than they begin: left out, as no event: 'end' line 5 '2021-12-23T05:00:00Z', line 8 "
    assert text in capsys.readouterr().err


def compute_uptime(desk: Desk, windows: Any) -> dict[str, Any]:
    files = (f"probe={desk.write('probe.jsonl', PROBES)}", f"maintenance={desk.write('m.jsonl', windows)}")
    plan = desk.write("uptime.txt", UPTIME)
    return parse_values(desk.run(plan, *files, "--node", "uptime", "--at", "2025-04-17T12:00:00Z"))


def test_maintenance_windows_are_left_out_of_the_uptime(desk: Desk) -> None:
    expected = {"web": pytest.approx(155 / 180), "db": pytest.approx(155 / 180), "calm": pytest.approx(0.5)}
    assert compute_uptime(desk, WINDOWS) == expected


def test_a_window_that_is_announced_open_and_ended_later_is_the_same(desk: Desk) -> None:
    announced = [{name: value for name, value in row.items() if name != "ends"} for row in WINDOWS]
    assert compute_uptime(desk, [*announced, *WINDOWS]) == compute_uptime(desk, WINDOWS)
    assert compute_uptime(desk, announced) != compute_uptime(desk, WINDOWS)


def test_a_stream_of_which_no_row_has_the_end_is_told_so(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = desk.write("rows.csv", format_csv(ROWS))
    desk.run(desk.write("typo.txt", STOPS.replace("until = end", "until = ended")), rows)
    warned = capsys.readouterr().err
    assert "no event has a field 'ended', the end of a row: every row is open; did you mean end?" in warned
    assert "_until" not in warned


@pytest.mark.parametrize("end", ["2021-12-23T01:00:00Z", "20211223T01"])
def test_the_end_may_lie_deeper_and_the_key_have_several_fields(desk: Desk, end: str) -> None:
    rows = [
        {"line": "L", "machine": 1, "span": {"start": "2021-12-23T00:00:00Z", "end": end}},
        {"line": "L", "machine": 2, "span": {"start": "2021-12-23T00:00:00Z"}},
    ]
    plan = STOPS.replace(
        "machine, time = start, until = end", "[line, machine], time = `span.start`, until = `span.end`"
    )
    at = ("--node", "downtime", "--at", "2021-12-23T02:00:00Z")
    printed = desk.run(desk.write("stops.txt", plan), desk.write("rows.jsonl", rows), *at)
    assert parse_values(printed) == {'["L",1]': 3_600.0, '["L",2]': 7_200.0}


def test_rows_that_end_no_later_than_they_begin_are_left_out_and_told(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = desk.write(
        "plan.txt",
        "stream stop(key = k, time = s, until = e, id = id, unit = s)\n"
        "d = is_during(stop)\nx = latest_event_to_state(stop.x)\nresults d, x",
    )
    spanless = [{"k": "a", "s": 10, "e": 10, "id": 1}, {"k": "b", "s": 9, "e": 4, "id": 2, "x": "wrong"}]
    copies = [{"k": "b", "s": 7, "e": 9, "id": 2, "x": name} for name in ("m", "z", "c")]
    right = desk.run(plan, desk.write("right.jsonl", copies))
    assert capsys.readouterr().err == ""
    assert desk.run(plan, desk.write("rows.jsonl", [*spanless, copies[0], spanless[1], *copies[1:]])) == right
    assert (
        "stream stop: 3 rows end no later than they begin: left out, as no event: "
        "'e' line 1 10, line 2 4, line 4 4" in capsys.readouterr().err
    )
    with pytest.raises(CommandError, match="3 rows end no later"):
        desk.run(plan, str(desk.folder / "rows.jsonl"), "--strict")


def test_an_end_that_is_declared_a_number_and_is_none_leaves_no_row_out(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = desk.write(
        "plan.txt",
        "stream stop(key = k, time = s, until = e, unit = iso8601, fields = {e: number})\n"
        "d = is_during(stop)\nn = event_sum(stop.e)\nresults d, n",
    )
    row = {"k": "a", "s": "2026-01-01T00:00:00Z", "e": "2026-01-01T00:01:00Z"}
    assert len(desk.run(plan, desk.write("rows.jsonl", [row])).splitlines()) == 2
    answer = capsys.readouterr().err
    assert "1 value of field 'e' not of type number" in answer
    assert "left out" not in answer
