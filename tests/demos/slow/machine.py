"""Risk before failure: add up the spans in which a machine was hot and shaking until it failed for the first time."""

from __future__ import annotations

import itertools
from fractions import Fraction

from tests.demos.slow.reading import (
    SECOND,
    Answers,
    Event,
    Step,
    build_flat_lines,
    build_steps,
    list_values,
    read,
    read_at,
)

HOT, SHAKING = 90, 7.1
GRID = 10 * SECOND
Failure = tuple[int, Fraction]


def compute_answers(text: str) -> Answers:
    """Of every machine, and of every line."""
    machines = read(text, "machine_id")
    failures = {name: find_failure(events) for name, events in machines.items()}
    lines: dict[str, list[Failure]] = {}
    for name, events in machines.items():
        for known, line in list_values(events, "line"):
            lines.setdefault(line, [])
            if result := failures[name]:
                lines[line].append((max(known, result[0]), result[1]))
    times = [event["t"] for events in machines.values() for event in events]
    return {
        "risk_before_failure": {
            name: build_flat_lines([(None, None), result] if result else [(None, None)])
            for name, result in failures.items()
        },
        "mean_by_line": {line: build_flat_lines(mean(result)) for line, result in lines.items()},
        "longest_by_line": {
            line: build_flat_lines(compute_longest(result, times)) for line, result in lines.items()
        },
    }


def find_failure(events: list[Event]) -> Failure | None:
    """When a machine failed first, and for how many seconds it was at risk by then."""
    failed = next((event["t"] for event in events if event.get("state") == "failed"), None)
    if failed is None:
        return None
    heat, shake = list_values(events, "temperature"), list_values(events, "vibration")
    instants = sorted({time for time, _ in heat + shake if time < failed} | {failed})
    spent = 0
    for now, later in itertools.pairwise(instants):
        degrees, speed = read_at(heat, now), read_at(shake, now)
        if degrees is not None and speed is not None and degrees > HOT and speed > SHAKING:
            spent += later - now
    return failed, Fraction(spent, SECOND)


def mean(failures: list[Failure]) -> list[Step]:
    """The mean of the machines that have failed by then."""
    items = []
    for now in sorted({time for time, _ in failures}):
        risks = [risk for time, risk in failures if time <= now]
        items.append((now, sum(risks, Fraction(0)) / len(risks)))
    return build_steps(None, items)


def compute_longest(failures: list[Failure], times: list[int]) -> list[Step]:
    """The longest of them, looked at every ten seconds from the first event to just after the last."""
    instants = range(-(-min(times) // GRID) * GRID, (max(times) // GRID + 1) * GRID + 1, GRID)
    return build_steps(
        None, [(now, max((risk for time, risk in failures if time <= now), default=None)) for now in instants]
    )
