"""Why: the chain of reasons of a node, a key and an instant, from the node down to the events."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.depth import examples
from tests.strategies import Drawn, Plan, cases
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.evaluate.engine import describe, evaluate
from timeline_app.evaluate.why import explain
from timeline_app.testing.points import build_batches

CALENDAR = ("so_far", "per", "in_schedule")
"""Operators that tell times by the clocks of their own zone."""
TIME = re.compile("[0-9]{2}:[0-9]{2}:[0-9]{2}")
_BASE = 1_719_820_800_000_000
_INSTANTS = st.one_of(
    st.integers(-3, 40).map(lambda step: _BASE + 500_000 * step),
    st.integers(-1_000_000, 20_000_000).map(lambda micros: _BASE + micros),
)


def list_wires(compiled: Compiled, name: str) -> set[str]:
    return {wire for wires in compiled.checked.graph.nodes[name].inputs.values() for wire in wires}


def spell_words(parts: list[dict[str, Any]]) -> str:
    """What is no instant, and no value that somebody chose."""
    return re.sub('"[^"]*"', "", "".join(part["text"] for part in parts if part["at"] is None))


def check_chain(compiled: Compiled, answer: dict[str, Any]) -> None:
    """The chain is closed, names only inputs, and every link says something."""
    chain = answer["chain"]
    explained = {link["node"] for link in chain}
    for link in chain:
        assert set(link["because"]) <= list_wires(compiled, link["node"]) & explained, link
        assert len(link["sentence"]) > 10, link
        assert link["ends"], link
        assert "None" not in link["sentence"] + link["ends"], link
        for name in ("sentence", "ends"):
            assert link[name] == "".join(part["text"] for part in link[f"{name}_parts"]), link
            own_clocks = link["op"] in CALENDAR
            assert own_clocks or not TIME.search(spell_words(link[f"{name}_parts"])), link


@pytest.mark.deep
@examples(60)
@given(cases(), st.data())
def test_every_why_is_answered_and_says_what_the_timeline_says(
    case: tuple[Plan, Drawn], data: st.DataObject
) -> None:
    plan, events = case
    compiled = compile_plan(plan, {})
    delivered = build_batches(compiled, events)
    timelines = {name: evaluate(compiled, delivered)[digest] for name, digest in compiled.names.items()}
    node = data.draw(st.sampled_from([name for name, item in timelines.items() if item.size] or [""]))
    if not node:
        return
    item = timelines[node]
    index = data.draw(st.integers(0, item.size - 1))
    at = data.draw(_INSTANTS)
    answer = explain(compiled, delivered, node, str(item.names[index]), at)
    check_chain(compiled, answer)
    root = answer["chain"][0]
    assert (root["node"], root["key"], root["at"]) == (node, str(item.names[index]), at)
    assert root["value"] == describe(item, index, at)["value"]
    for link in answer["chain"]:
        inside = timelines[link["node"]]
        places = [index for index, name in enumerate(inside.names) if name == link["key"]]
        if places:
            assert link["value"] == describe(inside, places[0], link["at"])["value"]
            assert (link["from"] or link["at"]) <= link["at"] < (link["to"] or link["at"] + 1)
