"""Alerts, their incidents, and what their channels send."""

from __future__ import annotations

import time
from typing import Any

from django.contrib.auth.models import User

from tests.connectors.receiver import Receiver
from timeline_app.evaluate.backtest.incident_matching import Matching, Span
from timeline_app.web.alerts.channel_services import create_channel, open_channel
from timeline_app.web.alerts.transitions import Transitions
from timeline_app.web.models import Node, Plan
from timeline_app.web.models.alerts import ALL_KEYS, Alert
from timeline_app.web.models.channels import (
    AlertChannel,
    AlertRoute,
)
from workers.connectors.notifications import NotificationSender

SECRET = "a secret of tests"
SECOND = 1_000_000
NOW = time.time_ns() // 1000


def add_webhook(receiver: Receiver, name: str = "hook") -> AlertChannel:
    options = {"url": receiver.url, "secret": SECRET}
    return create_channel(user=User.objects.get(), name=name, kind="webhook", options=options)


def add_alert(node: Node, *channels: AlertChannel, **fields: Any) -> Alert:
    plan, _ = Plan.objects.get_or_create(name="Ovens", owner=node.owner, defaults={"document": {}})
    alert = Alert.objects.create(
        name="Too hot",
        owner=node.owner,
        plan=plan,
        node_name="hot",
        node=node,
        taken_until=ALL_KEYS,
        **fields,
    )
    AlertRoute.objects.bulk_create([AlertRoute(alert=alert, channel=channel) for channel in channels])
    return alert


def record(
    alert: Alert, now: int, *new: tuple[str, Span], moved: Any = (), gone: Any = (), taken: bool = False
) -> None:
    """What the publisher writes of a batch."""
    alert.refresh_from_db()
    known_at = time.time_ns() // 1000
    transitions = Transitions(alert, "d" * 64, now, known_at, taken)
    for key, span in new:
        transitions.match(key, Matching((), [span], ()))
    transitions.match("", Matching(moved, (), gone))
    transitions.write()
    transitions.pass_time()
    transitions.write()


def serve(channel: AlertChannel) -> None:
    """Send until nothing is left."""
    sender, notifier = NotificationSender(channel), open_channel(channel)
    while sender.step(notifier):
        pass
    notifier.close()


def list_sent(receiver: Receiver) -> list[tuple[str, str]]:
    """What the messages say, in their order: key and change."""
    return [
        (incident["key"], incident["change"])
        for identity in dict.fromkeys(receiver.posted)
        for incident in receiver.taken[identity]["incidents"]
    ]
