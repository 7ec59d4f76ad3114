"""Whatever document there is, Python can say it: the same computations, the same text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.depth import examples
from tests.strategies.plans import plans
from tests.timeline.rebuilding import rebuild_plan
from timeline_app.compiler import compile_plan
from timeline_app.plan.text import read_text

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("*.json"))


def compute_digests(document: dict[str, Any]) -> dict[str, str]:
    return dict(compile_plan(document, {}).names)


@given(plans())
def test_a_random_plan_with_its_names(document: dict[str, Any]) -> None:
    repeated = rebuild_plan(document, named=True).document()
    assert repeated["results"] == document["results"]
    assert compute_digests(repeated) == compute_digests(document)


@given(plans())
def test_a_random_plan_without_names(document: dict[str, Any]) -> None:
    repeated = rebuild_plan(document, named=False).document()
    before, after = compute_digests(document), compute_digests(repeated)
    assert {after[name] for name in repeated["results"]} == {before[name] for name in document["results"]}
    assert len(repeated["nodes"]) <= len(document["nodes"])


@given(plans())
@examples(30)
def test_its_text_reads_back_as_the_same_document(document: dict[str, Any]) -> None:
    for named in (True, False):
        plan = rebuild_plan({**document, "results": document["results"][-1:]}, named=named)
        assert read_text(plan.text()) == plan.document()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_plans_of_the_demos(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    bottom_up = {name: document["nodes"][name] for name in read_in_order(document["nodes"])}
    repeated = rebuild_plan({**document, "nodes": bottom_up}, named=True).document()
    assert compute_digests(repeated).items() <= compute_digests(document).items()


def read_in_order(nodes: dict[str, Any]) -> list[str]:
    """Names, inputs before those that use them."""
    order: list[str] = []
    while len(order) < len(nodes):
        order += [
            name for name, node in nodes.items() if name not in order and _list_wires(node) <= set(order)
        ]
    return order


def _list_wires(node: dict[str, Any]) -> set[str]:
    wired = node.get("inputs", {}).values()
    return {wire for wires in wired for wire in ([wires] if isinstance(wires, str) else wires)}
