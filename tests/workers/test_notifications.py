"""Channels are told of incidents: once each, grouped, corrected, and whatever happens to sender or receiver."""

from __future__ import annotations

import email.policy
import socket
import time
from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.contrib.auth.models import User
from django.db import connection, connections
from django.utils import timezone
from pytest_django import Settings

from tests.connectors.receiver import Receiver
from tests.web.log import T, make_node
from timeline_app.algebra.kinds import OPEN
from timeline_app.connectors.egress.reaches import parse_reaches
from timeline_app.connectors.sink_contract import TargetUnavailable
from timeline_app.evaluate.backtest.incident_matching import Matching, Span
from timeline_app.evaluate.backtest.key_patterns import matches_key
from timeline_app.web.alerts import outbox
from timeline_app.web.alerts.channel_services import create_channel, open_channel, try_channel
from timeline_app.web.alerts.flapping import mark_flapping
from timeline_app.web.alerts.transitions import Transitions, select_passed
from timeline_app.web.core.errors import ApiError
from timeline_app.web.models import Node, Plan
from timeline_app.web.models.alerts import ALL_KEYS, Alert, Incident, IncidentTransition
from timeline_app.web.models.channels import (
    AlertChannel,
    AlertNotification,
    AlertRoute,
    RoutedIncident,
    Silence,
)
from workers.connectors.delivery import reconcile
from workers.connectors.notifications import NotificationSender
from workers.connectors.runner import RunningThreads

SECRET = "a secret of tests"
SECOND = 1_000_000


