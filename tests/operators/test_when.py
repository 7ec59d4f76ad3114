"""when: one timeline while a bool is true, another one (or unknown) while it is false."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.comparisons import CLIMBING, RATIO
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

ON = {"on": build_leaf("latest_event_to_state", field="on")}
TEXTS = {
    "state": build_leaf("latest_event_to_state", field="state"),
    "cdn": build_leaf("latest_event_to_state", field="cdn"),
}


def build_when(condition: str, of: str, otherwise: str | None = None) -> dict[str, Any]:
    inputs = {"if": condition, "of": of}
    return {"op": "when", "inputs": inputs if otherwise is None else {**inputs, "otherwise": otherwise}}


def test_unknown_where_the_condition_is_false_or_unknown() -> None:
    result = answer(
        {**ON, **TEXTS, "some": build_when("on", "state")},
        build_event(1, state="a"),
        build_event(2, on=True),
        build_event(4, state="b"),
        build_event(5, on=False),
        build_event(7, on=True),
    )
    assert result == {"x": [(None, None), (2, "a"), (4, "b"), (5, None), (7, "b")]}


def test_otherwise_where_it_is_false_but_not_where_it_is_unknown() -> None:
    nodes = {**ON, **TEXTS, "one": build_when("on", "state", "cdn")}
    result = answer(
        nodes,
        build_event(1, state="a", cdn="c"),
        build_event(2, on=True),
        build_event(5, on=False),
        build_event(6, cdn="a"),
    )
    assert result == {"x": [(None, None), (2, "a"), (5, "c"), (6, "a")]}


def test_both_the_same_is_that_where_the_condition_is_known() -> None:
    nodes = {**ON, **TEXTS, "one": build_when("on", "state", "state")}
    result = answer(nodes, build_event(1, state="a"), build_event(2, on=True), build_event(5, on=False))
    assert result == {"x": [(None, None), (2, "a")]}


def test_numbers_go_on_along_their_lines() -> None:
    nodes = {**CLIMBING, "lately": build_leaf("has_existed_within", where="n > 0", duration="2s")}
    nodes |= {"count": build_leaf("event_count"), "one": build_when("lately", "for", "count")}
    result = answer(nodes, build_event(1, on=True), build_event(4, n=1))
    assert result == {"x": [(None, 0.0), (1, 1.0), (4, 3.0, 1.0), (6, 2.0)]}


def test_lines_that_meet_where_it_changes_are_one() -> None:
    nodes = {**CLIMBING, "lately": build_leaf("has_existed_within", where="n > 0", duration="2s")}
    nodes["one"] = build_when("lately", "for", "for")
    assert answer(nodes, build_event(1, on=True), build_event(4, n=1)) == {"x": [(None, 0.0), (1, 0.0, 1.0)]}


def test_a_ratio_stays_one() -> None:
    nodes = {**RATIO, "lately": build_leaf("has_existed_within", where="n > 0", duration="2s")}
    nodes["some"] = build_when("lately", "rate")
    assert answer(nodes, build_event(1, on=True), build_event(4, n=1)) == {
        "x": [(None, None), (4, (2.0, 0.0, 3.0, 1.0)), (6, None)]
    }


def test_bools_and_what_is_above_them() -> None:
    nodes = {**ON, "ever": build_leaf("has_existed", where="n > 0"), "some": build_when("on", "ever")}
    nodes["for"] = build_node("duration_where", "some")
    result = answer(
        nodes, build_event(1, on=True), build_event(2, n=1), build_event(5, on=False), build_event(6, on=True)
    )
    assert result == {"x": [(None, 0.0), (2, 0.0, 1.0), (5, 3.0), (6, 3.0, 1.0)]}


def test_another_kind_otherwise_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**ON, **TEXTS, "one": build_when("on", "state", "on")}), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port) == ("one", "otherwise")


def test_what_may_climb_counts_as_climbing() -> None:
    nodes = {**CLIMBING, "count": build_leaf("event_count"), "one": build_when("on", "count", "for")}
    with pytest.raises(Refused):
        compile_plan(build_plan({**nodes, "same": build_node("equal_to", "one", value=1)}), {})


def test_it_describes_itself() -> None:
    anything = ["text", "bool", "number", "ratio"]
    inputs = [("if", ["bool"], 1), ("of", anything, 1), ("otherwise", anything, 0)]
    assert_declared("when", category="timelines", inputs=inputs, parameters=[], output="any")
