"""Random plans over every operator that there is, and the events to go with them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.referee import JsonEvent
from tests.strategies.events import declarations, deliveries
from tests.strategies.growing import Growing

Plan = dict[str, Any]
Drawn = dict[str, list[JsonEvent]]


@st.composite
def plans(draw: st.DrawFn, *, most: int = 11) -> Plan:
    """A plan on one stream or two, with nodes above aggregates."""
    streams = {name: draw(declarations(spans=True)) for name in ("player", "ads")[: draw(st.integers(1, 2))]}
    rows = tuple(name for name, declared in streams.items() if "until" in declared)
    growing = Growing(draw, tuple(streams), rows)
    growing.begin()
    for _ in range(draw(st.integers(1, 3))):
        growing.leaf()
    for _ in range(draw(st.integers(3, most - 4))):
        growing.derived()
    return {"version": 1, "nodes": growing.nodes, "results": list(growing.nodes), "streams": streams}


@st.composite
def cases(draw: st.DrawFn) -> tuple[Plan, Drawn]:
    """A plan and the events of its streams, in the order of delivery; the streams share some keys."""
    plan = draw(plans())
    streams = plan["streams"].items()
    return plan, {name: draw(deliveries(declared, mistyped=True)) for name, declared in streams}


@st.composite
def cuts(draw: st.DrawFn, size: int) -> list[int]:
    """Where a sequence of that size is cut into batches: places in order, from 0 to the end."""
    return sorted({0, size, *draw(st.lists(st.integers(0, size), max_size=4))})
