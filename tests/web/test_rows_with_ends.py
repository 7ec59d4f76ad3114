"""Rows with a start and an end over REST: declared, guessed, pushed, looked at, recorded, tried."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.web.conftest import build_document
from timeline_app.connectors.reading import Message, Portion
from timeline_app.connectors.splits.slowest_watermark import Slowest
from timeline_app.web.models import Plan, Stream
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.plans.services import run_plan
from timeline_app.web.streams.ingest import get_landing
from timeline_app.web.streams.source_intake import SourceProgress, take_portion

STOPS = {"name": "stop", "key": "machine", "time": "start", "until": "end", "unit": "s"}
ROWS = [
    {"machine": "A", "start": 10, "end": 20, "reason": "tool"},
    {"machine": "A", "start": 15, "end": 30, "reason": "staff"},
    {"machine": "A", "start": 40, "reason": "tool"},
]
DOWN = build_document(down={"op": "is_during", "stream": "stop"})
POINTS = [
    {"t": None, "value": False},
    {"t": 10_000_000, "value": True},
    {"t": 30_000_000, "value": False},
    {"t": 40_000_000, "value": True},
]


@pytest.fixture(params=[None, "stop_id"])
def stop(api: APIClient, request: pytest.FixtureRequest) -> str | None:
    """A stream of stops, with or without an id; the id."""
    assert api.post("/api/streams/", {**STOPS, "id": request.param}, format="json").status_code == 201
    name: str | None = request.param
    return name


def push_rows(api: APIClient, *rows: dict[str, Any]) -> Any:
    return api.post("/api/streams/stop/events/", list(rows), format="json")


def test_the_end_is_declared_and_stays_once_there_are_events(api: APIClient, stop: str | None) -> None:
    declared = {**STOPS, "id": stop}
    assert api.get("/api/streams/stop/").json()["until"] == "end"
    assert push_rows(api, *ROWS).status_code == 202
    answer = api.post("/api/streams/stop/consequences/", {**declared, "until": None}, format="json").json()
    assert [(change["what"], change["before"], change["possible"]) for change in answer["changes"]] == [
        ("until", "end", False)
    ]
    refused = api.put("/api/streams/stop/", {**declared, "until": None}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "has_events")
    assert "its until cannot change" in refused.json()["message"]


@pytest.mark.parametrize("end", [49, 50])
def test_a_row_that_ends_no_later_than_it_begins_is_refused_at_the_door(
    api: APIClient, stop: str | None, end: int
) -> None:
    refused = push_rows(api, ROWS[0], {"machine": "A", "start": 50, "end": end})
    assert refused.status_code == 400
    (problem,) = refused.json()["problems"]
    assert (problem["line"], problem["field"], problem["code"]) == (2, "end", "until_before_time")
    assert f"'end' is '{end}', not later than 'start', which is '50'" in problem["message"]
    assert api.get("/api/streams/stop/").json()["events"] == 0


def test_a_source_quarantines_a_row_that_ends_no_later_than_it_begins(
    api: APIClient, stop: str | None
) -> None:
    rows = [ROWS[0], {"machine": "A", "start": 50, "end": 50}, {"machine": "A", "start": 60, "end": 59}]
    messages = [Message(json.dumps(row).encode(), "stops/0", number) for number, row in enumerate(rows)]
    stream = Stream.objects.get(name="stop")
    portion = Portion(messages, {})
    assert take_portion(stream=stream, portion=portion, progress=SourceProgress({}, {}, Slowest({}))) == 1
    kept = list(RejectedEvent.objects.order_by("pk").values_list("code", "field", "place", "text"))
    assert kept == [
        ("until_before_time", "end", f"message {number} of stops/0", json.dumps(rows[number]))
        for number in (1, 2)
    ]
    assert Stream.objects.get(name="stop").refused == 2
    assert get_landing("stop").count(0, 9).events == 1


def test_a_correction_by_id_may_take_the_end_away_or_bring_none_that_is_a_span(
    api: APIClient, stop: str | None
) -> None:
    """A row without an end is open; a correction that is rejected leaves the row before it as it was."""
    if stop is None:
        return
    row = {"machine": "A", "start": 10, "end": 20, "stop_id": "s1"}
    assert push_rows(api, row).status_code == 202
    refused = push_rows(api, row | {"end": 10})
    assert (refused.status_code, refused.json()["problems"][0]["code"]) == (400, "until_before_time")
    assert len(api.get("/api/streams/stop/events/").json()["results"]) == 1
    assert push_rows(api, {"machine": "A", "start": 15, "stop_id": "s1"}).status_code == 202
    sample = api.post(
        "/api/samples/", {"name": "Stops", "streams": ["stop"], "last": 9}, format="json"
    ).json()
    answer = api.post("/api/evaluate/", {"document": DOWN, "sample": sample["id"]}, format="json").json()
    assert [item["points"] for item in answer["answers"]] == [
        [{"t": None, "value": False}, {"t": 15_000_000, "value": True}]
    ]


def test_events_are_shown_and_recorded_as_they_were_sent(api: APIClient, stop: str | None) -> None:
    rows = [{**row, "stop_id": f"s{index}"} for index, row in enumerate(ROWS)]
    assert push_rows(api, *rows).status_code == 202
    document = api.get("/api/streams/stop/").json()
    assert document["seen_fields"] == ["end", "reason", "stop_id"]
    events = api.get("/api/streams/stop/events/").json()["results"]
    assert events[-1]["values"] == {"end": "20", "reason": "tool", "stop_id": "s0"}
    sample = api.post(
        "/api/samples/", {"name": "Stops", "streams": ["stop"], "last": 9}, format="json"
    ).json()
    (recorded,) = api.get(f"/api/samples/{sample['id']}/events/").json()["events"].values()
    assert [{name: str(value) for name, value in row.items()} for row in recorded] == [
        {name: str(value) for name, value in row.items()} for row in rows
    ]
    answer = api.post("/api/evaluate/", {"document": DOWN, "sample": sample["id"]}, format="json")
    assert [item["points"] for item in answer.json()["answers"]] == [POINTS]


def test_a_plan_is_tried_on_rows(api: APIClient, stop: str | None) -> None:
    answer = api.post("/api/evaluate/", {"document": DOWN, "events": {"stop": ROWS}}, format="json")
    assert [item["points"] for item in answer.json()["answers"]] == [POINTS]


def test_the_end_is_guessed_from_a_sample_and_can_be_declared(api: APIClient) -> None:
    hours = [
        {
            "machine": f"m{index % 3}",
            "start": 1_719_820_800 + index * 3_600,
            "end": 1_719_822_600 + index * 3_600,
        }
        for index in range(9)
    ]
    lines = "\n".join(map(json.dumps, hours))
    answer = api.generic("POST", "/api/guess/", lines, content_type="application/octet-stream").json()
    assert [answer["declaration"][role] for role in ("time", "until", "unit")] == ["start", "end", "s"]
    assert answer["refused"] == 0
    created = api.post("/api/streams/", {"name": "stop", **answer["declaration"]}, format="json")
    assert (created.status_code, created.json()["until"]) == (201, "end")


@pytest.mark.parametrize("placement", ["together", "isolated"])
def test_a_plan_runs_and_explains_the_end_by_its_field(
    api: APIClient, ada: User, stop: str | None, placement: str
) -> None:
    created = api.post("/api/plans/", {"name": "Stops", "document": DOWN}, format="json").json()
    codes = [problem["code"] for problem in created["problems"]]
    assert codes == ([] if stop else ["until_without_id"])
    run_plan(plan=Plan.objects.get(pk=created["id"]), user=ada, placement=placement)
    explained = api.get(f"/api/plans/{created['id']}/explain/").json()
    (reads,) = [read for query in explained["queries"] for read in query["reads"]]
    assert (reads["stream"], reads["fields_read"]) == ("stop", ["end"])
    assert "_until" not in explained["text"]
