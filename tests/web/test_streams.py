"""Streams are declared, changed while nothing depends on them, and deleted."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from timeline_app.demos.player import STREAM
from timeline_app.web.core.errors import Missing
from timeline_app.web.models import Plan, Stream
from timeline_app.web.plans.services import run_plan, stop_plan
from timeline_app.web.streams.ingest import get_landing, take_events
from timeline_app.web.streams.services import change_stream
from timeline_app.web.workspace.trash import delete_stream

GOOD = {"name": "card", "key": "card", "time": "at", "unit": "iso8601", "fields": {"suburb": "text"}}


def test_a_declared_stream_is_told_with_every_default(api: APIClient) -> None:
    answer = api.post("/api/streams/", GOOD, format="json")
    assert answer.status_code == 201
    assert answer.json() == GOOD | {
        "id": None,
        "allowed_lateness": "30s",
        "retention": "7d",
        "idle_after": None,
        "zone": None,
        "until": None,
        "allowed_ahead": "1d",
        "encoding": None,
        "owner": "ada",
        "owner_kind": "person",
        "rights": ["read", "edit", "operate", "own"],
        "open_to_all": True,
        "events": 0,
        "last_event_at": None,
        "display": {},
        "seen_fields": [],
    }
    assert api.get("/api/streams/").json()["results"] == [answer.json()]
    assert api.get("/api/streams/card/").json() == answer.json()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": None}, "name"),
        ({"name": 7}, "name"),
        ({"name": ""}, None),
        ({"name": "has space"}, None),
        ({"name": "x" * 101}, None),
        ({"name": "../etc"}, None),
        ({"key": None}, "key"),
        ({"key": 3}, "key"),
        ({"time": ""}, "time"),
        ({"time": "card"}, "time"),
        ({"unit": "weeks"}, "unit"),
        ({"id": ["a"]}, "id"),
        ({"fields": ["suburb"]}, "fields"),
        ({"fields": {"suburb": "varchar"}}, "fields.suburb"),
        ({"allowed_lateness": "soon"}, "allowed_lateness"),
        ({"retention": -5}, "retention"),
        ({"colour": "blue"}, "colour"),
    ],
)
def test_a_bad_declaration_is_refused_with_its_field(
    api: APIClient, change: dict[str, Any], field: str | None
) -> None:
    answer = api.post("/api/streams/", GOOD | change, format="json")
    assert answer.status_code == 400, answer.content
    problems = answer.json()["problems"]
    assert field in [problem["field"] for problem in problems]
    assert all(problem["message"] and problem["hint"] for problem in problems)


def test_a_name_is_given_once(api: APIClient, player: Stream) -> None:
    answer = api.post("/api/streams/", GOOD | {"name": player.name}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")


def test_an_unknown_stream_is_refused_with_the_nearest_names(api: APIClient, player: Stream) -> None:
    answer = api.get("/api/streams/players/")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_stream")
    assert "Did you mean player?" in answer.json()["message"]


def test_an_answer_can_be_sent_back(api: APIClient, player: Stream) -> None:
    document = api.get("/api/streams/player/").json()
    answer = api.put("/api/streams/player/", document, format="json")
    assert (answer.status_code, answer.json()) == (200, document)


def test_a_stream_keeps_its_name(api: APIClient, player: Stream) -> None:
    answer = api.put("/api/streams/player/", STREAM | {"name": "viewer"}, format="json")
    assert answer.status_code == 400
    assert answer.json()["problems"][0]["field"] == "name"


@pytest.mark.parametrize("change", [{"key": "cdn"}, {"time": "at"}, {"unit": "s"}, {"id": None}])
def test_what_a_running_plan_depends_on_stays(
    api: APIClient, ada: User, plan: Plan, change: dict[str, Any]
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    answer = api.put("/api/streams/player/", STREAM | change, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "in_use")
    assert "A plan" in answer.json()["message"]
    stop_plan(plan=plan, user=ada)
    assert api.put("/api/streams/player/", STREAM | change, format="json").status_code == 200


def test_fields_and_lateness_change_while_a_plan_runs(api: APIClient, ada: User, plan: Plan) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    change = {"fields": STREAM["fields"] | {"bitrate": "number"}, "allowed_lateness": "1min"}
    answer = api.put("/api/streams/player/", STREAM | change, format="json")
    assert answer.status_code == 200
    assert answer.json()["fields"]["bitrate"] == "number"


def test_a_stream_of_a_running_plan_is_not_deleted(api: APIClient, ada: User, plan: Plan) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    assert api.delete("/api/streams/player/").status_code == 409
    stop_plan(plan=plan, user=ada)
    assert api.delete("/api/streams/player/").status_code == 204
    assert api.get("/api/streams/player/").status_code == 404


def test_only_the_owner_or_staff_changes_a_stream(bobs: APIClient, roots: APIClient, player: Stream) -> None:
    assert bobs.get("/api/streams/player/").status_code == 200
    for answer in (
        bobs.put("/api/streams/player/", STREAM, format="json"),
        bobs.delete("/api/streams/player/"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")
    assert roots.put("/api/streams/player/", STREAM, format="json").status_code == 200


def test_a_stream_that_was_deleted_in_the_meantime_is_missing(ada: User, player: Stream) -> None:
    """Somebody else was quicker, between the lookup of a request and its change."""
    Stream.objects.all().delete()
    with pytest.raises(Missing):
        change_stream(stream=player, user=ada, document=STREAM)
    with pytest.raises(Missing):
        delete_stream(stream=player, user=ada)
    with pytest.raises(Missing):
        take_events(stream=player, body=b'{"session_id": "a", "t": 1, "new": 1}')
    assert get_landing("player").end() == 0
