"""Laws of aggregates: keys do not know of each other, groups make up the whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.facts import (
    assert_same,
    build_node,
    compute_results,
    events,
    few,
    list_instants,
    read_value_at,
)
from tests.referee import JsonEvent

MEASURES = st.sampled_from([("n", "sum"), ("n", "count"), ("for_x", "sum"), ("age_s", "sum"), ("x", "count")])
RANKS = ("min", "p50", "p90", "p99", "max")
OTHERS = ("c", "d")


@pytest.mark.deep
@few
@given(events(), events(keys=OTHERS), MEASURES)
def test_sums_and_counts_of_disjoint_keys_add_up(
    left: list[JsonEvent], right: list[JsonEvent], measure: tuple[str, str]
) -> None:
    of, function = measure
    parts = [
        compute_results(delivered, total=build_node("aggregate", of, function=function))["total"]["*"]
        for delivered in (left, right, left + right)
    ]
    for time in list_instants(*parts):
        first, second, both = (read_value_at(points, time) for points in parts)
        assert both == pytest.approx(first + second, rel=1e-12, abs=1e-9)


@few
@given(events(), events(keys=OTHERS), st.sampled_from(["n", "for_x", "s"]))
def test_a_key_says_the_same_whatever_other_keys_there_are(
    left: list[JsonEvent], right: list[JsonEvent], name: str
) -> None:
    item = build_node("shift", name, duration="1us")
    together = compute_results(left + right, same=item)["same"]
    assert together == {
        **compute_results(left, same=item)["same"],
        **compute_results(right, same=item)["same"],
    }


@few
@given(events(), MEASURES)
def test_the_groups_make_up_the_whole_of_those_that_have_one(
    delivered: list[JsonEvent], measure: tuple[str, str]
) -> None:
    of, function = measure
    has_group = {
        "a": build_node("equal_to", "s", value="a"),
        "not_a": build_node("not", "a"),
        "some": build_node("or", "a", "not_a"),
    }
    nodes = {
        **has_group,
        "there": build_node("when", "some", of),
        "by": build_node("aggregate", of, "s", function=function),
    }
    nodes |= {"whole": build_node("aggregate", "by", function="sum")}
    answer = compute_results(delivered, **nodes, all=build_node("aggregate", "there", function=function))
    full_answer, everyone = answer["whole"].get("*", [(None, 0.0, 0.0)]), answer["all"]["*"]
    for time in list_instants(full_answer, everyone):
        assert read_value_at(full_answer, time) == pytest.approx(
            read_value_at(everyone, time), rel=1e-12, abs=1e-9
        )


@few
@given(events(keys=("a", "b", "c")), st.sampled_from(["n", "for_x"]))
def test_an_average_lies_between_least_and_greatest_at_every_mark_and_so_do_the_ranks(
    delivered: list[JsonEvent], of: str
) -> None:
    answer = compute_results(
        delivered,
        **{name: build_node("aggregate", of, function=name, every="500ms") for name in (*RANKS, "avg")},
    )
    marks = [time for time in list_instants(answer["min"]["*"]) if time % 500_000 == 0]
    first, last = min(event["t"] for event in delivered), max(event["t"] for event in delivered)
    for mark in marks:
        values = [read_value_at(answer[name]["*"], mark) for name in RANKS]
        assert values == sorted(values) if None not in values else set(values) == {None}
        average = read_value_at(answer["avg"]["*"], mark)
        if first <= mark <= last + 500_000:
            assert (average is None) == (values[0] is None)
            assert average is None or values[0] - 1e-9 <= average <= values[-1] + 1e-9


@few
@given(events(keys=("a",)), st.sampled_from([*RANKS, "avg", "sum"]))
def test_of_a_single_steady_key_every_function_is_that_key(delivered: list[JsonEvent], function: str) -> None:
    """All events lie on halves of a second, and so do the marks."""
    nodes = {
        "total": build_node("aggregate", "n", function=function, every="500ms"),
        "same": build_node("shift", "n", duration="1us"),
    }
    answer = compute_results(delivered, **nodes)
    for time in list_instants(answer["same"]["a"]):
        value = read_value_at(answer["same"]["a"], time + 1)
        assert read_value_at(answer["total"]["*"], time) == (
            0.0 if function == "sum" and value is None else value
        )


@few
@given(events())
def test_the_count_of_a_bool_is_the_sum_of_ones(delivered: list[JsonEvent]) -> None:
    nodes = {"one": build_node("add", "n_zero", value=1), "n_zero": build_node("multiply", "count", value=0)}
    nodes |= {
        "ones": build_node("when", "x", "one", "n_zero"),
        "sum": build_node("aggregate", "ones", function="sum"),
    }
    assert_same(delivered, "sum", "true", **nodes, true=build_node("aggregate", "x", function="count"))
