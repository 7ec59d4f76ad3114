"""Channels are told of incidents once each, grouped and corrected; silences keep messages back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tests.connectors.receiver import Receiver
from tests.web.log import T
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
from timeline_app.evaluate.backtest.key_patterns import matches_key
from timeline_app.web.alerts import outbox
from timeline_app.web.models import Node
from timeline_app.web.models.alerts import Alert, Incident
from timeline_app.web.models.channels import (
    Silence,
)


def test_an_incident_is_told_when_it_fires_and_when_it_ends(node: Node, receiver: Receiver) -> None:
    channel = add_webhook(receiver)
    alert = add_alert(node, channel, template="{key} is {state} since {since}", labels={"team": "bakery"})
    record(alert, T, ("k1", (T + 5 * SECOND, OPEN)))
    serve(channel)
    assert list_sent(receiver) == [], "it is only pending"
    record(alert, T + 6 * SECOND)
    serve(channel)
    record(alert, T + 7 * SECOND, moved=[(Incident.objects.get(), (T + 5 * SECOND, T + 7 * SECOND))])
    serve(channel)
    assert list_sent(receiver) == [("k1", "firing"), ("k1", "resolved")]
    [first, _] = [receiver.taken[message] for message in receiver.posted]
    assert first["alert"]["labels"] == {"team": "bakery"}
    assert first["incidents"][0]["text"].startswith("k1 is firing since 2024-")
    serve(channel)
    assert len(receiver.posted) == 2
    channel.refresh_from_db()
    assert channel.sent == 2


def test_many_that_begin_together_are_one_message(node: Node, receiver: Receiver) -> None:
    channel = add_webhook(receiver)
    record(add_alert(node, channel), T, *((f"k{index}", (T, OPEN)) for index in range(40)))
    serve(channel)
    assert (len(receiver.posted), len(list_sent(receiver))) == (1, 40)


def test_more_than_a_message_names_come_in_the_next_ones(
    node: Node, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timeline_app.connectors.notifiers.webhook.WebhookNotifier.max_news", 15)
    channel = add_webhook(receiver)
    record(add_alert(node, channel), T, *((f"k{index}", (T, OPEN)) for index in range(40)))
    serve(channel)
    assert (len(receiver.posted), len(set(list_sent(receiver)))) == (3, 40)


def test_what_follows_a_message_is_collected(
    node: Node, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = add_webhook(receiver)
    alert = add_alert(node, channel)
    record(alert, T, ("k1", (T, OPEN)))
    serve(channel)
    with monkeypatch.context() as waiting:
        waiting.setattr(outbox, "GROUP_WINDOW", timedelta(seconds=30))
        for key in ("k2", "k3"):
            record(alert, T, (key, (T, OPEN)))
            serve(channel)
        assert list_sent(receiver) == [("k1", "firing")]
    serve(channel)
    assert (len(receiver.posted), sorted(list_sent(receiver)[1:])) == (
        2,
        [("k2", "firing"), ("k3", "firing")],
    )


def test_a_false_alarm_is_taken_back_and_one_that_nobody_heard_of_is_not_told(
    node: Node, receiver: Receiver
) -> None:
    channel = add_webhook(receiver)
    alert = add_alert(node, channel)
    record(alert, T, ("k1", (T, OPEN)))
    serve(channel)
    record(alert, T, ("k2", (T, OPEN)))
    record(alert, T, gone=[(incident, None) for incident in Incident.objects.all()])
    serve(channel)
    assert list_sent(receiver) == [("k1", "firing"), ("k1", "retracted")]


def test_final_tells_only_what_can_change_no_more(node: Node, receiver: Receiver) -> None:
    channel = add_webhook(receiver)
    alert = add_alert(node, channel, policy=Alert.Policy.FINAL)
    record(alert, T + 9, ("k1", (T, T + 5)), ("k2", (T, OPEN)))

    def at(final_until: int) -> list[tuple[str, str]]:
        Node.objects.filter(pk=node.pk).update(final_until=final_until)
        serve(channel)
        return sorted(list_sent(receiver))

    assert at(T) == []
    record(alert, T + 9, gone=[(Incident.objects.get(key="k2"), None)])
    assert at(T + 1) == [("k1", "firing")]
    assert at(T + 5) == [("k1", "firing"), ("k1", "resolved")]


def test_an_alert_that_begins_tells_what_is_firing_and_no_history(node: Node, receiver: Receiver) -> None:
    channel = add_webhook(receiver)
    alert = add_alert(node, channel)
    old = [(f"old{index}", (T + index, T + index + 1)) for index in range(30)]
    record(alert, T + SECOND, *old, ("k1", (T, OPEN)), taken=True)
    serve(channel)
    assert list_sent(receiver) == [("k1", "firing")]


def test_what_ended_long_before_it_became_known_is_no_news(node: Node, receiver: Receiver) -> None:
    channel = add_webhook(receiver)
    record(add_alert(node, channel), NOW, ("old", (T, T + 1)), ("new", (NOW - SECOND, NOW)))
    serve(channel)
    assert list_sent(receiver) == [("new", "resolved")]


def test_a_silence_keeps_messages_back_and_no_incidents(node: Node, receiver: Receiver) -> None:
    channel = add_webhook(receiver)
    alert = add_alert(node, channel)
    now = timezone.now()
    silence = Silence.objects.create(
        owner=node.owner,
        alert=alert,
        key="k*",
        reason="maintenance",
        begins_at=now,
        ends_at=now + timedelta(1),
    )
    record(alert, T, ("k1", (T, OPEN)), ("k2", (T, OPEN)), ("other", (T, OPEN)))
    serve(channel)
    assert list_sent(receiver) == [("other", "firing")]
    record(alert, T + 1, moved=[(Incident.objects.get(key="k2"), (T, T + 1))])
    serve(channel)
    silence.ends_at = timezone.now()
    silence.save()
    serve(channel)
    assert list_sent(receiver) == [("other", "firing"), ("k1", "firing")], (
        "what is still firing is told afterwards"
    )


@pytest.mark.parametrize("meant", [{"label": "site", "label_value": "north"}, {}])
def test_a_silence_of_all_alerts_is_of_those_of_its_owner(
    node: Node, receiver: Receiver, meant: dict[str, str]
) -> None:
    channel = add_webhook(receiver)
    now = timezone.now()
    Silence.objects.create(
        owner=node.owner, reason="move", begins_at=now, ends_at=now + timedelta(1), **meant
    )
    record(add_alert(node, channel, labels={"site": "north"}), T, ("mine", (T, OPEN)))
    bob = User.objects.create_user("bob")
    theirs = add_alert(node, channel, labels={"site": "north"})
    Alert.objects.filter(pk=theirs.pk).update(owner=bob)
    record(theirs, T, ("theirs", (T, OPEN)))
    serve(channel)
    assert list_sent(receiver) == [("theirs", "firing")]


@pytest.mark.parametrize(
    ("pattern", "key", "fits"),
    [
        ("", "k1", True), ("k1", "k1", True), ("k1", "k12", False), ("k*", "k12", True), ("*", "", True),
        ("*2", "k12", True), ("a*b*c", "a-b-c", True), ("a*b*c", "a-c-b", False), ("ab*ba", "aba", False),
        ("*a*a*", "a", False), ("*a*a*", "aa", True), (".*", "k", False),
    ],
)  # fmt: skip
def test_a_pattern_of_keys_has_stars_for_any_text(pattern: str, key: str, fits: bool) -> None:
    assert matches_key(pattern, key) == fits
