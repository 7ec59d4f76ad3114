"""held_for: true once a bool has been true for so long without a break."""

from __future__ import annotations

from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node

ON = {
    "on": build_leaf("latest_event_to_state", field="on"),
    "held": build_node("held_for", "on", duration="5s"),
}


def test_true_after_the_duration_and_not_a_microsecond_before() -> None:
    assert answer(ON, build_event(1), build_event(2, on=True)) == {"x": [(None, None), (2, False), (7, True)]}


def test_a_break_begins_it_anew() -> None:
    events = (
        build_event(2, on=True),
        build_event(4, on=False),
        build_event(5, on=True),
        build_event(12, on=False),
    )
    assert answer(ON, *events) == {"x": [(None, None), (2, False), (10, True), (12, False)]}


def test_true_for_less_than_the_duration_is_never_held() -> None:
    assert answer(ON, build_event(2, on=True), build_event(7, on=False)) == {"x": [(None, None), (2, False)]}
    assert answer(ON, build_event(2, on=True), build_event(7.000001, on=False)) == {
        "x": [(None, None), (2, False), (7, True), (7.000001, False)]
    }


def test_told_again_is_no_break() -> None:
    assert answer(ON, build_event(2, on=True), build_event(4, on=True)) == {
        "x": [(None, None), (2, False), (7, True)]
    }


def test_unknown_is_unknown_and_a_break() -> None:
    nodes = {"on": ON["on"], "a": build_leaf("has_existed_within", where="n == 1", duration="3s")}
    nodes |= {
        "none": build_leaf("latest_event_to_state", field="none"),
        "null": build_node("equal_to", "none", value="x"),
    }
    nodes |= {
        "gap": build_node("and", ["a", "null"]),
        "no": build_node("not", "gap"),
        "both": build_node("and", ["on", "no"]),
    }
    nodes["held"] = build_node("held_for", "both", duration="2s")
    result = answer(nodes, build_event(0, on=True), build_event(4, n=1))
    assert result == {"x": [(None, None), (0, False), (2, True), (4, None), (7, False), (9, True)]}


def test_what_is_true_since_ever_counts_from_birth() -> None:
    nodes = {"seen": build_leaf("has_existed", where="n > 1"), "never": build_node("not", "seen")}
    nodes["held"] = build_node("held_for", "never", duration="5s")
    assert answer(nodes, build_event(10)) == {"x": [(None, False), (15, True)]}
    assert answer(nodes, build_event(10), build_event(15, n=2)) == {"x": [(None, False)]}


def test_it_describes_itself() -> None:
    parameters = [("duration", "duration")]
    assert_declared(
        "held_for", category="timelines", inputs=[("of", ["bool"], 1)], parameters=parameters, output="bool"
    )
