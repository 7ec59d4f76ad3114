"""since: what a number has come to since the latest of some instants."""

from __future__ import annotations

import pytest

from tests.operators.meeting import (
    LOGIN,
    NODES,
    STREAM,
    build_meeting,
    list_found_at,
    list_points,
    read_sentence,
)
from tests.operators.small import assert_declared, build_event, build_leaf, build_node, build_plan
from timeline_app.plan.check import check

VISIT = {"x": build_meeting("since", "count", where=LOGIN)}
WITH_IT = {"x": build_meeting("since", "count", where=LOGIN, side="before")}
EVENTS = (
    build_event(1),
    build_event(2),
    build_event(3, action="login"),
    build_event(4),
    build_event(6),
    build_event(8, action="login"),
)


def test_it_begins_at_0_at_each_instant_and_before_the_first_it_is_all() -> None:
    assert list_points(VISIT, *EVENTS) == [
        (None, 0.0),
        (1, 1.0),
        (2, 2.0),
        (3, 0.0),
        (4, 1.0),
        (6, 2.0),
        (8, 0.0),
    ]


def test_before_counts_what_happens_at_the_very_instant() -> None:
    assert list_points(WITH_IT, *EVENTS) == [
        (None, 0.0),
        (1, 1.0),
        (2, 2.0),
        (3, 1.0),
        (4, 2.0),
        (6, 3.0),
        (8, 1.0),
    ]


def test_a_number_that_climbs_goes_on_climbing() -> None:
    events = build_event(1, on=True), build_event(3, action="login"), build_event(5, on=False)
    result = list_points({"x": build_meeting("since", "on_for", where=LOGIN)}, *events)
    assert result == [(None, 0.0), (1, 0.0, 1.0), (3, 0.0, 1.0), (5, 2.0)]


def test_a_bool_begins_it_anew_where_it_becomes_true() -> None:
    events = (
        build_event(1),
        build_event(2, on=True),
        build_event(3),
        build_event(5, on=False),
        build_event(6, on=True),
    )
    result = list_points({"x": build_meeting("since", "count", "on")}, *events)
    assert result == [(None, 0.0), (1, 1.0), (2, 0.0), (3, 1.0), (5, 2.0), (6, 0.0)]


ACCUMULATING = {
    "sum": build_leaf("event_sum", field="n"),
    "entered": build_node("changed_to", "on"),
    "n": build_leaf("latest_event_to_state", field="n"),
    "area": build_node("integral", "n"),
    "both": build_node("add", "count", "sum"),
    "less": build_node("subtract", "count", "entered"),
    "minutes": build_node("divide", "on_for", value=60),
    "tripled": build_node("multiply", "both", value=3),
}
OTHERS = {
    "age": build_node("duration_in_current_state", "on"),
    "more": build_node("add", "count", value=1),
    "mixed": build_node("add", "count", "n"),
    "product": build_node("multiply", "count", "count"),
    "visit": build_meeting("since", "count"),
    "quiet": build_meeting("time_since"),
    "held": build_meeting("value_at", "count"),
}


@pytest.mark.parametrize("name", ["n", "count", "on_for", *ACCUMULATING, *OTHERS])
def test_it_takes_what_accumulates_and_refuses_the_rest_with_the_hint(name: str) -> None:
    nodes = {**NODES, **ACCUMULATING, **OTHERS, "it": build_meeting("since", name)}
    problems = [item for item in check(build_plan(nodes, s=STREAM), {}).problems if item.severity == "error"]
    refused = name == "n" or name in OTHERS
    assert [(item.node, item.port, item.code) for item in problems] == [
        ("it", "of", "does_not_accumulate")
    ] * refused
    assert all("wire a count, a sum" in item.hint for item in problems)


def test_it_says_why() -> None:
    cause = 'event of `s` with `action == "login"`'
    assert read_sentence(VISIT, 7, *EVENTS) == (
        f"`since` is 2, that is 5 of `count` less 3, what it was at 00:00:03, when an {cause} came.",
        "ends at 00:00:08, with a change of `count` to 6",
        ["count"],
    )
    assert list_found_at(VISIT, 7, *EVENTS) == [(3, 1)]
    assert read_sentence(WITH_IT, 9, *EVENTS)[0] == (
        f"`since` is 1, that is 6 of `count` less 5, what it was just before 00:00:08, when an {cause} came."
    )
    assert read_sentence(VISIT, 2, *EVENTS)[0] == (
        f"`since` is 2, all of `count`: no {cause} had come for `x` by then, or it was 0 at that time."
    )
    answer = read_sentence(
        {"x": build_meeting("since", "count", "on")},
        4,
        build_event(1),
        build_event(2, on=True),
        build_event(3),
    )
    assert (
        answer[0]
        == "`since` is 1, that is 3 of `count` less 2, what it was at 00:00:02, when `on` became true."
    )
    assert answer[2] == ["count", "on"]


def test_it_says_why_of_a_number_that_climbs() -> None:
    events = build_event(1, on=True), build_event(3, action="login"), build_event(5, on=False)
    answer = read_sentence({"x": build_meeting("since", "on_for", where=LOGIN)}, 4.5, *events)[0]
    assert answer.startswith("`since` is 1.5, that is 3.5 of `on_for` less 2, what it was at 00:00:03")


def test_it_describes_itself() -> None:
    inputs = [("of", ["number"], 1), ("when", ["bool"], 0)]
    parameters = [("where", "predicate"), ("side", "choice")]
    assert_declared("since", category="timelines", inputs=inputs, parameters=parameters, output="number")
