"""value_at: what a timeline said at the latest of some instants."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.meeting import LOGIN, NODES, build_meeting, list_found_at, list_points, read_sentence
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan.check import check
from timeline_app.plan.text import read_text, write_text

AT_LOGIN = {"x": build_meeting("value_at", "state", where=LOGIN)}
BEFORE_LOGIN = {"x": build_meeting("value_at", "state", where=LOGIN, side="before")}
STATES = (
    build_event(1, state="a"),
    build_event(2, action="login"),
    build_event(4, state="b"),
    build_event(5, action="login", state="c"),
    build_event(8, state="d"),
)
UNSEEN = {
    "seen": build_leaf("has_existed", where="n == 1"),
    "unseen": {"op": "not", "inputs": {"of": "seen"}},
}
"""True since ever, until the first such event."""


def test_it_is_what_the_state_was_at_the_latest_event_with_that_event() -> None:
    assert list_points(AT_LOGIN, *STATES) == [(None, None), (2, "a"), (5, "c")]


def test_before_leaves_the_events_of_the_instant_out() -> None:
    assert list_points(BEFORE_LOGIN, *STATES) == [(None, None), (2, "a"), (5, "b")]


def test_without_a_condition_every_event_is_an_instant() -> None:
    every = {"x": build_meeting("value_at", "state", side="before")}
    assert list_points(every, *STATES) == [(None, None), (2, "a"), (5, "b"), (8, "c")]


def test_of_what_climbs_it_is_the_number_at_that_instant() -> None:
    on = (
        build_event(1, on=True),
        build_event(3.5, action="login"),
        build_event(6, on=False),
        build_event(9, action="login"),
    )
    climbs = {"x": build_meeting("value_at", "on_for", where=LOGIN)}
    assert list_points(climbs, *on) == [(None, None), (3.5, 2.5), (9, 5.0)]


@pytest.mark.parametrize("side", ["at", "before"])
def test_of_a_ratio_it_is_the_number_at_that_instant_and_unknown_where_the_divisor_is_0(side: str) -> None:
    share = {"op": "divide", "inputs": {"of": "on_for", "other": "age"}}
    nodes = {**UNSEEN, "age": build_meeting("time_since", when="unseen"), "share": share}
    events = build_event(1, action="login"), build_event(2, on=True), build_event(3, action="login")
    looked = {**nodes, "x": build_meeting("value_at", "share", where=LOGIN, side=side)}
    assert list_points(looked, *events) == [(None, None), (3, 0.5)]


def test_a_line_that_jumps_at_the_instant_is_carried_on_to_it() -> None:
    lasted = {"x": build_meeting("value_at", "age", when="on", side="before")}
    nodes = {"age": {"op": "duration_in_current_state", "inputs": {"of": "on"}}, **lasted}
    events = build_event(1, on=True), build_event(3, on=False), build_event(7, on=True)
    assert list_points(nodes, *events) == [(None, None), (7, 4.0)]


def test_an_instant_at_which_it_was_unknown_makes_it_unknown() -> None:
    hidden = {"known": {"op": "when", "inputs": {"if": "on", "of": "state"}}}
    nodes = {**hidden, "x": build_meeting("value_at", "known", where=LOGIN)}
    first = build_event(1, state="a", on=True), build_event(2, action="login")
    assert list_points(nodes, *first, build_event(4, on=False), build_event(6, action="login")) == [
        (None, None), (2, "a"), (6, None),
    ]  # fmt: skip


def test_a_bool_gives_the_instants_at_which_it_becomes_true() -> None:
    events = (
        build_event(1, state="a"),
        build_event(2, on=True),
        build_event(3, state="b"),
        build_event(4, on=True),
        build_event(5, on=False),
    )
    again = build_event(6, state="c"), build_event(7, on=True)
    looked = {"x": build_meeting("value_at", "state", "on")}
    assert list_points(looked, *events, *again) == [(None, None), (2, "a"), (7, "c")]


def test_a_bool_that_is_true_at_birth_becomes_true_there() -> None:
    nodes = {**UNSEEN, "x": build_meeting("value_at", "state", "unseen")}
    events = build_event(2, state="a"), build_event(3, n=1), build_event(4, state="b")
    assert list_points(nodes, *events) == [(None, None), (2, "a")]


def test_becoming_true_out_of_unknown_counts() -> None:
    n = build_leaf("latest_event_to_state", field="n")
    known_values = {"open": {"op": "greater_than", "inputs": {"of": "n"}, "params": {"value": 0}}}
    known_values |= {"known": {"op": "when", "inputs": {"if": "open", "of": "on"}}}
    nodes = {"n": n, **known_values, "x": build_meeting("value_at", "state", "known")}
    events = build_event(1, n=1, on=True, state="a"), build_event(3, n=0, state="b"), build_event(5, n=1)
    assert list_points(nodes, *events) == [(None, None), (1, "a"), (5, "b")]


def test_it_has_the_keys_of_both_and_is_born_with_the_first() -> None:
    bare = {"key": "k", "time": "t", "unit": "s"}
    nodes = {"state": NODES["state"], "x": {**build_leaf("value_at", "ads"), "inputs": {"of": "state"}}}
    other = {**build_event(3), "_": "ads"}, {**build_event(4, key="other"), "_": "ads"}
    result = answer(
        nodes, build_event(1, state="a"), *other, s={**bare, "fields": {"state": "text"}}, ads=bare
    )
    assert result == {"x": [(None, None), (3, "a")], "other": [(None, None)]}


def list_problems(**node: Any) -> list[tuple[str | None, str]]:
    nodes = {**NODES, "x": {"op": "value_at", "inputs": {"of": "state"}, **node}}
    result = check(build_plan(nodes, s={"key": "k", "time": "t", "fields": {"on": "bool"}}), {}).problems
    return [(item.port, item.code) for item in result if item.severity == "error"]


def test_it_takes_a_stream_or_a_bool() -> None:
    both = {"of": "state", "when": "on"}
    assert list_problems(stream="s") == list_problems(inputs=both) == []
    assert list_problems() == [("stream", "one_of")]
    assert list_problems(stream="s", inputs=both) == [("stream", "one_of")]
    assert list_problems(inputs=both, params={"where": "on == true"}) == [("where", "missing_stream")]
    assert list_problems(stream="gone") == [("stream", "unknown_stream")]


def test_events_of_a_stream_do_not_meet_groups() -> None:
    groups = {"all": {"op": "aggregate", "inputs": {"of": "count"}}}
    nodes = {**NODES, **groups, "x": build_meeting("value_at", "all")}
    assert [item.code for item in check(build_plan(nodes), {}).problems if item.node == "x"] == [
        "different_keys"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "v = value_at(state, s)",
        'v = value_at(state, s.action == "login")',
        'v = value_at(state, s.action == "login", side = before)',
        "v = value_at(state, when = on)",
    ],
)
def test_it_is_written_as_it_is_read(text: str) -> None:
    head = "state = latest_event_to_state(s.state)\non = latest_event_to_state(s.on)\n"
    document = read_text(head + text)
    assert text in write_text({**document, "results": ["state", "on", "v"]})
    assert read_text(write_text(document))["nodes"] == document["nodes"]


@pytest.mark.parametrize("params", [{}, {"where": "n == 1"}])
def test_a_stream_before_which_something_is_missing_is_named(params: dict[str, Any]) -> None:
    node = {"op": "value_at", "stream": "s", **({"params": params} if params else {})}
    document = {"version": 1, "nodes": {"x": node}}
    assert read_text(write_text(document))["nodes"] == document["nodes"]


def test_what_it_looks_at_is_part_of_its_identity() -> None:
    nodes = {
        "at": build_meeting("value_at", "state"),
        "told": build_meeting("value_at", "state", side="at"),
        "before": build_meeting("value_at", "state", side="before"),
        "when": build_meeting("value_at", "state", "on"),
        "where": build_meeting("value_at", "state", where=LOGIN),
    }
    result = compile_plan(build_plan({**NODES, **nodes}), {}).names
    assert result["at"] == result["told"]
    assert len({result[name] for name in nodes}) == len(nodes) - 1


def test_it_says_why() -> None:
    cause = 'with `action == "login"`'
    assert read_sentence(AT_LOGIN, 6, *STATES) == (
        f'`value_at` is "c" because `state` was that at 00:00:05, when an event of `s` {cause} came, and no later one '
        "has changed it.",
        f"may change with the next event of `s` {cause}",
        ["state"],
    )
    assert list_found_at(AT_LOGIN, 6, *STATES) == [(5, 1)]
    assert "`state` was that just before 00:00:05" in read_sentence(BEFORE_LOGIN, 6, *STATES)[0]
    assert read_sentence(AT_LOGIN, 1, *STATES)[0] == (
        f"`value_at` is unknown because no event of `s` {cause} had come for `x` by then."
    )


def test_it_says_why_of_a_bool() -> None:
    looked = {"x": build_meeting("value_at", "state", "on")}
    events = build_event(1, state="a"), build_event(2, on=True), build_event(3, on=False)
    assert read_sentence(looked, 4, *events) == (
        '`value_at` is "a" because `state` was that at 00:00:02, when `on` became true, and no later one has changed '
        "it.",
        "may change when `on` becomes true",
        ["state", "on"],
    )
    assert (
        read_sentence(looked, 1, *events)[0]
        == "`value_at` is unknown because `on` had not become true by then."
    )


def test_it_describes_itself() -> None:
    inputs = [("of", ["text", "bool", "number", "ratio"], 1), ("when", ["bool"], 0)]
    parameters = [("where", "predicate"), ("side", "choice")]
    assert_declared("value_at", category="timelines", inputs=inputs, parameters=parameters, output="any")
