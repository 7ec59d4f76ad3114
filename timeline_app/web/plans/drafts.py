"""Merging a draft with what was saved since."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from timeline_app.plan.versions import Merged, merge
from timeline_app.plan.versions.merge import Choices
from timeline_app.web.core.errors import Conflict, Invalid, Missing
from timeline_app.web.models import Plan
from timeline_app.web.models.versions import PlanVersion

UNTITLED = "Untitled plan"
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Basis:
    """What a save is based on besides its version number."""

    document: Document | None = None
    """The draft itself, in case the server no longer keeps it."""
    edit: str = ""
    """The client's name for this save: sent twice, it is saved once."""
    choices: Choices = field(default_factory=dict)
    """Whose value wins in conflicts; chosen when the draft was at the version `against`."""
    against: int | None = None


def merge_with_draft(plan: Plan, version: int, document: Document, basis: Basis) -> Merged:
    """Return the document merged with the current draft."""
    if version == plan.version:
        return Merged(document, ())
    base = find_draft(plan, version) or basis.document
    if base is None:
        raise Conflict(
            f"The draft was saved {plan.version - version} times since version {version}, which is no longer kept. "
            "Send it along as `base`, or load the plan again.",
            code="base_unknown",
        )
    chosen = basis.choices if basis.against == plan.version else {}
    return merge(set_document_name(None, base), document, plan.document, chosen)


def find_draft(plan: Plan, version: int) -> Document | None:
    """Return the draft of that version, if it is still kept."""
    if version > plan.version:
        raise Invalid.field(
            "version", f"The draft is only at version {plan.version}.", "Load the plan again."
        )
    if version == plan.version:
        return dict(plan.document)
    draft = plan.drafts.filter(version=version).first()
    return draft.document if draft else None


def set_document_name(name: str | None, document: Document) -> Document:
    """Return the document with the plan's name in it; the default is the document's own name."""
    inside = document.get("name")
    name = (name or (inside if isinstance(inside, str) else "")).strip()[:200] or UNTITLED
    return document | {"name": name}


def get_version(plan: Plan, number: int) -> PlanVersion:
    """Return the version of this number."""
    version = plan.versions.filter(number=number).first() if number < 2**31 else None
    if version is None:
        raise Missing(f"This plan has no version {number}.", code="unknown_version")
    return version
