"""Running the product on JSON events, and setting its answers beside the referee's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.referee import JsonEvent, Points, Ratio, Referee
from timeline_app.algebra.timelines import Timelines
from timeline_app.compiler import compile_plan
from timeline_app.evaluate.engine import evaluate
from timeline_app.testing.points import Shown, build_batches, close, group_points


def compute_timelines(
    plan: Mapping[str, Any], events: Mapping[str, Sequence[JsonEvent]], until: int | None = None
) -> dict[str, Timelines]:
    """Every node's timelines by its name; time has come at least `until` then."""
    compiled = compile_plan(plan, {})
    results = evaluate(compiled, build_batches(compiled, events), until=until)
    return {name: results[digest] for name, digest in compiled.names.items()}


def run(
    plan: Mapping[str, Any], events: Mapping[str, Sequence[JsonEvent]], until: int | None = None
) -> dict[str, dict[str, Shown]]:
    """Every node's points by name and key; time has come at least `until` then."""
    return {name: group_points(item) for name, item in compute_timelines(plan, events, until).items()}


def judge_plan(
    plan: Mapping[str, Any], events: Mapping[str, Sequence[JsonEvent]]
) -> dict[str, dict[str, Shown]]:
    """What the referee says, in the product's numbers."""
    referee = Referee(plan, events)
    return {
        name: {key: convert_to_floats(points) for key, points in sorted(referee.answer(name).items())}
        for name in plan["nodes"]
    }


def convert_to_floats(points: Points) -> Shown:
    """Fractions as the nearest floats."""
    return [(time, _convert_value(value), float(slope)) for time, value, slope in points]


def _convert_value(value: Any) -> Any:
    if isinstance(value, Ratio):
        return tuple(float(part) for part in (value.num, value.num_slope, value.den, value.den_slope))
    return float(value) if isinstance(value, Fraction) else value


def list_inexact(plan: Mapping[str, Any]) -> set[str]:
    """The nodes on or above an average, a product or a quotient, whose numbers agree up to rounding only."""
    nodes = plan["nodes"]

    def is_inexact(name: str) -> bool:
        node = nodes[name]
        wires = [
            wire
            for item in node.get("inputs", {}).values()
            for wire in ([item] if isinstance(item, str) else item)
        ]
        return _is_rounding(node) or any(map(is_inexact, wires))

    return {name for name in nodes if is_inexact(name)}


def _is_rounding(node: Mapping[str, Any]) -> bool:
    function = node.get("params", {}).get("function")
    ops = ("multiply", "divide", "mean_within", "log", "power")
    return node["op"] in ops or function in ("avg", "mean", "deviation")


def list_disagreements(
    plan: Mapping[str, Any],
    result: Mapping[str, Mapping[str, Shown]],
    truth: Mapping[str, Mapping[str, Shown]],
) -> list[str]:
    """What differs of nodes, keys and points, in words; numbers to the bit, save those of averages."""
    if sorted(result) != sorted(truth):
        return [f"nodes: {sorted(result)}\ntruth: {sorted(truth)}"]
    rounded, names = list_inexact(plan), list[str]()
    for name, keys in truth.items():
        if sorted(result[name]) != sorted(keys):
            names.append(f"keys of {name}: {sorted(result[name])}\ntruth: {sorted(keys)}")
            continue
        for key, points in keys.items():
            same = close(result[name][key], points) if name in rounded else result[name][key] == points
            if not same:
                names.append(f"{name} {plan['nodes'][name]}\n{key}: {result[name][key]}\ntruth: {points}")
    return names
