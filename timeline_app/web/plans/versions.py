"""Reading a plan's history: its versions, the differences of two of them, and changes of the draft."""

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
    """Return who made a version, when, why, and what changed."""
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
    """Return a version with its document."""
    version = get_version(plan, number)
    return {**summarize_version(plan, version), "document": version.document}


def compare_versions(plan: Plan, old: int | None, new: int | None) -> Document:
    """Return two versions and their differences; None stands for the draft."""
    sides = [_describe_side(plan, item) for item in (old, new)]
    difference = compute_difference(sides[0]["document"], sides[1]["document"])
    return {
        "from": sides[0],
        "to": sides[1],
        "words": format_sentence(difference),
        "renames": dict(difference.renames),
        "subjects": [subject.to_document() for subject in group_by_subject(difference)],
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
    """Return the changes from one document to the other."""
    return _describe_changes(compute_difference(before, after))


def _describe_changes(difference: Difference) -> Document:
    return {"changes": difference.to_document(), "words": format_sentence(difference) if difference else ""}


def compare_draft(plan: Plan, since: int) -> Document:
    """Return the current draft, and what changed since an older one that is still kept."""
    before = find_draft(plan, since)
    document = {"changes": None, "words": ""} if before is None else compare_documents(before, plan.document)
    return {
        "version": plan.version,
        "saved_by": plan.saved_by.get_username() if plan.saved_by else None,
        "saved_at": plan.saved_at.isoformat() if plan.saved_at else None,
        "document": plan.document,
        **document,
    }


def preview_merge(
    plan: Plan, *, version: int, name: str | None, document: Document, basis: Basis
) -> Document:
    """Return the merged document and the conflicts that saving would meet."""
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
    present = {name: value for name, value in sides.items() if value is not ABSENT}
    return {"path": list(conflict.path), "words": describe_conflict(conflict.path), **present}
