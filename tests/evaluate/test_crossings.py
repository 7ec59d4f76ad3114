"""Comparisons flip at the very microsecond, also where slopes and values are no decimals."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.evaluate.running import judge_plan, run
from tests.predicates.conditions import Condition
from timeline_app.testing.points import Shown

COMPARISONS = ("greater_than", "greater_or_equal", "less_than", "less_or_equal")
STREAM = {"key": "k", "time": "t", "unit": "us", "fields": {"on": "bool", "n": "number"}}
DIVISORS = st.sampled_from([3, 7, 9, 11, 0.3, 0.7, -3, 1.1])
VALUES = st.one_of(
    st.integers(-3, 12).map(lambda whole: whole / 4),
    st.integers(-30, 90).map(lambda tenths: tenths / 10),
    st.decimals(-2, 9, places=6, allow_nan=False).map(float),
)
FACTORS = st.integers(-3, 3).map(lambda millionths: 1 + millionths / 1e6)
SECONDS = st.integers(0, 9).map(lambda second: 1_719_820_800_000_000 + second * 1_000_000)
MISSING = Condition("n is missing", ("missing", "n"))
STARTS = st.integers(0, 4_000_000).map(lambda micro: 1_719_820_800_000_000 + micro)
Answers = dict[str, dict[str, Shown]]


def _build_plan(nodes: dict[str, Any], of: str, value: float) -> dict[str, Any]:
    on = {"op": "latest_event_to_state", "stream": "s", "params": {"field": "on"}}
    compared = {op: {"op": op, "inputs": {"of": of}, "params": {"value": value}} for op in COMPARISONS}
    for_on = {"op": "duration_where", "inputs": {"of": "on"}}
    return {"version": 1, "nodes": {"on": on, "for": for_on, **nodes, **compared}, "streams": {"s": STREAM}}


def _compute_both(plan: dict[str, Any], events: list[dict[str, Any]]) -> tuple[Answers, Answers]:
    """What the product and the referee say of the comparisons."""
    result, truth = run(plan, {"s": events}), judge_plan(plan, {"s": events})
    return {op: result[op] for op in COMPARISONS}, {op: truth[op] for op in COMPARISONS}


@given(DIVISORS, VALUES, st.lists(STARTS, min_size=1, max_size=4))
def test_a_duration_in_parts_of_any_size(divisor: float, value: float, times: list[int]) -> None:
    part = {"op": "divide", "inputs": {"of": "for"}, "params": {"value": divisor}}
    events = [{"k": "a", "t": time, "on": index % 2 == 0} for index, time in enumerate(sorted(times))]
    result, truth = _compute_both(_build_plan({"part": part}, "part", value), events)
    assert result == truth


@given(VALUES, st.lists(STARTS, min_size=3, max_size=3), st.integers(0, 4_000_000))
def test_the_average_of_three_durations(value: float, times: list[int], lasting: int) -> None:
    mean = {"op": "aggregate", "inputs": {"of": "for"}, "params": {"function": "avg"}}
    events = [{"k": key, "t": time, "on": True} for key, time in zip("abc", times, strict=True)]
    events.append({"k": "a", "t": times[0] + lasting, "on": False})
    result, truth = _compute_both(_build_plan({"mean": mean}, "mean", value), events)
    assert result == truth


@given(DIVISORS, VALUES, st.lists(STARTS, min_size=1, max_size=4))
def test_a_ratio_of_durations(divisor: float, value: float, times: list[int]) -> None:
    """Of the time since birth, so much of the time of being on, and a divisor more."""
    ever = {"op": "has_existed", "stream": "s", "params": {"where": MISSING}}
    nodes = {"ever": ever, "alive": {"op": "duration_where", "inputs": {"of": "ever"}}}
    nodes["later"] = {"op": "subtract", "inputs": {"of": "alive"}, "params": {"value": divisor}}
    nodes["share"] = {"op": "divide", "inputs": {"of": "for", "other": "later"}, "params": {}}
    events = [{"k": "a", "t": time, "on": index % 2 == 0} for index, time in enumerate(sorted(times))]
    result, truth = _compute_both(_build_plan(nodes, "share", value), events)
    assert result == truth


@given(FACTORS, FACTORS, VALUES, st.lists(SECONDS, min_size=1, max_size=4))
def test_two_durations_of_which_one_climbs_a_little_faster(
    left: float, right: float, ahead: float, times: list[int]
) -> None:
    """Whole seconds, so that each piece begins at a number of six decimals: what a float is exact for."""
    nodes = {
        "one": {"op": "multiply", "inputs": {"of": "for"}, "params": {"value": left}},
        "two": {"op": "multiply", "inputs": {"of": "for"}, "params": {"value": right}},
        "ahead": {"op": "add", "inputs": {"of": "two"}, "params": {"value": ahead}},
        "left": {"op": "subtract", "inputs": {"of": "one", "other": "ahead"}, "params": {}},
    }
    events = [{"k": "a", "t": time, "on": index % 2 == 0} for index, time in enumerate(sorted(times))]
    result, truth = _compute_both(_build_plan(nodes, "left", 0), events)
    assert result == truth
    plan = _build_plan(nodes, "one", 0)
    for op in COMPARISONS:
        plan["nodes"][op] = {"op": op, "inputs": {"of": "one", "other": "ahead"}, "params": {}}
    result, truth = _compute_both(plan, events)
    assert result == truth
