"""hysteresis: true from above one limit until below another one."""

from __future__ import annotations

import pytest

from tests.operators.comparisons import RATIO
from tests.operators.reasons import NUMBERS, explain_at
from tests.operators.small import answer, assert_declared, build_event, build_node, build_plan
from tests.operators.unknowns import HIDDEN
from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused

NODES = {"n": NUMBERS["n"], "hot": build_node("hysteresis", "n", above=80, below=70)}


def test_it_turns_true_above_the_one_limit_and_false_below_the_other_one() -> None:
    values = [60, 81, 80, 70, 69, 75, 80, 90, 70]
    events = [build_event(index, n=value) for index, value in enumerate(values)]
    assert answer(NODES, *events) == {"x": [(None, None), (0, False), (1, True), (4, False), (7, True)]}


def test_it_is_false_at_first_between_the_limits() -> None:
    assert answer(NODES, build_event(1, n=75)) == {"x": [(None, None), (1, False)]}


def test_an_unknown_stretch_ends_and_keeps_what_was() -> None:
    nodes = {**HIDDEN, "hot": build_node("hysteresis", "n", above=80, below=70)}
    events = build_event(1, n=90, show="yes"), build_event(3, show="no"), build_event(9, n=75, show="yes")
    assert answer(nodes, *events) == {"x": [(None, None), (1, True), (3, None), (9, True)]}


def test_it_is_a_latch_of_two_comparisons() -> None:
    parts = {
        "above": build_node("greater_than", "n", value=80),
        "below": build_node("less_than", "n", value=70),
    }
    latch = {"latched": {"op": "latch", "inputs": {"set": "above", "reset": "below"}}}
    compiled = compile_plan(build_plan({**NODES, **parts, **latch}), {})
    assert compiled.names["hot"] == compiled.names["latched"]
    steps = {step.op for step in compiled.programs[compiled.names["hot"]].steps}
    assert steps == {"latest_event_to_state", "greater_than", "less_than", "latch"}


def test_it_takes_a_ratio_and_durations() -> None:
    nodes = {**RATIO, "busy": build_node("hysteresis", "rate", above=1, below=0.5)}
    assert answer(nodes, build_event(10, on=True), build_event(10.5, n=1))["x"][-1] == (14.000001, False)
    nodes = {"n": NUMBERS["n"], "long": build_node("hysteresis", "n", above="1min", below="30s")}
    assert answer(nodes, build_event(1, n=61), build_event(2, n=29)) == {
        "x": [(None, None), (1, True), (2, False)]
    }


@pytest.mark.parametrize(("above", "below"), [(70, 80), (70, 70), ("30s", "1min")])
def test_limits_that_leave_nothing_between_them_are_refused(above: object, below: object) -> None:
    with pytest.raises(Refused) as refused:
        compile_plan(
            build_plan({"n": NUMBERS["n"], "hot": build_node("hysteresis", "n", above=above, below=below)}),
            {},
        )
    [problem] = refused.value.problems
    assert (problem.node, problem.port) == ("hot", "above")
    assert problem.hint == "give an `above` that is greater than `below`"


def test_it_says_why_in_its_own_words() -> None:
    events = [build_event(index, n=value) for index, value in enumerate([60, 85, 75, 65])]
    assert explain_at(NODES, 1, *events) == (
        "`hysteresis` is true because `n` is 85 (since 00:00:01), greater than 80.",
        "ends at 00:00:03, with a change of `n` to 65",
        ["n"],
    )
    assert explain_at(NODES, 2, *events)[0] == (
        "`hysteresis` is true since 00:00:01, when `n` was 85; now `n` is 75 (since 00:00:02), between 70 and 80."
    )
    assert explain_at(NODES, 3, *events)[:2] == (
        "`hysteresis` is false because `n` is 65 (since 00:00:03), less than 70.",
        "ends when `n` is greater than 80",
    )
    assert (
        explain_at(NODES, 2, build_event(1), build_event(3, n=4))[0]
        == "`hysteresis` is unknown because `n` is unknown."
    )
    assert explain_at(NODES, 2, build_event(1, n=75))[0] == (
        "`hysteresis` is false, as before or at first: `n` is 75 (since 00:00:01), between 70 and 80."
    )


def test_it_describes_itself() -> None:
    parameters = [("above", "number"), ("below", "number")]
    inputs = [("of", ["number", "ratio"], 1)]
    assert_declared("hysteresis", category="timelines", inputs=inputs, parameters=parameters, output="bool")
