"""Users, a stream, plans, and clients that are logged in."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as conf
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from pytest_django import Settings
from rest_framework.test import APIClient

from timeline_app.demos.player import STREAM
from timeline_app.web.core import notifications, process_heartbeats
from timeline_app.web.models import Plan, Stream
from timeline_app.web.models.people import Owned
from timeline_app.web.ops import readiness
from timeline_app.web.people.passwords import TYPED_AT
from timeline_app.web.plans.services import create_plan
from timeline_app.web.streams import arrival_measures, backlog
from timeline_app.web.streams.ingest import get_door
from timeline_app.web.streams.services import create_stream


@pytest.fixture(autouse=True)
def _own_place(settings: Settings, tmp_path: Path) -> Iterator[None]:
    """Events land in a folder of the test's own; no message leaves the process."""
    settings.DELIVERY_FOLDER = tmp_path / "delivered"
    settings.TIMELINE_DATA = settings.TIMELINE_LOCAL = tmp_path
    settings.LANDING = tmp_path / "landing"
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    get_door.cache_clear()
    backlog.clear_cache()
    arrival_measures.clear_cache()
    process_heartbeats.clear_cache()
    readiness.clear_answers()
    yield
    get_door.cache_clear()


@pytest.fixture(autouse=True)
def sent_tasks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often the workers were told."""
    names: list[str] = []
    monkeypatch.setattr(notifications, "send", lambda: names.append(notifications.SUPERVISE))
    return names


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Refused requests are what the tests are about."""
    logging.getLogger("django.request").setLevel(logging.CRITICAL)
    yield
    logging.getLogger("django.request").setLevel(logging.NOTSET)


@pytest.fixture
def ada(db: None) -> User:
    return User.objects.create_user("ada", password="difference engine")


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob", password="another engine")


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", password="all the engines")


def find_owner(thing: Owned) -> User:
    """The person to whom it belongs."""
    assert thing.owner is not None
    return thing.owner


def log_in_client(user: User) -> APIClient:
    """A browser in which this user is logged in; a 500 is an answer, as it is in production.

    The session is put there as a login leaves it, which itself is what test_security is about, and costs more.
    """
    client, session = APIClient(raise_request_exception=False), SessionStore()
    backend = "django.contrib.auth.backends.ModelBackend"
    session[SESSION_KEY], session[BACKEND_SESSION_KEY] = str(user.pk), backend
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session[TYPED_AT] = time.time()
    session.save()
    client.cookies[conf.SESSION_COOKIE_NAME] = str(session.session_key)
    return client


@pytest.fixture
def api(ada: User) -> APIClient:
    return log_in_client(ada)


@pytest.fixture
def bobs(bob: User) -> APIClient:
    return log_in_client(bob)


@pytest.fixture
def roots(root: User) -> APIClient:
    return log_in_client(root)


@pytest.fixture
def nobody(db: None) -> APIClient:
    return APIClient(raise_request_exception=False)


@pytest.fixture
def player(ada: User) -> Stream:
    return create_stream(user=ada, name="player", document=STREAM)


def build_document(**nodes: Any) -> dict[str, Any]:
    """A plan document of these nodes."""
    return {"version": 1, "name": "A plan", "nodes": nodes}


def has_existed(where: str = 'player_state == "play"') -> dict[str, Any]:
    """A node that reads the stream."""
    return {"op": "has_existed", "stream": "player", "params": {"where": where}}


def build_negation(of: str) -> dict[str, Any]:
    """A node above another."""
    return {"op": "not", "inputs": {"of": of}}


@pytest.fixture
def plan(ada: User, player: Stream) -> Plan:
    return create_plan(
        user=ada, name=None, document=build_document(played=has_existed(), never=build_negation("played"))
    )
