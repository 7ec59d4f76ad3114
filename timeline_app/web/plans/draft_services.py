"""Saving a draft: changes that are based on an older one come together with what was saved since."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from timeline_app.plan.versions import Conflict as Disagreement
from timeline_app.plan.versions import conflict_told
from timeline_app.web.core import audit_writing, notifications
from timeline_app.web.core.errors import Conflict, problem_document
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.quotas import enforce_quotas, holder_of
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.core.term_writing import plan_terms
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models import Plan
from timeline_app.web.models.versions import PlanDraft
from timeline_app.web.plans.drafts import Basis, Document, merge_with_draft, set_document_name
from timeline_app.web.streams.stream_grants import grant_streams

KEPT = 100
"""So many drafts of a plan are kept; who is based on an older one sends along what that was."""


@retry_on_deadlock
def save_plan(
    *, plan: Plan, user: User, version: int, name: str | None, document: Document, basis: Basis | None = None
) -> Plan:
    """A new draft, merged with what others saved since `version`; what runs is not touched.

    Raises `Conflict` where both changed the same, and then keeps nothing.
    """
    basis = basis or Basis()
    with transaction.atomic():
        plan = lock_permitted(plan, user, Right.EDIT)
        if not was_saved(plan, basis.edit):
            found = merge_with_draft(plan, version, set_document_name(name, document), basis)
            if found.conflicts:
                raise conflict_problems(plan, found.conflicts)
            write(plan, user, found.document, basis.edit)
    return plan


def was_saved(plan: Plan, edit: str) -> bool:
    """Whether a save of this name has come before."""
    return bool(edit) and (plan.edit == edit or plan.drafts.filter(edit=edit).exists())


def write(plan: Plan, user: User, document: Document, edit: str = "") -> None:
    """Put a document in the place of the draft of a plan that is locked; the same one changes nothing."""
    if full_text(document) == full_text(plan.document):
        return
    with enforce_quotas(holder_of(plan), "document_bytes"):
        PlanDraft.objects.create(plan=plan, version=plan.version, document=plan.document, edit=plan.edit)
        plan.drafts.filter(version__lte=plan.version - KEPT).delete()
        before = plan.document
        plan.document, plan.name = document, str(document.get("name") or plan.name)
        plan.version += 1
        plan.saved_by, plan.saved_at, plan.edit = user, timezone.now(), edit
        grant_streams(plan, user, before)
        plan.save()
    plan_terms(plan)
    audit_writing.note_sitting(user=user, act="plan.edit", thing=plan, after={"draft": plan.version})
    notifications.plan_changed(plan.pk)


def full_text(document: Document) -> str:
    """A document with all that a person sees of it, also the order of its nodes."""
    return Plan.document.field.get_prep_value(document) or ""


def conflict_problems(plan: Plan, conflicts: Sequence[Disagreement]) -> Conflict:
    """Both changed the same things: each of them is a problem with its place."""
    who = plan.saved_by.get_username() if plan.saved_by else "Somebody"
    cure = "Choose one of both: POST …/merge/ tells them, PUT takes `choices`."
    problems = [
        problem_document(
            f"You and {who} both changed {conflict_told(one.path)}.",
            code="conflict",
            cure=cure,
            node=one.path[1] if one.path[0] in ("nodes", "names", "layout") and len(one.path) > 1 else None,
            field=".".join(one.path),
        )
        for one in conflicts
    ]
    told = conflict_told(conflicts[0].path) + (
        f" and {len(conflicts) - 1} more" if len(conflicts) > 1 else ""
    )
    return Conflict(f"Nothing was saved: {who} changed {told} meanwhile, and so did you.", problems=problems)
