"""not: Kleene's."""

from __future__ import annotations

from tests.operators.small import answer, assert_declared, event, leaf, node


def test_true_while_false_and_unknown_while_unknown() -> None:
    nodes = {"on": leaf("latest_event_to_state", field="on"), "off": node("not", "on")}
    result = answer(nodes, event(1), event(2, on=True), event(3, on=False))
    assert result == {"x": [(None, None), (2, False), (3, True)]}


def test_true_since_ever_where_nothing_has_been() -> None:
    nodes = {"seen": leaf("has_existed", where="n > 1"), "never": node("not", "seen")}
    assert answer(nodes, event(1), event(4, n=2)) == {"x": [(None, True), (4, False)]}


def test_it_describes_itself() -> None:
    assert_declared("not", category="timelines", inputs=[("of", ["bool"], 1)], parameters=[], output="bool")
