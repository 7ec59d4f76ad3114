"""A bool and a number that are known only while the field `show` is "yes"."""

from __future__ import annotations

from tests.operators.small import leaf, node


def _shown(name: str) -> dict[str, object]:
    return {"op": "when", "inputs": {"if": "show", "of": name}}


HIDDEN = {
    "all_on": leaf("latest_event_to_state", field="on"),
    "all_n": leaf("latest_event_to_state", field="n"),
    "shows": leaf("latest_event_to_state", field="show"),
    "show": node("equal_to", "shows", value="yes"),
    "on": _shown("all_on"),
    "n": _shown("all_n"),
}
