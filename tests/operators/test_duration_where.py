"""duration_where: seconds since birth for which a bool has been true."""

from __future__ import annotations

from typing import Any

from tests.operators.small import answer, assert_declared, event, leaf, node

ON = leaf("latest_event_to_state", field="on")
TRUE_FOR = {"on": ON, "for": node("duration_where", "on")}


def test_climbs_while_true_and_is_flat_while_false_or_unknown() -> None:
    result = answer(TRUE_FOR, event(1), event(2, on=True), event(5, on=False), event(9, on=True))
    assert result == {"x": [(None, 0.0), (2, 0.0, 1.0), (5, 3.0), (9, 3.0, 1.0)]}


def test_what_is_true_since_ever_counts_from_birth() -> None:
    never = {"seen": leaf("has_existed", where="n > 1"), "not": node("not", "seen")}
    result = answer({**never, "for": node("duration_where", "not")}, event(10), event(14, n=2))
    assert result == {"x": [(None, 0.0), (10, 0.0, 1.0), (14, 4.0)]}


def test_birth_is_the_earliest_event_of_the_streams_that_it_reads_late_or_not() -> None:
    never = {"seen": leaf("has_existed", where="n > 1"), "not": node("not", "seen")}
    nodes = {**never, "for": node("duration_where", "not")}
    assert answer(nodes, event(10), event(4)) == {"x": [(None, 0.0), (4, 0.0, 1.0)]}
    stream = {"key": "k", "time": "t", "unit": "s", "fields": {"n": "number"}}
    other = leaf("has_existed", "r", where="n > 1")
    both: dict[str, Any] = {**never, "other": other, "any": node("or", ["not", "other"])}
    both["for"] = node("duration_where", "any")
    result = answer(both, event(10), event(3, _="r"), s=stream, r=stream)
    assert result == {"x": [(None, 0.0), (3, 0.0, 1.0)]}


def test_never_true_is_zero_for_ever() -> None:
    assert answer(TRUE_FOR, event(1, on=False)) == {"x": [(None, 0.0)]}


def test_exact_in_microseconds_after_many_changes() -> None:
    stream = {"key": "k", "time": "t", "unit": "us", "fields": {"on": "bool"}}
    result = answer(TRUE_FOR, *(event(step, on=step % 2 == 0) for step in range(1_000)), s=stream)
    assert result["x"][-1] == (0.000999, 0.0005)
    assert len(result["x"]) == 1_001


def test_the_connection_induced_rebuffering_of_the_contract() -> None:
    nodes = {
        "played": leaf("has_existed", where='player_state == "play"'),
        "seeking": leaf("has_existed_within", where='user_action == "seek"', duration="5s"),
        "calm": node("not", "seeking"),
        "state": leaf("latest_event_to_state", field="player_state"),
        "buffering": node("equal_to", "state", value="buffer"),
        "induced": node("and", ["played", "calm", "buffering"]),
        "cirr": node("duration_where", "induced"),
    }
    events = [
        event(0, player_state="init"),
        event(2, player_state="play"),
        event(7, player_state="buffer"),
        event(10, player_state="play"),
        event(20, user_action="seek"),
        event(21, player_state="buffer"),
        event(27, player_state="play"),
    ]
    result = answer(nodes, *events)
    assert result == {"x": [(None, 0.0), (7, 0.0, 1.0), (10, 3.0), (25, 3.0, 1.0), (27, 5.0)]}


def test_it_describes_itself() -> None:
    inputs = [("of", ["bool"], 1)]
    assert_declared("duration_where", category="timelines", inputs=inputs, parameters=[], output="number")
