"""alert: true from when a limit has been crossed for long enough until it has cleared for long enough."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.comparisons import RATIO
from tests.operators.reasons import NUMBERS, ON, explain_at
from tests.operators.small import answer, assert_declared, build_event, build_node, build_plan
from tests.operators.unknowns import HIDDEN
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

FOR = {"for": "3s"}
HOT: dict[str, Any] = {
    "n": NUMBERS["n"],
    "hot": build_node("alert", "n", above=80, clear=75, clear_after="2s", **FOR),
}


def _build_numbers(*values: int) -> list[dict[str, Any]]:
    return [build_event(index, n=value) for index, value in enumerate(values)]


def _build_alert(**params: Any) -> dict[str, Any]:
    return {"n": NUMBERS["n"], "hot": build_node("alert", "n", **params)}


def test_it_fires_at_the_instant_at_which_the_duration_is_over() -> None:
    assert answer(HOT, build_event(0, n=60), build_event(1, n=85)) == {
        "x": [(None, None), (0, False), (4, True)]
    }


def test_a_clearing_event_at_that_instant_comes_first() -> None:
    assert answer(HOT, build_event(1, n=85), build_event(4, n=75)) == {"x": [(None, None), (1, False)]}


def test_between_the_limits_it_stays_crossed() -> None:
    assert answer(HOT, *_build_numbers(60, 81, 80, 76, 76)) == {"x": [(None, None), (0, False), (4, True)]}


def test_it_ends_once_it_has_been_clear_for_long_enough() -> None:
    events = [build_event(0, n=90), build_event(5, n=75), build_event(6, n=81), build_event(7, n=75)]
    assert answer(HOT, *events) == {"x": [(None, None), (0, False), (3, True), (9, False)]}


def test_below_is_the_mirror_of_above() -> None:
    nodes = _build_alert(below=10, clear=15)
    expected = [(None, None), (0, False), (1, True), (3, False)]
    assert answer(nodes, *_build_numbers(10, 9, 14, 15, 10)) == {"x": expected}


def test_without_durations_and_clear_it_is_the_comparison() -> None:
    compiled = compile_plan(
        build_plan({**_build_alert(above=80), "above": build_node("greater_than", "n", value=80)}), {}
    )
    assert compiled.names["hot"] == compiled.names["above"]


def test_of_a_bool_without_durations_it_is_the_bool() -> None:
    compiled = compile_plan(build_plan({**ON, "fires": build_node("alert", "on")}), {})
    assert compiled.names["fires"] == compiled.names["on"]


def test_a_clear_that_is_the_limit_changes_nothing() -> None:
    nodes = {**_build_alert(below=1, clear=1, **FOR), "same": build_node("alert", "n", below=1, **FOR)}
    compiled = compile_plan(build_plan(nodes), {})
    assert compiled.names["hot"] == compiled.names["same"]


def test_of_a_bool_it_waits_before_it_fires_and_before_it_ends() -> None:
    nodes = {**ON, "fires": build_node("alert", "on", clear_after="2s", **FOR)}
    events = [
        build_event(1, on=True),
        build_event(5, on=False),
        build_event(6, on=True),
        build_event(8, on=False),
    ]
    assert answer(nodes, *events) == {"x": [(None, None), (1, False), (4, True), (10, False)]}


def test_an_alert_that_fired_before_an_unknown_span_fires_on_after_it() -> None:
    nodes = {**HIDDEN, "hot": build_node("alert", "n", above=80, **FOR)}
    events = [build_event(1, n=90, show="yes"), build_event(6, show="no"), build_event(9, show="yes")]
    expected = [(None, None), (1, False), (4, True), (6, None), (9, True)]
    assert answer(nodes, *events) == {"x": expected}


def test_it_takes_a_ratio_and_durations_as_limits() -> None:
    nodes = {**RATIO, "busy": build_node("alert", "rate", above=1, clear=0.5)}
    assert answer(nodes, build_event(10, on=True), build_event(10.5, n=1))["x"][-1] == (14, False)
    assert answer(_build_alert(above="1min"), *_build_numbers(60, 61)) == {
        "x": [(None, None), (0, False), (1, True)]
    }


@pytest.mark.parametrize(
    ("params", "port", "hint"),
    [
        ({}, "above", "give either `above` or `below`; for a band, combine two alerts with `or`"),
        (
            {"above": 2, "below": 1},
            "below",
            "give either `above` or `below`; for a band, combine two alerts with `or`",
        ),
        ({"above": 2, "clear": 3}, "clear", "give a `clear` that is at most `above`"),
        ({"below": 2, "clear": 1}, "clear", "give a `clear` that is at least `below`"),
    ],
)
def test_limits_of_a_number_that_cannot_be_are_refused(params: dict[str, Any], port: str, hint: str) -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan(_build_alert(**params)), {})
    [problem] = refused.value.problems
    assert (problem.node, problem.port, problem.hint) == ("hot", port, hint)


@pytest.mark.parametrize("name", ["above", "below", "clear"])
def test_a_limit_on_a_bool_is_refused(name: str) -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(build_plan({**ON, "fires": build_node("alert", "on", None, **{name: 1})}), {})
    [problem] = refused.value.problems
    assert (problem.port, problem.hint) == (name, f"remove `{name}`: the alert fires while it is true")


def test_it_says_why_it_fires_and_what_ends_that() -> None:
    events = [build_event(0, n=90), build_event(5, n=78), build_event(8, n=75)]
    assert explain_at(HOT, 4, *events[:1]) == (
        "`alert` is true because `n` is 90 (since 00:00:00), greater than 80.",
        "ends when `n` is at most 75 for 2 s",
        ["n"],
    )
    assert explain_at(HOT, 6, *events)[0] == (
        "`alert` is true since 00:00:03: `n` is 78 (since 00:00:05), and has not been at most 75 for 2 s yet."
    )


def test_it_says_why_it_does_not_fire() -> None:
    events = [build_event(0, n=60), build_event(1, n=90), build_event(9, n=10)]
    assert explain_at(HOT, 0.5, *events[:1])[:2] == (
        "`alert` is false because `n` is 60 (since 00:00:00), not greater than 80.",
        "ends when `n` is greater than 80 for 3 s",
    )
    assert explain_at(HOT, 2, *events)[0] == (
        "`alert` is false because `n` is 90 (since 00:00:01), greater than 80, but not yet for 3 s."
    )
    assert (
        explain_at(HOT, 2, build_event(1), build_event(3, n=4))[0]
        == "`alert` is unknown because `n` is unknown."
    )


def test_it_says_why_of_a_bool() -> None:
    nodes = {**ON, "fires": build_node("alert", "on", **FOR)}
    events = [build_event(1, on=True), build_event(7, on=False)]
    assert explain_at(nodes, 2, *events)[0] == (
        "`alert` is false because `on` is true (since 00:00:01), but not yet for 3 s."
    )
    assert explain_at(nodes, 5, *events)[0] == "`alert` is true because `on` is true (since 00:00:01)."
    assert explain_at(nodes, 7, *events)[0] == "`alert` is false because `on` is false (since 00:00:07)."


def test_it_describes_itself() -> None:
    parameters = [(name, "number") for name in ("above", "below", "clear")]
    parameters += [("for", "duration"), ("clear_after", "duration")]
    inputs = [("of", ["bool", "number", "ratio"], 1)]
    assert_declared("alert", category="timelines", inputs=inputs, parameters=parameters, output="bool")
