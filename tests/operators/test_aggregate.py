"""aggregate: from keys to groups of keys, exact at every instant."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.small import (
    STREAM,
    answer,
    assert_declared,
    build_event,
    build_leaf,
    build_node,
    build_plan,
)
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

STATE = {"state": build_leaf("latest_event_to_state", field="state")}
NUMBER = {"n": build_leaf("latest_event_to_state", field="n")}
FLAG = {"on": build_leaf("latest_event_to_state", field="on")}
FOR = {**FLAG, "for": build_node("duration_where", "on")}


def build_aggregate(of: str, function: str, by: str | None = None) -> dict[str, Any]:
    inputs = {"of": of} if by is None else {"of": of, "by": by}
    return {"op": "aggregate", "inputs": inputs, "params": {"function": function}}


@pytest.mark.parametrize(
    ("function", "points"),
    [
        ("sum", [(None, 0.0), (1, 2.0), (3, 7.0), (5, 6.0)]),
        ("count", [(None, 0.0), (1, 1.0), (3, 2.0)]),
        ("avg", [(None, None), (1, 2.0), (3, 3.5), (5, 3.0)]),
    ],
)
def test_numbers_over_all_keys(function: str, points: list[Any]) -> None:
    events = build_event(1, "a", n=2), build_event(2, "c"), build_event(3, "b", n=5), build_event(5, "a", n=1)
    assert answer({**NUMBER, "all": build_aggregate("n", function)}, *events) == {"*": points}


@pytest.mark.parametrize(
    ("function", "points"),
    [
        ("count", [(None, 0.0), (1, 1.0), (3, 2.0), (5, 1.0)]),
        ("avg", [(None, None), (1, 1.0), (4, 2 / 3), (5, 1 / 3)]),
    ],
)
def test_bools_count_where_true_and_average_over_the_known(function: str, points: list[Any]) -> None:
    events = (
        build_event(1, "a", on=True),
        build_event(3, "b", on=True),
        build_event(4, "c", on=False),
        build_event(5, "a", on=False),
    )
    assert answer({**FLAG, "all": build_aggregate("on", function)}, *events) == {"*": points}


def test_keys_move_between_groups_and_count_where_they_are() -> None:
    events = (
        build_event(1, "a", state="u"),
        build_event(1, "a", n=4),
        build_event(2, "b", n=1),
        build_event(3, "b", state="u"),
        build_event(5, "a", state="v"),
    )
    assert answer({**NUMBER, **STATE, "by": build_aggregate("n", "sum", "state")}, *events) == {
        "u": [(None, 0.0), (1, 4.0), (3, 5.0), (5, 1.0)],
        "v": [(None, 0.0), (5, 4.0)],
    }


def test_a_key_counts_from_its_birth_and_not_since_ever() -> None:
    never = {"seen": build_leaf("has_existed", where="n > 9"), "never": build_node("not", "seen")}
    result = answer(
        {**never, "all": build_aggregate("never", "count")}, build_event(4, "a"), build_event(6, "b")
    )
    assert result == {"*": [(None, 0.0), (4, 1.0), (6, 2.0)]}


def test_durations_add_up_with_their_slopes() -> None:
    events = (
        build_event(1, "a", on=True),
        build_event(3, "b", on=True),
        build_event(4, "a", on=False),
        build_event(6, "b", on=False),
    )
    assert answer({**FOR, "all": build_aggregate("for", "sum")}, *events) == {
        "*": [(None, 0.0), (1, 0.0, 1.0), (3, 2.0, 2.0), (4, 4.0, 1.0), (6, 6.0)]
    }
    result = answer({**FOR, "all": build_aggregate("for", "avg")}, *events)
    assert result == {"*": [(None, None), (1, 0.0, 1.0), (3, 1.0, 1.0), (4, 2.0, 0.5), (6, 3.0)]}


def test_a_group_that_has_no_member_any_more_is_zero_or_unknown_and_without_one_ever_it_is_not_there() -> (
    None
):
    events = build_event(1, "a", state="u", n=3), build_event(2, "a", state="v")
    nodes = {**NUMBER, **STATE}
    result = answer({**nodes, "by": build_aggregate("n", "avg", "state")}, *events)
    assert result == {"u": [(None, None), (1, 3.0), (2, None)], "v": [(None, None), (2, 3.0)]}
    corrected = build_event(1, "a", id=1, state="u", n=3), build_event(1, "a", id=1, state="w", n=3)
    result = answer(
        {**nodes, "by": build_aggregate("n", "sum", "state")}, *corrected, s={**STREAM, "id": "id"}
    )
    assert result == {"w": [(None, 0.0), (1, 3.0)]}


def test_a_group_of_which_no_value_is_known_is_there() -> None:
    assert answer(
        {**NUMBER, **STATE, "by": build_aggregate("n", "sum", "state")}, build_event(1, state="u")
    ) == {"u": [(None, 0.0)]}
    assert answer(
        {**NUMBER, **STATE, "by": build_aggregate("n", "avg", "state")}, build_event(1, state="u")
    ) == {"u": [(None, None)]}


def test_a_key_of_which_an_input_has_no_event_counts_with_what_is_said_of_no_event() -> None:
    other = {
        "seen": build_leaf("has_existed", "r", where="n > 0"),
        "sum": build_leaf("event_sum", "r", field="n"),
    }
    other |= {"n": build_leaf("latest_event_to_state", "r", field="n")}
    events = build_event(1, "a", state="u"), build_event(1, "b", state="u"), build_event(2, "b", _="r", n=3)
    streams = {"s": STREAM, "r": STREAM}
    share = answer({**STATE, **other, "by": build_aggregate("seen", "avg", "state")}, *events, **streams)
    assert share == {"u": [(None, None), (1, 0.0), (2, 0.5)]}
    mean = answer({**STATE, **other, "by": build_aggregate("sum", "avg", "state")}, *events, **streams)
    assert mean == {"u": [(None, None), (1, 0.0), (2, 1.5)]}
    latest = answer({**STATE, **other, "by": build_aggregate("n", "avg", "state")}, *events, **streams)
    assert latest == {"u": [(None, None), (2, 3.0)]}


def test_aggregates_of_groups_and_logic_above_them() -> None:
    nodes = {
        **NUMBER,
        **STATE,
        "by": build_aggregate("n", "sum", "state"),
        "whole": build_aggregate("by", "sum"),
    }
    events = build_event(1, "a", state="u", n=1), build_event(2, "b", state="v", n=2)
    assert answer(nodes, *events) == {"*": [(None, 0.0), (1, 1.0), (2, 3.0)]}
    nodes = {
        **nodes,
        "three": build_node("equal_to", "whole", value=3),
        "for": build_node("duration_where", "three"),
    }
    assert answer(nodes, *events) == {"*": [(None, 0.0), (2, 0.0, 1.0)]}


def test_above_aggregates_a_missing_group_is_zero_or_unknown() -> None:
    where = {"cdn": build_leaf("latest_event_to_state", field="cdn"), **STATE, **FLAG}
    nodes = {
        **where,
        "one": build_aggregate("on", "count", "cdn"),
        "two": build_aggregate("on", "count", "state"),
    }
    nodes["same"] = build_node("equal_to", "one", "two")
    result = answer(nodes, build_event(1, on=True, cdn="c", state="s"))
    assert result == {"c": [(None, True), (1, False)], "s": [(None, True), (1, False)]}


def test_with_no_group_at_all_there_is_nothing_above() -> None:
    nodes = {
        **FLAG,
        **STATE,
        "by": build_aggregate("on", "count", "state"),
        "none": build_node("equal_to", "by", value=0),
    }
    assert answer({**nodes, "for": build_node("duration_where", "none")}, build_event(1)) == {}


def test_the_sum_of_bools_is_refused_with_the_hint() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**FLAG, "all": build_aggregate("on", "sum")}), {})
    (problem,) = refused.value.problems
    assert (problem.node, problem.code) == ("all", "wrong_inputs")
    assert "count" in problem.hint


def test_it_describes_itself() -> None:
    inputs = [("of", ["text", "bool", "number", "ratio"], 1), ("by", ["text"], 0)]
    parameters = [("function", "choice"), ("every", "duration"), ("zone", "zone")]
    assert_declared("aggregate", category="keys", inputs=inputs, parameters=parameters, output="number")
