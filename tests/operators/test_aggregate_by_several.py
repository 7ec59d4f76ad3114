"""aggregate by several texts: the group's key is the JSON list of their values."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.reasons import read_chain
from tests.operators.small import STREAM, answer, build_event, build_leaf, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.operators import operators
from timeline_app.plan import Refused, check
from timeline_app.plan.text import read_text, write_text

STATES = {name: build_leaf("latest_event_to_state", field=name) for name in ("cdn", "isp", "n")}


def build_aggregate(of: str, function: str, *by: str) -> dict[str, Any]:
    inputs = {"of": of, "by": list(by)} if by else {"of": of}
    return {"op": "aggregate", "inputs": inputs, "params": {"function": function}}


def test_the_group_is_the_json_list_of_the_values_in_the_order_of_the_inputs() -> None:
    events = (
        build_event(1, "a", cdn="A", isp="x", n=4),
        build_event(2, "b", cdn="A", isp="y", n=1),
        build_event(3, "a", isp="y"),
    )
    assert answer({**STATES, "by": build_aggregate("n", "sum", "cdn", "isp")}, *events) == {
        '["A","x"]': [(None, 0.0), (1, 4.0), (3, 0.0)],
        '["A","y"]': [(None, 0.0), (2, 1.0), (3, 5.0)],
    }
    assert set(answer({**STATES, "by": build_aggregate("n", "sum", "isp", "cdn")}, *events)) == {
        '["x","A"]',
        '["y","A"]',
    }


def test_one_by_keeps_its_plain_value_however_it_is_written() -> None:
    events = (build_event(1, "a", cdn="A", n=4),)
    assert answer({**STATES, "by": build_aggregate("n", "sum", "cdn")}, *events) == {
        "A": [(None, 0.0), (1, 4.0)]
    }
    plain = {"op": "aggregate", "inputs": {"of": "n", "by": "cdn"}, "params": {"function": "sum"}}
    names = compile_plan(
        build_plan({**STATES, "plain": plain, "list": build_aggregate("n", "sum", "cdn")}), {}
    ).names
    assert names["plain"] == names["list"]


def test_a_key_with_any_unknown_text_is_left_out() -> None:
    events = (
        build_event(1, "a", cdn="A", n=1),
        build_event(2, "b", isp="x", n=1),
        build_event(4, "a", isp="x"),
    )
    assert answer({**STATES, "by": build_aggregate("n", "count", "cdn", "isp")}, *events) == {
        '["A","x"]': [(None, 0.0), (4, 1.0)]
    }


def test_what_has_quotes_and_commas_is_no_other_group() -> None:
    events = build_event(1, "a", cdn='A","B', isp="x", n=1), build_event(1, "b", cdn="A", isp='B","x', n=2)
    assert answer({**STATES, "by": build_aggregate("n", "sum", "cdn", "isp")}, *events) == {
        '["A\\",\\"B","x"]': [(None, 0.0), (1, 1.0)],
        '["A","B\\",\\"x"]': [(None, 0.0), (1, 2.0)],
    }


@pytest.mark.parametrize(("function", "value"), [("min", 1.0), ("mode", 1.0), ("stddev", 1.5), ("p50", 1.0)])
def test_every_function_takes_several(function: str, value: float) -> None:
    events = build_event(1, "a", cdn="A", isp="x", n=1), build_event(1, "b", cdn="A", isp="x", n=4)
    result = answer({**STATES, "by": build_aggregate("n", function, "cdn", "isp")}, *events)
    assert result['["A","x"]'][-1][1] == value


def test_texts_of_several_streams_are_joined_by_key() -> None:
    other = {"owner": build_leaf("latest_event_to_state", "r", field="owner")}
    nodes = {**STATES, **other, "by": build_aggregate("n", "sum", "cdn", "owner")}
    events = build_event(1, "a", cdn="A", n=1), build_event(3, "a", owner="o", _="r")
    assert answer(nodes, *events, s=STREAM, r=STREAM) == {'["A","o"]': [(None, 0.0), (3, 1.0)]}


def test_groups_are_grouped_further() -> None:
    nodes = {**STATES, "by": build_aggregate("n", "sum", "cdn", "isp"), "whole": build_aggregate("by", "sum")}
    events = build_event(1, "a", cdn="A", isp="x", n=4), build_event(2, "b", cdn="B", isp="y", n=1)
    assert answer(nodes, *events) == {"*": [(None, 0.0), (1, 4.0), (2, 5.0)]}


def test_why_says_the_value_of_each_and_follows_them() -> None:
    events = (
        build_event(1, "a", cdn="A", isp="x", n=4),
        build_event(2, "b", cdn="A", isp="x", n=9),
        build_event(3, "c", cdn="A", n=50),
    )
    links = read_chain(
        {**STATES, "by": build_aggregate("n", "sum", "cdn", "isp")}, 9, *events, key='["A","x"]'
    )
    assert links[0]["sentence"] == (
        '`aggregate` is 13, the sum of `n` over the keys whose `cdn` is "A" and `isp` is "x": 2 keys count: `b` with 9'
        " and `a` with 4."
    )
    assert [(link["node"], link["key"]) for link in links[1:]] == [("n", "b"), ("cdn", "b"), ("isp", "b")]


def test_it_is_written_as_a_list_and_read_again() -> None:
    document = {
        **build_plan({**STATES, "total": build_aggregate("n", "p99.9", "cdn", "isp")}),
        "results": ["cdn", "isp", "total"],
    }
    text = write_text(document)
    assert "by = [cdn, isp]" in text
    assert read_text(text) == document


def test_what_the_groups_are_made_of_is_no_operator_of_plans() -> None:
    assert "group_key" not in operators()
    document = build_plan({**STATES, "key": {"op": "group_key", "inputs": {"of": ["cdn", "isp"]}}})
    assert "unknown_operator" in [problem.code for problem in check(document, {}).problems]


def test_a_number_among_them_is_refused_where_it_stands() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**STATES, "by": build_aggregate("n", "sum", "cdn", "n")}), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port, problem.code) == ("by", "by", "wrong_kind")


def test_a_state_of_groups_is_refused_beside_one_of_keys() -> None:
    nodes = {
        **STATES,
        "usual": build_aggregate("cdn", "mode", "isp"),
        "by": build_aggregate("n", "sum", "cdn", "usual"),
    }
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan(nodes), {})
    (problem,) = refused.value.problems
    assert problem.code == "different_keys"
