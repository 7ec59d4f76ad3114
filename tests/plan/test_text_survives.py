"""Every document has a text, and comes back from it without loss."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from tests.plan.texts import JSON, build_node, documents, format_canonical
from tests.strategies import plans
from timeline_app.operators import operators
from timeline_app.plan import Problem, Refused
from timeline_app.plan.text import read_text, write_text


@pytest.mark.deep
@given(documents())
@example({"version": 1, "nodes": {}})
@example({"version": 1, "nodes": {}, "results": [], "layout": {}, "streams": {}, "comments": [], "name": ""})
@example({"version": 1, "nodes": {"x": build_node("not", "x_1"), "x_1": build_node("not", "x")}})
@example({"version": 1, "nodes": {"x": build_node("and", ["x_1", "x_1"]), "x_1": build_node("not", "x")}})
def test_a_document_survives_its_text(document: dict[str, Any]) -> None:
    text = write_text(document)
    event(f"{sum(' = ' in line for line in text.splitlines()) < len(document['nodes'])}: something is nested")
    assert format_canonical(read_text(text)) == format_canonical(document), text


@pytest.mark.deep
@given(plans())
def test_a_plan_that_may_run_survives_its_text(plan: dict[str, Any]) -> None:
    assert format_canonical(read_text(write_text(plan))) == format_canonical(plan)


FRAMES: list[dict[str, Any]] = [
    {}, {"version": 1}, {"nodes": {}}, {"version": 2, "nodes": {}}, {"version": True, "nodes": {}},
    {"version": 1.0, "nodes": {}}, {"version": None, "nodes": None}, {"version": 1, "nodes": []},
    {"version": 1, "nodes": {"a`b": {"op": "not"}}}, {"version": 1, "nodes": {"a": None}},
    {"version": 1, "nodes": {}, "name": 5}, {"version": 1, "nodes": {}, "name": "a\nb\u0000"},
    {"version": 1, "nodes": {}, "streams": {"s": 5}}, {"version": 1, "nodes": {}, "streams": {"a`b": {"key": "k"}}},
    {"version": 1, "nodes": {}, "streams": {"is": {"key": "is", "fields": {"null": "a b", "x": ["y"]}, "id": None}}},
    {"version": 1, "nodes": {}, "results": "a"}, {"version": 1, "nodes": {}, "layout": {"a`b": [0, 0]}},
    {"version": 1, "nodes": {}, "layout": {"a": [0, 1, 2], "b": [True, 1], "is": [0.0, -0.0], "c": None}},
    {"version": 1, "nodes": {}, "comments": ["a"]}, {"version": 1, "nodes": {}, "name": "x", "comments": ["a", ""]},
    {"version": 1, "nodes": {}, "comments": [{"text": "a", "before": None}]},
    {"version": 1, "nodes": {}, "order": 1, "plan": 2, "odd key": 3, "@": {"a": [None, True, 1e-9]}},
]  # fmt: skip


@pytest.mark.parametrize("document", FRAMES)
def test_every_odd_frame_of_a_document_survives(document: dict[str, Any]) -> None:
    assert json.dumps(read_text(write_text(document)), sort_keys=True) == json.dumps(document, sort_keys=True)


ODD: dict[str, list[Any]] = {
    "where": [
        'state == "play"', "  a==1  ", "a == 1\n and b == 2", "`odd name` in ('x', \"y\") or not (a.b-c > -1.50)",
        "(((a == 1)))", "a\t>= +1e3 and not not b == true", "null == 1", 'a == "player.b == 1 # no comment"',
        "a == 'it\\'s \\x41'", "a == 'two\nlines'", "state ==", "`in` == 1", "a == 1\r", "a == .5 or b == 5.",
        "a == 1 or", "", None, 5, [], {}, False, True, "true",
        "0", "5s", "'x'", '"x"', "a == 'é' \u2028and b == 1", 'a == "`" and `b"` == 1', "a.b.c == 1",
        "a == \u0663", "a == '\0'", "a", "a + 1", "`in`", "(a)", "n - 1",
    ],
    "steps": [{}, {"a": 5}, {"a": {"stream": "s"}}, [], [5], ["x"], [{}], [[]], None, 5, "a"],
    "field": ["state", "a.b-c", "odd name", "in", "a`b", " cdn ", "", "a\nb", "1", "é", "null", None, 5, "#", "'"],
    "duration": ["5s", "250ms", "0.5h", " 1d ", "5 sec", "", "\u06635s", None, 5, 5.0, "1us", "01s"],
    "value": [
        "10min", "true", True, 1, 1.0, -1, -0.0, 0, 1e300, 1e-300, 10**30, None, "", '"', "'", "\\", "a\nb\t",
        "\u2028\x85\x00\ud800", "\U0001f600", [], {"a": [None]}, "#", "`",
    ],
    "function": ["sum", "p50", "p95", "p99.9", "p0", "p100.5", "p1.", "mean", "", None, 5, "and", "a b"],
}  # fmt: skip


@pytest.mark.parametrize("parameter", ODD)
def test_every_odd_value_survives_wherever_it_may_stand(parameter: str) -> None:
    taking = [op for op in operators().values() if parameter in [item.name for item in op.parameters]]
    assert taking
    for op in taking:
        inputs = {port.name: ["x", "x"] if port.many else "x" for port in op.ports if port.required}
        for value in ODD[parameter]:
            node = {"op": op.name, "params": {parameter: value}} | ({"inputs": inputs} if inputs else {})
            for stream in ("player", "in", "a stream", "a`b", None) if op.takes_stream else (None,):
                whole = node | ({} if stream is None else {"stream": stream})
                document = {"version": 1, "nodes": {"x": whole}}
                assert format_canonical(read_text(write_text(document))) == format_canonical(document), (
                    write_text(document)
                )


def read_or_refused(text: str) -> tuple[dict[str, Any] | None, tuple[Problem, ...]]:
    try:
        return read_text(text), ()
    except Refused as refused:
        return None, refused.problems


@given(JSON, JSON, JSON)
def test_any_document_is_written_and_never_changed(version: Any, nodes: Any, node: Any) -> None:
    for document in (
        {"version": version, "nodes": nodes},
        {"nodes": {"a": node, "b": {"op": node}}},
        {"x": version},
    ):
        result, problems = read_or_refused(write_text(document))
        assert {item.code for item in problems} <= {"unknown_operator", "unknown_node"}
        if not problems:
            assert json.dumps(result, sort_keys=True) == json.dumps(document, sort_keys=True)


@given(st.text(st.sampled_from("ab =.,()[]{}\"'`#@<>!+-*/15s\n\\\t\x00\ud800é"), max_size=40))
@example("a = not" + " (" * 9 + "b")
def test_whatever_is_written_is_read_or_refused(text: str) -> None:
    document, problems = read_or_refused(text)
    assert all(item.line and item.column and item.message for item in problems)
    if document is not None:
        assert format_canonical(read_text(write_text(document))) == format_canonical(document)
