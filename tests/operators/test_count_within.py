"""count_within: how many matching events lie in (t - duration, t]."""

from __future__ import annotations

from tests.operators.reasons import explain_at, list_boundaries
from tests.operators.small import STREAM, answer, assert_declared, build_event, build_leaf, build_node

ALL = {"count": build_leaf("count_within", duration="5s")}
SEEKS = {"count": build_leaf("count_within", where='action == "seek"', duration="5s")}
SEEK = 'with `action == "seek"`'


def test_an_event_counts_from_its_time_inclusive_for_the_duration_exclusive() -> None:
    assert answer(ALL, build_event(10)) == {"x": [(None, None), (10, 1.0), (15, 0.0)]}


def test_unknown_before_birth_and_zero_until_one_matches() -> None:
    result = answer(SEEKS, build_event(1), build_event(4, action="seek"), build_event(6, action="play"))
    assert result == {"x": [(None, None), (1, 0.0), (4, 1.0), (9, 0.0)]}


def test_events_at_once_all_count_and_copies_with_one_id_once() -> None:
    assert answer(ALL, build_event(1), build_event(1), build_event(1)) == {
        "x": [(None, None), (1, 3.0), (6, 0.0)]
    }
    copies = build_event(1, id="a"), build_event(1, id="a"), build_event(2, id="b")
    assert answer(ALL, *copies, s={**STREAM, "id": "id"})["x"][1:3] == [(1, 1.0), (2, 2.0)]


def test_one_that_comes_as_another_leaves_is_no_change() -> None:
    assert answer(ALL, build_event(1), build_event(6), build_event(11)) == {
        "x": [(None, None), (1, 1.0), (16, 0.0)]
    }


def test_a_late_event_revises_the_window_that_it_lies_in() -> None:
    result = answer(ALL, build_event(10), build_event(20), build_event(12))
    assert result == {"x": [(None, None), (10, 1.0), (12, 2.0), (15, 1.0), (17, 0.0), (20, 1.0), (25, 0.0)]}


def test_keys_are_counted_apart() -> None:
    result = answer(
        ALL, build_event(1), build_event(2, "y"), build_event(3), build_event(3, "y"), build_event(9, "z")
    )
    assert result["y"] == [(None, None), (2, 1.0), (3, 2.0), (7, 1.0), (8, 0.0)]
    assert result["z"] == [(None, None), (9, 1.0), (14, 0.0)]


def test_one_microsecond_and_a_hundred_years_are_durations() -> None:
    short = {"count": build_leaf("count_within", duration="1us")}
    assert answer(short, build_event(1), build_event(1.000001)) == {
        "x": [(None, None), (1, 1.0), (1.000002, 0.0)]
    }
    long = {"count": build_leaf("count_within", duration="36500d")}
    assert answer(long, build_event(0))["x"][-1] == (36_500 * 86_400, 0.0)


def test_what_is_asked_of_it_flips_at_the_event_and_as_it_leaves() -> None:
    nodes = {**ALL, "many": build_node("greater_than", "count", value=2)}
    result = answer(nodes, build_event(1), build_event(2), build_event(3), build_event(30))
    assert result == {"x": [(None, None), (1, False), (3, True), (6, False)]}


def test_it_says_why() -> None:
    events = (
        build_event(1),
        build_event(2, action="seek"),
        build_event(3, action="seek"),
        build_event(4, action="play"),
    )
    assert explain_at(SEEKS, 5, *events) == (
        f"`count_within` is 2: 2 events {SEEK} came in the 5 s before.",
        "ends at 00:00:07, when other events lie in the 5 s before",
        [],
    )
    assert list_boundaries(SEEKS, 5, *events) == [(2, 1), (3, 1)]
    assert (
        explain_at(SEEKS, 7.5, *events)[0] == f"`count_within` is 1: 1 event {SEEK} came in the 5 s before."
    )
    assert explain_at(SEEKS, 9, *events)[:2] == (
        f"`count_within` is 0: no event {SEEK} came in the 5 s before.",
        f"changes with the next event {SEEK}",
    )
    assert list_boundaries(SEEKS, 9, *events) == []
    assert explain_at(SEEKS, 0.5, *events)[0] == (
        "No event of `s` had come for `x` by then; the first one is of 00:00:01."
    )


def test_why_names_the_latest_where_many_came() -> None:
    many = [build_event(second / 10) for second in range(40)]
    assert list_boundaries(ALL, 3.9, *many) == [(second / 10, 1) for second in range(20, 40)]


def test_why_finds_events_that_changed_nothing() -> None:
    assert list_boundaries(ALL, 12, build_event(1), build_event(6), build_event(11)) == [(11, 1)]


def test_it_describes_itself() -> None:
    parameters = [("where", "predicate"), ("duration", "duration"), ("side", "choice")]
    assert_declared(
        "count_within",
        category="stream",
        inputs=[("while", ["bool"], 0)],
        parameters=parameters,
        output="number",
    )
