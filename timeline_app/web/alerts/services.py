"""Creating, changing and deleting alerts."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from timeline_app.algebra.kinds import Kind
from timeline_app.web.alerts.channel_services import set_channels
from timeline_app.web.alerts.flapping import review_flapping
from timeline_app.web.alerts.following import release_node
from timeline_app.web.alerts.notifications import notify_changed
from timeline_app.web.alerts.templates import check_template
from timeline_app.web.core import audit_writing
from timeline_app.web.core.errors import Conflict, Invalid
from timeline_app.web.core.permissions import Right, require, require_role
from timeline_app.web.core.quotas import enforce_quotas
from timeline_app.web.core.sandboxed_work import Asker
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models import Plan, PlanNode
from timeline_app.web.models.alerts import SETTINGS, Alert
from timeline_app.web.models.people import Role
from timeline_app.web.plans.checks import check_document

MAX_ALERTS_PER_NODE = 20
"""Per owner and node of a plan."""


@retry_on_deadlock
def create_alert(*, user: User, plan: Plan, node: str, settings: dict[str, Any]) -> Alert:
    """Create an alert: the true spans of a bool node become incidents."""
    require_role(user, Role.EDITOR, "To make an alert")
    require(user, Right.READ, plan)
    check_template(settings.get("template", ""))
    require_bool_node(user, plan, node, "node", "an alert")
    with transaction.atomic(), enforce_quotas(user, "alerts"):
        if Alert.objects.filter(owner=user, plan=plan, node_name=node).count() >= MAX_ALERTS_PER_NODE:
            message = f"You have {MAX_ALERTS_PER_NODE} alerts on this node. Delete one that is not needed."
            raise Conflict(message, code="too_many_alerts")
        channels = settings.pop("channels", ())
        alert = Alert.objects.create(owner=user, plan=plan, node_name=node, **settings)
        set_channels(alert, user, channels)
        audit_writing.note(user=user, act="alert.create", thing=alert, after=audit_details(alert))
    return alert


@retry_on_deadlock
def change_alert(*, alert: Alert, user: User, settings: dict[str, Any]) -> Alert:
    """Change settings; what the alert fires on is changed in the plan."""
    check_template(settings.get("template", ""))
    with transaction.atomic():
        locked = lock_permitted(alert, user, Right.OWN)
        before = audit_details(locked)
        if "channels" in settings:
            set_channels(locked, user, settings.pop("channels"))
        for name, value in settings.items():
            setattr(locked, name, value)
        if not locked.enabled:
            release_node(locked)
        locked.version += 1
        locked.save()
        review_flapping(locked)
        if (after := audit_details(locked)) != before:
            audit_writing.note(user=user, act="alert.change", thing=locked, before=before, after=after)
        notify_changed({locked.pk})
    return locked


@retry_on_deadlock
def delete_alert(*, alert: Alert, user: User) -> None:
    """Delete an alert, with its incidents and their history."""
    with transaction.atomic():
        locked = lock_permitted(alert, user, Right.OWN)
        audit_writing.note(user=user, act="alert.delete", thing=locked, before=audit_details(locked))
        notify_changed({locked.pk})
        locked.delete()


def audit_details(alert: Alert) -> dict[str, Any]:
    """Return the details for the audit log."""
    channels = sorted(alert.routes.values_list("channel", flat=True))
    named = {"plan": alert.plan_id, "node": alert.node_name, "channels": channels}
    return {name: getattr(alert, name) for name in SETTINGS} | named


def require_bool_node(user: User, plan: Plan, name: str, field: str, what: str) -> None:
    """Refuse a name that is no bool node of the plan, running or drawn; `what` needs one."""
    use = PlanNode.objects.filter(plan=plan, name=name).values_list("node__kind", flat=True).first()
    kind = use or _kind_in_draft(user, plan, name)
    if kind is None:
        raise Invalid.field(field, f"The plan has no node {name[:100]!r}.", "Give the name of a bool node.")
    if kind != Kind.BOOL.value:
        hint = "Add an alert node to it in the plan, such as hot = alert(temperature, above = 80), and name that one."
        raise Invalid.field(field, f"{name[:100]!r} is of kind {kind}, and {what} needs a bool.", hint)


def _kind_in_draft(user: User, plan: Plan, name: str) -> str | None:
    nodes = check_document(plan.document, user, Asker(user.pk), plan)["nodes"]
    return nodes[name]["kind"] if name in nodes else None
