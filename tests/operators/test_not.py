"""not: Kleene's."""

from __future__ import annotations

from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node


def test_true_while_false_and_unknown_while_unknown() -> None:
    nodes = {"on": build_leaf("latest_event_to_state", field="on"), "off": build_node("not", "on")}
    result = answer(nodes, build_event(1), build_event(2, on=True), build_event(3, on=False))
    assert result == {"x": [(None, None), (2, False), (3, True)]}


def test_true_since_ever_where_nothing_has_been() -> None:
    nodes = {"seen": build_leaf("has_existed", where="n > 1"), "never": build_node("not", "seen")}
    assert answer(nodes, build_event(1), build_event(4, n=2)) == {"x": [(None, True), (4, False)]}


def test_it_describes_itself() -> None:
    assert_declared("not", category="timelines", inputs=[("of", ["bool"], 1)], parameters=[], output="bool")
