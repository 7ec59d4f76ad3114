"""Running the product on JSON events, and setting its answers beside the referee's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tests.referee import JsonEvent, Points, Referee
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.local.engine import evaluate
from timeline_app.plan.events import EventBatch

Shown = list[tuple[int | None, Any, float]]


def batches_of(compiled: Compiled, events: Mapping[str, Sequence[JsonEvent]]) -> dict[str, EventBatch]:
    """Delivered events as the door takes them."""
    batches = {}
    for name, declared in compiled.streams.items():
        batches[name] = EventBatch(declared)
        for event in events.get(name, ()):
            batches[name].add(dict(event))
    return batches


def timelines(plan: Mapping[str, Any], events: Mapping[str, Sequence[JsonEvent]]) -> dict[str, Timelines]:
    """Every node's timelines by its name."""
    compiled = compile_plan(plan, {})
    results = evaluate(compiled, batches_of(compiled, events))
    return {name: results[digest] for name, digest in compiled.names.items()}


def shown(item: Timelines) -> dict[str, Shown]:
    """Timelines as points by key."""
    return {str(name): list(item.points(place)) for place, name in enumerate(item.names)}


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
    plain = (bool, str, type(None))
    return [
        (t, value if isinstance(value, plain) else float(value), float(slope)) for t, value, slope in points
    ]


def inexact(plan: Mapping[str, Any]) -> set[str]:
    """The nodes on or above an average, whose numbers agree up to rounding only."""
    found: set[str] = set()
    for name, node in plan["nodes"].items():
        wires = [
            wire
            for item in node.get("inputs", {}).values()
            for wire in ([item] if isinstance(item, str) else item)
        ]
        if node.get("params", {}).get("function") == "avg" or found.intersection(wires):
            found.add(name)
    return found


def close(one: Shown, other: Shown) -> bool:
    """Whether points agree up to rounding."""
    if [point[0] for point in one] != [point[0] for point in other]:
        return False
    pairs = [
        pair
        for mine, theirs in zip(one, other, strict=True)
        for pair in zip(mine[1:], theirs[1:], strict=True)
    ]
    return all(_near(*pair) for pair in pairs)


def _near(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(one == other)


def agree(
    plan: Mapping[str, Any], found: dict[str, dict[str, Shown]], truth: dict[str, dict[str, Shown]]
) -> None:
    """Assert that every node, key and point is the same; numbers to the bit, save those of averages."""
    rounded = inexact(plan)
    for name, keys in truth.items():
        assert sorted(found[name]) == sorted(keys), f"keys of {name}"
        for key, points in keys.items():
            same = close(found[name][key], points) if name in rounded else found[name][key] == points
            assert same, f"{name} {plan['nodes'][name]}\n{key}: {found[name][key]}\ntruth: {points}"
