"""A draft with problems computes what is right of it already."""

from __future__ import annotations

from typing import Any

import pytest

from timeline_app.compiler import compile_plan
from timeline_app.compiler.partial import compile_part
from timeline_app.plan import Refused

STREAMS = {"player": {"key": "k", "time": "t"}}
PLAYED = {"op": "has_existed", "stream": "player", "params": {"where": 'a == "b"'}}


def build_plan(**nodes: Any) -> dict[str, Any]:
    return {"version": 1, "streams": STREAMS, "nodes": nodes, "results": list(nodes)}


def build_negation(of: Any) -> dict[str, Any]:
    return {"op": "not", "inputs": {"of": of}}


def test_a_right_plan_is_compiled_whole() -> None:
    document = build_plan(played=PLAYED, never=build_negation("played"))
    part = compile_part(document, {})
    assert part.compiled.names == compile_plan(document, {}).names
    assert part.left_out == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"op": "nonsense"},
        {"op": "not"},
        build_negation("gone"),
        build_negation(["played", "played"]),
        {"op": "duration_where", "inputs": {"of": "number"}},
        7,
    ],
)
def test_wrong_nodes_and_all_above_them_are_left_out(wrong: Any) -> None:
    number = {"op": "event_count", "stream": "player"}
    document = build_plan(
        played=PLAYED, number=number, odd=wrong, above=build_negation("odd"), top=build_negation("above")
    )
    part = compile_part(document, {})
    assert set(part.compiled.names) == {"played", "number"}
    assert set(part.left_out) == {"odd", "above", "top"}
    assert "odd" in part.left_out["above"].message


def test_a_cycle_is_left_out() -> None:
    document = build_plan(played=PLAYED, a=build_negation("b"), b=build_negation("a"), c=build_negation("a"))
    assert set(compile_part(document, {}).compiled.names) == {"played"}


@pytest.mark.parametrize(
    "document",
    [None, [], {}, build_plan(), build_plan(odd={"op": "not"}), build_plan(played=PLAYED) | {"version": 2}],
)
def test_where_nothing_is_right_all_problems_are_told(document: Any) -> None:
    with pytest.raises(Refused) as refused:
        compile_part(document, {})
    assert refused.value.problems
