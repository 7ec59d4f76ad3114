"""The current name of a renamed node."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from timeline_app.plan.versions.names import detect_renames
from timeline_app.web.models import Plan

Document = dict[str, Any]


def trace_names(plan: Plan, name: str) -> list[str]:
    """Return the later names of a node, the newest first; [] if it never existed or was removed.

    The stored drafts record each renaming; where they do not reach back far enough, the versions do.
    """
    drafts = [draft.document for draft in plan.drafts.order_by("version")]
    followed = _follow_name([*drafts, plan.document], name)
    if followed is None:
        versions = [version.document for version in plan.versions.order_by("number")]
        followed = _follow_name([*versions, plan.document], name)
    return followed or []


def _follow_name(documents: Sequence[Document], name: str) -> list[str] | None:
    """Return the names after the last document with this name; None if there is none."""
    having = [number for number, document in enumerate(documents) if is_drawn(document, name)]
    if not having:
        return None
    names: list[str] = []
    for before, after in pairwise(documents[having[-1] :]):
        if is_drawn(after, name):
            continue
        renamed = detect_renames(before, after).get(name)
        if renamed is None:
            return []
        name = renamed
        names.insert(0, name)
    return names


def is_drawn(document: Document, name: str) -> bool:
    """Return whether a plan has a node of this name."""
    nodes = document.get("nodes")
    return isinstance(nodes, dict) and name in nodes
