"""What the slow scripts share: reading a file of events, and saying nothing twice. Times are whole microseconds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

Event: TypeAlias = dict[str, Any]
Value: TypeAlias = bool | int | Fraction | None
Step: TypeAlias = tuple[int | None, Value]
Line: TypeAlias = tuple[int | None, Value, int]
Answers: TypeAlias = dict[str, Mapping[str, Sequence[Step | Line]]]
"""By node and key: from when on (None: since ever) which value, and for numbers with which slope a second."""

SECOND = 1_000_000
LATENESS = 30 * SECOND


def read(text: str, key: str) -> dict[str, list[Event]]:
    """The events of each key in order of time, of copies one."""
    events = {(event[key], event["event_id"]): event for event in map(json.loads, text.splitlines())}
    result: dict[str, list[Event]] = {}
    for event in sorted(events.values(), key=lambda event: event["t"]):
        result.setdefault(event[key], []).append({**event, "t": event["t"] * 1000})
    for item in result.values():
        times = [event["t"] for event in item]
        assert len(set(times)) == len(times), "two events at once: the scripts do not say which is the latest"
    return result


def list_values(events: Iterable[Event], field: str) -> list[tuple[int, Any]]:
    """When a field was said, and what; a value that is said again says nothing new."""
    values: list[tuple[int, Any]] = []
    for event in events:
        if field in event and (not values or values[-1][1] != event[field]):
            values.append((event["t"], event[field]))
    return values


def read_at(values: Sequence[tuple[int, Any]], now: int) -> Any:
    """What was said last, None before anything was."""
    return next((value for time, value in reversed(values) if time <= now), None)


def build_steps(before: Value, judged: Iterable[tuple[int, Value]]) -> list[Step]:
    """One value after the other, and none twice."""
    steps: list[Step] = [(None, before)]
    for time, value in judged:
        if value is not steps[-1][1] and (value != steps[-1][1] or None in (value, steps[-1][1])):
            steps.append((time, value))
    return steps


def build_flat_lines(steps: Iterable[Step]) -> list[Line]:
    """Numbers that stay what they are until they change."""
    return [(time, value, 0) for time, value in steps]
