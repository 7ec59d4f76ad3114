"""Small plans by hand: events of one stream, one node at the end, points in seconds."""

from __future__ import annotations

from typing import Any

from tests.evaluate.running import run
from timeline_app.operators import operators

SECOND = 1_000_000
STREAM = {"key": "k", "time": "t", "unit": "s", "fields": {"n": "number", "on": "bool"}}
Seconds = list[tuple[Any, ...]]


def build_leaf(op: str, stream: str = "s", **params: Any) -> dict[str, Any]:
    """A node that reads a stream."""
    return {"op": op, "stream": stream, "params": params}


def build_node(op: str, of: Any, other: str | None = None, **params: Any) -> dict[str, Any]:
    """A node that reads nodes."""
    inputs = {"of": of} if other is None else {"of": of, "other": other}
    return {"op": op, "inputs": inputs, "params": params}


def build_plan(nodes: dict[str, Any], **streams: Any) -> dict[str, Any]:
    """A plan document of these nodes."""
    return {"version": 1, "nodes": nodes, "streams": streams or {"s": STREAM}}


def build_event(time: float, key: str = "x", **fields: Any) -> dict[str, Any]:
    """An event of the stream."""
    return {"k": key, "t": time, **fields}


def answer(nodes: dict[str, Any], *events: dict[str, Any], **streams: Any) -> dict[str, Seconds]:
    """The last node's points by key: (second or None, value), with the slope where it is not 0."""
    document = build_plan(nodes, **streams)
    delivered = {
        name: [item for item in events if item.get("_", "s") == name] for name in document["streams"]
    }
    bare = {
        name: [{k: v for k, v in item.items() if k != "_"} for item in items]
        for name, items in delivered.items()
    }
    result = run(document, bare)[list(nodes)[-1]]
    return {key: [_convert_point(*point) for point in points] for key, points in result.items()}


def _convert_point(time: int | None, value: Any, slope: float) -> tuple[Any, ...]:
    shown_time = None if time is None else time / SECOND
    return (shown_time, value, slope) if slope else (shown_time, value)


def assert_declared(
    name: str, *, category: str, inputs: list[Any], parameters: list[Any], output: str
) -> None:
    """Assert what the declaration tells the palette: ports with kinds and minimum, parameters with types."""
    answer = operators()[name].describe()
    assert answer["name"] == name
    assert answer["category"] == category
    assert [(port["name"], port["kinds"], port["minimum"]) for port in answer["inputs"]] == inputs
    assert [(item["name"], item["type"]) for item in answer["parameters"]] == parameters
    assert answer["output"] == output
    assert answer["needs_stream"] == (category == "stream" and not answer["reads_streams"])
    assert answer["title"]
    assert answer["summary"].endswith(".")
