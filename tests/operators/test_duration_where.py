"""duration_where: seconds since birth for which a bool has been true."""

from __future__ import annotations

from typing import Any

from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node

ON = build_leaf("latest_event_to_state", field="on")
TRUE_FOR = {"on": ON, "for": build_node("duration_where", "on")}


def test_climbs_while_true_and_is_flat_while_false_or_unknown() -> None:
    result = answer(
        TRUE_FOR, build_event(1), build_event(2, on=True), build_event(5, on=False), build_event(9, on=True)
    )
    assert result == {"x": [(None, 0.0), (2, 0.0, 1.0), (5, 3.0), (9, 3.0, 1.0)]}


def test_what_is_true_since_ever_counts_from_birth() -> None:
    never = {"seen": build_leaf("has_existed", where="n > 1"), "not": build_node("not", "seen")}
    result = answer(
        {**never, "for": build_node("duration_where", "not")}, build_event(10), build_event(14, n=2)
    )
    assert result == {"x": [(None, 0.0), (10, 0.0, 1.0), (14, 4.0)]}


def test_birth_is_the_earliest_event_of_the_streams_that_it_reads_late_or_not() -> None:
    never = {"seen": build_leaf("has_existed", where="n > 1"), "not": build_node("not", "seen")}
    nodes = {**never, "for": build_node("duration_where", "not")}
    assert answer(nodes, build_event(10), build_event(4)) == {"x": [(None, 0.0), (4, 0.0, 1.0)]}
    stream = {"key": "k", "time": "t", "unit": "s", "fields": {"n": "number"}}
    other = build_leaf("has_existed", "r", where="n > 1")
    both: dict[str, Any] = {**never, "other": other, "any": build_node("or", ["not", "other"])}
    both["for"] = build_node("duration_where", "any")
    result = answer(both, build_event(10), build_event(3, _="r"), s=stream, r=stream)
    assert result == {"x": [(None, 0.0), (3, 0.0, 1.0)]}


def test_never_true_is_zero_for_ever() -> None:
    assert answer(TRUE_FOR, build_event(1, on=False)) == {"x": [(None, 0.0)]}


def test_exact_in_microseconds_after_many_changes() -> None:
    stream = {"key": "k", "time": "t", "unit": "us", "fields": {"on": "bool"}}
    result = answer(TRUE_FOR, *(build_event(step, on=step % 2 == 0) for step in range(1_000)), s=stream)
    assert result["x"][-1] == (0.000999, 0.0005)
    assert len(result["x"]) == 1_001


def test_the_connection_induced_rebuffering_of_the_contract() -> None:
    nodes = {
        "played": build_leaf("has_existed", where='player_state == "play"'),
        "seeking": build_leaf("has_existed_within", where='user_action == "seek"', duration="5s"),
        "calm": build_node("not", "seeking"),
        "state": build_leaf("latest_event_to_state", field="player_state"),
        "buffering": build_node("equal_to", "state", value="buffer"),
        "induced": build_node("and", ["played", "calm", "buffering"]),
        "cirr": build_node("duration_where", "induced"),
    }
    events = [
        build_event(0, player_state="init"),
        build_event(2, player_state="play"),
        build_event(7, player_state="buffer"),
        build_event(10, player_state="play"),
        build_event(20, user_action="seek"),
        build_event(21, player_state="buffer"),
        build_event(27, player_state="play"),
    ]
    result = answer(nodes, *events)
    assert result == {"x": [(None, 0.0), (7, 0.0, 1.0), (10, 3.0), (25, 3.0, 1.0), (27, 5.0)]}


def test_it_describes_itself() -> None:
    inputs = [("of", ["bool"], 1)]
    assert_declared("duration_where", category="timelines", inputs=inputs, parameters=[], output="number")
