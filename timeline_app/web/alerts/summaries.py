"""Count incidents, and measure their durations."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db.models import Avg, Count, F, Q, QuerySet

from timeline_app.algebra.kinds import BEGINNING, SECOND
from timeline_app.web.models.alerts import Incident

MAX_ACKNOWLEDGED = 10_000
"""The mean time to acknowledge is that of this many of the newest."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def summarise_incidents(incidents: QuerySet[Incident], since: int, until: int) -> dict[str, Any]:
    """Return how many fired incidents ended in a stretch of event time, and the means in microseconds."""
    fired = incidents.filter(fired=True).exclude(state=Incident.State.RETRACTED).order_by()
    begun_incidents = fired.filter(start__gte=since, start__lt=until)
    ended = fired.filter(
        state=Incident.State.RESOLVED, start__gt=BEGINNING, end__gte=since, end__lt=until
    ).aggregate(many=Count("pk"), mean=Avg(F("end") - F("start")))
    times = begun_incidents.filter(acknowledged_at__isnull=False).order_by("-known_at")
    waits = [
        (at - EPOCH).total_seconds() * SECOND - known
        for at, known in times.values_list("acknowledged_at", "known_at")[:MAX_ACKNOWLEDGED]
        if at is not None
    ]
    counts = begun_incidents.aggregate(
        many=Count("pk"), acknowledged=Count("pk", filter=Q(acknowledged_at__isnull=False))
    )
    return {
        "began": counts["many"],
        "resolved": ended["many"],
        "acknowledged": counts["acknowledged"],
        "firing": fired.filter(state=Incident.State.FIRING).count(),
        "resolve_mean": None if ended["mean"] is None else round(ended["mean"]),
        "acknowledge_mean": round(sum(waits) / len(waits)) if waits else None,
    }
