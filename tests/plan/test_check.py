"""The check says everything that is wrong, where, and what to do; and runs into nothing itself."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.referee import Referee
from tests.strategies import Plan, plans
from timeline_app.compiler import compile_plan
from timeline_app.plan import Checked, Refused, check
from timeline_app.plan.document import MAX_NODES

STREAM = {"key": "k", "time": "t", "fields": {"n": "number", "on": "bool", "state": "text"}}
PLAY = {"op": "has_existed", "stream": "s", "params": {"where": 'state == "play"'}}
STATE = {"op": "latest_event_to_state", "stream": "s", "params": {"field": "state"}}
NUMBER = {"op": "latest_event_to_state", "stream": "s", "params": {"field": "n"}}


def build_document(nodes: Any, **more: Any) -> dict[str, Any]:
    return {"version": 1, "nodes": nodes, "streams": {"s": STREAM}, **more}


def build(op: str, of: Any = None, **more: Any) -> dict[str, Any]:
    """A node `x` above the leaves `a` (bool), `state` (text) and `n` (number)."""
    made = {"op": op, **({} if of is None else {"inputs": {"of": of}}), **more}
    return build_document({"a": PLAY, "state": STATE, "n": NUMBER, "x": made})


def build_leaf(op: str, params: Any, **more: Any) -> dict[str, Any]:
    return build_document({"x": {"op": op, "stream": "s", "params": params, **more}})


def list_errors(checked: Checked) -> list[tuple[str | None, str | None, str]]:
    return [(item.node, item.port, item.code) for item in checked.problems if item.severity == "error"]


BAD: dict[str, tuple[Any, str | None, str | None, str, str]] = {
    "no object": ([], None, None, "not_an_object", "version"),
    "no nodes": (build_document({}), None, "nodes", "no_nodes", "drag"),
    "nodes as a list": (build_document([PLAY]), None, "nodes", "bad_nodes", "op"),
    "another version": ({**build_document({"x": PLAY}), "version": 2}, None, "version", "bad_version", '"version": 1'),
    "an unknown key": (build_document({"x": PLAY}, result=["x"]), None, "result", "unknown_key", "results"),
    "an unknown key of a node": (build_document({"x": {**PLAY, "input": {}}}), "x", "input", "unknown_key", "inputs"),
    "a bad name": (build_document({"1 x": PLAY}), "1 x", None, "bad_name", "letters"),
    "no operator": (build_document({"x": {}}), "x", "op", "missing_operator", "has_existed"),
    "an unknown operator": (build("has_exist"), "x", None, "unknown_operator", "has_existed"),
    "no stream": (build_document({"x": {**PLAY, "stream": None}}), "x", "stream", "missing_stream", "s"),
    "an unknown stream": (
        build_document({"x": {**PLAY, "stream": "ss"}}), "x", "stream", "unknown_stream", "did you mean s?",
    ),
    "a stream where none is read": (build("not", "a", stream="s"), "x", "stream", "no_stream_here", "away"),
    "no predicate": (build_leaf("has_existed", {}), "x", "where", "missing_parameter", "player_state"),
    "a name that all objects have": (build_document({"toString": PLAY}), "toString", None, "bad_name", "another"),
    "a predicate that does not parse": (
        build_leaf("has_existed", {"where": "n >"}), "x", "where", "bad_parameter", "==",
    ),
    "a number compared with text": (
        build_leaf("has_existed", {"where": 'n == "1"'}), "x", "where", "wrong_type", "declare",
    ),
    "no duration": (
        build_leaf("has_existed_within", {"where": "n > 1", "duration": "5 sec"}),
        "x", "duration", "bad_parameter", "5s",
    ),
    "a duration of nothing": (
        build_leaf("has_existed_within", {"where": "n > 1", "duration": "0s"}), "x", "duration", "bad_parameter", "5s",
    ),
    "no field": (
        build_leaf("latest_event_to_state", {"field": ""}), "x", "field", "missing_parameter", "for example n",
    ),
    "half a character": (
        build_leaf("latest_event_to_state", {"field": "\ud800"}), "x", "field", "bad_parameter", "for example n",
    ),
    "an unknown parameter": (
        build_leaf("has_existed", {"where": "n > 1", "durations": 1}), "x", "durations", "unknown_parameter", "where",
    ),
    "an open port": (build("not"), "x", "of", "open_port", "wire"),
    "an unknown port": (build("not", "a", inputs={"of": "a", "off": "a"}), "x", "off", "unknown_port", "of"),
    "a wire to nowhere": (build("not", "aa"), "x", "of", "dangling_port", "did you mean a?"),
    "a wire that is no text": (build("not", [7]), "x", "of", "bad_wire", "name"),
    "one input where two are needed": (build("and", ["a"]), "x", "of", "too_few_inputs", "another"),
    "two inputs where one is taken": (build("not", ["a", "a"]), "x", "of", "too_many_inputs", "others"),
    "text into not": (build("not", "state"), "x", "of", "wrong_kind", "bool"),
    "neither value nor other": (build("equal_to", "state"), "x", "value", "one_of", "value or other"),
    "a value of another kind": (build("equal_to", "n", params={"value": "1"}), "x", "value", "wrong_value", "number"),
    "a value that is none": (build("equal_to", "n", params={"value": [1]}), "x", "value", "bad_parameter", "buffer"),
    "two states of different kinds": (
        build("equal_to", inputs={"of": "n", "other": "state"}), "x", "other", "wrong_kind", "number",
    ),
    "the sum of a bool": (
        build("aggregate", "a", params={"function": "sum"}), "x", "function", "wrong_inputs", "count",
    ),
    "an unknown function": (
        build("aggregate", "n", params={"function": "total"}), "x", "function", "bad_parameter", "sum",
    ),
    "a group that is no text": (build("aggregate", inputs={"of": "n", "by": "a"}), "x", "by", "wrong_kind", "text"),
    "a result that is no node": (build_document({"x": PLAY}, results=["y"]), None, "results", "unknown_result", "x"),
    "a bad stream": (
        build_document({"x": PLAY}, streams={"s": {**STREAM, "unit": "hours"}}),
        None, "streams.s.unit", "bad_unit", "ms",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_document_is_refused_with_place_reason_and_hint(name: str) -> None:
    plan, node, port, code, hint = BAD[name]
    checked = check(plan, {})
    assert not checked.ok
    assert (node, port, code) in list_errors(checked)
    (problem,) = [
        item for item in checked.problems if (item.node, item.port, item.code) == (node, port, code)
    ]
    assert problem.message
    assert hint in problem.hint
    with pytest.raises(Refused) as refused:
        compile_plan(plan, {})
    assert problem in refused.value.problems


def test_all_problems_come_at_once() -> None:
    nodes = {
        "a": {"op": "has_existed", "stream": "nowhere", "params": {}},
        "b": {"op": "not", "inputs": {"of": "missing"}},
        "c": {"op": "nothing"},
        "d": {"op": "has_existed", "stream": "s", "params": {"where": "n == true", "x": 1}},
    }
    codes = {
        (node, code)
        for node, _, code in list_errors(check(build_document(nodes, results=["z"], extra=1), {}))
    }
    assert codes == {
        ("a", "unknown_stream"), ("a", "missing_parameter"), ("b", "dangling_port"), ("c", "unknown_operator"),
        ("d", "wrong_type"), ("d", "unknown_parameter"), (None, "unknown_result"), (None, "unknown_key"),
    }  # fmt: skip


def test_a_node_below_which_something_is_wrong_is_not_blamed_for_it() -> None:
    nodes = {"a": {**PLAY, "params": {}}, "b": {"op": "not", "inputs": {"of": "a"}}}
    assert list_errors(check(build_document(nodes), {})) == [("a", "where", "missing_parameter")]


def test_what_reads_a_stream_that_is_none_is_not_blamed_for_it() -> None:
    steps = [{"name": name, "stream": "s"} for name in ("sent", "paid")]
    nodes = {"a": PLAY, "b": {"op": "sequence", "params": {"steps": steps}}}
    assert {place for place, _, _ in list_errors(check(build_document(nodes, streams={"s": 0}), {}))} == {
        None
    }


def test_a_climbing_number_and_keys_of_different_kinds_are_refused() -> None:
    nodes = {
        "a": PLAY,
        "for": {"op": "duration_where", "inputs": {"of": "a"}},
        "same": {"op": "equal_to", "inputs": {"of": "for"}, "params": {"value": 3}},
        "all": {"op": "aggregate", "inputs": {"of": "a"}, "params": {"function": "count"}},
        "two": {"op": "equal_to", "inputs": {"of": "all"}, "params": {"value": 2}},
        "mixed": {"op": "and", "inputs": {"of": ["two", "a"]}},
    }
    assert set(list_errors(check(build_document(nodes), {}))) == {
        ("same", "of", "climbing_number"),
        ("mixed", "of", "different_keys"),
    }


def test_every_cycle_is_told_once_and_the_rest_is_checked() -> None:
    def build_loop(*of: str) -> dict[str, Any]:
        return {"op": "or", "inputs": {"of": list(of)}}

    nodes = {
        "a": PLAY,
        "p": build_loop("q", "a"),
        "q": build_loop("p", "a"),
        "self": build_loop("self", "a"),
        "above": build_loop("p", "q"),
        "b": {"op": "no"},
    }
    errors = list_errors(check(build_document(nodes), {}))
    assert sorted(str(node) for node, _, code in errors if code == "cycle") in (["p", "self"], ["q", "self"])
    assert ("b", None, "unknown_operator") in errors
    assert len(errors) == 3


def test_a_field_that_nobody_has_seen_is_a_warning_with_the_nearest_names_and_stops_nothing() -> None:
    plan = build_leaf("latest_event_to_state", {"field": "stat"})
    checked = check(plan, {})
    (problem,) = checked.problems
    assert checked.ok
    assert (problem.severity, problem.code, problem.port) == ("warning", "unseen_field", "field")
    assert "state" in problem.hint
    assert compile_plan(plan, {}).names


def test_a_value_that_is_too_large_is_told_so() -> None:
    (problem,) = check(build("add", "n", params={"value": 1e15}), {}).problems
    assert "out of range; give a number between -1e15 and 1e15" in f"{problem.message}; {problem.hint}"


@pytest.mark.parametrize(
    ("where", "code", "severity"),
    [
        ('k == "a"', "key_is_no_field", "warning"),
        ("t is missing", "time_is_no_field", "warning"),
        ("t > 5", "time_is_no_field", "error"),
    ],
)
def test_key_and_time_are_told_to_be_no_fields(where: str, code: str, severity: str) -> None:
    (problem,) = check(build_leaf("has_existed", {"where": where}), {}).problems
    assert (problem.code, problem.severity, problem.port) == (code, severity, "where")


def test_two_thousand_nodes_are_refused_at_once_and_a_thousand_are_not() -> None:
    def build_many(size: int) -> dict[str, Any]:
        return build_document({f"n{index}": PLAY for index in range(size)})

    start = time.monotonic()
    assert list_errors(check(build_many(2 * MAX_NODES), {})) == [(None, "nodes", "too_many_nodes")]
    assert check(build_many(MAX_NODES), {}).ok
    assert time.monotonic() - start < 5


@pytest.mark.deep
def test_a_chain_of_nine_hundred_is_no_deeper_than_any_other() -> None:
    nodes: dict[str, Any] = {"n0": PLAY}
    for index in range(1, 900):
        nodes[f"n{index}"] = {"op": "not", "inputs": {"of": f"n{index - 1}"}}
    assert len(compile_plan(build_document(nodes), {}).programs) == 2
    for index in range(1, 900):
        nodes[f"n{index}"] = {
            "op": "held_for",
            "inputs": {"of": f"n{index - 1}"},
            "params": {"duration": "1s"},
        }
    assert len(set(compile_plan(build_document(nodes), {}).names.values())) == 900
    nodes["n0"] = {"op": "not", "inputs": {"of": "n899"}}
    assert [code for _, _, code in list_errors(check(build_document(nodes), {}))] == ["cycle"]


@given(plans())
def test_every_plan_that_is_drawn_is_right_and_its_kinds_are_known(plan: Plan) -> None:
    checked = check(plan, {})
    assert checked.ok
    referee = Referee(plan, {})
    for name in plan["nodes"]:
        answer, sort = checked.nodes[name].facts, referee.sort(name)
        assert answer.kind.value == ("ratio" if sort == "ratio" else referee.kind(name))
        assert answer.steady == (sort not in ("climbing", "ratio"))
        assert set(checked.nodes[name].streams) <= set(plan["streams"])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=5), below, max_size=3),
    max_leaves=6,
)


@given(plans(), json_values, st.data())
def test_whatever_stands_in_a_document_it_is_a_refusal_and_no_crash(
    plan: Plan, wrong: Any, data: st.DataObject
) -> None:
    """Replace one value, anywhere in the document, by any JSON value."""
    place: Any = plan
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], (dict, list)) or not place[key] or data.draw(st.integers(0, 3)) == 0:
            break
        place = place[key]
    place[key] = wrong
    checked = check(plan, {})
    assert all(problem.hint for problem in checked.problems)
    if checked.ok:
        compile_plan(plan, {})


def test_many_warnings_stop_no_plan() -> None:
    nodes = {
        f"n{number}": {"op": "latest_event_to_state", "stream": "s", "params": {"field": f"field{number}"}}
        for number in range(700)
    }
    checked = check({"version": 1, "streams": {"s": {"key": "k", "time": "t"}}, "nodes": nodes}, {})
    assert checked.ok
    assert {problem.severity for problem in checked.problems} == {"warning"}
    assert len(checked.nodes) == 700
