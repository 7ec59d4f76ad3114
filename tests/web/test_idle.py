"""A stream that says when it counts as idle gets heartbeats while nothing comes, and only then."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from timeline_app.algebra.kinds import BEGINNING
from timeline_app.landing.heartbeats import Beat
from timeline_app.landing.log import Landing
from timeline_app.web.core.leases import lease
from timeline_app.web.models import Stream
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.streams import idle_streams
from timeline_app.web.streams.idle_streams import (
    REPLACED_SOURCE_GRACE_S,
    advance_idle_streams,
    release_held_back,
)
from timeline_app.web.streams.ingest import take_events
from timeline_app.web.streams.services import create_stream
from timeline_app.web.streams.source_intake import name_reader_lease, take_watermark

pytestmark = pytest.mark.django_db
DOCUMENT = {"key": "k", "time": "t", "idle_after": "10s"}


@pytest.fixture(autouse=True)
def _anew() -> None:
    idle_streams.clear_cache()
    idle_streams._get_landing.cache_clear()


@pytest.fixture
def oven(ada: User) -> Stream:
    return create_stream(user=ada, name="oven", document=DOCUMENT)


def push_event(stream: Stream, t: int = 1) -> None:
    take_events(stream=stream, body=json.dumps({"k": "a", "t": t}).encode())


def list_heartbeats() -> list[int]:
    landing = Landing(settings.LANDING, "oven")
    return [beat.number for beat in landing.beats(0, landing.end())]


def list_looks(*seconds: float) -> list[bool]:
    """Whether it got a heartbeat, at each of these moments of the process's clock."""
    return [advance_idle_streams(moment) == ["oven"] for moment in seconds]


def test_a_heartbeat_lands_once_nothing_came_for_so_long_and_then_again(oven: Stream) -> None:
    push_event(oven)
    before = time.time_ns() // 1_000
    assert list_looks(100, 109, 110, 119, 120) == [False, False, True, False, True]
    landing = Landing(settings.LANDING, "oven")
    assert list_heartbeats() == [1, 2]
    assert before <= landing.beats(1, 2)[0].until <= landing.beats(2, 3)[0].until <= time.time_ns() // 1_000
    assert landing.count(0, 3).events == 1


def test_events_begin_the_wait_anew(oven: Stream) -> None:
    push_event(oven)
    assert list_looks(100, 108) == [False, False]
    push_event(oven)
    assert list_looks(109, 118, 119) == [False, False, True]


def test_before_its_first_event_a_stream_is_not_idle_and_can_be_declared_otherwise(
    oven: Stream, api: APIClient
) -> None:
    assert list_looks(100, 200, 300) == [False, False, False]
    assert api.put("/api/streams/oven/", {**DOCUMENT, "key": "other"}, format="json").status_code == 200


def test_time_in_which_nobody_looked_makes_no_stream_idle(oven: Stream) -> None:
    push_event(oven)
    assert list_looks(100) == [False]
    idle_streams.clear_cache()  # another process, an hour later
    assert list_looks(3_700, 3_709, 3_710) == [False, False, True]


def test_a_stream_that_does_not_say_so_is_never_idle(ada: User) -> None:
    stream = create_stream(user=ada, name="oven", document={"key": "idle_after", "time": "t"})
    take_events(stream=stream, body=b'{"idle_after": "a", "t": 1}')
    assert list_looks(100, 10_000) == [False, False]


@pytest.mark.parametrize(
    "beat",
    [
        {"observed": "paused"},
        {"observed": "retrying"},
        {"observed": "waiting"},
        {"lag": 7},
        {"looked_at": None},
    ],
    ids=["paused", "in trouble", "told to wait", "read behind", "not looked at"],
)
def test_while_a_source_may_hold_events_back_the_stream_is_not_idle(
    oven: Stream, beat: dict[str, Any]
) -> None:
    push_event(oven)
    well = {"observed": "reading", "lag": 0, "looked_at": timezone.now()}
    source = StreamSource.objects.create(stream=oven, kind="kafka", changed_at=timezone.now(), **well | beat)
    assert list_looks(100, 200) == [False, False]
    StreamSource.objects.filter(pk=source.pk).update(**well)
    assert list_looks(201, 209, 210) == [False, False, True], "from when the source is well again"


