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
    """The silences that are active now and concern some alerts, read in one query."""

    def __init__(self, alerts: Iterable[Alert]) -> None:
        """Read them."""
        chosen = {alert.pk: alert for alert in alerts}
        now = timezone.now()
        own = {"owner__in": {one.owner_id for one in chosen.values()} - {None}}
        teams = {"team__in": {one.team_id for one in chosen.values()} - {None}}
        concerned = Q(alert__in=chosen) | Q(Q(**own) | Q(**teams), alert=None)
        rows = Silence.objects.filter(concerned, begins_at__lte=now, ends_at__gt=now)
        self._by_alert: dict[int | None, list[Silence]] = defaultdict(list)
        for one in rows.select_related("owner", "team") if chosen else ():
            self._by_alert[one.alert_id].append(one)

    def of_alert(self, alert: Alert) -> list[Silence]:
        """Those that silence all of its incidents, or some."""
        return [one for one in self._by_alert[alert.pk] + self._by_alert[None] if _concerns(one, alert)]

    def of_key(self, alert: Alert, key: str) -> list[Silence]:
        """Those that silence its incidents of a key."""
        return [one for one in self.of_alert(alert) if matches_key(one.key, key)]


def silenced_keys(alert: Alert) -> Callable[[str], bool]:
    """Says of a key whether its incidents of an alert are silenced now."""
    patterns = [one.key for one in ActiveSilences([alert]).of_alert(alert)]
    return lambda key: any(matches_key(pattern, key) for pattern in patterns)


def format_silences(silences: Iterable[Silence]) -> list[dict[str, Any]]:
    """Silences as an alert or an incident shows them."""
    shown = sorted(silences, key=lambda one: one.ends_at, reverse=True)[:MAX_SILENCES_SHOWN]
    return [
        {
            "id": one.pk,
            "key": one.key,
            "reason": one.reason,
            "owner": one.owner_name,
            "ends_at": one.ends_at.isoformat(),
        }
        for one in shown
    ]


def _concerns(silence: Silence, alert: Alert) -> bool:
    """Whether it silences an alert: its own, or one of its owner's, with the label."""
    if silence.alert_id is None and (silence.owner_id, silence.team_id) != (alert.owner_id, alert.team_id):
        return False
    return not silence.label or alert.labels.get(silence.label) == silence.label_value
