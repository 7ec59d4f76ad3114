"""time_since: seconds since the latest event, or since a bool became true."""

from __future__ import annotations

from tests.operators.meeting import LOGIN, build_meeting, list_found_at, list_points, read_sentence
from tests.operators.small import assert_declared, build_event, build_leaf

LOGGED_IN = {"x": build_meeting("time_since", where=LOGIN)}
EVENTS = (
    build_event(1, n=1),
    build_event(2, action="login"),
    build_event(4, n=1),
    build_event(5, action="login"),
)


def test_it_climbs_from_each_matching_event_on() -> None:
    assert list_points(LOGGED_IN, *EVENTS) == [(None, None), (2, 0.0, 1.0), (5, 0.0, 1.0)]
    assert list_points({"x": build_meeting("time_since")}, *EVENTS[:2]) == [
        (None, None),
        (1, 0.0, 1.0),
        (2, 0.0, 1.0),
    ]


def test_a_bool_begins_it_where_it_becomes_true() -> None:
    events = (
        build_event(1, on=True),
        build_event(2, on=True),
        build_event(3, on=False),
        build_event(6, on=True),
    )
    result = list_points({"x": build_meeting("time_since", when="on")}, *events)
    assert result == [(None, None), (1, 0.0, 1.0), (6, 0.0, 1.0)]


def test_a_bool_that_is_true_at_birth_begins_it_there() -> None:
    never = {
        "seen": build_leaf("has_existed", where="n == 1"),
        "unseen": {"op": "not", "inputs": {"of": "seen"}},
    }
    result = list_points(
        {**never, "x": build_meeting("time_since", when="unseen")},
        build_event(3, state="a"),
        build_event(5, n=1),
    )
    assert result == [(None, None), (3, 0.0, 1.0)]


def test_it_is_compared_to_the_microsecond() -> None:
    silent = {"op": "greater_or_equal", "inputs": {"of": "x"}, "params": {"value": "1999999us"}}
    result = list_points({**LOGGED_IN, "silent": silent}, *EVENTS)
    assert result == [(None, None), (2, False), (3.999999, True), (5, False), (6.999999, True)]


def test_it_says_why() -> None:
    cause = 'event of `s` with `action == "login"`'
    assert read_sentence(LOGGED_IN, 7.5, *EVENTS) == (
        f"The last time was at 00:00:05, when an {cause} came; that is 2.5 s ago.",
        f"begins anew with the next {cause}",
        [],
    )
    assert list_found_at(LOGGED_IN, 7.5, *EVENTS) == [(5, 1)]
    assert read_sentence(LOGGED_IN, 5, *EVENTS)[0].endswith("that is now.")
    never = f"`time_since` is unknown because no {cause} had come for `x` by then."
    assert read_sentence(LOGGED_IN, 1, *EVENTS)[0] == never
    assert read_sentence({"x": build_meeting("time_since", when="on")}, 3, build_event(1, on=True)) == (
        "The last time was at 00:00:01, when `on` became true; that is 2 s ago.",
        "begins anew when `on` becomes true",
        ["on"],
    )


def test_it_describes_itself() -> None:
    inputs, parameters = [("when", ["bool"], 0)], [("where", "predicate")]
    assert_declared("time_since", category="timelines", inputs=inputs, parameters=parameters, output="number")
