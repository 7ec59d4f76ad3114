"""A person, with all tokens, makes so many calls in a minute; with Redis away, any number."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings
from redis import Redis
from rest_framework.test import APIClient

from tests.connectors.redis_server import Server
from timeline_app.web.core import throttles
from timeline_app.web.models import Stream
from timeline_app.web.people.token_services import create_token

pytestmark = pytest.mark.deep

NOON = 1_783_080_000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of the server, which the test sets."""
    now = [NOON]
    monkeypatch.setattr("timeline_app.web.core.throttles.time.time", lambda: now[0])
    return now


@pytest.fixture
def redis(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, clock: list[float], tmp_path: Path
) -> Iterator[Redis]:
    """A real Redis, and limits that are soon reached."""
    settings.MAX_CALLS_PER_MINUTE, settings.MAX_EVENT_CALLS_PER_MINUTE = 3, 5
    server = Server(tmp_path)
    monkeypatch.setattr(throttles, "connect_counter_redis", server.client)
    monkeypatch.setattr(throttles, "counting", throttles.Counting())
    yield server.client()
    server.kill()


def list_statuses(client: APIClient, many: int) -> list[int]:
    return [client.get("/api/me/").status_code for _ in range(many)]


def test_beyond_the_limit_one_is_told_when_to_come_again(api: APIClient, redis: Redis) -> None:
    assert list_statuses(api, 4) == [200, 200, 200, 429]
    answer = api.get("/api/me/")
    assert answer.json()["code"] == "throttled"
    assert answer.json().keys() == {"code", "message", "problems"}
    assert 1 <= int(answer.headers["Retry-After"]) <= 60


def test_calls_of_the_last_sixty_seconds_count(api: APIClient, redis: Redis, clock: list[float]) -> None:
    assert list_statuses(api, 3) == [200] * 3
    clock[0] += 61
    assert list_statuses(api, 1) == [429], "most of the last minute still counts"
    clock[0] += 120
    assert list_statuses(api, 3) == [200] * 3


def test_each_person_has_a_limit_of_their_own_whatever_tokens_they_use(
    api: APIClient, bobs: APIClient, ada: User, redis: Redis
) -> None:
    programs = []
    for name in ("a", "b"):
        programs.append(APIClient())
        text = create_token(user=ada, name=name, scopes=["read"])[1]
        programs[-1].credentials(HTTP_AUTHORIZATION=f"Token {text}")
    assert [list_statuses(client, 1) for client in (*programs, api)] == [[200]] * 3
    assert [list_statuses(client, 1) for client in (*programs, api)] == [[429]] * 3
    assert list_statuses(bobs, 4) == [200, 200, 200, 429]


def test_events_are_counted_apart(api: APIClient, player: Stream, redis: Redis) -> None:
    event = {player.document["key"]: "s1", player.document["time"]: 1}
    pushed = [api.post("/api/streams/player/events/", [event], format="json").status_code for _ in range(6)]
    assert pushed == [202] * 5 + [429]
    assert list_statuses(api, 3) == [200] * 3


def test_without_a_limit_nothing_is_counted(api: APIClient, redis: Redis, settings: Settings) -> None:
    settings.MAX_CALLS_PER_MINUTE = 0
    assert list_statuses(api, 9) == [200] * 9
    assert redis.keys("timelines:calls:*") == []


def test_what_is_counted_is_forgotten(api: APIClient, redis: Redis) -> None:
    list_statuses(api, 1)
    [key] = redis.keys("timelines:calls:*")
    assert 0 < redis.ttl(key) <= 120


def test_with_redis_away_nobody_is_refused_and_the_log_says_so(
    api: APIClient, redis: Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    away = Redis.from_url("redis://127.0.0.1:1/0", socket_connect_timeout=0.5)
    monkeypatch.setattr(throttles, "connect_counter_redis", lambda: away)
    with caplog.at_level(logging.WARNING, logger="timeline_app.web.core.throttles"):
        assert list_statuses(api, 9) == [200] * 9
    assert [record.name for record in caplog.records].count("timeline_app.web.core.throttles") == 1


def test_nobody_is_counted_who_is_not_let_in(nobody: APIClient, redis: Redis) -> None:
    assert list_statuses(nobody, 9) == [401] * 9
    assert redis.keys("timelines:calls:*") == []
