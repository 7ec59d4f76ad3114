"""Reading a plan's past: its versions, what differs between two of them, and what others did to the draft."""

from __future__ import annotations

from typing import Any

from timeline_app.plan.versions import (
    Conflict,
    Difference,
    compute_difference,
    describe_conflict,
    format_sentence,
    group_by_subject,
)
from timeline_app.plan.versions.values import ABSENT
from timeline_app.web.models import Plan
from timeline_app.web.models.versions import PlanVersion
from timeline_app.web.plans.drafts import Basis, find_draft, get_version, merge_with_draft, set_document_name

Document = dict[str, Any]


def summarize_version(plan: Plan, version: PlanVersion) -> Document:
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


def describe_version(plan: Plan, number: int) -> Document:
    """A version with its document."""
    version = get_version(plan, number)
    return {**summarize_version(plan, version), "document": version.document}


def compare_versions(plan: Plan, old: int | None, new: int | None) -> Document:
    """Two versions side by side, and what differs; without a number it is the draft."""
    sides = [_describe_side(plan, item) for item in (old, new)]
    result = compute_difference(sides[0]["document"], sides[1]["document"])
    return {
        "from": sides[0],
        "to": sides[1],
        "words": format_sentence(result),
        "renames": dict(result.renames),
        "subjects": [subject.to_document() for subject in group_by_subject(result)],
    }


def _describe_side(plan: Plan, number: int | None) -> Document:
    if number is not None:
        return describe_version(plan, number)
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


def compare_documents(before: Document, after: Document) -> Document:
    """What leads from one document to the other."""
    return _describe_changes(compute_difference(before, after))


def _describe_changes(difference: Difference) -> Document:
    return {"changes": difference.to_document(), "words": format_sentence(difference) if difference else ""}


def compare_draft(plan: Plan, since: int) -> Document:
    """The draft as it is now, and what changed since a version of it that is still kept."""
    before = find_draft(plan, since)
    document = {"changes": None, "words": ""} if before is None else compare_documents(before, plan.document)
    return {
        "version": plan.version,
        "saved_by": plan.saved_by.get_username() if plan.saved_by else None,
        "saved_at": plan.saved_at.isoformat() if plan.saved_at else None,
        "document": plan.document,
        **document,
    }


def merge_preview(
    plan: Plan, *, version: int, name: str | None, document: Document, basis: Basis
) -> Document:
    """What saving would come to: the document of both, and what there is to choose."""
    result = merge_with_draft(plan, version, set_document_name(name, document), basis)
    return {
        "version": plan.version,
        "saved_by": plan.saved_by.get_username() if plan.saved_by else None,
        "saved_at": plan.saved_at.isoformat() if plan.saved_at else None,
        "document": result.document,
        "conflicts": [_describe_conflict(conflict) for conflict in result.conflicts],
    }


def _describe_conflict(conflict: Conflict) -> Document:
    sides = {"base": conflict.base, "mine": conflict.ours, "theirs": conflict.theirs}
    known = {name: value for name, value in sides.items() if value is not ABSENT}
    return {"path": list(conflict.path), "words": describe_conflict(conflict.path), **known}
