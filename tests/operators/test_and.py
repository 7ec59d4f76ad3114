"""and: Kleene's, on step functions."""

from __future__ import annotations

from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node

LEAVES = {
    "on": build_leaf("latest_event_to_state", field="on"),
    "play": build_leaf("has_existed", where='state == "play"'),
}


def test_false_beats_unknown_and_true_leaves_it_unknown() -> None:
    nodes = {**LEAVES, "both": build_node("and", ["on", "play"])}
    result = answer(
        nodes, build_event(1), build_event(2, state="play"), build_event(5, on=True), build_event(7, on=False)
    )
    assert result == {"x": [(None, False), (2, None), (5, True), (7, False)]}


def test_three_inputs_and_one_twice() -> None:
    late = build_leaf("has_existed", where="n > 0")
    nodes = {**LEAVES, "late": late, "all": build_node("and", ["on", "play", "late", "play"])}
    result = answer(nodes, build_event(1, on=True), build_event(2, state="play"), build_event(3, n=1))
    assert result == {"x": [(None, False), (3, True)]}


def test_change_points_at_one_instant_make_one() -> None:
    nodes = {**LEAVES, "both": build_node("and", ["on", "play"])}
    assert answer(nodes, build_event(3, on=True, state="play")) == {"x": [(None, False), (3, True)]}


def test_a_key_of_one_stream_only_is_there_too() -> None:
    stream = {"key": "k", "time": "t", "unit": "s"}
    other = {
        "seen": build_leaf("has_existed", "s", where="a is missing"),
        "shown": build_leaf("has_existed", "r", where="a is missing"),
    }
    nodes = {**other, "both": build_node("and", ["seen", "shown"])}
    events = [
        build_event(1, "x"),
        build_event(2, "y"),
        build_event(5, "y", _="r"),
        build_event(6, "z", _="r"),
    ]
    result = answer(nodes, *events, s=stream, r=stream)
    assert result == {"x": [(None, False)], "y": [(None, False), (5, True)], "z": [(None, False)]}


def test_it_describes_itself() -> None:
    assert_declared("and", category="timelines", inputs=[("of", ["bool"], 2)], parameters=[], output="bool")