@pytest.mark.parametrize(
    ("beat", "since", "goes"),
    [
        ({"observed": "retrying", "opened": False}, REPLACED_SOURCE_GRACE_S + 1, True),
        ({"observed": "retrying", "opened": False}, REPLACED_SOURCE_GRACE_S - 60, False),
        ({"observed": "paused", "opened": False}, REPLACED_SOURCE_GRACE_S + 1, True),
        ({"observed": "paused", "opened": False}, 0, False),
        ({"observed": "starting", "opened": False}, REPLACED_SOURCE_GRACE_S + 1, False),
        ({"observed": "retrying", "opened": True}, REPLACED_SOURCE_GRACE_S + 1, False),
        ({"observed": "paused", "opened": True}, REPLACED_SOURCE_GRACE_S + 1, False),
    ],
)
def test_what_the_source_before_held_back_is_let_go_where_the_next_one_cannot_be_read(
    oven: Stream, beat: dict[str, Any], since: float, goes: bool
) -> None:
    push_event(oven)
    take_watermark(oven, BEGINNING)
    changed = timezone.now() - timedelta(seconds=since)
    StreamSource.objects.create(stream=oven, kind="kafka", changed_at=changed, **beat)
    assert bool(release_held_back()) is goes
    landing = Landing(settings.LANDING, "oven")
    assert landing.beats(0, landing.end())[-1].holds is not goes


def test_what_is_said_by_who_is_killed_after_its_source_was_removed_is_let_go(oven: Stream) -> None:
    push_event(oven)
    take_watermark(oven, BEGINNING)
    with lease(name_reader_lease(oven.pk), 10):
        assert release_held_back() == [], "it is still at it"
        take_watermark(oven, 7)  # and is killed
    assert release_held_back() == ["oven"]
    assert release_held_back() == []
    landing = Landing(settings.LANDING, "oven")
    assert landing.beats(0, landing.end())[-1] == Beat(landing.end() - 1, BEGINNING)


def test_the_stream_says_up_to_when_all_is_taken_to_have_come_until_something_comes(
    oven: Stream, api: APIClient
) -> None:
    push_event(oven)
    assert api.get("/api/streams/oven/activity/").json()["idle_until"] is None
    list_looks(100, 110)
    landing = Landing(settings.LANDING, "oven")
    assert api.get("/api/streams/oven/activity/").json()["idle_until"] == landing.beats(1, 2)[0].until
    push_event(oven)
    assert api.get("/api/streams/oven/activity/").json()["idle_until"] is None
    for until, holds in ((7, True), (BEGINNING, False)):
        landing.beat(until, holds=holds)  # what a source says of itself, and that it is gone
        assert api.get("/api/streams/oven/activity/").json()["idle_until"] is None


def test_it_is_declared_told_and_changed_over_rest_with_what_that_causes(api: APIClient) -> None:
    created = api.post("/api/streams/", {"name": "oven", **DOCUMENT}, format="json")
    assert (created.status_code, created.json()["idle_after"]) == (201, "10s")
    for wrong, code in (("1s", "too_short"), ("soon", "bad_duration"), (10, "bad_duration")):
        answer = api.put("/api/streams/oven/", {**DOCUMENT, "idle_after": wrong}, format="json")
        assert answer.status_code == 400
        assert [(problem["field"], problem["code"]) for problem in answer.json()["problems"]] == [
            ("idle_after", code)
        ]
    for will, words in ((None, "Without events nothing becomes final"), ("1h", "nothing has come for 1h")):
        document = api.post(
            "/api/streams/oven/consequences/", {**DOCUMENT, "idle_after": will}, format="json"
        ).json()
        (change,) = document["changes"]
        assert (change["what"], change["before"], change["after"]) == ("idle_after", "10s", will)
        assert words in change["words"]
    answer = api.put("/api/streams/oven/", {"key": "k", "time": "t"}, format="json")
    assert answer.json()["idle_after"] is None
