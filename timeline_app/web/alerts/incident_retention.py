"""Removes incidents that ended long ago, and those that nobody was ever notified of."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from timeline_app.web.alerts.transitions import State
from timeline_app.web.models.alerts import Incident

NEVER_FIRED_FOR = timedelta(days=1)
"""So long an incident is kept that was taken back before it fired."""
AT_ONCE = 1_000
MAX_REMOVED = 50_000
"""In one round."""


def remove_old_incidents(now: datetime | None = None) -> int:
    """Remove, with their history, what ended or was taken back so long ago as the setting says; how many."""
    now = now or timezone.now()
    over = Q(
        state__in=(State.RESOLVED, State.RETRACTED), changed_at__lt=_to_micros(now) - settings.INCIDENTS_FOR
    )
    unseen = Q(state=State.RETRACTED, fired=False, changed_at__lt=_to_micros(now - NEVER_FIRED_FOR))
    removed = 0
    for condition in (over, unseen):
        while removed < MAX_REMOVED:
            numbers = list(
                Incident.objects.filter(condition).order_by().values_list("pk", flat=True)[:AT_ONCE]
            )
            if not numbers:
                break
            with transaction.atomic():
                locked = Incident.objects.filter(condition, pk__in=numbers)
                removed += locked.delete()[1].get("web.Incident", 0)
    return removed


def _to_micros(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000)
