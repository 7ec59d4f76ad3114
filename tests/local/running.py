"""Running the product on JSON events, and setting its answers beside the referee's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.referee import JsonEvent, Points, Ratio, Referee
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.local.engine import describe, evaluate
from timeline_app.plan.events import EventBatch

Shown = list[tuple[int | None, Any, float]]
"""Points as they are printed: time, value, slope (0 where there is none); the value of a ratio is
(value and slope of the numerator, value and slope of the denominator)."""


def batches_of(compiled: Compiled, events: Mapping[str, Sequence[JsonEvent]]) -> dict[str, EventBatch]:
    """Delivered events as the door takes them."""
    batches = {}
    for name, declared in compiled.streams.items():
        batches[name] = EventBatch(declared)
        for event in events.get(name, ()):
            batches[name].add(dict(event), strict=False)
    return batches


def timelines(plan: Mapping[str, Any], events: Mapping[str, Sequence[JsonEvent]]) -> dict[str, Timelines]:
    """Every node's timelines by its name."""
    compiled = compile_plan(plan, {})
    results = evaluate(compiled, batches_of(compiled, events))
    return {name: results[digest] for name, digest in compiled.names.items()}


def shown(item: Timelines) -> dict[str, Shown]:
    """Timelines as points by key."""
    return {
        str(name): [_told(point) for point in describe(item, place, None)["points"]]
        for place, name in enumerate(item.names)
    }


def _told(point: Mapping[str, Any]) -> tuple[int | None, Any, float]:
    if point.get("num") is not None:
        return (
            point["t"],
            tuple(point[part][item] for part in ("num", "den") for item in ("value", "slope")),
            0.0,
        )
    return point["t"], point.get("value"), point.get("slope", 0.0)


def run(plan: Mapping[str, Any], events: Mapping[str, Sequence[JsonEvent]]) -> dict[str, dict[str, Shown]]:
    """Every node's points by name and key."""
    return {name: shown(item) for name, item in timelines(plan, events).items()}


def judged(plan: Mapping[str, Any], events: Mapping[str, Sequence[JsonEvent]]) -> dict[str, dict[str, Shown]]:
    """What the referee says, in the product's numbers."""
    referee = Referee(plan, events)
    return {
        name: {key: as_floats(points) for key, points in sorted(referee.answer(name).items())}
        for name in plan["nodes"]
    }


def as_floats(points: Points) -> Shown:
    """Fractions as the nearest floats."""
    return [(time, _plain(value), float(slope)) for time, value, slope in points]


def _plain(value: Any) -> Any:
    if isinstance(value, Ratio):
        return tuple(float(part) for part in (value.num, value.num_slope, value.den, value.den_slope))
    return float(value) if isinstance(value, Fraction) else value


def inexact(plan: Mapping[str, Any]) -> set[str]:
    """The nodes on or above an average, a product or a quotient, whose numbers agree up to rounding only."""
    found: set[str] = set()
    for name, node in plan["nodes"].items():
        wires = [
            wire
            for item in node.get("inputs", {}).values()
            for wire in ([item] if isinstance(item, str) else item)
        ]
        rounds = node["op"] in ("multiply", "divide") or node.get("params", {}).get("function") == "avg"
        if rounds or found.intersection(wires):
            found.add(name)
    return found


def logged(points: Sequence[Sequence[Any]]) -> Shown:
    """Points of the log: [time, value], with a slope, or with both lines of a ratio."""
    return [
        (time, (value, *lines), 0.0)
        if len(lines) > 1 and value is not None
        else (time, value, (*lines, 0.0)[0])
        for time, value, *lines in points
    ]


def close(one: Shown, other: Shown) -> bool:
    """Whether two timelines agree up to rounding wherever one of them changes.

    What is a change up to rounding only (a third twice over and two thirds) may be a point of one of them alone.
    """
    times = {time for points in (one, other) for time, _, _ in points}
    return all(_near(_held(one, time), _held(other, time)) for time in times)


def _held(points: Shown, time: int | None) -> Any:
    """Value and slope at an instant; of a ratio, of numerator and denominator."""
    reached = [point for point in points if point[0] is None or (time is not None and point[0] <= time)]
    since, value, slope = reached[-1]
    if since is None or time is None or value is None:
        return value, slope
    seconds = (time - since) / 1e6
    if isinstance(value, tuple):
        num, climbs, den, its = value
        return num + climbs * seconds, climbs, den + its * seconds, its
    return (value + slope * seconds if slope else value), slope


def _near(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return all(_near(*pair) for pair in zip(one, other, strict=True))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-9)
    return type(one) is type(other) and bool(one == other)


def disagreements(
    plan: Mapping[str, Any],
    found: Mapping[str, Mapping[str, Shown]],
    truth: Mapping[str, Mapping[str, Shown]],
) -> list[str]:
    """What differs of nodes, keys and points, in words; numbers to the bit, save those of averages."""
    if sorted(found) != sorted(truth):
        return [f"nodes: {sorted(found)}\ntruth: {sorted(truth)}"]
    rounded, told = inexact(plan), list[str]()
    for name, keys in truth.items():
        if sorted(found[name]) != sorted(keys):
            told.append(f"keys of {name}: {sorted(found[name])}\ntruth: {sorted(keys)}")
            continue
        for key, points in keys.items():
            same = close(found[name][key], points) if name in rounded else found[name][key] == points
            if not same:
                told.append(f"{name} {plan['nodes'][name]}\n{key}: {found[name][key]}\ntruth: {points}")
    return told
