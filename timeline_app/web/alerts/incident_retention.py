"""Remove incidents that ended long ago, and those that nobody was ever notified of."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from timeline_app.web.alerts.transitions import State
from timeline_app.web.models.alerts import Incident

PENDING_RETENTION = timedelta(days=1)
"""The retention of incidents that were retracted before they fired."""
INCIDENTS_PER_DELETE = 1_000
MAX_REMOVED = 50_000
"""Per round."""


def remove_old_incidents(now: datetime | None = None) -> int:
    """Remove old incidents with their history, as the setting says; return how many."""
    now = now or timezone.now()
    over = Q(
        state__in=(State.RESOLVED, State.RETRACTED),
        changed_at__lt=_to_micros(now) - settings.INCIDENT_RETENTION_MICROS,
    )
    unseen = Q(state=State.RETRACTED, fired=False, changed_at__lt=_to_micros(now - PENDING_RETENTION))
    removed = 0
    for condition in (over, unseen):
        while removed < MAX_REMOVED:
            numbers = list(
                Incident.objects.filter(condition)
                .order_by()
                .values_list("pk", flat=True)[:INCIDENTS_PER_DELETE]
            )
            if not numbers:
                break
            with transaction.atomic():
                locked = Incident.objects.filter(condition, pk__in=numbers)
                removed += locked.delete()[1].get("web.Incident", 0)
    return removed


def _to_micros(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000)
