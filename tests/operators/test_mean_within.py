"""mean_within: the time-weighted mean of the time just before, a ratio."""

from __future__ import annotations

from typing import Any

from tests.operators.reasons import NUMBERS, ON, explain_at
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node
from tests.operators.unknowns import HIDDEN

NODES = {"n": NUMBERS["n"], "mean": build_node("mean_within", "n", duration="4s")}
TICK = 0.000001


def list_ratios(nodes: dict[str, Any], *events: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The points of the one key: second, numerator and its slope, denominator and its slope; None is unknown."""
    points = answer(nodes, *events)["x"]
    return [(point[0], *(point[1] if isinstance(point[1], tuple) else (None,))) for point in points]


def test_the_pair_is_value_times_seconds_over_seconds() -> None:
    assert list_ratios(NODES, build_event(1, n=2), build_event(3, n=5)) == [
        (None, None),
        (1 + TICK, 2 * TICK, 2.0, TICK, 1.0),
        (3, 4.0, 5.0, 2.0, 1.0),
        (5, 14.0, 3.0, 4.0, 0.0),
        (7, 20.0, 0.0, 4.0, 0.0),
    ]


def test_of_a_bool_it_is_the_share_of_true() -> None:
    nodes = {
        **ON,
        "share": build_node("mean_within", "on", duration="4s"),
        "most": build_node("greater_than", "share", value=0.5),
    }
    events = build_event(0, on=False), build_event(10, on=True), build_event(20, on=False)
    assert answer(nodes, *events) == {"x": [(None, None), (TICK, False), (12 + TICK, True), (22, False)]}


def test_only_what_is_known_counts() -> None:
    nodes = {
        **HIDDEN,
        "mean": build_node("mean_within", "n", duration="4s"),
        "is": build_node("greater_than", "mean", value=2),
    }
    events = build_event(1, n=3, show="yes"), build_event(2, show="no"), build_event(20, show="yes", n=1)
    assert answer(nodes, *events) == {"x": [(None, None), (1 + TICK, True), (6, None), (20 + TICK, False)]}


def test_time_counts_from_birth_on() -> None:
    nodes = {
        "count": build_leaf("event_count", where="n > 5"),
        "mean": build_node("mean_within", "count", duration="4s"),
    }
    assert list_ratios(nodes, build_event(10), build_event(12, n=6)) == [
        (None, None),
        (10 + TICK, 0.0, 0.0, TICK, 1.0),
        (12, 0.0, 1.0, 2.0, 1.0),
        (14, 2.0, 1.0, 4.0, 0.0),
        (16, 4.0, 0.0, 4.0, 0.0),
    ]


def test_it_says_why() -> None:
    events = build_event(1, n=2), build_event(3, n=5)
    assert explain_at(NODES, 5, *events)[0] == (
        "`mean_within` is 3.5, the mean of 2 and 5 in 4 s, each weighed by how long it held;"
        " `n` is 5 (since 00:00:03)."
    )
    assert explain_at(NODES, 1, *events)[0] == (
        "`mean_within` is unknown because `n` is known from this very microsecond on only."
    )
    assert (
        explain_at(NODES, 2, build_event(1), build_event(3, n=4))[0]
        == "`mean_within` is unknown because `n` is unknown."
    )
    assert explain_at(NODES, 0, *events)[0].startswith(
        "`mean_within` is unknown: `x` was born only at 00:00:01"
    )


def test_it_describes_itself() -> None:
    inputs, parameters = [("of", ["number", "bool"], 1)], [("duration", "duration")]
    assert_declared(
        "mean_within", category="timelines", inputs=inputs, parameters=parameters, output="number"
    )
