"""The product without Spark: what `manage.py evaluate --node cirr --at …` does, on the documentation's CIRR."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.question import Answer

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "cirr.json"


def build_document(*, ids: bool = False, cdn: str | None = None) -> dict[str, Any]:
    """Return the documentation's plan without its aggregate: eight nodes, and a ninth for a CDN."""
    plan: dict[str, Any] = json.loads(EXAMPLE.read_text(encoding="utf-8"))
    nodes = plan["nodes"]
    del nodes["cirr_by_cdn"], plan["layout"]
    plan["results"] = ["cirr"]
    if cdn:
        nodes["on_cdn"] = {"op": "equal_to", "inputs": {"of": "cdn"}, "params": {"value": cdn}}
        nodes["induced"]["inputs"]["of"].append("on_cdn")
    if not ids:
        del plan["streams"]["player"]["id"]
    return plan


def evaluate_plan(plan: Mapping[str, Any], path: Path, last: int) -> Answer:
    """Return the answer of the node `cirr` of a plan."""
    from timeline_app.compiler import compile_plan  # noqa: PLC0415 (what others need not carry)
    from timeline_app.evaluate.engine import iterate_answers  # noqa: PLC0415
    from timeline_app.evaluate.request import read_events  # noqa: PLC0415

    compiled = compile_plan(plan, {})
    answer = list(
        iterate_answers(compiled, read_events(compiled, [str(path)], ["cirr"]), ["cirr"], [], last * 1_000)
    )
    seconds = np.array([item["value"] for item in answer])
    return [item["key"] for item in answer], np.rint(seconds * 1e6).astype(np.int64)
