"""Reading a plan's past: its versions, what differs between two of them, and what others did to the draft."""

from __future__ import annotations

from typing import Any

from timeline_app.plan.versions import Conflict, Difference, conflict_told, difference, sentence, subjects
from timeline_app.plan.versions.values import ABSENT
from timeline_app.web.models import Plan
from timeline_app.web.models.versions import PlanVersion
from timeline_app.web.plans.drafts import Basis, draft_of, merge_with_draft, set_document_name, version_of

Document = dict[str, Any]


def version_row(plan: Plan, version: PlanVersion) -> Document:
    """Who made a version, when, why, and what changed."""
    return {
        "number": version.number,
        "name": version.name,
        "reason": version.reason,
        "words": version.words,
        "by": version.by.get_username() if version.by else None,
        "made_at": version.made_at.isoformat(),
        "runs": plan.running and plan.running_version == version.number,
    }


def version_document(plan: Plan, number: int) -> Document:
    """A version with its document."""
    found = version_of(plan, number)
    return {**version_row(plan, found), "document": found.document}


def compare_versions(plan: Plan, old: int | None, new: int | None) -> Document:
    """Two versions side by side, and what differs; without a number it is the draft."""
    sides = [_side(plan, one) for one in (old, new)]
    found = difference(sides[0]["document"], sides[1]["document"])
    return {
        "from": sides[0],
        "to": sides[1],
        "words": sentence(found),
        "renames": dict(found.renames),
        "subjects": [one.to_document() for one in subjects(found)],
    }


def _side(plan: Plan, number: int | None) -> Document:
    if number is not None:
        return version_document(plan, number)
    return {
        "number": None,
        "name": "",
        "reason": "draft",
        "words": "",
        "by": plan.saved_by.get_username() if plan.saved_by else None,
        "made_at": plan.saved_at.isoformat() if plan.saved_at else None,
        "runs": False,
        "document": plan.document,
    }


def document_changes(before: Document, after: Document) -> Document:
    """What leads from one document to the other."""
    return _changes(difference(before, after))


def _changes(found: Difference) -> Document:
    return {"changes": found.to_document(), "words": sentence(found) if found else ""}


def draft_changes(plan: Plan, since: int) -> Document:
    """The draft as it is now, and what changed since a version of it that is still kept."""
    before = draft_of(plan, since)
    told = {"changes": None, "words": ""} if before is None else document_changes(before, plan.document)
    return {
        "version": plan.version,
        "saved_by": plan.saved_by.get_username() if plan.saved_by else None,
        "saved_at": plan.saved_at.isoformat() if plan.saved_at else None,
        "document": plan.document,
        **told,
    }


def merge_preview(
    plan: Plan, *, version: int, name: str | None, document: Document, basis: Basis
) -> Document:
    """What saving would come to: the document of both, and what there is to choose."""
    found = merge_with_draft(plan, version, set_document_name(name, document), basis)
    return {
        "version": plan.version,
        "saved_by": plan.saved_by.get_username() if plan.saved_by else None,
        "saved_at": plan.saved_at.isoformat() if plan.saved_at else None,
        "document": found.document,
        "conflicts": [_conflict(one) for one in found.conflicts],
    }


def _conflict(conflict: Conflict) -> Document:
    sides = {"base": conflict.base, "mine": conflict.ours, "theirs": conflict.theirs}
    known = {name: value for name, value in sides.items() if value is not ABSENT}
    return {"path": list(conflict.path), "words": conflict_told(conflict.path), **known}
