"""Small plans in which instants meet states: a stream with a state, a switch, logins and amounts."""

from __future__ import annotations

from typing import Any

from tests.operators.reasons import read_link
from tests.operators.small import SECOND, answer, build_leaf

STREAM: dict[str, Any] = {
    "key": "k",
    "time": "t",
    "unit": "s",
    "fields": {"state": "text", "on": "bool", "n": "number", "action": "text"},
}
LOGIN = 'action == "login"'
NODES: dict[str, Any] = {
    "state": build_leaf("latest_event_to_state", field="state"),
    "on": build_leaf("latest_event_to_state", field="on"),
    "count": build_leaf("event_count"),
    "on_for": {"op": "duration_where", "inputs": {"of": "on"}},
}


def build_meeting(op: str, of: str | None = None, when: str | None = None, **params: Any) -> dict[str, Any]:
    """A node that looks at events, or at a bool that becomes true."""
    inputs = {port: wire for port, wire in (("of", of), ("when", when)) if wire}
    stream = {} if when else {"stream": "s"}
    return {"op": op, **stream, **({"inputs": inputs} if inputs else {}), "params": params}


def list_points(nodes: dict[str, Any], *events: dict[str, Any], key: str = "x") -> list[tuple[Any, ...]]:
    """The points of the last node."""
    return answer({**NODES, **nodes}, *events, s=STREAM)[key]


def read_sentence(nodes: dict[str, Any], at: float, *events: dict[str, Any]) -> tuple[str, str, list[str]]:
    """What the last node says of itself."""
    last = read_link({**NODES, **nodes}, at, *events, stream=STREAM)
    return last["sentence"], last["ends"], last["because"]


def list_found_at(nodes: dict[str, Any], at: float, *events: dict[str, Any]) -> list[tuple[float, int]]:
    """The boundary instants of the last node, and how many events were found there."""
    last = read_link({**NODES, **nodes}, at, *events, stream=STREAM)
    return [(item["t"] / SECOND, len(item["events"])) for item in last["events"]]
