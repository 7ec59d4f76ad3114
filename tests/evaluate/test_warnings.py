"""Nothing is silently missing: what a plan asks for and no event has is said, and refused where that is wanted."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.evaluate.desk import Desk
from timeline_app.evaluate.request import read_plan

STREAM = "stream wf(key = machine, time = t, unit = s, fields = {status: text, code: number})\n"
EVENTS = [
    {"machine": "m1", "t": 1, "status": "failed", "code": 4},
    {"machine": "m1", "t": 2, "status": "ok", "code": 7},
]


def list_warnings(desk: Desk, statement: str, events: list[dict[str, Any]] | None = None) -> list[str]:
    plan = desk.write("plan.txt", STREAM + statement)
    return desk.warnings(plan, desk.write("events.jsonl", EVENTS if events is None else events))


def test_what_is_there_is_no_warning(desk: Desk) -> None:
    assert list_warnings(desk, 'failed = event_count(wf.status == "failed" and wf.code > 3)') == []


SAID = {
    'a = event_count(wf.stauts == "failed")': (
        "a: no event has a field 'stauts'; it counts as missing; did you mean status?"
    ),
    'a = event_count(wf.STATUS == "failed")': (
        "a: no event has a field 'STATUS'; it counts as missing; did you mean status?"
    ),
    'a = event_count(wf.status == "failure")': (
        "a.where: no event meets the condition status == \"failure\"; status: did you mean 'failed'?"
    ),
    "a = event_count(wf.code > 10)": "a.where: no event meets the condition code > 10; code: events have 4 to 7",
    'a = event_count(wf.status == "failed" and wf.code == 7)': (
        'a.where: no event meets the condition code == 7 and status == "failed";'
        " each part of it is met, but never by one event"
    ),
    'a = event_count(wf.machine == "m1")': (
        "a.where: 'machine' is the key of stream wf, and no field: here it is always missing;"
        " let the events say it a second time, in a field of another name"
    ),
    "a = event_count(wf.code * 2 > 20)": (
        "a.where: no event meets the condition code * 2 > 20; code * 2: events have 8 to 14"
    ),
    'a = event_count(starts_with(wf.status, "fale"))': (
        "a.where: no event meets the condition starts_with(status, \"fale\"); status: did you mean 'failed'?"
    ),
    "a = event_sum(8 / (wf.code - 4))": (
        "a.field: 8 / (code - 4) is not defined for 1 of 2 events, and missing there;"
        " is something divided by zero, or too large? choose with if(condition, a, b)"
    ),
    'a = latest_event_to_state(wf.status) == "fialed"': (
        "a.value: no event has 'fialed' in field 'status'; did you mean 'failed'?"
    ),
}


SPELLED = [*EVENTS, {"machine": "m1", "t": 3, "status": "failed ", "code": 1}]
SPELLED += [
    {"machine": "m2", "t": index, "status": status, "code": 1} for index, status in enumerate(["OK", "ok"])
]
VALUES = {
    'a = event_count(wf.status in ("ok", "OK", "faild"))': (
        "a.where: no event has 'faild' in field 'status'; perhaps a slip: did you mean 'failed' or 'failed '?"
    ),
    'a = event_count(wf.status != "faild")': (
        "a.where: no event has 'faild' in field 'status'; perhaps a slip: did you mean 'failed' or 'failed '?"
    ),
    'a = event_count(wf.status == "failed")': (
        "a.where: field 'status' has 'failed ' (1) beside 'failed' (1);"
        " if the same is meant, correct the events or ask for all spellings"
    ),
    'a = latest_event_to_state(wf.status) == "ok"': (
        "a.value: field 'status' has 'OK' (1) beside 'ok' (2);"
        " if the same is meant, correct the events or ask for all spellings"
    ),
    "a = latest_event_to_state(wf.code) == 5": "a.value: no event has 5 in field 'code'; events have 1 to 7",
    'a = event_count(wf.status == "ok" and wf.status == "OK")': (
        'a.where: status == "OK" and status == "ok" is never true: its parts exclude each other;'
        ' join them with "or" if one of them is enough'
    ),
}


@pytest.mark.parametrize("statement", VALUES)
def test_values_that_are_misspelt_or_spelled_in_several_ways_are_told(desk: Desk, statement: str) -> None:
    assert list_warnings(desk, statement, SPELLED) == [f"warning: {VALUES[statement]}"]


@pytest.mark.parametrize(
    "statement",
    [
        'a = event_count(wf.status in ("ok", "OK", "panic", "failed", "failed "))',
        "a = latest_event_to_state(wf.status) != latest_event_to_state(wf.status)",
        "a = latest_event_to_state(wf.code) > 5",
        "a = latest_event_to_state(if(wf.code > 5, wf.code, missing))",
    ],
)
def test_values_that_may_still_come_are_no_warning(desk: Desk, statement: str) -> None:
    assert list_warnings(desk, statement, SPELLED) == []


def test_numbers_that_a_spreadsheet_rounded_are_told(desk: Desk) -> None:
    stream = "stream s(key = card, time = t, id = row, fields = {n: number})"
    plan = desk.write("plan.txt", f"{stream}\na = event_sum(s.n)")
    rounded = "card,row,t,n\n1.23E+10,4.5E+15,1.66E+12,1E+3\n1.24E+10,4.5E+15,1.67E+12,2E+3\n"
    lines = "\n".join(desk.warnings(plan, desk.write("rounded.csv", rounded)))
    assert "'card' has numbers that a spreadsheet may have rounded: '1.23E+10', '1.24E+10'" in lines
    assert "'row' has numbers that a spreadsheet may have rounded: '4.5E+15'" in lines
    assert "all times of 't' are multiples of 10,000 s" in lines
    assert "'n' has numbers" not in lines
    whole = "card,row,t,n\n12300000001,4500000000000001,1660000000001,1E+3\n1E5,2,1670000000000,2E+3\n"
    assert desk.warnings(plan, desk.write("whole.csv", whole)) == []


def test_keys_that_differ_by_a_blank_are_told(desk: Desk) -> None:
    blank = {**EVENTS[0], "machine": "m1 "}
    [line] = list_warnings(desk, "a = event_count(wf)", [*EVENTS, blank])
    assert "keys differ from others only by a blank: 'm1 '" in line
    assert list_warnings(desk, "a = event_count(wf)", [EVENTS[0] | {"machine": "m 1 "}]) == []


def test_keys_that_all_have_blanks_or_quotes_around_are_told(desk: Desk) -> None:
    padded = [EVENTS[0] | {"machine": "m1  "}, EVENTS[0] | {"machine": "m2  "}]
    [line] = list_warnings(desk, "a = event_count(wf)", padded)
    assert "all keys have blanks around them: 'm1  ', 'm2  '; export the column without padding" in line
    assert list_warnings(desk, "a = event_count(wf)", [EVENTS[0] | {"machine": "m2"}, padded[0]]) == []
    [line] = list_warnings(desk, "a = event_count(wf)", [EVENTS[0] | {"machine": "'m1'"}])
    assert "all keys stand in quotes, which are part of them" in line
    assert list_warnings(desk, "a = event_count(wf)", [EVENTS[0] | {"machine": "'m1' and 'm2'"}]) == []


def test_whole_numbers_of_more_than_64_bits_in_a_text_field_are_told(desk: Desk) -> None:
    long = [EVENTS[0] | {"state": 12345678901234567890123}, EVENTS[0] | {"state": 12345678901234567890124}]
    [line] = list_warnings(desk, "a = latest_event_to_state(wf.state)", long)
    assert (
        "'state' has numbers of more than 64 bits, whose last digits are lost, such as 1.2345678901234"
        in line
    )
    assert "send them as text, in quotes" in line
    text = [EVENTS[0] | {"state": "12345678901234567890123"}, EVENTS[0] | {"state": 1.5e30}]
    assert list_warnings(desk, "a = latest_event_to_state(wf.state)", text) == []


@pytest.mark.parametrize("word", ["nan", "NULL", "\\N", "<NA>", "#N/A"])
def test_keys_that_stand_for_no_value_are_told(desk: Desk, word: str) -> None:
    [line] = list_warnings(desk, "a = event_count(wf)", [*EVENTS, {**EVENTS[0], "machine": word}])
    assert f"keys are words that exports write where there is no value: {word!r}" in line


def test_keys_that_pandas_made_floats_are_told(desk: Desk) -> None:
    floats = [{**event, "machine": f"{index}.0"} for index, event in enumerate(EVENTS)]
    [line] = list_warnings(desk, "a = event_count(wf)", floats)
    assert "all keys are whole numbers with a fraction: '0.0'" in line
    versions = [{**event, "machine": f"{index}.{index}"} for index, event in enumerate(EVENTS)]
    assert list_warnings(desk, "a = event_count(wf)", versions) == []


def test_a_stream_that_no_node_reads_is_told(desk: Desk) -> None:
    text = STREAM + "stream other(key = k, time = t, unit = s)\na = event_count(wf)"
    [line] = desk.warnings(desk.write("plan.txt", text), desk.write("events.jsonl", EVENTS))
    assert line.startswith(
        "warning: streams.other: no node reads the stream 'other', which the plan declares"
    )


def test_a_condition_may_hold_for_every_event(desk: Desk) -> None:
    text = "a = event_count(wf, true)\nb = event_count(wf)\nc = has_existed(wf, true)\nd = event_count(wf, not true)"
    plan, events = desk.write("plan.txt", STREAM + text), desk.write("events.jsonl", EVENTS)
    answers = map(json.loads, desk.run(plan, events, "--at", "2000000").splitlines())
    assert {answer["node"]: answer["value"] for answer in answers} == {
        "a": 2.0,
        "b": 2.0,
        "c": True,
        "d": 0.0,
    }
    assert desk.warnings(plan, events) == []
    names = read_plan(plan).names
    assert names["a"] == names["b"] != names["d"]


def test_a_list_of_values_may_stand_in_brackets(desk: Desk) -> None:
    text = 'a = event_count(wf.status in ("ok", "failed"))\nb = event_count(wf.status in ["failed", "ok"])'
    names = read_plan(desk.write("plan.txt", STREAM + text)).names
    assert names["a"] == names["b"]


FIRST_MISTAKES = {
    "stream wf(key = machine, tiem = t)\na = event_count(wf)\nb = a > 3": "a stream has no 'tiem'; did you mean time?",
    "stream wf(key = machine, time = t, unit = q)\na = event_count(wf)\nb = a > 3": "'q' is no unit of time",
    STREAM + "a = event_sum(wf.machine)\nb = a > 3": "'machine' is the key of stream wf, and no field",
}


@pytest.mark.parametrize("text", FIRST_MISTAKES)
def test_a_mistake_is_told_once_and_not_what_follows_from_it(desk: Desk, text: str) -> None:
    message = desk.refusal(desk.write("plan.txt", text), desk.write("events.jsonl", EVENTS))
    assert FIRST_MISTAKES[text] in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("statement", SAID)
def test_what_no_event_has_is_said_with_what_is_near(desk: Desk, statement: str) -> None:
    [line] = list_warnings(desk, statement)
    assert line == f"warning: {SAID[statement]}"


def test_mistyped_values_are_told_by_line_field_and_value(desk: Desk) -> None:
    bad = [{"machine": "m1", "t": index, "status": "ok", "code": "fast"} for index in range(3, 18)]
    [line] = list_warnings(desk, "a = event_sum(wf.code)", [*EVENTS, *bad])
    places = ", ".join(f"line {index} 'fast'" for index in range(3, 13))
    assert line == (
        f"warning: stream wf: 15 values of field 'code' not of type number, taken as missing: {places}, …;"
        " correct the values, or declare 'code' as what they are"
    )


def test_csv_and_parquet_say_the_same(desk: Desk) -> None:
    plan = desk.write("plan.txt", STREAM + 'a = event_sum(wf.code)\nb = event_count(wf.stauts == "x")')
    csv = desk.write("events.csv", "machine,t,status,code\nm1,1,failed,4\nm1,2,ok,slow\n")
    table = pa.table({"machine": ["m1"], "t": [1], "status": ["failed"], "code": ["slow"]})
    pq.write_table(table, desk.folder / "events.parquet")
    for file, place in ((csv, "line 3"), (str(desk.folder / "events.parquet"), "line 1")):
        mistyped, absent = desk.warnings(plan, file)
        assert f"1 value of field 'code' not of type number, taken as missing: {place} 'slow'" in mistyped
        assert absent.startswith("warning: b: no event has a field 'stauts'")


def test_declared_fields_that_no_event_has_are_told_once(desk: Desk) -> None:
    events = [{"machine": "m1", "t": 1, "stauts": "ok"}]
    assert list_warnings(desk, "a = event_count(wf)", events) == [
        "warning: stream wf: the stream declares 'code', 'status', and no event has it; did you mean stauts?"
    ]


def test_a_name_that_is_near_another_one_is_told_where_events_lack_that(desk: Desk) -> None:
    slip = {"machine": "m1", "t": 3, "stauts": "failed", "code": 1}
    statement = 'a = event_count(wf.status == "failed")'
    [line] = list_warnings(desk, statement, [*EVENTS, slip])
    assert line == (
        "warning: stream wf: 1 of 3 events have no 'status', and events have 'stauts';"
        " rename 'stauts' if it is a slip, or declare it in the stream if it is another field"
    )
    assert list_warnings(desk, statement, [*EVENTS, {**slip, "status": "ok"}]) == []
    other = {"machine": "m1", "t": 3, "code2": 1}
    assert list_warnings(desk, "a = event_sum(wf.code)", [*EVENTS, other]) == []


def test_a_near_name_is_found_wherever_it_stands(desk: Desk) -> None:
    many = [EVENTS[0] | {"t": index, "padding": "x" * 1_000} for index in range(8_000)]
    slip = {"machine": "m1", "t": 9_000, "stauts": "failed", "code": 1}
    [line] = list_warnings(desk, 'a = event_count(wf.status == "failed")', [*many, slip])
    assert "1 of 8,001 events have no 'status', and events have 'stauts'" in line


def test_a_declared_path_is_there_where_an_event_has_it(desk: Desk) -> None:
    stream = 'stream wf(key = machine, time = t, unit = s, fields = {"ctx.os": text, "gone.os": text})'
    events = desk.write("events.jsonl", [{"machine": "m1", "t": 1, "ctx": {"os": "x"}}])
    [line] = desk.warnings(desk.write("plan.txt", f"{stream}\na = event_count(wf)"), events)
    assert "the stream declares 'gone.os', and no event has it" in line


def test_a_file_without_events_is_told(desk: Desk) -> None:
    assert list_warnings(desk, "a = event_count(wf)", []) == [
        "warning: stream wf: there are no events; check that the right file is given, and that it is whole"
    ]


def test_strict_refuses_what_would_be_a_warning(desk: Desk) -> None:
    plan = desk.write("plan.txt", STREAM + 'a = event_count(wf.stauts == "failed")')
    events = desk.write("events.jsonl", EVENTS)
    assert "no event has a field 'stauts'" in desk.refusal(plan, events, "--strict")
    right = desk.write("plan.txt", STREAM + 'a = event_count(wf.status == "failed")')
    assert desk.run(right, events, "--strict")


def test_nodes_that_are_not_asked_for_say_nothing(desk: Desk) -> None:
    plan = desk.write(
        "plan.txt", STREAM + 'a = event_count(wf.stauts == "failed")\nb = event_count(wf.code > 3)'
    )
    events = desk.write("events.jsonl", EVENTS)
    assert not [line for line in desk.warnings(plan, events, "--node", "b") if "stauts" in line]


def test_why_repeats_what_is_missing(desk: Desk) -> None:
    plan = desk.write("plan.txt", STREAM + 'a = event_count(wf.stauts == "failed")')
    events = desk.write("events.jsonl", EVENTS)
    question = ("--node", "a", "--key", "m1", "--at", "5000000", "--why")
    assert any("no event has a field 'stauts'" in line for line in desk.warnings(plan, events, *question))


def test_names_inside_objects_are_proposed_and_objects_are_told(desk: Desk) -> None:
    plan = desk.write(
        "p.txt",
        "stream s(key = d.k, time = d.t)\nx = latest_event_to_state(s.d.stat)\ny = latest_event_to_state(s.d)\n",
    )
    events = desk.write(
        "e.jsonl", [{"d": {"k": "a", "t": 1_719_820_800_000, "state": "on"}, "other": {"n": 1}}]
    )
    warned = "\n".join(desk.warnings(plan, events))
    assert "no event has a field 'd.stat'" in warned
    assert "did you mean d.state?" in warned
    assert "line 1 an object; name what lies inside 'd' by its path" in warned
