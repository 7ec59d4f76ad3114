"""Every operator says why: which inputs and events made it so, and what would end it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.reasons import LASTED, NUMBERS, ON, explain_at, list_boundaries, read_chain, read_link
from tests.operators.small import build_event, build_leaf, build_node
from timeline_app.operators.base import operator
from timeline_app.operators.ports import Bool

SEEN = {"seen": build_leaf("has_existed_within", where='action == "seek"', duration="5s")}
SEEK = '`action == "seek"`'
LATER = build_event(3600)
"""Makes everything before it final."""


def test_an_operator_that_does_not_say_why_is_refused_with_the_hint() -> None:
    def silent(of: Bool) -> Bool:
        """Says nothing."""
        return of

    with pytest.raises(TypeError, match=r"silent does not say why.*give @operator a function why="):
        operator("Silent", category="timelines")(silent)


def test_has_existed_within_false_names_the_last_match() -> None:
    events = (build_event(2, action="seek"), build_event(3, action="seek"))
    assert explain_at(SEEN, 9, *events) == (
        f"`has_existed_within` 5 s turned false at 00:00:08 because the last event with {SEEK} was at 00:00:03.",
        f"ends with the next event with {SEEK}",
        [],
    )
    assert list_boundaries(SEEN, 9, *events) == [(3, 1)]


def test_has_existed_within_true_names_the_first_and_the_last_of_the_run() -> None:
    events = (build_event(2, action="seek"), build_event(3, action="seek"))
    assert explain_at(SEEN, 4, *events) == (
        f"`has_existed_within` 5 s turned true at 00:00:02, with an event with {SEEK}; others followed,"
        " the last at 00:00:03.",
        f"ends at 00:00:08, 5 s after the last event with {SEEK}, unless another one comes",
        [],
    )
    assert list_boundaries(SEEN, 4, *events) == [(2, 1), (3, 1)]
    assert (
        explain_at(SEEN, 4, *events, LATER)[1] == f"ended at 00:00:08, 5 s after the last event with {SEEK}"
    )


def test_a_leaf_says_that_nothing_has_arrived_yet() -> None:
    assert read_link(SEEN, 9, build_event(1))["sentence"] == f"No event with {SEEK} has arrived yet for `x`."
    before = read_link(SEEN, 0.5, build_event(1))["sentence"]
    assert before == "No event of `s` had come for `x` by then; the first one is of 00:00:01."


def test_has_existed() -> None:
    nodes = {"ever": build_leaf("has_existed", where="n > 3")}
    assert explain_at(nodes, 5, build_event(1, n=1)) == (
        "No event with `n > 3` has arrived yet for `x`.", "ends with the first event with `n > 3`", [],
    )  # fmt: skip
    assert explain_at(nodes, 5, build_event(2, n=4))[:2] == (
        "`has_existed` became true at 00:00:02, with the first event with `n > 3`.",
        "never ends; an earlier event could only move its beginning",
    )
    assert list_boundaries(nodes, 5, build_event(2, n=4), build_event(2, n=1), build_event(3, n=5)) == [
        (2, 1)
    ]


def test_latest_event_to_state() -> None:
    nodes = {"cdn": build_leaf("latest_event_to_state", field="cdn")}
    events = (build_event(1), build_event(2, cdn="A"), build_event(3, cdn="A"), build_event(5, cdn="B"))
    assert explain_at(nodes, 1.5, *events)[:2] == (
        "No event with `cdn` has arrived yet for `x`.", "ends at 00:00:02 with the first event with `cdn`",
    )  # fmt: skip
    assert explain_at(nodes, 4, *events)[:2] == (
        '`cdn` became "A" at 00:00:02, with the event of that time.',
        'ends at 00:00:05 with an event that says "B"',
    )
    assert explain_at(nodes, 6, *events)[1] == "ends with the next event with another `cdn`"
    assert list_boundaries(nodes, 4, *events) == [(2, 1)]


def test_event_count_and_event_sum() -> None:
    count = {"count": build_leaf("event_count", where="n > 1")}
    total = {"total": build_leaf("event_sum", field="n")}
    events = (build_event(1, n=1), build_event(2, n=2.5), build_event(3, n=4), build_event(4))
    assert explain_at(count, 5, *events)[:2] == (
        "2 events with `n > 1` came by then, the last of them at 00:00:03.",
        "changes with the next event with `n > 1`",
    )
    assert explain_at(count, 1, *events)[0] == "No event with `n > 1` has arrived yet for `x`."
    assert explain_at(total, 2, *events)[:2] == (
        "At 00:00:02 the sum of `n` went from 1 to 3.5.", "ends at 00:00:03 with the next event with `n`",
    )  # fmt: skip
    assert list_boundaries(total, 2, *events) == [(2, 1)]


BOTH = {**ON, "ever": build_leaf("has_existed", where="n > 3")}


def test_and_names_only_the_false_inputs() -> None:
    nodes = {**BOTH, "both": build_node("and", ["on", "ever"])}
    events = (build_event(1, on=True), build_event(2, n=4), build_event(3, on=False))
    assert explain_at(nodes, 1.5, *events) == (
        "`and` is false because `ever` is false (since ever).",
        "ends at 00:00:02, with a change of `ever` to true",
        ["ever"],
    )
    assert explain_at(nodes, 2.5, *events)[2] == ["on", "ever"]
    assert explain_at(nodes, 4, *events)[1:] == ("ends when `on` is no longer false", ["on"])
    assert explain_at(nodes, 5, build_event(1, n=4)) == (
        "`and` is unknown because `on` is unknown, and no input is false.", "ends when `on` is known", ["on"],
    )  # fmt: skip


def test_or_names_only_the_true_inputs() -> None:
    nodes = {**BOTH, "either": build_node("or", ["on", "ever"])}
    assert explain_at(nodes, 3, build_event(1, on=False), build_event(2, n=4))[2] == ["ever"]
    assert explain_at(nodes, 3, build_event(1, on=False)) == (
        "`or` is false because all inputs are: `on` is false (since 00:00:01) and `ever` is false (since ever).",
        "ends when one of them is true",
        ["on", "ever"],
    )
    assert (
        explain_at(nodes, 0.5, build_event(1, on=False))[0]
        == "`or` is unknown because `on` is unknown, and no input is true."
    )


def test_not() -> None:
    nodes = {**ON, "off": build_node("not", "on")}
    assert explain_at(nodes, 2, build_event(1, on=False))[:2] == (
        "`not` is true because `on` is false (since 00:00:01).", "ends when `on` changes",
    )  # fmt: skip
    assert explain_at(nodes, 0, build_event(1, on=False))[0] == "`not` is unknown because `on` is unknown."


def test_equalities_name_the_state_and_what_was_asked() -> None:
    nodes = {**NUMBERS, "same": build_node("equal_to", "n", value=3)}
    assert (
        explain_at(nodes, 2, build_event(1, n=3))[0]
        == "`equal_to` is true because `n` is 3 (since 00:00:01)."
    )
    assert (
        explain_at(nodes, 2, build_event(1, n=4))[0]
        == "`equal_to` is false because `n` is 4 (since 00:00:01), not 3."
    )
    other = {**NUMBERS, "unlike": build_node("not_equal_to", "n", "count")}
    assert explain_at(other, 2, build_event(1, n=4)) == (
        "`not_equal_to` is true because `n` is 4 (since 00:00:01) and `count` is 1 (since 00:00:01).",
        "ends when `n` or `count` changes",
        ["n", "count"],
    )


@pytest.mark.parametrize(
    ("op", "value", "words"),
    [
        ("greater_than", 3, "is true because `n` is 4 (since 00:00:01), greater than 3."),
        (
            "greater_or_equal",
            5,
            "is false because `n` is 4 (since 00:00:01), not greater than or equal to 5.",
        ),
        ("less_than", "5s", "is true because `n` is 4 (since 00:00:01), less than 5."),
        ("less_or_equal", 3.5, "is false because `n` is 4 (since 00:00:01), not less than or equal to 3.5."),
    ],
)
def test_comparisons(op: str, value: Any, words: str) -> None:
    nodes = {**NUMBERS, "compared": build_node(op, "n", value=value)}
    assert explain_at(nodes, 2, build_event(1, n=4))[0] == f"`{op}` {words}"


def test_a_comparison_on_a_slope_ends_at_a_computed_instant() -> None:
    nodes = {**LASTED, "long": build_node("less_than", "lasted", value="2s")}
    assert explain_at(nodes, 1.25, build_event(1, on=True))[:2] == (
        "`less_than` is true because `lasted` is 0.25 and climbs, less than 2.",
        "ends at 00:00:03, as things stand",
    )


@pytest.mark.parametrize(
    ("op", "words"),
    [
        ("add", "6, that is 4 + 2"),
        ("subtract", "2, that is 4 − 2"),
        ("multiply", "8, that is 4 × 2"),
        ("divide", "2, that is 4 / 2"),
    ],
)
def test_arithmetic(op: str, words: str) -> None:
    events = (build_event(1, n=4), build_event(2))
    both = "`n` is 4 (since 00:00:01)"
    assert (
        explain_at({**NUMBERS, "r": build_node(op, "n", value=2)}, 3, *events)[0]
        == f"`{op}` is {words}: {both}."
    )
    other = explain_at({**NUMBERS, "r": build_node(op, "n", "count")}, 3, *events)
    assert other[0] == f"`{op}` is {words}: {both} and `count` is 2 (since 00:00:02)."
    assert other[1:] == ("changes when `n` or `count` changes", ["n", "count"])


def test_an_input_that_is_wired_twice_is_told_once() -> None:
    nodes = {**NUMBERS, "twice": build_node("add", "n", "n")}
    assert explain_at(nodes, 2, build_event(1, n=4)) == (
        "`add` is 8, that is 4 + 4: `n` is 4 (since 00:00:01).", "changes when `n` changes", ["n"],
    )  # fmt: skip
    assert explain_at(nodes, 0, build_event(1, n=4))[0] == "`add` is unknown because `n` is unknown."


def test_nothing_is_divided_by_nothing() -> None:
    nodes = {
        **NUMBERS,
        "none": build_leaf("event_count", where="n > 9"),
        "r": build_node("divide", "n", "none"),
    }
    sentence, ends, because = explain_at(nodes, 2, build_event(1, n=4))
    assert sentence.startswith("`divide` is unknown because nothing can be divided by 0: `n` is 4")
    assert (ends, because) == ("ends when the divisor is no longer 0", ["n", "none"])


def test_duration_where() -> None:
    events = (build_event(1, on=True), build_event(2, on=False), build_event(4, on=True))
    assert explain_at(LASTED, 4.5, *events)[:2] == (
        "`on` has been true 2 times by then, for 1.5 s in all; it climbs while `on` is true (since 00:00:04).",
        "climbs on until `on` changes",
    )
    still = explain_at(LASTED, 3, *events)
    assert still[0].endswith("1 s in all; it stands still while `on` is false (since 00:00:02).")
    assert still[1] == "ends at 00:00:04, with a change of `on` to true"
    assert explain_at(LASTED, 0, *events)[0] == (
        "`duration_where` is 0: `x` was born only at 00:00:01, and nothing counts before that."
    )


def test_duration_in_current_state() -> None:
    nodes = {**ON, "held": build_node("duration_in_current_state", "on")}
    assert explain_at(nodes, 3.5, build_event(1), build_event(2, on=True))[:2] == (
        "`on` has been true since 00:00:02, when it changed: 1.5 s before.", "begins anew when `on` changes",
    )  # fmt: skip
    assert (
        explain_at(nodes, 1.5, build_event(1))[0]
        == "`duration_in_current_state` is unknown because `on` is unknown."
    )
    ever = {
        "ever": build_leaf("has_existed", where="n > 3"),
        "held": build_node("duration_in_current_state", "ever"),
    }
    assert (
        explain_at(ever, 3, build_event(1))[0]
        == "`ever` has been false since 00:00:01, the birth of `x`: 2 s before."
    )


def test_held_for() -> None:
    nodes = {**ON, "held": build_node("held_for", "on", duration="2s")}
    events = (build_event(1, on=True), build_event(5, on=False))
    assert explain_at(nodes, 2, *events)[:2] == (
        "`held_for` is false because `on` has been true since 00:00:01 only, which is less than 2 s.",
        "ends at 00:00:03, if `on` stays true",
    )
    assert explain_at(nodes, 4, *events)[:2] == (
        "`held_for` is true because `on` has been true since 00:00:01, which is 2 s or longer.",
        "ends at 00:00:05, with a change of `on` to false",
    )
    assert explain_at(nodes, 6, *events)[:2] == (
        "`held_for` is false because `on` is false (since 00:00:05).", "ends when `on` has been true for 2 s",
    )  # fmt: skip


def test_changed_to_asks_its_input_at_the_last_change() -> None:
    nodes = {
        "cdn": build_leaf("latest_event_to_state", field="cdn"),
        "times": build_node("changed_to", "cdn", value="A"),
    }
    events = (
        build_event(1, cdn="A"),
        build_event(2, cdn="B"),
        build_event(3, cdn="A"),
        build_event(4, cdn="B"),
    )
    counted, cause = read_chain(nodes, 5, *events)
    assert counted["sentence"] == '`cdn` has become "A" 2 times by then, the last time at 00:00:03.'
    assert counted["ends"] == 'changes when `cdn` becomes "A" again'
    assert (cause["node"], cause["at"], cause["value"]) == ("cdn", 3_000_000, "A")
    assert explain_at(nodes, 5, build_event(1, cdn="B"))[0].startswith(
        '`cdn` has not become "A" by then: `cdn` is "B"'
    )


def test_when_names_the_condition_and_the_chosen_branch() -> None:
    inputs = {"if": "on", "of": "n", "otherwise": "count"}
    nodes = {**ON, **NUMBERS, "choice": {"op": "when", "inputs": inputs}}
    events = (build_event(1, on=True, n=7), build_event(2, on=False))
    assert explain_at(nodes, 1.5, *events) == (
        "`on` is true (since 00:00:01), so `n` is taken, and `n` is 7 (since 00:00:01).",
        "ends at 00:00:02, with changes of `on` and `count`",
        ["on", "n"],
    )
    assert explain_at(nodes, 3, *events)[2] == ["on", "count"]
    alone = {**nodes, "choice": {"op": "when", "inputs": {"if": "on", "of": "n"}}}
    assert explain_at(alone, 3, *events)[::2] == (
        "`when` is unknown because `on` is false (since 00:00:02), and nothing is wired to `otherwise`.", ["on"],
    )  # fmt: skip
    assert explain_at(nodes, 0, *events)[2] == ["on"]


def test_shift_asks_its_input_at_the_earlier_instant() -> None:
    nodes = {**ON, "later": build_node("shift", "on", duration="90s")}
    shifted, cause = read_chain(nodes, 92, build_event(1, on=True))
    assert shifted["sentence"] == (
        "It is what `on` was 1 min 30 s before, at 00:00:02: `on` is true (since 00:00:01)."
    )
    assert shifted["ends"] == "ends 1 min 30 s after `on` changes"
    assert (cause["node"], cause["at"]) == ("on", 2_000_000)
