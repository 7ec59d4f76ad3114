"""Random timelines with unknowns, as nodes of a plan: three bools, two numbers, a text, and what climbs with them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.depth import examples
from tests.evaluate.running import run
from tests.referee import JsonEvent
from timeline_app.testing.points import Shown

BOOLS, NUMBERS, TEXTS = ("x", "y", "z"), ("n", "m"), ("s",)
FACTS = {**dict.fromkeys(BOOLS, "bool"), **dict.fromkeys(NUMBERS, "number")}
GAPS = {f"no_{name}": "bool" for name in (*BOOLS, *NUMBERS, *TEXTS)}
STREAM = {"key": "k", "time": "t", "unit": "us", "fields": {**FACTS, **GAPS}}
HALF = 500_000
few = examples(8)
"""A law has many siblings, and no need of many examples each time."""
_VALUES: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(BOOLS, st.booleans()),
    **dict.fromkeys(NUMBERS, st.sampled_from([0, 1, 2, 0.1, 0.3, -1.5, 4])),
    **dict.fromkeys(TEXTS, st.sampled_from(["a", "b"])),
    **dict.fromkeys(GAPS, st.booleans()),
}


def build_node(op: str, *of: str, **params: Any) -> dict[str, Any]:
    """A node on one or two nodes (a list of them for `and` and `or`); `when` takes condition, of, otherwise."""
    if op in ("and", "or"):
        return {"op": op, "inputs": {"of": list(of)}}
    ports = ("if", "of", "otherwise") if op == "when" else ("of", "by" if op == "aggregate" else "other")
    return {"op": op, "inputs": dict(zip(ports, of, strict=False)), "params": params}


def _build_fact(name: str) -> dict[str, Any]:
    """A field's latest value, unknown while the field that hides it is true."""
    latest = {"op": "latest_event_to_state", "stream": "events"}
    return {
        f"all_{name}": {**latest, "params": {"field": name}},
        f"no_{name}": {**latest, "params": {"field": f"no_{name}"}},
        f"hidden_{name}": build_node("and", f"no_{name}", f"no_{name}"),
        f"open_{name}": build_node("not", f"hidden_{name}"),
        name: build_node("when", f"open_{name}", f"all_{name}"),
    }


NODES: dict[str, Any] = {
    **{item: value for name in (*BOOLS, *NUMBERS, *TEXTS) for item, value in _build_fact(name).items()},
    "for_x": build_node("duration_where", "x"),
    "for_y": build_node("duration_where", "y"),
    "age_s": build_node("duration_in_current_state", "s"),
    "count": {"op": "event_count", "stream": "events"},
}
"""The facts; `for_x`, `for_y` and `age_s` climb."""


@st.composite
def events(draw: st.DrawFn, *, keys: tuple[str, ...] = ("a", "b"), most: int = 10) -> list[JsonEvent]:
    """Events that set some of the facts; the first one of each key opens all of them."""
    answer = st.fixed_dictionaries({}, optional=_VALUES)
    item = st.tuples(st.sampled_from(keys), st.integers(-3, 12).map(lambda step: step * HALF), answer)
    opened = dict.fromkeys(GAPS, False)
    births = {key: draw(st.integers(-4, 4)) * HALF for key in keys}
    begun = [{"k": key, "t": births[key], **opened, **draw(answer)} for key in keys]
    return begun + [
        {"k": key, "t": time, **values} for key, time, values in draw(st.lists(item, max_size=most))
    ]


def _evaluate_delivered(
    delivered: list[JsonEvent], nodes: dict[str, Any], names: list[str]
) -> dict[str, dict[str, Shown]]:
    """Points by name and key of the wanted nodes and those below them."""
    return run(build_plan({**NODES, **nodes}, names), {"events": delivered})


def build_plan(nodes: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """A plan of the wanted nodes and those below them."""
    needed, todo = dict[str, Any](), [*names]
    while todo:
        name = todo.pop()
        needed[name] = nodes[name]
        for wired in nodes[name].get("inputs", {}).values():
            todo += [wired] if isinstance(wired, str) else wired
    return {"version": 1, "nodes": needed, "streams": {"events": STREAM}}


def compute_results(delivered: list[JsonEvent], **nodes: dict[str, Any]) -> dict[str, dict[str, Shown]]:
    """The nodes' points by name and key."""
    result = _evaluate_delivered(delivered, nodes, [*nodes])
    return {name: result[name] for name in nodes}


def assert_same(delivered: list[JsonEvent], left: str, right: str, /, **nodes: dict[str, Any]) -> None:
    """Assert that two nodes say the same of every key, to the bit."""
    result = _evaluate_delivered(delivered, nodes, [left, right])
    assert result[left] == result[right]


def read_value_at(points: Shown, time: int) -> Any:
    """The value of a bool, text or number at an instant."""
    since, value, slope = [point for point in points if point[0] is None or point[0] <= time][-1]
    return value if since is None or not slope else value + slope * (time - since) / 1e6


def list_instants(*timelines: Shown) -> list[int]:
    """Every instant at which one of them changes, and one in between and before and after all of them."""
    changes = sorted({time for points in timelines for time, _, _ in points if time is not None}) or [0]
    return sorted({*changes, *(time + 250_001 for time in changes), changes[0] - 1})
