"""Acknowledging, assigning and commenting incidents."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from timeline_app.web.alerts.notifications import notify_changed
from timeline_app.web.core import audit_writing
from timeline_app.web.core.errors import Conflict, Invalid
from timeline_app.web.core.permissions import Right, require, select_readable
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models import Plan
from timeline_app.web.models.alerts import Alert, Incident, IncidentNote
from timeline_app.web.people.selectors import get_active_person

MAX_NOTES_PER_INCIDENT = 500
MAX_COMMENT_CHARS = 4_000
Kind = IncidentNote.Kind


@retry_on_deadlock
def acknowledge_incident(*, incident: Incident, user: User, acknowledged: bool = True) -> Incident:
    """Record that somebody takes care of an incident, or take that back."""
    with transaction.atomic():
        locked = _lock(incident, user)
        if (locked.acknowledged_at is not None) == acknowledged:
            return locked
        locked.acknowledged_by = user if acknowledged else None
        locked.acknowledged_at = timezone.now() if acknowledged else None
        locked.save(update_fields=["acknowledged_by", "acknowledged_at"])
        _note(locked, user, Kind.ACKNOWLEDGED if acknowledged else Kind.REOPENED, "")
    return locked


@retry_on_deadlock
def assign_incident(*, incident: Incident, user: User, to: str | None) -> Incident:
    """Assign an incident to a person; None: to nobody."""
    person = None if to is None else get_active_person(to)
    with transaction.atomic():
        locked = _lock(incident, user)
        if (
            person is not None
            and not select_readable(Plan.objects.filter(pk=locked.alert.plan_id), person).exists()
        ):
            message = f"{person.get_username()} may not look at the plan of the alert."
            raise Invalid.field("to", message, "Share the plan, or assign it to somebody else.")
        if locked.assignee_id != (person and person.pk):
            locked.assignee = person
            locked.save(update_fields=["assignee"])
            _note(locked, user, Kind.ASSIGNED, person.get_username() if person else "")
    return locked


@retry_on_deadlock
def comment_incident(*, incident: Incident, user: User, text: str) -> Incident:
    """Add a comment."""
    with transaction.atomic():
        locked = _lock(incident, user)
        _note(locked, user, Kind.COMMENT, text)
    return locked


def _lock(incident: Incident, user: User) -> Incident:
    """Return the current row, locked; actions on it need the right to operate its alert."""
    require(user, Right.OPERATE, Alert.objects.select_related("owner", "team").get(pk=incident.alert_id))
    locked = Incident.objects.select_for_update(of=("self",)).select_related("alert")
    return locked.get(pk=incident.pk)


def _note(incident: Incident, user: User, kind: Kind, text: str) -> None:
    if incident.notes.count() >= MAX_NOTES_PER_INCIDENT:
        message = f"There are {MAX_NOTES_PER_INCIDENT} notes on this incident, and no more are possible."
        raise Conflict(message, code="too_many_notes")
    IncidentNote.objects.create(
        incident=incident, kind=kind, author=user, author_name=user.get_username(), text=text
    )
    details = {"incident": incident.pk, "key": incident.key, "kind": kind.value, "text": text[:200]}
    audit_writing.note(user=user, act="alert.incident", thing=incident.alert, after=details)
    notify_changed({incident.alert_id})
