"""Creating and ending silences."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from timeline_app.times.schedule import format_schedule, read_schedule
from timeline_app.web.alerts.services import require_bool_node
from timeline_app.web.core import audit_writing
from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.permissions import Right, require, require_role
from timeline_app.web.core.quotas import enforce_quotas
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import Silence
from timeline_app.web.models.people import Role
from timeline_app.web.plans.selectors import plan_of

MAX_WILDCARDS = 5
MAX_SILENCE_DURATION = timedelta(days=366)
MAX_REPEATED_DURATION = timedelta(days=3_660)
"""For silences that hold only within a schedule, or while a node is true."""


def create_silence(*, user: User, alert: Alert | None, settings: Mapping[str, Any]) -> Silence:
    """Create a silence: nobody is notified of these incidents for a while.

    With a `schedule` it holds only within these hours, and with `during` only for the keys of which that node is true.
    """
    require_role(user, Role.EDITOR, "To silence incidents")
    if alert is not None:
        require(user, Right.OPERATE, alert)
    now = timezone.now()
    begins = max(settings.get("begins_at", now), now)
    _check(settings, begins)
    settings = dict(settings) | {
        "begins_at": begins,
        "schedule": _normalise_schedule(settings.get("schedule")),
    }
    settings |= _resolve_node(user, settings.pop("during", None))
    with transaction.atomic(), enforce_quotas(user, "silences"):
        silence = Silence.objects.create(owner=user, alert=alert, **settings)
        audit_writing.note(user=user, act="silence.create", thing=silence, after=audit_details(silence))
    return silence


def end_silence(*, silence: Silence, user: User) -> None:
    """End a silence now."""
    with transaction.atomic():
        locked = lock_permitted(silence, user, Right.OWN)
        if locked.ends_at > timezone.now():
            before = audit_details(locked)
            locked.ends_at = timezone.now()
            locked.save(update_fields=["ends_at"])
            after = audit_details(locked)
            audit_writing.note(user=user, act="silence.end", thing=locked, before=before, after=after)


def audit_details(silence: Silence) -> dict[str, Any]:
    """Return the details for the audit log."""
    times = {"begins_at": silence.begins_at.isoformat(), "ends_at": silence.ends_at.isoformat()}
    names = ("key", "label", "label_value", "reason", "schedule", "during_node")
    numbers = {"alert": silence.alert_id, "during_plan": silence.during_plan_id}
    return {name: getattr(silence, name) for name in names} | times | numbers


def _check(settings: Mapping[str, Any], begins: Any) -> None:
    ends = settings["ends_at"]
    if ends <= begins:
        raise Invalid.field("ends_at", "It lies in the past, or before its begin.", "Give a later time.")
    if settings.get("schedule") or settings.get("during"):
        if ends - begins > MAX_REPEATED_DURATION:
            raise Invalid.field("ends_at", "It lasts longer than ten years.", "Give an earlier time.")
    elif ends - begins > MAX_SILENCE_DURATION:
        raise Invalid.field("ends_at", "It lasts longer than a year.", "Disable the alert instead.")
    if settings.get("key", "").count("*") > MAX_WILDCARDS:
        raise Invalid.field("key", f"It has more than {MAX_WILDCARDS} *.", "Use fewer.")


def _normalise_schedule(hours: Mapping[str, Any] | None) -> dict[str, str]:
    if not hours:
        return {}
    try:
        return format_schedule(read_schedule(hours))
    except ValueError as error:
        hint = 'Write {"from": "22:00", "to": "04:00", "days": "sat-sun", "zone": "Europe/Zurich"}.'
        raise Invalid.field("schedule", f"{error}.", hint) from error


def _resolve_node(user: User, during: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the plan and the node while which a silence holds; the user must be able to read the plan."""
    if not during:
        return {}
    plan = plan_of(during["plan"], user)
    require_bool_node(user, plan, during["node"], "during", "a silence")
    return {"during_plan": plan, "during_node": during["node"]}
