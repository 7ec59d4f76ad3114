"""Figures of alerts: what fires, and what became of the messages of each kind of channel."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Q, Sum
from prometheus_client.metrics_core import Metric

from timeline_app.web.alerts.channel_kinds import KINDS
from timeline_app.web.models.alerts import Alert, Incident
from timeline_app.web.models.channels import AlertChannel, AlertNotification
from timeline_app.web.ops.metric_families import build_counter_family, build_gauge_family

LIVING = (Incident.State.FIRING, Incident.State.PENDING)


def collect_alert_metrics() -> Iterator[Metric]:
    """Alerts, their incidents, and the messages of channels by kind."""
    alerts = Alert.objects.filter(enabled=True).count()
    yield build_gauge_family("alerts", "Alerts that are enabled", (), [(alerts,)])
    living = Incident.objects.filter(state__in=LIVING, alert__enabled=True).order_by()
    counts = dict(living.values_list("state").annotate(Count("pk")))
    rows = [(state.value, counts.get(state, 0)) for state in LIVING]
    yield build_gauge_family("incidents", "Incidents that are firing or pending, by state", ["state"], rows)
    yield from _collect_message_metrics()


def _collect_message_metrics() -> Iterator[Metric]:
    kinds = sorted(KINDS)
    is_failing = Q(failing_since__isnull=False, paused=False)
    channels = AlertChannel.objects.order_by("kind").values_list("kind")
    by_kind = {
        kind: row
        for kind, *row in channels.annotate(messages=Sum("sent"), failing=Count("pk", filter=is_failing))
    }
    yield build_counter_family(
        "alert_messages_sent",
        "Messages that receivers have taken, of channels that are there",
        ["kind"],
        [(kind, by_kind.get(kind, (0, 0))[0]) for kind in kinds],
    )
    yield build_gauge_family(
        "alert_channels_failing",
        "Channels whose last message did not arrive",
        ["kind"],
        [(kind, by_kind.get(kind, (0, 0))[1]) for kind in kinds],
    )
    unsent = AlertNotification.objects.filter(Q(sent_at=None) | Q(given_up=True)).order_by()
    waits, fails = Q(sent_at=None, given_up=False), Q(given_up=True)
    rows = unsent.values_list("route__channel__kind").annotate(
        waiting=Count("pk", filter=waits), retried=Count("pk", filter=waits & Q(attempts__gt=0)),
        dropped=Count("pk", filter=fails),
    )  # fmt: skip
    named = {
        "waiting": "Messages that wait to be sent",
        "retried": "Of those, messages that a receiver has not taken yet",
        "dropped": "Messages that were dropped after a day, as long as they are kept",
    }
    counts_by_kind = {kind: counts for kind, *counts in rows}
    for index, (name, words) in enumerate(named.items()):
        values = [(kind, counts_by_kind.get(kind, (0, 0, 0))[index]) for kind in kinds]
        yield build_gauge_family(f"alert_messages_{name}", words, ["kind"], values)
