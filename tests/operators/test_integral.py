"""integral: the sum of value times seconds since birth."""

from __future__ import annotations

import pytest

from tests.operators.comparisons import CLIMBING
from tests.operators.reasons import NUMBERS, explain_at
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node, build_plan
from tests.operators.unknowns import HIDDEN
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

NODES = {"n": NUMBERS["n"], "area": build_node("integral", "n")}


def test_it_climbs_by_the_value_each_second() -> None:
    events = build_event(1, n=2), build_event(4, n=0), build_event(6, n=-1.5)
    assert answer(NODES, *events) == {"x": [(None, 0.0), (1, 0.0, 2.0), (4, 6.0), (6, 6.0, -1.5)]}


def test_it_stands_still_while_the_number_is_unknown() -> None:
    nodes = {**HIDDEN, "area": build_node("integral", "n")}
    events = build_event(1, n=3, show="yes"), build_event(3, show="no"), build_event(20, show="yes")
    assert answer(nodes, *events) == {"x": [(None, 0.0), (1, 0.0, 3.0), (3, 6.0), (20, 6.0, 3.0)]}


def test_a_value_held_since_ever_counts_from_birth() -> None:
    nodes = {"limit": build_leaf("constant", value=2), "area": build_node("integral", "limit")}
    assert answer(nodes, build_event(10)) == {"x": [(None, 0.0), (10, 0.0, 2.0)]}


def test_sums_of_decimals_are_decimals() -> None:
    values = [0.1, 0.2, 0.3, 0.7, 0.1, -0.4]
    events = [build_event(index, n=value) for index, value in enumerate(values)]
    sums = [0.0, 0.1, 0.3, 0.6, 1.3, 1.4]
    assert answer(NODES, *events)["x"][1:] == [
        (index, total, value) for index, (total, value) in enumerate(zip(sums, values, strict=True))
    ]


def test_what_is_large_does_not_swallow_what_is_small() -> None:
    events = (
        build_event(0, n=1e15),
        build_event(3600, n=0.001),
        build_event(3601, n=-1e15),
        build_event(7201, n=0),
    )
    assert answer(NODES, *events)["x"][-1] == (7201, 0.001)


def test_it_says_why() -> None:
    events = build_event(1, n=2), build_event(4, n=0.5)
    assert explain_at(NODES, 3, *events) == (
        "`n` times seconds since the birth of `x` at 00:00:01 is 4; it changes by 2 each second while"
        " `n` is 2 (since 00:00:01).",
        "ends at 00:00:04, with a change of `n` to 0.5",
        ["n"],
    )
    assert explain_at(NODES, 2, build_event(1), build_event(9, n=1))[0].endswith(
        "it stands still while `n` is unknown."
    )
    assert explain_at(NODES, 0, *events)[0].startswith("`integral` is 0: `x` was born only at 00:00:01")


def test_a_climbing_number_is_refused_with_the_hint() -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**CLIMBING, "area": build_node("integral", "for")}), {})
    [problem] = refused.value.problems
    assert (problem.node, problem.code) == ("area", "climbing_number")
    assert problem.hint.startswith("wire a field, a count or a sum of a field")


def test_it_describes_itself() -> None:
    inputs = [("of", ["number"], 1)]
    assert_declared("integral", category="timelines", inputs=inputs, parameters=[], output="number")
