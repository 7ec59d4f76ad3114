"""What looks back over time says what the referee says, with unknowns, many keys and odd decimals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluate.running import judge_plan, list_disagreements, run
from tests.laws.facts import NODES, build_node, build_plan, events, few
from tests.referee import JsonEvent

DURATIONS = st.sampled_from(["500ms", "1s", "2500ms", "1us", "333ms", "1h"])
LOOKING_BACK: dict[str, dict[str, Any]] = {
    "any_within": build_node("any_within", "x"),
    "max_within": build_node("max_within", "n"),
    "min_within": build_node("min_within", "n"),
    "mean_within": build_node("mean_within", "n"),
    "mean_within of a bool": build_node("mean_within", "x"),
}
REMEMBERING: dict[str, dict[str, Any]] = {
    "integral": build_node("integral", "n"),
    "increase": build_node("increase", "n"),
    "increase without resets": build_node("increase", "n", falls="ignore"),
    "running_max": build_node("running_max", "n"),
    "running_min": build_node("running_min", "n"),
    "hysteresis": build_node("hysteresis", "n", above=0.3, below=0),
    "hysteresis of a duration": build_node("hysteresis", "age_s", above="1500ms", below=0.3),
    "alert": build_node("alert", "n", above=0.3),
    "alert below": build_node("alert", "n", below=0, clear=0.3, clear_after="1s"),
    "alert for": build_node("alert", "n", above=0.3, clear=0, **{"for": "1s"}),
    "alert for, clear after": build_node(
        "alert", "age_s", above="1500ms", clear=0.3, clear_after="333ms", **{"for": "1us"}
    ),
    "alert of a bool": build_node("alert", "x", clear_after="500ms", **{"for": "2500ms"}),
    "latch": {"op": "latch", "inputs": {"set": "x", "reset": "y"}},
    **{f"previous_value of {name}": build_node("previous_value", name) for name in ("s", "x", "n")},
}

POINTWISE: dict[str, dict[str, Any]] = {
    **{name: build_node(name, "n") for name in ("round", "floor", "ceil", "log")},
    "power": build_node("power", "n", "m"),
    "square": build_node("power", "n", value=2),
    "root": build_node("power", "n", value=0.5),
    "absolute": build_node("absolute", "n"),
    "absolute of what climbs": build_node("absolute", "gap"),
    **{f"{name} of two": build_node(name, "n", "m") for name in ("maximum", "minimum")},
    **{f"{name} of a value": build_node(name, "gap", value=0.3) for name in ("maximum", "minimum")},
    **{f"{name} of what climbs": build_node(name, "gap", "half") for name in ("maximum", "minimum")},
}
MOVING = {"gap": build_node("subtract", "for_x", "age_s"), "half": build_node("multiply", "for_y", value=0.3)}
"""Lines that climb and fall and cross each other between microseconds."""


def _assert_judged(delivered: list[JsonEvent], last: dict[str, Any]) -> None:
    plan = build_plan({**NODES, **MOVING, "last": last}, ["last"])
    result, truth = run(plan, {"events": delivered}), judge_plan(plan, {"events": delivered})
    assert list_disagreements(plan, result, truth) == []


@pytest.mark.parametrize("name", LOOKING_BACK)
@few
@given(events(), DURATIONS)
def test_a_window_is_the_referees(name: str, delivered: list[JsonEvent], duration: str) -> None:
    _assert_judged(delivered, {**LOOKING_BACK[name], "params": {"duration": duration}})


@pytest.mark.parametrize("name", REMEMBERING)
@few
@given(events())
def test_what_remembers_is_the_referees(name: str, delivered: list[JsonEvent]) -> None:
    _assert_judged(delivered, REMEMBERING[name])


@pytest.mark.parametrize("name", POINTWISE)
@few
@given(events())
def test_a_function_of_numbers_is_the_referees(name: str, delivered: list[JsonEvent]) -> None:
    _assert_judged(delivered, POINTWISE[name])
