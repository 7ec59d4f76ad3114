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
from timeline_app.evaluate.sandbox import Turns
from timeline_app.web.core.errors import Busy
from timeline_app.web.people import hashers
from timeline_app.web.people.hashers import QueuedPBKDF2Hasher


@pytest.fixture
def queued_hashers(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ours.PASSWORD_HASHERS


@pytest.fixture
def busy_hasher(queued_hashers: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Somebody else hashes all the time, and nobody may wait."""
    monkeypatch.setattr(hashers, "turns", Turns(1, 0))
    with hashers.turns.turn(None, 0):
        yield


def test_hashes_are_those_of_django(queued_hashers: None) -> None:
    encoded = make_password("difference engine")
    assert encoded.startswith("pbkdf2_sha256$")
    assert PBKDF2PasswordHasher().verify("difference engine", encoded)
    assert check_password("difference engine", PBKDF2PasswordHasher().encode("difference engine", "salt" * 6))
    assert not check_password("another engine", encoded)


def test_so_many_are_hashed_at_once_and_no_more(
    queued_hashers: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = threading.Lock()
    now, most, done = 0, 0, 0

    def hash_once(*_: object) -> str:
        nonlocal now, most, done
        with lock:
            now, most = now + 1, max(most, now + 1)
        time.sleep(0.01)
        with lock:
            now, done = now - 1, done + 1
        return "hash"

    monkeypatch.setattr(PBKDF2PasswordHasher, "encode", hash_once)
    monkeypatch.setattr(hashers, "turns", Turns(2, 50))
    threads = [threading.Thread(target=make_password, args=["p"]) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, done) == (2, 20)


@pytest.mark.parametrize(("places", "patience"), [(0, 30.0), (5, 0.05)])
def test_who_finds_the_queue_full_or_waits_too_long_is_refused(
    queued_hashers: None, monkeypatch: pytest.MonkeyPatch, places: int, patience: float
) -> None:
    monkeypatch.setattr(hashers, "turns", Turns(1, places))
    monkeypatch.setattr(hashers, "HASH_WAIT_S", patience)
    with hashers.turns.turn(None, 0), pytest.raises(Busy) as refused:
        make_password("difference engine")
    assert refused.value.code == "too_many_logins"
    assert make_password("difference engine"), "a refusal keeps no place"


@pytest.mark.django_db
def test_a_login_that_finds_the_queue_full_is_told_so(ada: User, busy_hasher: None) -> None:
    answer = Client().post("/login/", {"username": "ada", "password": "difference engine"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "5")
    assert "Too many people are logging in" in answer.content.decode()


@pytest.mark.django_db
def test_a_new_password_that_finds_the_queue_full_changes_nothing(ada: User, busy_hasher: None) -> None:
    client, before = Client(), User.objects.get().password
    client.force_login(ada)
    answer = {
        "old_password": "difference engine",
        "new_password1": "a" * 9 + "bcdef",
        "new_password2": "a" * 9 + "bcdef",
    }
    assert client.post("/password/", answer).status_code == 429
    assert User.objects.get().password == before


def test_the_product_hashes_with_a_queue() -> None:
    assert [f"{QueuedPBKDF2Hasher.__module__}.{QueuedPBKDF2Hasher.__qualname__}"] == ours.PASSWORD_HASHERS
