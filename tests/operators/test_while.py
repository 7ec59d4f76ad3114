"""`while`: only events count at whose instant a bool is true."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.meeting import NODES, STREAM, list_found_at, list_points, read_sentence
from tests.operators.small import answer, build_event, build_leaf, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan.check import check
from timeline_app.plan.text import read_text, write_text
from timeline_app.testing import keeps_its_laws

EVENTS = (
    build_event(1, n=1),
    build_event(2, on=True, n=2),
    build_event(3, n=4),
    build_event(5, on=False, n=8),
    build_event(6, n=16),
    build_event(7, on=True),
    build_event(8, n=32),
)
OPS: dict[str, dict[str, Any]] = {
    "event_count": {"where": "n > 0"},
    "event_sum": {"field": "n"},
    "has_existed": {"where": "n > 1"},
    "has_existed_within": {"where": "n > 1", "duration": "2s"},
    "count_within": {"where": "n > 1", "duration": "2s"},
    "sum_within": {"field": "n", "duration": "2s"},
    "values_within": {"field": "n", "duration": "2s", "function": "last"},
}
BEFORE: dict[str, list[Any]] = {
    "event_count": [(None, 0.0), (3, 1.0), (5, 2.0), (8, 3.0)],
    "event_sum": [(None, 0.0), (3, 4.0), (5, 12.0), (8, 44.0)],
    "has_existed": [(None, False), (3, True)],
    "has_existed_within": [(None, False), (3, True), (7, False), (8, True), (10, False)],
    "count_within": [(None, None), (1, 0.0), (3, 1.0), (7, 0.0), (8, 1.0), (10, 0.0)],
    "sum_within": [(None, None), (1, 0.0), (3, 4.0), (5, 8.0), (7, 0.0), (8, 32.0), (10, 0.0)],
    "values_within": [(None, None), (3, 4.0), (5, 8.0), (7, None), (8, 32.0), (10, None)],
}
AT: dict[str, list[Any]] = {
    "event_count": [(None, 0.0), (2, 1.0), (3, 2.0), (8, 3.0)],
    "event_sum": [(None, 0.0), (2, 2.0), (3, 6.0), (8, 38.0)],
    "has_existed": [(None, False), (2, True)],
    "has_existed_within": [(None, False), (2, True), (5, False), (8, True), (10, False)],
    "count_within": [(None, None), (1, 0.0), (2, 1.0), (3, 2.0), (4, 1.0), (5, 0.0), (8, 1.0), (10, 0.0)],
    "sum_within": [(None, None), (1, 0.0), (2, 2.0), (3, 6.0), (4, 4.0), (5, 0.0), (8, 32.0), (10, 0.0)],
    "values_within": [(None, None), (2, 2.0), (3, 4.0), (5, None), (8, 32.0), (10, None)],
}


def build_counting(op: str, side: str | None = None) -> dict[str, Any]:
    params = OPS[op] if side is None else {**OPS[op], "side": side}
    return {"x": {**build_leaf(op, **params), "inputs": {"while": "on"}}}


@pytest.mark.parametrize("op", OPS)
def test_an_event_does_not_qualify_itself(op: str) -> None:
    assert (
        list_points(build_counting(op), *EVENTS)
        == list_points(build_counting(op, "before"), *EVENTS)
        == BEFORE[op]
    )


@pytest.mark.parametrize("op", OPS)
def test_with_side_at_it_does(op: str) -> None:
    assert list_points(build_counting(op, "at"), *EVENTS) == AT[op]


def test_all_events_of_one_instant_see_the_same() -> None:
    events = (
        build_event(1, on=True, n=1),
        build_event(1, n=2),
        build_event(2, n=3),
        build_event(2, on=False, n=4),
    )
    assert list_points(build_counting("event_count"), *events) == [(None, 0.0), (2, 2.0)]
    assert list_points(build_counting("event_count", "at"), *events) == [(None, 0.0), (1, 2.0)]


def test_an_event_does_not_count_while_it_is_unknown() -> None:
    assert list_points(build_counting("event_count"), build_event(1, n=1), build_event(2, n=1)) == [
        (None, 0.0)
    ]


@pytest.mark.parametrize("op", ["event_count", "event_sum", "has_existed", "has_existed_within"])
def test_keys_are_those_of_both_and_born_with_the_first(op: str) -> None:
    fields = {"n": "number"}
    nodes = {"on": NODES["on"], "x": {**build_counting(op)["x"], "stream": "ads"}}
    nodes["aged"] = {"op": "duration_where", "inputs": {"of": "never"}}
    nodes["never"] = {"op": "not", "inputs": {"of": "some"}}
    nodes["some"] = nodes["x"] if op.startswith("has") else {"op": "greater_than", "inputs": {"of": "x"}}
    nodes["some"] = {**nodes["some"], "params": nodes["some"].get("params", {"value": 0})}
    nodes = {name: nodes[name] for name in ("on", "x", "some", "never", "aged")}
    other = {**build_event(5, n=9), "_": "ads"}, {**build_event(6, key="y", n=9), "_": "ads"}
    streams = {"s": STREAM, "ads": {"key": "k", "time": "t", "unit": "s", "fields": fields}}
    result = answer(nodes, build_event(1, on=True), *other, **streams)
    assert result["x"][:2] == [(None, 0.0), (1, 0.0, 1.0)]
    assert result["y"] == [(None, 0.0), (6, 0.0, 1.0)]


def test_windows_are_known_from_the_birth_of_both() -> None:
    nodes = {"on": NODES["on"], "x": {**build_counting("count_within")["x"], "stream": "ads"}}
    streams = {"s": STREAM, "ads": {"key": "k", "time": "t", "unit": "s", "fields": {"n": "number"}}}
    other = {**build_event(5, n=9), "_": "ads"}, {**build_event(6, key="y", n=9), "_": "ads"}
    result = answer(nodes, build_event(1, on=True), build_event(7, "z"), *other, **streams)
    assert result == {
        "x": [(None, None), (1, 0.0), (5, 1.0), (7, 0.0)],
        "y": [(None, None), (6, 0.0)],
        "z": [(None, None), (7, 0.0)],
    }


@pytest.mark.parametrize("op", OPS)
def test_side_alone_is_refused(op: str) -> None:
    nodes = {**NODES, "x": build_leaf(op, **OPS[op], side="at")}
    problems = [item for item in check(build_plan(nodes, s=STREAM), {}).problems if item.severity == "error"]
    assert [(item.port, item.code, item.hint) for item in problems] == [
        ("side", "wrong_inputs", "wire a bool to `while`, or take `side` away")
    ]


def test_one_that_is_asked_nothing_is_the_same_as_before() -> None:
    names = compile_plan(
        build_plan({**NODES, "x": build_leaf("event_count", side="before")}, s=STREAM), {}
    ).names
    assert names["x"] == names["count"]


def test_whether_one_has_been_is_a_count_of_them() -> None:
    nodes = {**NODES, "has": build_counting("has_existed")["x"]}
    nodes["n"] = {**nodes["has"], "op": "event_count"}
    nodes["some"] = {"op": "greater_than", "inputs": {"of": "n"}, "params": {"value": 0}}
    names = compile_plan(build_plan(nodes, s=STREAM), {}).names
    assert names["has"] == names["some"]


@pytest.mark.parametrize(
    "text", ["x = event_count(s, while = on)", "x = event_count(s.n > 0, while = on, side = at)"]
)
def test_it_is_written_as_it_is_read(text: str) -> None:
    document = read_text(f"on = latest_event_to_state(s.on)\n{text}")
    assert document["nodes"]["x"]["inputs"] == {"while": "on"}
    assert text in write_text({**document, "results": ["on", "x"]})


def test_they_say_why() -> None:
    held, while_cause = "while `on` was true just before", "with `n > 0` while `on` is true"
    answer = read_sentence(build_counting("event_count"), 4, *EVENTS)
    assert answer[0] == f"1 event {while_cause} came by then, the last of them at 00:00:03 {held}."
    assert answer[2] == ["on"]
    assert list_found_at(build_counting("event_count"), 4, *EVENTS) == [(3, 1)]
    never = read_sentence(build_counting("event_count"), 2, *EVENTS)[0]
    assert never == f"No event {while_cause} has arrived yet for `x`."
    answer = read_sentence(build_counting("event_sum"), 6, *EVENTS)
    assert answer[0] == f"At 00:00:05 the sum of `n` went from 4 to 12 {held}."
    answer = read_sentence(build_counting("has_existed", "at"), 6, *EVENTS)
    first = "the first event with `n > 1` while `on` was true"
    assert answer[0] == f"`has_existed` became true at 00:00:02, with {first}."
    answer = read_sentence(build_counting("has_existed_within"), 6, *EVENTS)
    assert "turned true at 00:00:03, with an event with `n > 1` while `on` is true" in answer[0]
    assert answer[2] == ["on"]
    assert list_found_at(build_counting("has_existed_within"), 6, *EVENTS) == [(3, 1), (5, 1)]


def test_windows_say_which_events_count() -> None:
    answer = read_sentence(build_counting("count_within"), 4.5, *EVENTS)
    assert answer[0] == "`count_within` is 1: 1 event with `n > 1` while `on` is true came in the 2 s before."
    assert answer[2] == ["on"]
    assert list_found_at(build_counting("count_within"), 4.5, *EVENTS) == [(3, 1)]
    answer = read_sentence(build_counting("sum_within"), 6, *EVENTS)
    assert (
        answer[0] == "`sum_within` is 8, the sum of `n` of the events while `on` is true in the 2 s before."
    )
    assert list_found_at(build_counting("sum_within"), 6, *EVENTS) == [(5, 1)]
    assert list_found_at(build_counting("sum_within", "at"), 6, *EVENTS) == []
    assert list_found_at(build_counting("values_within", "at"), 3, *EVENTS) == [(2, 1), (3, 1)]
    assert list_found_at(build_counting("values_within"), 3, *EVENTS) == [(3, 1)]


@pytest.mark.deep
@pytest.mark.parametrize("side", ["", ", side = at"])
@pytest.mark.parametrize(
    ("op", "call"),
    [
        ("count_within", "login, 2500ms"),
        ("sum_within", "login.amount, 2500ms"),
        ("values_within", "login.amount, 2500ms, deviation"),
    ],
)
def test_windows_over_events_that_count_keep_the_laws(op: str, call: str, side: str) -> None:
    text = f"on = latest_event_to_state(login.on)\nx = {op}({call}, while = held_for(on, 1s){side})"
    keeps_its_laws(op, plans=[text], fields={"on": [True, False], "amount": [1, 2.5, -3]}, histories=8)
