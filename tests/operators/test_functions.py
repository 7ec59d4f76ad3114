"""absolute, ceil, floor, log, maximum, minimum, power, round: functions of numbers, instant by instant."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.comparisons import CLIMBING, NUMBER
from tests.operators.reasons import explain_at
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

FIELDS = {"n": "number", "m": "number", "on": "bool"}
STREAM = {"key": "k", "time": "t", "unit": "s", "fields": FIELDS}


def compute_value(op: str, n: float, **params: Any) -> Any:
    """What the operator makes of a value."""
    nodes = {"n": NUMBER["n"], "result": build_node(op, "n", **params)}
    points = answer(nodes, build_event(1, n=n), build_event(2))["x"]
    return points[-1][1]


@pytest.mark.parametrize(
    ("op", "n", "expected"),
    [
        ("round", 2.5, 3.0), ("round", -2.5, -3.0), ("round", 0.49999999999999994, 0.0), ("round", -0.4, 0.0),
        ("floor", 2.5, 2.0), ("floor", -2.5, -3.0), ("floor", 3, 3.0),
        ("ceil", 2.5, 3.0), ("ceil", -2.5, -2.0), ("ceil", -0.5, 0.0),
        ("absolute", -2.5, 2.5), ("absolute", 0, 0.0), ("absolute", 3, 3.0),
        ("log", 1, 0.0), ("log", 10, 2.302585092994046), ("log", 0, None), ("log", -1, None),
    ],
)  # fmt: skip
def test_functions_of_one_number(op: str, n: float, expected: float | None) -> None:
    assert compute_value(op, n) == expected
    assert str(compute_value(op, n)) != "-0.0"


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        (2, 10, 1024.0), (0.1, 2, 0.01), (1.1, 3, 1.331), (9, 0.5, 3.0), (-2, 3, -8.0), (2, -1, 0.5), (0, 0, 1.0),
        (0, -1, None), (-8, 0.5, None), (1e14, 30, None),
    ],
)  # fmt: skip
def test_powers_are_those_of_decimals_and_unknown_where_there_is_none(
    base: float, exponent: float, expected: float | None
) -> None:
    assert compute_value("power", base, value=exponent) == expected


def test_the_power_of_two_numbers_is_unknown_while_either_is() -> None:
    nodes = {**NUMBER, "raised": build_node("power", "n", "m")}
    assert answer(nodes, build_event(1, n=3), build_event(2, m=2), build_event(3, m=0), s=STREAM) == {
        "x": [(None, None), (2, 9.0), (3, 1.0)]
    }


def test_maximum_and_minimum_change_over_where_lines_cross() -> None:
    nodes = {
        **CLIMBING,
        "n": NUMBER["n"],
        "most": build_node("maximum", "for", "n"),
        "least": build_node("minimum", "for", "n"),
    }
    events = build_event(10, on=True, n=3), build_event(20, on=False)
    assert answer(nodes, *events) == {"x": [(None, None), (10, 0.0, 1.0), (13, 3.0)]}
    del nodes["least"]
    assert answer(nodes, *events) == {"x": [(None, None), (10, 3.0), (13, 3.0, 1.0), (20, 10.0)]}


def test_where_lines_cross_between_microseconds_the_first_one_after_counts() -> None:
    nodes = {
        **CLIMBING,
        "part": build_node("divide", "for", value=3),
        "most": build_node("maximum", "part", value=1e-6),
    }
    assert answer(nodes, build_event(10, on=True))["x"][:2] == [(None, 1e-06), (10.000003, 1e-06, 1 / 3)]
    nodes["most"] = build_node("maximum", "part", value=1.1e-6)
    assert answer(nodes, build_event(10, on=True))["x"][1][0] == 10.000004


def test_the_order_of_two_numbers_does_not_matter() -> None:
    document = build_plan(
        {**NUMBER, "a": build_node("maximum", "n", "m"), "b": build_node("maximum", "m", "n")}, s=STREAM
    )
    names = compile_plan(document, {}).names
    assert names["a"] == names["b"]


def test_absolute_of_what_falls_turns_where_it_is_0() -> None:
    nodes = {
        **CLIMBING,
        "left": build_node("subtract", "for", value=2),
        "gap": build_node("absolute", "left"),
    }
    assert answer(nodes, build_event(10, on=True)) == {"x": [(None, 2.0), (10, 2.0, -1.0), (12, 0.0, 1.0)]}


def test_absolute_is_the_greater_of_a_number_and_its_opposite() -> None:
    nodes = {
        **NUMBER,
        "minus": build_node("multiply", "n", value=-1),
        "most": build_node("maximum", "minus", "n"),
    }
    names = compile_plan(build_plan({**nodes, "size": build_node("absolute", "n")}, s=STREAM), {}).names
    assert names["size"] == names["most"]


@pytest.mark.parametrize("op", ["round", "floor", "ceil", "log", "power"])
def test_a_climbing_number_is_refused_where_the_result_were_no_line(op: str) -> None:
    params: dict[str, Any] = {"value": 2} if op == "power" else {}
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**CLIMBING, "result": build_node(op, "for", **params)}), {})
    assert [(problem.node, problem.code) for problem in refused.value.problems] == [
        ("result", "climbing_number")
    ]


def test_they_say_why() -> None:
    n = {"n": NUMBER["n"]}
    assert explain_at({**n, "r": build_node("round", "n")}, 2, build_event(1, n=2.5)) == (
        "`round` is 3, rounded: `n` is 2.5 (since 00:00:01).", "changes when `n` changes", ["n"],
    )  # fmt: skip
    assert explain_at({**n, "r": build_node("log", "n")}, 2, build_event(1, n=0))[0] == (
        "`log` is unknown because 0 and less have no logarithm: `n` is 0 (since 00:00:01)."
    )
    assert (
        explain_at({**n, "r": build_node("log", "n")}, 2, build_event(1))[0]
        == "`log` is unknown because `n` is unknown."
    )
    assert explain_at({**n, "r": build_node("power", "n", value=0.5)}, 2, build_event(1, n=-1))[0] == (
        "`power` is unknown because this power is no number: `n` is -1 (since 00:00:01)."
    )
    assert explain_at({**n, "r": build_node("power", "n", value=2)}, 2, build_event(1, n=3))[0] == (
        "`power` is 9, that is 3 to the power of 2: `n` is 3 (since 00:00:01)."
    )
    assert explain_at({**n, "r": build_node("absolute", "n")}, 2, build_event(1, n=-3))[0] == (
        "`absolute` is 3, without its sign: `n` is -3 (since 00:00:01)."
    )
    assert explain_at({**n, "r": build_node("minimum", "n", value=2)}, 2, build_event(1, n=3))[0] == (
        "`minimum` is 2, the lesser of the two: `n` is 3 (since 00:00:01) and 2."
    )


def test_they_describe_themselves() -> None:
    items, two = [("of", ["number"], 1)], [("of", ["number"], 1), ("other", ["number"], 0)]
    for op in ("absolute", "ceil", "floor", "log", "round"):
        assert_declared(op, category="timelines", inputs=items, parameters=[], output="number")
    for op in ("maximum", "minimum", "power"):
        values = [("value", "number")]
        assert_declared(op, category="timelines", inputs=two, parameters=values, output="number")


def test_durations_are_seconds() -> None:
    nodes = {**CLIMBING, "capped": build_node("minimum", "for", value="5s")}
    assert answer(nodes, build_event(10, on=True)) == {"x": [(None, 0.0), (10, 0.0, 1.0), (15, 5.0)]}


def test_they_stand_beside_leaves_without_events() -> None:
    assert answer(
        {"count": build_leaf("event_count", where="n > 5"), "r": build_node("round", "count")}, build_event(1)
    ) == {"x": [(None, 0.0)]}
