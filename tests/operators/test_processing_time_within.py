"""processing_time_within: true on the union of [a, a + duration) over the arrivals of matching events."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.operators.small import SECOND, answer, assert_declared, build_event, build_leaf
from timeline_app.testing import Event, keeps_its_laws

HEARD = {"heard": build_leaf("processing_time_within", where='action == "beat"', duration="5s")}


def beat(time: float, at: float) -> dict[str, object]:
    return build_event(time, action="beat", _arrived=at * SECOND)


def compute_slowly(
    events: list[Event], where: Callable[[Event], bool | None], duration: int
) -> list[tuple[int | None, bool]]:
    """At every instant at which one arrives or stops counting, whether any counts."""
    known_items = [event for event in events if where(event) and event.get("_arrived") is not None]
    heard = [max(int(item.get("_arrived")), item.time) for item in known_items]
    instants = sorted({instant for at in heard for instant in (at, at + duration)})
    counts = [(now, any(at <= now < at + duration for at in heard)) for now in instants]
    return [(None, False), *counts]


@pytest.mark.deep
def test_it_keeps_its_laws() -> None:
    arrivals = [-500_000, 1_000_000, 3_000_000, 3_500_000, 9_000_000]
    keeps_its_laws("processing_time_within", compute_slowly, fields={"_arrived": arrivals})


def test_true_from_the_arrival_whatever_time_the_event_speaks_of() -> None:
    assert answer(HEARD, beat(1, 100)) == {"x": [(None, False), (100, True), (105, False)]}


def test_an_event_of_a_clock_that_is_ahead_counts_from_its_own_time_on() -> None:
    assert answer(HEARD, beat(200, 100)) == {"x": [(None, False), (200, True), (205, False)]}


def test_arrivals_that_overlap_are_one_span_in_whatever_order_they_happened() -> None:
    assert answer(HEARD, beat(9, 100), beat(1, 104), beat(5, 109), beat(7, 114.000001)) == {
        "x": [(None, False), (100, True), (114, False), (114.000001, True), (119.000001, False)]
    }


def test_false_where_nothing_matches_or_nobody_knows_when_it_arrived() -> None:
    document = beat(1, 100) | {"action": "stop"}
    assert answer(HEARD, document, build_event(2, action="beat")) == {"x": [(None, False)]}


def test_it_describes_itself() -> None:
    parameters = [("where", "predicate"), ("duration", "duration")]
    assert_declared(
        "processing_time_within", category="stream", inputs=[], parameters=parameters, output="bool"
    )
