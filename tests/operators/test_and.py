"""and: Kleene's, on step functions."""

from __future__ import annotations

from tests.operators.small import answer, assert_declared, event, leaf, node

LEAVES = {
    "on": leaf("latest_event_to_state", field="on"),
    "play": leaf("has_existed", where='state == "play"'),
}


def test_false_beats_unknown_and_true_leaves_it_unknown() -> None:
    nodes = {**LEAVES, "both": node("and", ["on", "play"])}
    result = answer(nodes, event(1), event(2, state="play"), event(5, on=True), event(7, on=False))
    assert result == {"x": [(None, False), (2, None), (5, True), (7, False)]}


def test_three_inputs_and_one_twice() -> None:
    late = leaf("has_existed", where="n > 0")
    nodes = {**LEAVES, "late": late, "all": node("and", ["on", "play", "late", "play"])}
    result = answer(nodes, event(1, on=True), event(2, state="play"), event(3, n=1))
    assert result == {"x": [(None, False), (3, True)]}


def test_change_points_at_one_instant_make_one() -> None:
    nodes = {**LEAVES, "both": node("and", ["on", "play"])}
    assert answer(nodes, event(3, on=True, state="play")) == {"x": [(None, False), (3, True)]}


def test_a_key_of_one_stream_only_is_there_too() -> None:
    stream = {"key": "k", "time": "t", "unit": "s"}
    other = {
        "seen": leaf("has_existed", "s", where="a is missing"),
        "shown": leaf("has_existed", "r", where="a is missing"),
    }
    nodes = {**other, "both": node("and", ["seen", "shown"])}
    events = [event(1, "x"), event(2, "y"), event(5, "y", _="r"), event(6, "z", _="r")]
    result = answer(nodes, *events, s=stream, r=stream)
    assert result == {"x": [(None, False)], "y": [(None, False), (5, True)], "z": [(None, False)]}


def test_it_describes_itself() -> None:
    assert_declared("and", category="timelines", inputs=[("of", ["bool"], 2)], parameters=[], output="bool")
