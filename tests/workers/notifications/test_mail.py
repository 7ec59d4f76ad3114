"""Notifications by mail, through a real server."""

from __future__ import annotations

import email.policy
import socket
from collections.abc import Iterator
from email import message_from_bytes
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.contrib.auth.models import User
from pytest_django import Settings

from tests.web.log import T
from tests.workers.notifications.sending import (
    add_alert,
    record,
    serve,
)
from timeline_app.algebra.kinds import OPEN
from timeline_app.connectors.sink_contract import TargetUnavailable
from timeline_app.web.alerts.channel_services import create_channel, try_channel
from timeline_app.web.core.errors import ApiError
from timeline_app.web.models import Node
from timeline_app.web.models.alerts import Incident
from timeline_app.web.models.channels import (
    AlertNotification,
)


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
    record(alert, T, *((f"öven{index}", (T, OPEN)) for index in range(60)))
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
