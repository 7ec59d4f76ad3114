"""event_count: how many matching events so far."""

from __future__ import annotations

from tests.operators.small import STREAM, answer, assert_declared, build_event, build_leaf

ALL = {"count": build_leaf("event_count")}
PLAYS = {"count": build_leaf("event_count", where='state == "play"')}


def test_zero_before_the_first_and_one_more_at_each() -> None:
    assert answer(ALL, build_event(1), build_event(4), build_event(6)) == {
        "x": [(None, 0.0), (1, 1.0), (4, 2.0), (6, 3.0)]
    }


def test_only_matching_events_count() -> None:
    result = answer(
        PLAYS,
        build_event(1),
        build_event(2, state="play"),
        build_event(3, state="stop"),
        build_event(5, state="play"),
    )
    assert result == {"x": [(None, 0.0), (2, 1.0), (5, 2.0)]}


def test_a_condition_that_is_unknown_does_not_match_neither_does_its_opposite() -> None:
    nodes = {"count": build_leaf("event_count", where='not state == "play"')}
    assert answer(nodes, build_event(1), build_event(2, state="stop")) == {"x": [(None, 0.0), (2, 1.0)]}


def test_events_at_once_count_together_and_each_once() -> None:
    assert answer(ALL, build_event(1), build_event(1), build_event(1), build_event(2)) == {
        "x": [(None, 0.0), (1, 3.0), (2, 4.0)]
    }


def test_a_key_of_which_no_event_matches_is_zero() -> None:
    assert answer(PLAYS, build_event(1, "a"), build_event(2, "b", state="play")) == {
        "a": [(None, 0.0)],
        "b": [(None, 0.0), (2, 1.0)],
    }


def test_a_late_event_counts_from_its_own_time_on() -> None:
    assert answer(ALL, build_event(5), build_event(2)) == {"x": [(None, 0.0), (2, 1.0), (5, 2.0)]}


def test_copies_with_one_id_are_one_event_and_those_without_id_are_not() -> None:
    ids = {**STREAM, "id": "id"}
    result = answer(
        ALL,
        build_event(1, id="a"),
        build_event(1, id="a"),
        build_event(2, id="b"),
        build_event(3),
        build_event(3),
        s=ids,
    )
    assert result == {"x": [(None, 0.0), (1, 1.0), (2, 2.0), (3, 4.0)]}


def test_where_copies_differ_the_latest_is_the_event() -> None:
    ids = {**STREAM, "id": "id"}
    assert answer(ALL, build_event(4, id="a"), build_event(2, id="a"), s=ids) == {
        "x": [(None, 0.0), (4, 1.0)]
    }


def test_it_describes_itself() -> None:
    inputs, parameters = [("while", ["bool"], 0)], [("where", "predicate"), ("side", "choice")]
    assert_declared(
        "event_count",
        category="stream",
        inputs=inputs,
        parameters=parameters,
        output="number",
    )
