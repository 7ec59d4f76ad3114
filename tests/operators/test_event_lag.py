"""event_lag: seconds between the latest event's own time and its arrival."""

from __future__ import annotations

import pytest

from tests.operators.small import SECOND, answer, assert_declared, build_event, build_leaf
from timeline_app.operators import operators
from timeline_app.testing import Event, keeps_its_laws
from timeline_app.timeline import plan, stream

LAG = {"lag": build_leaf("event_lag")}


def build_arrived(time: float, at: float, key: str = "x") -> dict[str, object]:
    return build_event(time, key, _arrived=at * SECOND)


def compute_slowly(events: list[Event]) -> list[tuple[int | None, float | None]]:
    """Of each instant at which an event happened, the longest lag, or with ids that of the greatest id."""
    points: list[tuple[int | None, float | None]] = [(None, None)]
    for moment in events:  # sorted by time and id
        if moment.get("_arrived") is not None:
            points = [point for point in points if point[0] != moment.time]
            points.append((moment.time, (moment.get("_arrived") - moment.time) / SECOND))
    return points


@pytest.mark.deep
def test_it_keeps_its_laws() -> None:
    keeps_its_laws("event_lag", compute_slowly, fields={"_arrived": [0, 1_500_000, 7_000_001, 9_000_000.0]})


def test_unknown_before_the_first_then_what_each_event_took() -> None:
    assert answer(LAG, build_arrived(1, 1.5), build_arrived(4, 10)) == {
        "x": [(None, None), (1, 0.5), (4, 6.0)]
    }


def test_it_is_exact_to_the_microsecond_today() -> None:
    now = 1_795_335_490
    result = answer(LAG, build_arrived(now, now), build_event(now + 1, _arrived=now * SECOND + 1_000_001))
    assert result == {"x": [(None, None), (now, 0.0), (now + 1, 0.000001)]}


def test_an_event_that_is_late_tells_its_lag_at_its_own_time() -> None:
    assert answer(LAG, build_arrived(5, 5), build_arrived(2, 9)) == {"x": [(None, None), (2, 7.0), (5, 0.0)]}


def test_it_is_negative_where_a_clock_is_ahead() -> None:
    assert answer(LAG, build_arrived(5, 3)) == {"x": [(None, None), (5, -2.0)]}


def test_of_two_at_one_time_without_ids_the_longer_lag_counts() -> None:
    assert answer(LAG, build_arrived(5, 6), build_arrived(5, 8), build_arrived(5, 7)) == {
        "x": [(None, None), (5, 3.0)]
    }


def test_an_event_of_which_nobody_knows_it_changes_nothing() -> None:
    assert answer(LAG, build_arrived(1, 2), build_event(3)) == {"x": [(None, None), (1, 1.0)]}


def test_where_no_event_says_it_that_is_refused_with_the_hint() -> None:
    plan_of_lag = plan(lag=stream("s", key="k", time="t", unit="s").event_lag())
    with pytest.raises(ValueError, match="none of them says it; give them the field _arrived"):
        plan_of_lag.evaluate([{"k": "x", "t": 1}])


def test_it_describes_itself_as_judged_by_arrival() -> None:
    assert_declared("event_lag", category="stream", inputs=[], parameters=[], output="number")
    by_arrival = {name for name, op in operators().items() if op.by_arrival}
    assert by_arrival == {"event_lag", "processing_time_within"}
