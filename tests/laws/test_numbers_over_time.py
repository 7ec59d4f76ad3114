"""What looks back over time says what the referee says, with unknowns, many keys and odd decimals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluate.running import disagreements, judged, run
from tests.laws.facts import NODES, events, few, node, plan_of
from tests.referee import JsonEvent

DURATIONS = st.sampled_from(["500ms", "1s", "2500ms", "1us", "333ms", "1h"])
LOOKING_BACK: dict[str, dict[str, Any]] = {
    "any_within": node("any_within", "x"),
    "max_within": node("max_within", "n"),
    "min_within": node("min_within", "n"),
    "mean_within": node("mean_within", "n"),
    "mean_within of a bool": node("mean_within", "x"),
}
REMEMBERING: dict[str, dict[str, Any]] = {
    "integral": node("integral", "n"),
    "increase": node("increase", "n"),
    "increase without resets": node("increase", "n", falls="ignore"),
    "running_max": node("running_max", "n"),
    "running_min": node("running_min", "n"),
    "hysteresis": node("hysteresis", "n", above=0.3, below=0),
    "hysteresis of a duration": node("hysteresis", "age_s", above="1500ms", below=0.3),
    "alert": node("alert", "n", above=0.3),
    "alert below": node("alert", "n", below=0, clear=0.3, clear_after="1s"),
    "alert for": node("alert", "n", above=0.3, clear=0, **{"for": "1s"}),
    "alert for, clear after": node(
        "alert", "age_s", above="1500ms", clear=0.3, clear_after="333ms", **{"for": "1us"}
    ),
    "alert of a bool": node("alert", "x", clear_after="500ms", **{"for": "2500ms"}),
    "latch": {"op": "latch", "inputs": {"set": "x", "reset": "y"}},
    **{f"previous_value of {name}": node("previous_value", name) for name in ("s", "x", "n")},
}

POINTWISE: dict[str, dict[str, Any]] = {
    **{name: node(name, "n") for name in ("round", "floor", "ceil", "log")},
    "power": node("power", "n", "m"),
    "square": node("power", "n", value=2),
    "root": node("power", "n", value=0.5),
    "absolute": node("absolute", "n"),
    "absolute of what climbs": node("absolute", "gap"),
    **{f"{name} of two": node(name, "n", "m") for name in ("maximum", "minimum")},
    **{f"{name} of a value": node(name, "gap", value=0.3) for name in ("maximum", "minimum")},
    **{f"{name} of what climbs": node(name, "gap", "half") for name in ("maximum", "minimum")},
}
MOVING = {"gap": node("subtract", "for_x", "age_s"), "half": node("multiply", "for_y", value=0.3)}
"""Lines that climb and fall and cross each other between microseconds."""


def _assert_judged(delivered: list[JsonEvent], last: dict[str, Any]) -> None:
    plan = plan_of({**NODES, **MOVING, "last": last}, ["last"])
    result, truth = run(plan, {"events": delivered}), judged(plan, {"events": delivered})
    assert disagreements(plan, result, truth) == []


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
