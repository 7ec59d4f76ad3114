"""The plans of the demos are right, drawn for a reader, and share what they have in common."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from timeline_app.compiler import compile_plan
from timeline_app.demos import load_demos
from timeline_app.plan import check

PLANS = {file: (demo, plan) for demo in load_demos().values() for file, plan in demo.examples().items()}
EVERY = pytest.mark.parametrize("file", PLANS)


def test_there_are_five_streams_and_one_demo_runs() -> None:
    assert set(load_demos()) == {"player", "card", "machine", "ad_player", "playback"}
    assert [name for name, demo in load_demos().items() if demo.runs] == ["player"]
    assert len({plan["name"] for _, plan in PLANS.values()}) == 6


@EVERY
def test_a_plan_has_neither_problems_nor_warnings(file: str) -> None:
    demo, plan = PLANS[file]
    assert check(plan, {}).problems == ()
    assert set(compile_plan(plan, {}).streams) == {demo.stream}


@EVERY
def test_every_node_is_a_result_or_leads_to_one(file: str) -> None:
    _, plan = PLANS[file]
    used = set(plan["results"]) | {wire for node in plan["nodes"].values() for wire in list_wires(node)}
    assert used == set(plan["nodes"])


@EVERY
def test_a_plan_reads_from_left_to_right_without_overlap(file: str) -> None:
    _, plan = PLANS[file]
    layout = plan["layout"]
    assert set(layout) == set(plan["nodes"])
    assert all(
        layout[wire][0] < layout[name][0] for name, node in plan["nodes"].items() for wire in list_wires(node)
    )
    for (x, y), (u, v) in itertools.combinations(layout.values(), 2):
        assert abs(x - u) >= 280 or abs(y - v) >= 130


def test_the_primitives_of_completion_are_shared_by_both_of_its_plans() -> None:
    completion, unfinished = (compile_plan(PLANS[file][1], {}) for file in ("completion", "unfinished"))
    both = set(completion.programs) & set(unfinished.programs)
    assert both == {completion.names["attempts"], completion.names["completed"]}
    assert unfinished.names["attempts"] in both


def list_wires(node: dict[str, Any]) -> set[str]:
    """The names of a node's inputs."""
    result = node.get("inputs", {}).values()
    return {name for wire in result for name in (wire if isinstance(wire, list) else [wire])}
