"""Channels are told once that a key flaps, and once that it has settled."""

from __future__ import annotations

import time
from datetime import timedelta

from django.utils import timezone

from tests.connectors.receiver import Receiver
from tests.workers.notifications.sending import (
    NOW,
    SECOND,
    add_alert,
    add_webhook,
    list_sent,
    record,
    serve,
)
from timeline_app.algebra.kinds import OPEN
from timeline_app.web.alerts.flapping import mark_flapping
from timeline_app.web.alerts.transitions import Transitions
from timeline_app.web.models import Node
from timeline_app.web.models.alerts import Alert, Incident, IncidentTransition
from timeline_app.web.models.channels import (
    RoutedIncident,
    Silence,
)


def begin_often(alert: Alert, key: str, many: int, since: int = 0) -> None:
    """One incident a minute, each over when the next begins."""
    for index in range(since, since + many):
        start = NOW + index * 60 * SECOND
        record(alert, start, (key, (start, start + SECOND)))
        record(alert, start + SECOND)


def flap(alert: Alert, now: int) -> None:
    """What the publisher decides after a batch."""
    alert.refresh_from_db()
    transitions = Transitions(alert, "d" * 64, now, time.time_ns() // 1000)
    mark_flapping(transitions, IncidentTransition.objects.filter(alert=alert))
    transitions.write()


def test_a_key_that_flaps_is_told_once_and_once_more_when_it_has_settled(
    node: Node, receiver: Receiver
) -> None:
    channel = add_webhook(receiver)
    alert = add_alert(node, channel, flapping_starts=2, flapping_window_s=600)
    begin_often(alert, "k1", 2)
    serve(channel)
    assert list_sent(receiver) == [("k1", "resolved")] * 2
    begin_often(alert, "k1", 5, 2)
    flap(alert, NOW + 6 * 60 * SECOND)
    serve(channel)
    record(alert, NOW + 7 * 60 * SECOND, ("k1", (NOW + 7 * 60 * SECOND, OPEN)), ("other", (NOW, OPEN)))
    serve(channel)
    assert list_sent(receiver)[2:] == [("k1", "flapping"), ("other", "firing")], "other keys go on"
    [flapping] = receiver.taken[receiver.posted[1]]["incidents"]
    assert flapping["text"].startswith("Too hot: k1 started 7 times in 10min.")
    assert IncidentTransition.objects.filter(kind="flapping").count() == 1
    flap(alert, NOW + 17 * 60 * SECOND)
    serve(channel)
    assert sorted(list_sent(receiver)[4:]) == [("k1", "firing"), ("k1", "settled")]
    record(
        alert,
        NOW + 20 * 60 * SECOND,
        moved=[(Incident.objects.get(key="k1", state="firing"), (NOW, NOW + 1))],
    )
    serve(channel)
    assert list_sent(receiver)[6:] == [("k1", "resolved")]
    assert not RoutedIncident.objects.filter(due=True).exists()


def test_flapping_that_nobody_heard_of_is_no_news_once_it_has_settled(node: Node, receiver: Receiver) -> None:
    channel = add_webhook(receiver)
    alert = add_alert(node, channel, flapping_starts=2, flapping_window_s=600)
    begin_often(alert, "k1", 4)
    flap(alert, NOW + 4 * 60 * SECOND)
    Silence.objects.create(
        owner=node.owner,
        alert=alert,
        reason="repair",
        begins_at=timezone.now(),
        ends_at=timezone.now() + timedelta(1),
    )
    serve(channel)
    flap(alert, NOW + 60 * 60 * SECOND)
    serve(channel)
    Silence.objects.all().delete()
    serve(channel)
    assert list_sent(receiver) == []


def test_without_a_limit_nothing_flaps(node: Node, receiver: Receiver) -> None:
    channel = add_webhook(receiver)
    alert = add_alert(node, channel, flapping_starts=0)
    begin_often(alert, "k1", 9)
    flap(alert, NOW + 9 * 60 * SECOND)
    serve(channel)
    assert list_sent(receiver) == [("k1", "resolved")] * 9
