"""running_max: the greatest value so far."""

from __future__ import annotations

from tests.operators.reasons import NUMBERS, explain_at
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node
from tests.operators.unknowns import HIDDEN

NODES = {"n": NUMBERS["n"], "greatest": build_node("running_max", "n")}


def test_it_changes_only_with_a_new_record() -> None:
    events = (
        build_event(1, n=5),
        build_event(2, n=4),
        build_event(3, n=7),
        build_event(4, n=0),
        build_event(5, key="y", n=0),
    )
    assert answer(NODES, *events) == {"x": [(None, None), (1, 5.0), (3, 7.0)], "y": [(None, None), (5, 0.0)]}


def test_it_holds_while_the_number_is_unknown() -> None:
    nodes = {**HIDDEN, "greatest": build_node("running_max", "n")}
    events = (
        build_event(1),
        build_event(2, n=5, show="yes"),
        build_event(3, show="no"),
        build_event(20, show="yes", n=4),
    )
    assert answer(nodes, *events) == {"x": [(None, None), (2, 5.0)]}


def test_a_value_held_since_ever_counts_from_birth() -> None:
    nodes = {"limit": build_leaf("constant", value=5), "greatest": build_node("running_max", "limit")}
    assert answer(nodes, build_event(10)) == {"x": [(None, None), (10, 5.0)]}


def test_it_says_why() -> None:
    events = build_event(1, n=5), build_event(2, n=4), build_event(3, n=7)
    assert explain_at(NODES, 2.5, *events) == (
        "`running_max` is 5, the greatest so far: `n` was that at 00:00:01.",
        "ends at 00:00:03, with a change of `n` to 7",
        ["n"],
    )
    unknown = explain_at(NODES, 2, build_event(1), build_event(3, n=4))[0]
    assert unknown == "`running_max` is unknown because `n` has not been known since the birth of `x`."
    assert explain_at(NODES, 0, *events)[0].startswith(
        "`running_max` is unknown: `x` was born only at 00:00:01"
    )


def test_it_describes_itself() -> None:
    inputs = [("of", ["number"], 1)]
    assert_declared("running_max", category="timelines", inputs=inputs, parameters=[], output="number")
