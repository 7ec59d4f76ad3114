"""What the tests of the four comparisons share: climbing numbers whose values are easy to tell."""

from __future__ import annotations

from typing import Any

from tests.operators.small import answer, build_event, build_leaf, build_node

NUMBER = {
    "n": build_leaf("latest_event_to_state", field="n"),
    "m": build_leaf("latest_event_to_state", field="m"),
}
MICROS = {"key": "k", "time": "t", "unit": "us", "fields": {"n": "number", "m": "number", "on": "bool"}}
CLIMBING = {"on": build_leaf("latest_event_to_state", field="on"), "for": build_node("duration_where", "on")}
"""`for` is 0 until the first event with `on`, then climbs by one each second."""
RATIO = {**CLIMBING, "count": build_leaf("event_count"), "rate": build_node("divide", "count", "for")}
"""`rate` is events per second of being on."""


def compare_with(op: str, value: Any, *events: dict[str, Any], of: str = "n", **nodes: Any) -> list[Any]:
    """The one key's points of a comparison with a value."""
    return answer({**(nodes or NUMBER), "result": build_node(op, of, value=value)}, *events)["x"]


def compare_climbing(op: str, value: Any, until: float | None = None) -> list[Any]:
    """A comparison of what climbs by one a second from second 10 on (and stands still from `until` on)."""
    ends = [] if until is None else [build_event(until, on=False)]
    return compare_with(op, value, build_event(10, on=True), *ends, of="for", **CLIMBING)