@pytest.fixture
def node(transactional_db: None, settings: Settings, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Node:
    settings.TIMELINE_DATA = settings.TIMELINE_LOCAL = tmp_path
    settings.EGRESS_HOSTS = parse_reaches("loopback")
    monkeypatch.setattr(outbox, "GROUP_WINDOW", timedelta(0))
    monkeypatch.setattr("workers.connectors.notifications.MAX_WAIT_S", 0.2)
    return make_node(User.objects.create_superuser("ada"))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver(SECRET)
    yield receiver
    receiver.end()


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
    transitions.pass_time(select_passed(alert, now))
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


NOW = time.time_ns() // 1000


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
    record(add_alert(node, channel), T, *((f"k{place}", (T, OPEN)) for place in range(40)))
    serve(channel)
    assert (len(receiver.posted), len(list_sent(receiver))) == (1, 40)


def test_more_than_a_message_names_come_in_the_next_ones(
    node: Node, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timeline_app.connectors.notifiers.webhook.WebhookNotifier.max_news", 15)
    channel = add_webhook(receiver)
    record(add_alert(node, channel), T, *((f"k{place}", (T, OPEN)) for place in range(40)))
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
    old = [(f"old{place}", (T + place, T + place + 1)) for place in range(30)]
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


class Killed(BaseException):
    """The process dies at a statement."""


def test_a_sender_killed_at_any_statement_loses_nothing_and_doubles_nothing_in_the_log(
    node: Node, receiver: Receiver
) -> None:
    channel = add_webhook(receiver)
    alert = add_alert(node, channel)
    record(alert, T, ("k1", (T, OPEN)), ("k2", (T, OPEN)))
    deaths = 0
    for place in range(200):
        left = place

        def die(execute: Any, *rest: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return execute(*rest)

        try:
            with connection.execute_wrapper(die):
                serve(channel)
            break
        except Killed:
            deaths += 1
    assert deaths > 10
    assert sorted(list_sent(receiver)) == [("k1", "firing"), ("k2", "firing")]
    assert len(receiver.taken) == AlertNotification.objects.count() == 1, "each time it has the same id"
    assert not RoutedIncident.objects.filter(due=True).exists()


def wait_until(condition: Any) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.fixture
def running_threads(node: Node) -> Iterator[RunningThreads]:
    threads: RunningThreads = {}
    yield threads
    for thread in threads.values():
        thread.halt()
    for thread in threads.values():
        thread.join(30)
    connections.close_all()


def test_a_dead_channel_is_seen_tried_again_and_stops_no_other(
    node: Node, receiver: Receiver, running_threads: RunningThreads
) -> None:
    broken = Receiver(SECRET)
    broken.answer = lambda _: (500, {})
    channels = add_webhook(receiver), add_webhook(broken, "broken")
    record(add_alert(node, *channels), T, ("k1", (T, OPEN)))
    reconcile(running_threads)
    wait_until(lambda: len(receiver.taken) == 1)
    wait_until(lambda: AlertNotification.objects.filter(attempts__gt=2).exists())
    seen = AlertChannel.objects.get(name="broken")
    assert seen.observed == "retrying"
    assert "answers 500" in seen.words
    assert seen.failing_since is not None
    assert SECRET not in seen.words
    broken.end()
    wait_until(lambda: "cannot be reached" in AlertChannel.objects.get(name="broken").words)
    broken.answer = lambda _: (200, {})
    broken.begin()
    wait_until(lambda: len(broken.taken) == 1)
    assert len(set(broken.posted)) == 1, "it has the same id each time"
    wait_until(lambda: AlertChannel.objects.get(name="broken").failing_since is None)
    assert AlertChannel.objects.get(name="hook").failing_since is None
    broken.end()


def test_a_receiver_that_hangs_is_given_up_after_a_while(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("timeline_app.connectors.notifiers.webhook.TIMEOUT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        options = {"url": f"http://127.0.0.1:{mute.getsockname()[1]}/", "secret": SECRET}
        channel = create_channel(user=User.objects.get(), name="mute", kind="webhook", options=options)
        record(add_alert(node, channel), T, ("k1", (T, OPEN)))
        with pytest.raises(TargetUnavailable, match=r"has not answered for 0\.5 s"):
            serve(channel)
    [waiting] = AlertNotification.objects.all()
    assert (waiting.attempts, waiting.sent_at) == (1, None)


class Mailbox:
    """What a mail server takes; it refuses everything while it is `full`."""

    def __init__(self) -> None:
        self.mails: list[tuple[list[str], Any]] = []
        self.full = False

    async def handle_DATA(  # noqa: N802  (the name that aiosmtpd calls)
        self, _server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        if self.full:
            return "452 the mailbox is full"
        content = envelope.content
        assert isinstance(content, bytes)
        self.mails.append((envelope.rcpt_tos, message_from_bytes(content, policy=email.policy.default)))
        return "250 taken"


@pytest.fixture
def mailbox(settings: Settings) -> Iterator[Mailbox]:
    mailbox = Mailbox()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = Controller(mailbox, hostname="127.0.0.1", port=port)
    server.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.DEFAULT_FROM_EMAIL = "Timelines <timelines@example.org>"
    yield mailbox
    server.stop()


def test_mail_goes_to_a_real_server_in_one_thread_an_alert(node: Node, mailbox: Mailbox) -> None:
    channel = create_channel(
        user=User.objects.get(), name="mail", kind="mail", options={"to": "ada@example.org, bob@example.org"}
    )
    alert = add_alert(node, channel, severity="critical", runbook="https://example.org/book")
    record(alert, T, *((f"öven{place}", (T, OPEN)) for place in range(60)))
    serve(channel)
    record(alert, T + 1, moved=[(Incident.objects.get(key="öven0"), (T, T + 1))])
    serve(channel)
    [(to, first), (_, second)] = mailbox.mails
    assert to == ["ada@example.org", "bob@example.org"]
    assert first["Subject"] == "[critical] Too hot: 60 incidents firing"
    assert second["Subject"] == "[critical] Too hot: öven0 resolved"
    assert first["From"] == "Timelines <timelines@example.org>"
    assert first["References"] == second["References"] != first["Message-ID"]
    text = first.get_content()
    assert text.count("firing: Too hot") == 50
    assert "and 10 more" in text
    assert "What to do: https://example.org/book" in text


def test_a_mail_that_is_refused_is_sent_again_with_the_same_id(node: Node, mailbox: Mailbox) -> None:
    channel = create_channel(
        user=User.objects.get(), name="mail", kind="mail", options={"to": "ada@example.org"}
    )
    record(add_alert(node, channel), T, ("k1", (T, OPEN)))
    mailbox.full = True
    with pytest.raises(TargetUnavailable, match="452 the mailbox is full"):
        serve(channel)
    mailbox.full = False
    serve(channel)
    [(_, mail)] = mailbox.mails
    [message] = AlertNotification.objects.select_related("route")
    assert mail["Message-ID"] == f"<{message.route.identity}-{message.number}@example.org>"


def test_without_a_mail_server_the_words_say_what_to_set(node: Node, settings: Settings) -> None:
    settings.EMAIL_HOST = ""
    channel = create_channel(
        user=User.objects.get(), name="mail", kind="mail", options={"to": "ada@example.org"}
    )
    with pytest.raises(ApiError, match="TIMELINE_MAIL"):
        try_channel(channel=channel, user=User.objects.get())


def test_a_message_that_nobody_takes_for_a_day_is_dropped(node: Node, receiver: Receiver) -> None:
    receiver.answer = lambda _: (400, {})
    channel = add_webhook(receiver)
    alert = add_alert(node, channel)
    record(alert, T, ("k1", (T, OPEN)))
    with pytest.raises(TargetUnavailable):
        serve(channel)
    AlertNotification.objects.update(made_at=timezone.now() - timedelta(days=2))
    with pytest.raises(TargetUnavailable):
        serve(channel)
    receiver.answer = lambda _: (200, {})
    record(alert, T, ("k2", (T, OPEN)))
    serve(channel)
    assert AlertNotification.objects.get(number=1).given_up
    assert list(receiver.taken) == [receiver.posted[-1]]


def begin_often(alert: Alert, key: str, many: int, since: int = 0) -> None:
    """One incident a minute, each over when the next begins."""
    for place in range(since, since + many):
        start = NOW + place * 60 * SECOND
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
