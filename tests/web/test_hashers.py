"""Only a few passwords are hashed at a time; the rest waits a little, or is told to come again."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, check_password, make_password
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from timeline_app import settings as ours
from timeline_app.web import hashers
from timeline_app.web.errors import Busy
from timeline_app.web.hashers import HashQueue, QueuedPBKDF2Hasher


@pytest.fixture
def queued(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ours.PASSWORD_HASHERS


@pytest.fixture
def crowded(queued: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Somebody else hashes all the time, and nobody may wait."""
    queue = HashQueue(at_once=1, waiting=0, seconds=0.1)
    monkeypatch.setattr(hashers, "queue", queue)
    with queue.turn():
        yield


def test_hashes_are_those_of_django(queued: None) -> None:
    encoded = make_password("difference engine")
    assert encoded.startswith("pbkdf2_sha256$")
    assert PBKDF2PasswordHasher().verify("difference engine", encoded)
    assert check_password("difference engine", PBKDF2PasswordHasher().encode("difference engine", "salt" * 6))
    assert not check_password("another engine", encoded)


def test_so_many_are_hashed_at_once_and_no_more() -> None:
    queue, lock = HashQueue(at_once=2, waiting=50, seconds=30), threading.Lock()
    now, most, done = 0, 0, 0

    def work() -> None:
        nonlocal now, most, done
        with queue.turn():
            with lock:
                now, most = now + 1, max(most, now + 1)
            time.sleep(0.01)
            with lock:
                now, done = now - 1, done + 1

    threads = [threading.Thread(target=work) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, done) == (2, 20)


def test_who_finds_the_queue_full_or_waits_too_long_is_refused() -> None:
    full, slow = HashQueue(at_once=1, waiting=0, seconds=30), HashQueue(at_once=1, waiting=5, seconds=0.05)
    for queue in (full, slow):
        with queue.turn(), pytest.raises(Busy) as refused, queue.turn():
            pytest.fail("it had its turn")
        assert refused.value.code == "too_many_logins"
        with queue.turn():
            """A refusal keeps no place."""


@pytest.mark.django_db
def test_a_login_that_finds_the_queue_full_is_told_so(ada: User, crowded: None) -> None:
    answer = Client().post("/login/", {"username": "ada", "password": "difference engine"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "5")
    assert "Too many people are logging in" in answer.content.decode()


@pytest.mark.django_db
def test_a_new_password_that_finds_the_queue_full_changes_nothing(ada: User, crowded: None) -> None:
    client, before = Client(), User.objects.get().password
    client.force_login(ada)
    told = {
        "old_password": "difference engine",
        "new_password1": "a" * 9 + "bcdef",
        "new_password2": "a" * 9 + "bcdef",
    }
    assert client.post("/password/", told).status_code == 429
    assert User.objects.get().password == before


def test_the_product_hashes_with_a_queue() -> None:
    assert [f"{QueuedPBKDF2Hasher.__module__}.{QueuedPBKDF2Hasher.__qualname__}"] == ours.PASSWORD_HASHERS
