"""Which incidents are silenced now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import Q
from django.utils import timezone

from timeline_app.evaluate.backtest.key_patterns import matches_key
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import Silence

MAX_SILENCES_SHOWN = 10
"""Of an alert, or of an incident: those that end last."""


class ActiveSilences:
    """The active silences that concern some alerts, read in one query."""

    def __init__(self, alerts: Iterable[Alert]) -> None:
        chosen = {alert.pk: alert for alert in alerts}
        now = timezone.now()
        own = {"owner__in": {alert.owner_id for alert in chosen.values()} - {None}}
        teams = {"team__in": {alert.team_id for alert in chosen.values()} - {None}}
        concerned = Q(alert__in=chosen) | Q(Q(**own) | Q(**teams), alert=None)
        rows = Silence.objects.filter(concerned, begins_at__lte=now, ends_at__gt=now)
        self._by_alert: dict[int | None, list[Silence]] = defaultdict(list)
        for silence in rows.select_related("owner", "team") if chosen else ():
            self._by_alert[silence.alert_id].append(silence)

    def of_alert(self, alert: Alert) -> list[Silence]:
        """Return the silences of all or some of its incidents."""
        return [
            silence
            for silence in self._by_alert[alert.pk] + self._by_alert[None]
            if _concerns(silence, alert)
        ]

    def of_key(self, alert: Alert, key: str) -> list[Silence]:
        """Return the silences of its incidents of a key."""
        return [silence for silence in self.of_alert(alert) if matches_key(silence.key, key)]


def make_silence_test(alert: Alert) -> Callable[[str], bool]:
    """Return a function that tells whether an alert's incidents of a key are silenced now."""
    patterns = [silence.key for silence in ActiveSilences([alert]).of_alert(alert)]
    return lambda key: any(matches_key(pattern, key) for pattern in patterns)


def format_silences(silences: Iterable[Silence]) -> list[dict[str, Any]]:
    """Return silences as part of an alert or an incident."""
    newest = sorted(silences, key=lambda silence: silence.ends_at, reverse=True)[:MAX_SILENCES_SHOWN]
    return [
        {
            "id": silence.pk,
            "key": silence.key,
            "reason": silence.reason,
            "owner": silence.owner_name,
            "ends_at": silence.ends_at.isoformat(),
        }
        for silence in newest
    ]


def _concerns(silence: Silence, alert: Alert) -> bool:
    """Return whether it silences an alert: its own, or one of its owner's, with the label."""
    if silence.alert_id is None and (silence.owner_id, silence.team_id) != (alert.owner_id, alert.team_id):
        return False
    return not silence.label or alert.labels.get(silence.label) == silence.label_value
