"""increase: how much a counter has counted, over all its resets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operators.reasons import explain_at
from tests.operators.small import answer, assert_declared, build_event, build_leaf, build_node
from timeline_app.compiler import compile_plan
from timeline_app.operators import operators
from timeline_app.plan import Refused

N = build_leaf("latest_event_to_state", field="n")
NODES = {"n": N, "all": build_node("increase", "n")}
RISES = {"n": N, "all": build_node("increase", "n", falls="ignore")}
KNOWN = {
    "on": build_leaf("latest_event_to_state", field="on"),
    "raw": N,
    "n": {"op": "when", "inputs": {"if": "on", "of": "raw"}},
    "all": build_node("increase", "n"),
}
"""`n` is known only while `on` is true."""
READINGS = (
    build_event(1, n=10),
    build_event(3, n=14),
    build_event(5, n=2),
    build_event(7, n=5),
    build_event(8, n=5),
)


def increase(nodes: dict[str, Any], *events: dict[str, Any]) -> list[tuple[Any, ...]]:
    return answer(nodes, *events)["x"]


def test_a_fall_is_a_reset_from_which_the_counter_has_risen_from_0() -> None:
    assert increase(NODES, *READINGS) == [(None, 0.0), (3, 4.0), (5, 6.0), (7, 9.0)]


def test_falls_that_are_ignored_add_nothing() -> None:
    assert increase(RISES, *READINGS) == [(None, 0.0), (3, 4.0), (7, 7.0)]


def test_the_order_of_arrival_does_not_matter() -> None:
    assert increase(NODES, *reversed(READINGS)) == increase(NODES, *READINGS)


def test_a_reset_below_0_has_risen_to_0() -> None:
    assert increase(NODES, build_event(1, n=3), build_event(2, n=-5), build_event(3, n=1)) == [
        (None, 0.0),
        (3, 6.0),
    ]


def test_after_unknown_the_last_known_value_counts() -> None:
    events = (
        build_event(1, on=True, n=3),
        build_event(2, on=False),
        build_event(3, n=4),
        build_event(4, on=True),
        build_event(5, n=5),
    )
    assert increase(KNOWN, *events) == [(None, 0.0), (4, 1.0), (5, 2.0)]


def test_decimals_are_added_as_they_are_written() -> None:
    tenths = [build_event(second, n=round(second / 10 % 1, 1)) for second in range(1, 101)]
    assert increase(NODES, *tenths)[-1] == (99, 8.9)


def test_of_a_count_it_is_the_count() -> None:
    nodes = {"n": build_leaf("event_count"), "all": build_node("increase", "n")}
    assert increase(nodes, build_event(1), build_event(3)) == [(None, 0.0), (1, 1.0), (3, 2.0)]


def test_it_accumulates() -> None:
    nodes = {**NODES, "hourly": build_node("per", "all", every="1h")}
    events = (
        build_event(10, n=5),
        build_event(20, n=8),
        build_event(3600, n=9),
        build_event(3700, n=1),
        build_event(7200, n=4),
    )
    assert increase(nodes, *events) == [(None, None), (3600, 3.0), (7200, 2.0), (10800, None)]


def test_a_number_that_climbs_is_refused() -> None:
    nodes = {"on": build_leaf("latest_event_to_state", field="on"), "n": build_node("duration_where", "on")}
    with pytest.raises(Refused) as refused:
        compile_plan(
            {"version": 1, "nodes": {**nodes, "all": build_node("increase", "n")},
             "streams": {"s": {"key": "k", "time": "t", "fields": {"on": "bool"}}}}, {},
        )  # fmt: skip
    assert [problem.node for problem in refused.value.problems] == ["all"]


def test_why_tells_the_last_rise() -> None:
    sentence, ends, because = explain_at(NODES, 4, *READINGS)
    assert (
        sentence
        == "`increase` is 4, all rises of `n` together; the last one came at 00:00:03, from 10 to 14."
    )
    assert (ends, because) == ("ends at 00:00:05, with a change of `n` to 2", ["n"])
    assert explain_at(NODES, 6, *READINGS)[0] == (
        "`increase` is 6, all rises of `n` together; at 00:00:05 it fell from 14 to 2, a reset, and has risen from 0."
    )
    assert explain_at(NODES, 2, *READINGS)[0] == (
        "`increase` is 0 because `n` has not risen since its first known value."
    )
    assert explain_at(NODES, 0, *READINGS)[0].startswith("`increase` is 0")
    last = explain_at(NODES, 9, *READINGS)
    assert last[1] == "changes when `n` rises or falls"
    assert explain_at(RISES, 9, *READINGS)[1] == "changes when `n` rises"


def test_it_describes_itself() -> None:
    assert_declared(
        "increase", category="timelines", inputs=[("of", ["number"], 1)], parameters=[("falls", "choice")],
        output="number",
    )  # fmt: skip
    assert operators()["increase"].accumulates
