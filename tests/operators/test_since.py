"""since: what a number has come to since the latest of some instants."""

from __future__ import annotations

import pytest

from tests.operators.meeting import LOGIN, NODES, STREAM, found_at, meeting, points, sentence
from tests.operators.small import assert_declared, event, leaf, node, plan
from timeline_app.plan.check import check

VISIT = {"x": meeting("since", "count", where=LOGIN)}
WITH_IT = {"x": meeting("since", "count", where=LOGIN, side="before")}
EVENTS = event(1), event(2), event(3, action="login"), event(4), event(6), event(8, action="login")


def test_it_begins_at_0_at_each_instant_and_before_the_first_it_is_all() -> None:
    assert points(VISIT, *EVENTS) == [(None, 0.0), (1, 1.0), (2, 2.0), (3, 0.0), (4, 1.0), (6, 2.0), (8, 0.0)]


def test_before_counts_what_happens_at_the_very_instant() -> None:
    assert points(WITH_IT, *EVENTS) == [
        (None, 0.0),
        (1, 1.0),
        (2, 2.0),
        (3, 1.0),
        (4, 2.0),
        (6, 3.0),
        (8, 1.0),
    ]


def test_a_number_that_climbs_goes_on_climbing() -> None:
    events = event(1, on=True), event(3, action="login"), event(5, on=False)
    result = points({"x": meeting("since", "on_for", where=LOGIN)}, *events)
    assert result == [(None, 0.0), (1, 0.0, 1.0), (3, 0.0, 1.0), (5, 2.0)]


def test_a_bool_begins_it_anew_where_it_becomes_true() -> None:
    events = event(1), event(2, on=True), event(3), event(5, on=False), event(6, on=True)
    result = points({"x": meeting("since", "count", "on")}, *events)
    assert result == [(None, 0.0), (1, 1.0), (2, 0.0), (3, 1.0), (5, 2.0), (6, 0.0)]


ACCUMULATING = {
    "sum": leaf("event_sum", field="n"),
    "entered": node("changed_to", "on"),
    "n": leaf("latest_event_to_state", field="n"),
    "area": node("integral", "n"),
    "both": node("add", "count", "sum"),
    "less": node("subtract", "count", "entered"),
    "minutes": node("divide", "on_for", value=60),
    "tripled": node("multiply", "both", value=3),
}
OTHERS = {
    "age": node("duration_in_current_state", "on"),
    "more": node("add", "count", value=1),
    "mixed": node("add", "count", "n"),
    "product": node("multiply", "count", "count"),
    "visit": meeting("since", "count"),
    "quiet": meeting("time_since"),
    "held": meeting("value_at", "count"),
}


@pytest.mark.parametrize("name", ["n", "count", "on_for", *ACCUMULATING, *OTHERS])
def test_it_takes_what_accumulates_and_refuses_the_rest_with_the_cure(name: str) -> None:
    nodes = {**NODES, **ACCUMULATING, **OTHERS, "it": meeting("since", name)}
    problems = [item for item in check(plan(nodes, s=STREAM), {}).problems if item.severity == "error"]
    refused = name == "n" or name in OTHERS
    assert [(item.node, item.port, item.code) for item in problems] == [
        ("it", "of", "does_not_accumulate")
    ] * refused
    assert all("wire a count, a sum" in item.cure for item in problems)


def test_it_says_why() -> None:
    asked = 'event of `s` with `action == "login"`'
    assert sentence(VISIT, 7, *EVENTS) == (
        f"`since` is 2, that is 5 of `count` less 3, what it was at 00:00:03, when an {asked} came.",
        "ends at 00:00:08, with a change of `count` to 6",
        ["count"],
    )
    assert found_at(VISIT, 7, *EVENTS) == [(3, 1)]
    assert sentence(WITH_IT, 9, *EVENTS)[0] == (
        f"`since` is 1, that is 6 of `count` less 5, what it was just before 00:00:08, when an {asked} came."
    )
    assert sentence(VISIT, 2, *EVENTS)[0] == (
        f"`since` is 2, all of `count`: no {asked} had come for `x` by then, or it was 0 at that time."
    )
    answer = sentence({"x": meeting("since", "count", "on")}, 4, event(1), event(2, on=True), event(3))
    assert (
        answer[0]
        == "`since` is 1, that is 3 of `count` less 2, what it was at 00:00:02, when `on` became true."
    )
    assert answer[2] == ["count", "on"]


def test_it_says_why_of_a_number_that_climbs() -> None:
    events = event(1, on=True), event(3, action="login"), event(5, on=False)
    answer = sentence({"x": meeting("since", "on_for", where=LOGIN)}, 4.5, *events)[0]
    assert answer.startswith("`since` is 1.5, that is 3.5 of `on_for` less 2, what it was at 00:00:03")


def test_it_describes_itself() -> None:
    inputs = [("of", ["number"], 1), ("when", ["bool"], 0)]
    parameters = [("where", "predicate"), ("side", "choice")]
    assert_declared("since", category="timelines", inputs=inputs, parameters=parameters, output="number")
