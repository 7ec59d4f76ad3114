"""What the examples of the operators answer: events, input timelines and result, ready to be told and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from timeline_app.compiler import compile_plan
from timeline_app.evaluate.engine import iterate_answers
from timeline_app.events.validate import EventBatch
from timeline_app.operators import Operator
from timeline_app.plan.reads import list_streams
from timeline_app.plan.text import read_text

SECOND = 1_000_000
Point = Mapping[str, Any]


@dataclass(frozen=True)
class Lane:
    """One node's timelines: points by key, as `evaluate` prints them."""

    node: str
    kind: str
    keys: Mapping[str, list[Point]]


@dataclass(frozen=True)
class Shown:
    """An evaluated example; the last lane is the result, those before are its inputs."""

    operator: str
    events: list[dict[str, Any]]
    lanes: list[Lane]


def evaluate_example(op: Operator) -> Shown:
    """Evaluate the example of an operator; raises `ValueError` where it does not end with the operator."""
    document, events = read_text(op.example.text()), op.example.delivered()
    name, node = list(document["nodes"].items())[-1]
    if node["op"] != op.name:
        raise ValueError(f"the example of {op.name} must end with it, not with {node['op']}")
    [stream] = {name for item in document["nodes"].values() for name in list_streams(item)}
    compiled = compile_plan({**document, "streams": {stream: op.example.declaration()}}, {})
    batch = EventBatch(compiled.streams[stream])
    for event in events:
        batch.add(event)
    names = [*dict.fromkeys(_iterate_wires(node)), name]
    result = {item: list(iterate_answers(compiled, {stream: batch}, [item], [], None)) for item in names}
    lanes = [
        Lane(item, rows[0]["kind"], {row["key"]: row["points"] for row in rows})
        for item, rows in result.items()
    ]
    return Shown(op.name, events, lanes)


def describe_lane(lane: Lane) -> str:
    """The timelines of a lane in words."""
    whose = (f"for `{key}` " if len(lane.keys) > 1 else "" for key in lane.keys)
    lines = (
        f"{who}{', '.join(map(_describe_point, points))}"
        for who, points in zip(whose, lane.keys.values(), strict=True)
    )
    return f"`{lane.node}` is {'; '.join(lines)}"


def format_seconds(time: int) -> str:
    """A time as it is written on the axis."""
    return _format_plain(time / SECOND)


def format_value(value: Any) -> str:
    """A value as it is written on a span."""
    if value is None or isinstance(value, bool):
        return {None: "unknown", True: "true", False: "false"}[value]
    return _format_plain(value) if isinstance(value, float) else str(value)


def _iterate_wires(node: Mapping[str, Any]) -> Iterator[str]:
    for wires in node.get("inputs", {}).values():
        yield from [wires] if isinstance(wires, str) else wires


def _describe_point(point: Point) -> str:
    since = "" if point["t"] is None else f" from {format_seconds(point['t'])} s"
    if point.get("num") is not None:
        return f"({_format_line(point['num'])}) ÷ ({_format_line(point['den'])}){since}"
    return (_format_line(point) if point.get("value") is not None else "unknown") + since


def _format_line(point: Point) -> str:
    slope = point.get("slope", 0)
    climb = f" {'climbing' if slope > 0 else 'falling'} by {_format_plain(abs(slope))}/s" if slope else ""
    return f"{format_value(point['value'])}{climb}"


def _format_plain(number: float) -> str:
    return f"{number:.6f}".rstrip("0").rstrip(".")
