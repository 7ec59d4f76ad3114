"""Asking small plans why: events of one stream, times in seconds after midnight of 1970."""

from __future__ import annotations

from typing import Any

from tests.operators.small import SECOND, STREAM, build_leaf, build_node, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.evaluate.why import explain
from timeline_app.testing.points import build_batches

Nodes = dict[str, Any]
ON = {"on": build_leaf("latest_event_to_state", field="on")}
"""A bool that is what the last event says."""
NUMBERS = {"n": build_leaf("latest_event_to_state", field="n"), "count": build_leaf("event_count")}
LASTED = {**ON, "lasted": build_node("duration_where", "on")}


def read_link(
    nodes: Nodes, at: float, *events: dict[str, Any], key: str = "x", stream: Nodes = STREAM
) -> dict[str, Any]:
    """What the last node answers."""
    return read_chain(nodes, at, *events, key=key, stream=stream)[0]


def read_chain(
    nodes: Nodes, at: float, *events: dict[str, Any], key: str = "x", stream: Nodes = STREAM
) -> list[dict[str, Any]]:
    """The whole chain, the last node first."""
    compiled = compile_plan(build_plan(nodes, s=stream), {})
    batches = build_batches(compiled, {"s": list(events)})
    documents: list[dict[str, Any]] = explain(compiled, batches, list(nodes)[-1], key, round(at * SECOND))[
        "chain"
    ]
    return documents


def explain_at(
    nodes: Nodes, at: float, *events: dict[str, Any], key: str = "x", stream: Nodes = STREAM
) -> tuple[str, str, list[str]]:
    """The sentence of the last node, what ends it, and the inputs concerned."""
    last = read_link(nodes, at, *events, key=key, stream=stream)
    return last["sentence"], last["ends"], last["because"]


def list_boundaries(nodes: Nodes, at: float, *events: dict[str, Any]) -> list[tuple[float, int]]:
    """The boundary instants of the last node in seconds, and how many events were found there."""
    result = read_link(nodes, at, *events)["events"]
    return [(item["t"] / SECOND, len(item["events"])) for item in result]
