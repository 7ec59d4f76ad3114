"""any_within: whether a bool was true at some instant of the time just before."""

from __future__ import annotations

from tests.operators.reasons import ON, explain_at
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node
from tests.operators.unknowns import HIDDEN

LATELY = {**ON, "lately": build_node("any_within", "on", duration="5s")}


def test_true_until_the_duration_after_the_end_of_what_was_true() -> None:
    events = build_event(1, on=False), build_event(2, on=True), build_event(4, on=False)
    assert answer(LATELY, *events) == {"x": [(None, None), (1, False), (2, True), (9, False)]}


def test_a_gap_that_is_shorter_than_the_duration_is_bridged() -> None:
    events = (
        build_event(2, on=True),
        build_event(4, on=False),
        build_event(8.5, on=True),
        build_event(9, on=False),
    )
    assert answer(LATELY, *events) == {"x": [(None, None), (2, True), (14, False)]}
    later = build_event(2, on=True), build_event(4, on=False), build_event(9.000001, on=True)
    assert answer(LATELY, *later) == {"x": [(None, None), (2, True), (9, False), (9.000001, True)]}


def test_it_is_unknown_while_nothing_was_true_and_some_of_it_was_unknown() -> None:
    events = build_event(1, n=1), build_event(2, on=False), build_event(8, on=True), build_event(9, on=False)
    assert answer(LATELY, *events) == {"x": [(None, None), (7, False), (8, True), (14, False)]}


def test_what_was_true_counts_though_it_is_unknown_now() -> None:
    nodes = {**HIDDEN, "lately": build_node("any_within", "on", duration="5s")}
    events = (
        build_event(1, on=True, show="yes"),
        build_event(3, show="no"),
        build_event(20, show="yes", on=False),
    )
    assert answer(nodes, *events) == {"x": [(None, None), (1, True), (8, None), (25, False)]}


def test_time_counts_from_birth_on() -> None:
    nodes = {"seen": build_leaf("has_existed", where="n > 1"), "never": build_node("not", "seen")}
    nodes["lately"] = build_node("any_within", "never", duration="5s")
    assert answer(nodes, build_event(10)) == {"x": [(None, None), (10, True)]}
    assert answer(nodes, build_event(10, n=2)) == {"x": [(None, None), (10, False)]}
    assert answer(nodes, build_event(10), build_event(12, n=2)) == {
        "x": [(None, None), (10, True), (17, False)]
    }


def test_each_key_has_windows_of_its_own() -> None:
    events = build_event(1, on=True), build_event(2, on=False), build_event(3, key="y", on=False)
    assert answer(LATELY, *events) == {
        "x": [(None, None), (1, True), (7, False)],
        "y": [(None, None), (3, False)],
    }


def test_it_says_why() -> None:
    events = build_event(1, on=False), build_event(2, on=True), build_event(4, on=False), build_event(3600)
    assert explain_at(LATELY, 3, *events) == (
        "`any_within` is true because `on` is true (since 00:00:02).",
        "ended at 00:00:09, 5 s after `on` was true last",
        ["on"],
    )
    assert explain_at(LATELY, 7, *events)[0] == (
        "`any_within` is true because `on` was true until 00:00:04, which is less than 5 s before."
    )
    assert explain_at(LATELY, 9, *events) == (
        "`any_within` is false because `on` was false throughout the 5 s before.",
        "ends when `on` is true",
        ["on"],
    )
    assert explain_at(LATELY, 0, *events)[0].startswith(
        "`any_within` is unknown: `x` was born only at 00:00:01"
    )


def test_it_describes_itself() -> None:
    parameters = [("duration", "duration")]
    assert_declared(
        "any_within", category="timelines", inputs=[("of", ["bool"], 1)], parameters=parameters, output="bool"
    )
