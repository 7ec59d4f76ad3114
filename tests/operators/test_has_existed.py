"""has_existed: false, then true for ever from the first matching event."""

from __future__ import annotations

from tests.operators.small import answer, assert_declared, build_event, build_leaf

SEEN = {"seen": build_leaf("has_existed", where='state == "play"')}


def test_true_for_ever_from_the_first_match_on() -> None:
    result = answer(
        SEEN, build_event(1, state="buffer"), build_event(2, state="play"), build_event(5, state="play")
    )
    assert result == {"x": [(None, False), (2, True)]}


def test_false_and_never_unknown_where_nothing_matches() -> None:
    assert answer(SEEN, build_event(1, state="buffer"), build_event(2)) == {"x": [(None, False)]}


def test_a_late_match_moves_the_change_back() -> None:
    assert answer(SEEN, build_event(7, state="play"), build_event(3, state="play")) == {
        "x": [(None, False), (3, True)]
    }


def test_an_event_matches_only_where_the_predicate_is_true_not_where_it_is_unknown() -> None:
    for where in ('state != "play"', 'not state == "play"', 'state != "play" and n > 0'):
        assert answer({"seen": build_leaf("has_existed", where=where)}, build_event(1, n=1)) == {
            "x": [(None, False)]
        }
    assert answer({"seen": build_leaf("has_existed", where="state is missing")}, build_event(1)) == {
        "x": [(None, False), (1, True)]
    }


def test_every_key_has_its_own_timeline() -> None:
    result = answer(
        SEEN, build_event(2, "b", state="play"), build_event(1, "a", state="play"), build_event(1, "c")
    )
    assert result == {"a": [(None, False), (1, True)], "b": [(None, False), (2, True)], "c": [(None, False)]}


def test_before_1970_time_goes_on() -> None:
    assert answer(SEEN, build_event(-5.5, state="play")) == {"x": [(None, False), (-5.5, True)]}


def test_it_describes_itself() -> None:
    inputs, parameters = [("while", ["bool"], 0)], [("where", "predicate"), ("side", "choice")]
    inputs, parameters = [("while", ["bool"], 0)], [("where", "predicate"), ("side", "choice")]
    assert_declared(
        "has_existed",
        category="stream",
        inputs=inputs,
        parameters=parameters,
        output="bool",
    )
