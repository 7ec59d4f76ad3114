"""What every leaf means: from the events of one key to its timeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from tests.predicates.conditions import UNKNOWN, judge, read_value
from tests.referee.collection import Event, parse_duration
from tests.referee.points import FLAT, Points, normalize_points

Params: TypeAlias = Mapping[str, Any]


def select_matching(events: list[Event], params: Params) -> list[Event]:
    """Return the events for which the predicate is true; all without a predicate."""
    if params.get("where") is None:
        return events
    return [event for event in events if judge(params["where"].tree, event.fields) is True]


def latest_event_to_state(events: list[Event], params: Params) -> Points:
    points: Points = [(None, UNKNOWN, FLAT)]
    have = [event for event in events if read_value(event.fields, params["field"]) is not None]
    for time in sorted({event.time for event in have}):
        rivals: Any = [
            (event.rank, read_value(event.fields, params["field"])) for event in have if event.time == time
        ]
        points.append((time, max(rivals)[1], FLAT))
    return normalize_points(points)


def has_existed(events: list[Event], params: Params) -> Points:
    times = sorted(event.time for event in select_matching(events, params))
    return normalize_points([(None, False, FLAT), *((time, True, FLAT) for time in times[:1])])


def has_existed_within(events: list[Event], params: Params) -> Points:
    times, lasting = (
        [event.time for event in select_matching(events, params)],
        parse_duration(params["duration"]),
    )
    changes = sorted({change for time in times for change in (time, time + lasting)})
    holds = [(now, any(time <= now < time + lasting for time in times), FLAT) for now in changes]
    return normalize_points([(None, False, FLAT), *holds])


def is_during(events: list[Event], params: Params) -> Points:
    rows = select_matching(events, params)
    ends = {row.until for row in rows if row.until is not None}
    changes = sorted({row.time for row in rows} | ends)
    holds = [
        (now, any(row.time <= now and (row.until is None or now < row.until) for row in rows), FLAT)
        for now in changes
    ]
    return normalize_points([(None, False, FLAT), *holds])


def event_count(events: list[Event], params: Params) -> Points:
    return _sum_running([(event.time, Fraction(1)) for event in select_matching(events, params)])


def event_sum(events: list[Event], params: Params) -> Points:
    values = [
        (event.time, read_value(event.fields, params["field"])) for event in select_matching(events, params)
    ]
    return _sum_running([(time, value) for time, value in values if isinstance(value, Fraction)])


def _sum_running(amounts: list[tuple[int, Fraction]]) -> Points:
    """Return the running sum at each instant."""
    times = sorted({time for time, _ in amounts})
    sums = [(now, sum((value for time, value in amounts if time <= now), FLAT), FLAT) for now in times]
    return normalize_points([(None, FLAT, FLAT), *sums])


def constant(_: list[Event], params: Params) -> Points:
    value = params["value"]
    return [(None, value if isinstance(value, bool | str) else Fraction(value), FLAT)]


LEAVES: dict[str, Callable[[list[Event], Params], Points]] = {
    "constant": constant,
    "latest_event_to_state": latest_event_to_state,
    "has_existed": has_existed,
    "has_existed_within": has_existed_within,
    "is_during": is_during,
    "event_count": event_count,
    "event_sum": event_sum,
}
