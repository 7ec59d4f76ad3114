"""Laws of arithmetic and comparison, on steps and on slopes, with unknowns."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.facts import assert_same, build_node, events, few
from tests.referee import JsonEvent

OPPOSITE = {"greater_than": "less_or_equal", "greater_or_equal": "less_than"}
SWAPPED = {"greater_than": "less_than", "greater_or_equal": "less_or_equal"}
PAIRS = [("n", "m"), ("for_x", "n"), ("for_x", "for_y"), ("age_s", "for_x")]
VALUES = st.sampled_from([0, 0.1, 0.5, 1, 2, -1, "1500ms"])


@pytest.mark.parametrize("op", OPPOSITE)
@few
@given(events(), st.sampled_from(PAIRS), VALUES)
def test_a_comparison_is_the_opposite_of_its_opposite_and_the_swap_of_its_swap(
    op: str, delivered: list[JsonEvent], pair: tuple[str, str], value: Any
) -> None:
    left, right = pair
    nodes = {
        "op": build_node(op, left, right),
        "less": build_node(OPPOSITE[op], left, right),
        "opposite": build_node("not", "less"),
    }
    nodes["swap"] = build_node(SWAPPED[op], right, left)
    assert_same(delivered, "op", "opposite", **nodes)
    assert_same(delivered, "op", "swap", **nodes)
    nodes = {"op": build_node(op, left, value=value), "less": build_node(OPPOSITE[op], left, value=value)}
    assert_same(delivered, "op", "opposite", **nodes, opposite=build_node("not", "less"))


@few
@given(events(), VALUES)
def test_of_a_steady_number_not_less_and_not_greater_is_equal(delivered: list[JsonEvent], value: Any) -> None:
    sides = {
        "low": build_node("greater_or_equal", "n", value=value),
        "high": build_node("less_or_equal", "n", value=value),
    }
    assert_same(
        delivered,
        "both",
        "same",
        **sides,
        both=build_node("and", *sides),
        same=build_node("equal_to", "n", value=value),
    )


@few
@given(events(), st.sampled_from(PAIRS))
def test_two_numbers_are_compared_as_their_difference_with_zero(
    delivered: list[JsonEvent], pair: tuple[str, str]
) -> None:
    nodes = {"left": build_node("subtract", *pair), "zero": build_node("greater_than", "left", value=0)}
    assert_same(delivered, "zero", "direct", **nodes, direct=build_node("greater_than", *pair))


@few
@given(events(), st.sampled_from(PAIRS))
def test_a_sum_does_not_ask_for_the_order_and_what_is_taken_away_again_is_gone(
    delivered: list[JsonEvent], pair: tuple[str, str]
) -> None:
    left, right = pair
    nodes = {
        "sum": build_node("add", left, right),
        "mus": build_node("add", right, left),
        "back": build_node("subtract", "sum", right),
    }
    assert_same(delivered, "sum", "mus", **nodes)
    known_values = {
        "nothing": build_node("subtract", right, right),
        "there": build_node("add", left, "nothing"),
    }
    assert_same(delivered, "back", "there", **nodes, **known_values)


@few
@given(events(), st.sampled_from([2, 0.5, 10, -4]), st.sampled_from(["n", "for_x", "age_s"]))
def test_what_is_multiplied_and_divided_again_is_what_it_was(
    delivered: list[JsonEvent], factor: float, name: str
) -> None:
    nodes = {
        "more": build_node("multiply", name, value=factor),
        "back": build_node("divide", "more", value=factor),
    }
    assert_same(delivered, "back", name, **nodes)


@few
@given(events(), st.sampled_from([0, 0.5, 1, 2, -1]), st.sampled_from(["count", "n", "for_y"]))
def test_a_ratio_is_compared_as_its_numerator_with_so_much_of_its_denominator(
    delivered: list[JsonEvent], value: float, num: str
) -> None:
    """A duration is never negative: it is zero, and the ratio unknown, or both sides may be multiplied by it."""
    nodes = {
        "rate": build_node("divide", num, "for_x"),
        "high": build_node("greater_than", "rate", value=value),
    }
    nodes |= {
        "so_much": build_node("multiply", "for_x", value=value),
        "above": build_node("greater_than", num, "so_much"),
    }
    nodes |= {
        "some": build_node("greater_than", "for_x", value=0),
        "direct": build_node("when", "some", "above"),
    }
    assert_same(delivered, "high", "direct", **nodes)


@few
@given(events())
def test_events_that_match_and_that_do_not_are_all(delivered: list[JsonEvent]) -> None:
    counts = {
        name: {"op": "event_count", "stream": "events", "params": {"where": where}}
        for name, where in (("there", "n > 0"), ("low", "not n > 0"), ("gone", "n is missing"))
    }
    nodes = {"known": build_node("add", "there", "low"), "all": build_node("add", "known", "gone")}
    assert_same(delivered, "all", "count", **counts, **nodes)
