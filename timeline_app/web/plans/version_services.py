"""Versions of a plan: made by runs and by people, named, and restored."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from timeline_app.plan.versions import compute_difference, format_sentence
from timeline_app.web.core import audit_writing
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.quotas import enforce_quotas, get_holder
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models import Plan
from timeline_app.web.models.versions import PlanVersion
from timeline_app.web.plans.draft_services import write_draft
from timeline_app.web.plans.drafts import get_version

Reason = PlanVersion.Reason


@retry_on_deadlock
def make_version(*, plan: Plan, user: User, name: str) -> PlanVersion:
    """Keep the saved draft as a version."""
    with transaction.atomic():
        version = create_version(lock_permitted(plan, user, Right.EDIT), user, Reason.HAND, name)
        audit_writing.note(
            user=user, act="plan.version", thing=plan, after={"version": version.number, "name": name}
        )
    return version


@retry_on_deadlock
def name_version(*, plan: Plan, user: User, number: int, name: str) -> PlanVersion:
    """Name a version; "" removes the name."""
    with transaction.atomic():
        version = get_version(lock_permitted(plan, user, Right.EDIT), number)
        before, version.name = version.name, name
        version.save(update_fields=["name"])
        document = {"version": number}
        audit_writing.note(
            user=user,
            act="plan.version",
            thing=plan,
            before=document | {"name": before},
            after=document | {"name": name},
        )
    return version


@retry_on_deadlock
def restore_version(*, plan: Plan, user: User, number: int) -> Plan:
    """Replace the draft by a version; first keep the draft as one, unless an equal version exists."""
    with transaction.atomic():
        plan = lock_permitted(plan, user, Right.EDIT)
        chosen = get_version(plan, number)
        if not plan.versions.filter(document=plan.document).exists():
            create_version(plan, user, Reason.RESTORE)
        before = {"draft": plan.version}
        write_draft(plan, user, chosen.document)
        after = {"draft": plan.version, "version": number}
        audit_writing.note(user=user, act="plan.restore", thing=plan, before=before, after=after)
    return plan


def create_version(plan: Plan, user: User, reason: PlanVersion.Reason, name: str = "") -> PlanVersion:
    """Create a version of the draft of a locked plan."""
    last = plan.versions.first()
    number = (plan.versions.aggregate(last=Max("number"))["last"] or 0) + 1
    words = (
        format_sentence(compute_difference(last.document, plan.document))
        if last
        else describe_first_version(plan)
    )
    with enforce_quotas(get_holder(plan), "document_bytes"):
        return PlanVersion.objects.create(
            plan=plan, number=number, name=name, reason=reason, words=words, document=plan.document, by=user
        )


def describe_first_version(plan: Plan) -> str:
    """Return a summary of a plan's first version."""
    nodes = plan.document.get("nodes")
    count = len(nodes) if isinstance(nodes, dict) else 0
    return f"The first version: {count} node{'s' * (count != 1)}."
