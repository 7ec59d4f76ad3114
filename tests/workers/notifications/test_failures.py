"""No message is lost or doubled, whatever happens to sender or receiver."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, connections
from django.utils import timezone

from tests.connectors.receiver import Receiver
from tests.web.log import T
from tests.workers.notifications.sending import (
    SECRET,
    add_alert,
    add_webhook,
    list_sent,
    record,
    serve,
)
from timeline_app.algebra.kinds import OPEN
from timeline_app.connectors.sink_contract import TargetUnavailable
from timeline_app.web.alerts.channel_services import create_channel
from timeline_app.web.models import Node
from timeline_app.web.models.channels import (
    AlertChannel,
    AlertNotification,
    RoutedIncident,
)
from workers.connectors.delivery import reconcile
from workers.connectors.runner import RunningThreads


class Killed(BaseException):
    """The process dies at a statement."""


def test_a_sender_killed_at_any_statement_loses_nothing_and_doubles_nothing_in_the_log(
    node: Node, receiver: Receiver
) -> None:
    channel = add_webhook(receiver)
    alert = add_alert(node, channel)
    record(alert, T, ("k1", (T, OPEN)), ("k2", (T, OPEN)))
    deaths = 0
    for index in range(200):
        left = index

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
