"""Waking open pages whose bell or list shows changed incidents."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from timeline_app.web.core.channel_groups import ALERTS, send_to_groups
from timeline_app.web.models.alerts import IncidentTransition

MAX_ALERTS_NAMED = 100
"""Beyond this, pages reload all of their alerts."""


def notify_alerts(transitions: Iterable[IncidentTransition]) -> None:
    """After this transaction, let pages reload the incidents of these alerts."""
    notify_changed({transition.alert_id for transition in transitions})


def notify_changed(alerts: set[int]) -> None:
    """After this transaction, let pages reload alerts with these numbers."""
    if alerts:
        named = sorted(alerts)[:MAX_ALERTS_NAMED]
        message = {"type": "alerts.changed", "alerts": named}
        transaction.on_commit(lambda: send_to_groups((ALERTS, message)), robust=True)
