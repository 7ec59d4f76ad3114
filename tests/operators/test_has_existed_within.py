"""has_existed_within: true on the union of [t, t + duration) over matching events."""

from __future__ import annotations

from tests.operators.small import answer, assert_declared, build_event, build_leaf

SEEN = {"seen": build_leaf("has_existed_within", where='action == "seek"', duration="5s")}


def test_true_from_the_event_inclusive_to_the_end_exclusive() -> None:
    assert answer(SEEN, build_event(10, action="seek")) == {"x": [(None, False), (10, True), (15, False)]}


def test_the_end_lies_in_the_future_and_stands_until_an_event_revises_it() -> None:
    assert answer(SEEN, build_event(10, action="seek"), build_event(12, action="play")) == {
        "x": [(None, False), (10, True), (15, False)]
    }
    assert answer(SEEN, build_event(10, action="seek"), build_event(14, action="seek")) == {
        "x": [(None, False), (10, True), (19, False)]
    }


def test_a_match_at_the_very_end_continues_and_one_just_after_leaves_a_gap() -> None:
    assert answer(SEEN, build_event(10, action="seek"), build_event(15, action="seek")) == {
        "x": [(None, False), (10, True), (20, False)]
    }
    assert answer(SEEN, build_event(10, action="seek"), build_event(15.000001, action="seek")) == {
        "x": [(None, False), (10, True), (15, False), (15.000001, True), (20.000001, False)]
    }


def test_a_late_match_fills_the_gap() -> None:
    result = answer(
        SEEN, build_event(10, action="seek"), build_event(18, action="seek"), build_event(14, action="seek")
    )
    assert result == {"x": [(None, False), (10, True), (23, False)]}


def test_false_where_nothing_matches() -> None:
    assert answer(SEEN, build_event(1), build_event(2, action="play")) == {"x": [(None, False)]}


def test_one_microsecond_and_a_hundred_years_are_durations() -> None:
    short = {"seen": build_leaf("has_existed_within", where='action == "seek"', duration="1us")}
    assert answer(short, build_event(1, action="seek")) == {
        "x": [(None, False), (1, True), (1.000001, False)]
    }
    long = {"seen": build_leaf("has_existed_within", where='action == "seek"', duration="36500d")}
    assert answer(long, build_event(0, action="seek")) == {
        "x": [(None, False), (0, True), (36_500 * 86_400, False)]
    }


def test_it_describes_itself() -> None:
    inputs, parameters = (
        [("while", ["bool"], 0)],
        [("where", "predicate"), ("duration", "duration"), ("side", "choice")],
    )
    assert_declared(
        "has_existed_within",
        category="stream",
        inputs=inputs,
        parameters=parameters,
        output="bool",
    )
