"""or: Kleene's, on step functions."""

from __future__ import annotations

from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node

LEAVES = {
    "on": build_leaf("latest_event_to_state", field="on"),
    "play": build_leaf("has_existed_within", where='state == "play"', duration="3s"),
}


def test_true_beats_unknown_and_false_leaves_it_unknown() -> None:
    nodes = {**LEAVES, "either": build_node("or", ["on", "play"])}
    result = answer(nodes, build_event(2, state="play"), build_event(8, on=False), build_event(9, on=True))
    assert result == {"x": [(None, None), (2, True), (5, None), (8, False), (9, True)]}


def test_a_future_change_point_is_a_change_point() -> None:
    nodes = {**LEAVES, "either": build_node("or", ["on", "play"])}
    result = answer(nodes, build_event(1, on=False), build_event(2, state="play"))
    assert result == {"x": [(None, None), (1, False), (2, True), (5, False)]}


def test_it_describes_itself() -> None:
    assert_declared("or", category="timelines", inputs=[("of", ["bool"], 2)], parameters=[], output="bool")
