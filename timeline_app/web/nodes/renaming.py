"""What a node is called by now that was once called otherwise, whatever it computes today."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from timeline_app.plan.versions.names import detect_renames
from timeline_app.web.models import Plan

Document = dict[str, Any]


def trace_names(plan: Plan, name: str) -> list[str]:
    """The names that a node got after this one, the newest first; none where it never was, or was taken away.

    The drafts that are kept tell each renaming by itself; where they do not reach back so far, the versions do.
    """
    drafts = [draft.document for draft in plan.drafts.order_by("version")]
    followed = _follow_name([*drafts, plan.document], name)
    if followed is None:
        versions = [version.document for version in plan.versions.order_by("number")]
        followed = _follow_name([*versions, plan.document], name)
    return followed or []


def _follow_name(documents: Sequence[Document], name: str) -> list[str] | None:
    """Its names after the last document that calls it so; null where none does."""
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
    """Whether a plan has a node of this name."""
    nodes = document.get("nodes")
    return isinstance(nodes, dict) and name in nodes
