"""A bool and a number that are known only while the field `show` is "yes"."""

from __future__ import annotations

from tests.operators.small import build_leaf, build_node


def _build_when_shown(name: str) -> dict[str, object]:
    return {"op": "when", "inputs": {"if": "show", "of": name}}


HIDDEN = {
    "all_on": build_leaf("latest_event_to_state", field="on"),
    "all_n": build_leaf("latest_event_to_state", field="n"),
    "shows": build_leaf("latest_event_to_state", field="show"),
    "show": build_node("equal_to", "shows", value="yes"),
    "on": _build_when_shown("all_on"),
    "n": _build_when_shown("all_n"),
}
