"""A node with alerts, and a receiver of their messages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from tests.connectors.receiver import Receiver
from tests.web.log import make_node
from tests.workers.notifications.sending import SECRET
from timeline_app.connectors.egress.reaches import parse_reaches
from timeline_app.web.alerts import outbox
from timeline_app.web.models import Node


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
