"""aggregate with share, distinct and mode: how often each value occurs among the keys of a group."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.depth import examples
from tests.operators.comparisons import CLIMBING, RATIO
from tests.operators.small import answer, build_event, build_leaf, build_node, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

STATES = {name: build_leaf("latest_event_to_state", field=name) for name in ("state", "cdn", "n", "on")}
FUNCTIONS = ("share", "distinct", "mode")


def build_aggregate(of: str, function: str, by: str | None = None) -> dict[str, Any]:
    inputs = {"of": of} if by is None else {"of": of, "by": by}
    return {"op": "aggregate", "inputs": inputs, "params": {"function": function}}


def test_the_share_of_a_bool_is_that_of_true_among_the_known() -> None:
    events = (
        build_event(1, "a", on=True),
        build_event(3, "b", on=True),
        build_event(4, "c", on=False),
        build_event(5, "d"),
    )
    assert answer({**STATES, "all": build_aggregate("on", "share")}, *events) == {
        "*": [(None, None), (1, 1.0), (4, 2 / 3)]
    }


def test_the_share_is_one_node_with_the_average() -> None:
    nodes = {"on": STATES["on"], "share": build_aggregate("on", "share"), "avg": build_aggregate("on", "avg")}
    result = compile_plan(build_plan(nodes), {})
    assert result.names["share"] == result.names["avg"]


def test_different_values_are_counted_while_a_key_of_the_group_has_them() -> None:
    events = (
        build_event(1, "a", state="u", cdn="x"),
        build_event(2, "b", state="u", cdn="x"),
        build_event(3, "c", state="v", cdn="x"),
        build_event(5, "a", state="w"),
        build_event(7, "b", cdn="y"),
        build_event(8, "d"),
    )
    assert answer({**STATES, "all": build_aggregate("state", "distinct")}, *events) == {
        "*": [(None, 0.0), (1, 1.0), (3, 2.0), (5, 3.0)]
    }
    assert answer({**STATES, "by": build_aggregate("state", "distinct", "cdn")}, *events) == {
        "x": [(None, 0.0), (1, 1.0), (3, 2.0), (5, 3.0), (7, 2.0)],
        "y": [(None, 0.0), (7, 1.0)],
    }


def test_a_group_whose_keys_say_nothing_has_no_different_values_and_no_mode() -> None:
    events = build_event(1, "a", cdn="x"), build_event(4, "a", state="u"), build_event(6, "a", cdn="y")
    assert answer({**STATES, "by": build_aggregate("state", "distinct", "cdn")}, *events) == {
        "x": [(None, 0.0), (4, 1.0), (6, 0.0)],
        "y": [(None, 0.0), (6, 1.0)],
    }
    assert answer({**STATES, "by": build_aggregate("state", "mode", "cdn")}, *events) == {
        "x": [(None, None), (4, "u"), (6, None)],
        "y": [(None, None), (6, "u")],
    }


@pytest.mark.parametrize(
    ("of", "values", "least"),
    [
        ("on", (True, False), False),
        ("n", (10, 9.5), 9.5),
        ("n", (-1, -2), -2),
        ("state", ("é", "z"), "z"),
        ("state", ("a", "Z"), "Z"),
    ],
)
def test_of_equals_the_mode_is_the_least(of: str, values: tuple[Any, Any], least: Any) -> None:
    left, right = values
    events = (
        build_event(1, "a", **{of: left}),
        build_event(2, "b", **{of: right}),
        build_event(3, "c", **{of: left}),
    )
    result = answer({**STATES, "all": build_aggregate(of, "mode")}, *events)["*"]
    mine, late = (left, (3, left)) if least != left else (left, None)
    assert result == [(None, None), (1, mine), *([(2, least), late] if late else [])]


def test_a_mode_may_be_asked_further_as_the_state_that_it_is() -> None:
    nodes = {
        **STATES,
        "usual": build_aggregate("state", "mode"),
        "u": build_node("equal_to", "usual", value="u"),
    }
    nodes |= {"changes": build_node("changed_to", "usual")}
    events = build_event(1, "a", state="u"), build_event(3, "b", state="v"), build_event(4, "a", state="v")
    assert answer(nodes, *events) == {"*": [(None, 0.0), (1, 1.0), (4, 2.0)]}


def test_the_groups_of_a_mode_may_be_grouped_by_it() -> None:
    nodes = {
        **STATES,
        "usual": build_aggregate("state", "mode", "cdn"),
        "keys": build_aggregate("n", "count", "cdn"),
    }
    nodes["all"] = build_aggregate("keys", "sum", "usual")
    events = build_event(1, "a", state="u", cdn="x", n=1), build_event(2, "b", state="v", cdn="y", n=1)
    assert answer(nodes, *events) == {"u": [(None, 0.0), (1, 1.0)], "v": [(None, 0.0), (2, 1.0)]}


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 40)), min_size=1, max_size=60))
@examples(30)
def test_the_mode_of_many_values_is_that_of_a_slow_count(changes: list[tuple[int, int]]) -> None:
    result = answer(
        {**STATES, "all": build_aggregate("n", "mode")},
        *(build_event(at, f"k{key}", n=at % 7 * key % 5) for key, at in changes),
    )["*"]
    for time in {at for _, at in changes}:
        values: dict[int, int] = {}
        for key, at in sorted(changes, key=lambda item: item[1]):
            if at <= time:
                values[key] = at % 7 * key % 5
        often = [*values.values()]
        slow = min(often, key=lambda value: (-often.count(value), value))
        assert next(value for at, value in reversed(result) if at is None or at <= time) == slow


@pytest.mark.parametrize(
    ("of", "function", "hint"),
    [
        ("n", "share", "avg"),
        ("state", "share", "distinct"),
        ("n", "distinct", "mode"),
        ("on", "distinct", "mode"),
        ("for", "mode", "p50"),
        ("rate", "mode", "divide"),
        ("state", "sum", "distinct"),
        ("state", "avg", "distinct"),
        ("state", "p50", "mode"),
        ("on", "p33.3", "share"),
    ],
)
def test_what_a_function_cannot_take_is_refused_with_the_hint(of: str, function: str, hint: str) -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**STATES, **CLIMBING, **RATIO, "all": build_aggregate(of, function)}), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.port, problem.code) == ("all", "function", "wrong_inputs")
    assert hint in problem.hint


def test_keys_whose_text_is_known_are_counted() -> None:
    events = build_event(1, "a", state="u"), build_event(2, "b", n=1), build_event(3, "c", state="v")
    assert answer({**STATES, "all": build_aggregate("state", "count")}, *events) == {
        "*": [(None, 0.0), (1, 1.0), (3, 2.0)]
    }
