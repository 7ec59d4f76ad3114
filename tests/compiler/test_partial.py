"""A draft with problems computes what is right of it already."""

from __future__ import annotations

from typing import Any

import pytest

from timeline_app.compiler import compile_plan
from timeline_app.compiler.partial import compile_part
from timeline_app.plan import Refused

STREAMS = {"player": {"key": "k", "time": "t"}}
PLAYED = {"op": "has_existed", "stream": "player", "params": {"where": 'a == "b"'}}


def plan(**nodes: Any) -> dict[str, Any]:
    return {"version": 1, "streams": STREAMS, "nodes": nodes, "results": list(nodes)}


def negation(of: Any) -> dict[str, Any]:
    return {"op": "not", "inputs": {"of": of}}


def test_a_right_plan_is_compiled_whole() -> None:
    document = plan(played=PLAYED, never=negation("played"))
    part = compile_part(document, {})
    assert part.compiled.names == compile_plan(document, {}).names
    assert part.left_out == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"op": "nonsense"},
        {"op": "not"},
        negation("gone"),
        negation(["played", "played"]),
        {"op": "duration_where", "inputs": {"of": "number"}},
        7,
    ],
)
def test_wrong_nodes_and_all_above_them_are_left_out(wrong: Any) -> None:
    number = {"op": "event_count", "stream": "player"}
    document = plan(played=PLAYED, number=number, odd=wrong, above=negation("odd"), top=negation("above"))
    part = compile_part(document, {})
    assert set(part.compiled.names) == {"played", "number"}
    assert set(part.left_out) == {"odd", "above", "top"}
    assert "odd" in part.left_out["above"].message


def test_a_cycle_is_left_out() -> None:
    document = plan(played=PLAYED, a=negation("b"), b=negation("a"), c=negation("a"))
    assert set(compile_part(document, {}).compiled.names) == {"played"}


@pytest.mark.parametrize(
    "document", [None, [], {}, plan(), plan(odd={"op": "not"}), plan(played=PLAYED) | {"version": 2}]
)
def test_where_nothing_is_right_all_problems_are_told(document: Any) -> None:
    with pytest.raises(Refused) as refused:
        compile_part(document, {})
    assert refused.value.problems
