"""Saving a draft: changes based on an older draft are merged with what was saved since."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from timeline_app.plan.versions import Conflict as Disagreement
from timeline_app.plan.versions import describe_conflict
from timeline_app.web.core import audit_writing, notifications
from timeline_app.web.core.errors import Conflict, describe_problem
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.quotas import enforce_quotas, get_holder
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.core.term_writing import write_plan_terms
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models import Plan
from timeline_app.web.models.versions import PlanDraft
from timeline_app.web.plans.drafts import Basis, Document, merge_with_draft, set_document_name
from timeline_app.web.streams.stream_grants import grant_streams

MAX_DRAFTS_PER_PLAN = 100
"""A save that is based on an older draft sends it along."""


@retry_on_deadlock
def save_plan(
    *, plan: Plan, user: User, version: int, name: str | None, document: Document, basis: Basis | None = None
) -> Plan:
    """Save a new draft, merged with what others saved since `version`; what runs is not affected.

    Raise `Conflict` if both changed the same; then nothing is saved.
    """
    basis = basis or Basis()
    with transaction.atomic():
        plan = lock_permitted(plan, user, Right.EDIT)
        if not is_saved(plan, basis.edit):
            merged = merge_with_draft(plan, version, set_document_name(name, document), basis)
            if merged.conflicts:
                raise build_conflict(plan, merged.conflicts)
            write_draft(plan, user, merged.document, basis.edit)
    return plan


def is_saved(plan: Plan, edit: str) -> bool:
    """Return whether a save with this name was made before."""
    return bool(edit) and (plan.edit == edit or plan.drafts.filter(edit=edit).exists())


def write_draft(plan: Plan, user: User, document: Document, edit: str = "") -> None:
    """Replace the draft of a locked plan; an equal document changes nothing."""
    if serialize_document(document) == serialize_document(plan.document):
        return
    with enforce_quotas(get_holder(plan), "document_bytes"):
        PlanDraft.objects.create(plan=plan, version=plan.version, document=plan.document, edit=plan.edit)
        plan.drafts.filter(version__lte=plan.version - MAX_DRAFTS_PER_PLAN).delete()
        before = plan.document
        plan.document, plan.name = document, str(document.get("name") or plan.name)
        plan.version += 1
        plan.saved_by, plan.saved_at, plan.edit = user, timezone.now(), edit
        grant_streams(plan, user, before)
        plan.save()
    write_plan_terms(plan)
    audit_writing.note_sitting(user=user, act="plan.edit", thing=plan, after={"draft": plan.version})
    notifications.notify_plan_change(plan.pk)


def serialize_document(document: Document) -> str:
    """Return a document with everything that people see, including the order of its nodes."""
    return Plan.document.field.get_prep_value(document) or ""


def build_conflict(plan: Plan, conflicts: Sequence[Disagreement]) -> Conflict:
    """Return a refusal with the place of each conflict."""
    editor = plan.saved_by.get_username() if plan.saved_by else "Somebody"
    hint = "Choose one of both: POST …/merge/ tells them, PUT takes `choices`."
    problems = [
        describe_problem(
            f"You and {editor} both changed {describe_conflict(conflict.path)}.",
            code="conflict",
            hint=hint,
            node=conflict.path[1]
            if conflict.path[0] in ("nodes", "names", "layout") and len(conflict.path) > 1
            else None,
            field=".".join(conflict.path),
        )
        for conflict in conflicts
    ]
    places = describe_conflict(conflicts[0].path) + (
        f" and {len(conflicts) - 1} more" if len(conflicts) > 1 else ""
    )
    return Conflict(
        f"Nothing was saved: {editor} changed {places} meanwhile, and so did you.", problems=problems
    )
