"""Checking plan documents against the declared streams."""

from __future__ import annotations

from typing import Any

from timeline_app.compiler import compile_plan
from timeline_app.plan import check
from timeline_app.web.errors import as_problem
from timeline_app.web.selectors.streams import declarations


def check_document(document: object) -> dict[str, Any]:
    """All problems, and what is known of each node; digests only where the whole plan is right."""
    streams = declarations()
    checked = check(document, streams)
    names = compile_plan(document, streams).names if checked.ok else {}
    return {
        "ok": checked.ok,
        "problems": [as_problem(problem.to_document()) for problem in checked.problems],
        "nodes": {
            name: {"kind": facts.kind.value, "digest": names.get(name)}
            for name, facts in checked.nodes.items()
        },
    }
