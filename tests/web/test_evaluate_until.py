"""Rows with an end over REST: `until` of a stream is accepted wherever events are evaluated."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from timeline_app.web.models import Stream

STOP = {"key": "machine", "time": "start", "until": "end", "unit": "s", "id": "id"}
ROWS = [
    {"machine": "A", "start": 0, "end": 60, "id": 1},
    {"machine": "A", "start": 40, "end": 90, "id": 2},
    {"machine": "A", "start": 120, "end": None, "id": 3},
]
DOWN = [
    {"t": None, "value": False},
    {"t": 0, "value": True},
    {"t": 90_000_000, "value": False},
    {"t": 120_000_000, "value": True},
]
NODES = {"down": {"op": "is_during", "stream": "stop"}}
OWN = {"version": 1, "nodes": NODES, "results": ["down"], "streams": {"stop": STOP}}
KNOWN = {"version": 1, "nodes": NODES, "results": ["down"]}
TEXT = "stream stop(key = machine, time = start, until = end, unit = s, id = id)\ndown = is_during(stop)"
EARLY = {"machine": "A", "start": 200, "end": 190, "id": 4}


@pytest.fixture
def stop(api: APIClient) -> None:
    """The stream is declared, and the rows have landed."""
    assert api.post("/api/streams/", {"name": "stop", **STOP}, format="json").status_code == 201
    assert api.post("/api/streams/stop/events/", ROWS, format="json").status_code == 202


def request_evaluation(api: APIClient, **body: Any) -> Any:
    answer = api.post("/api/evaluate/", body, format="json")
    assert answer.status_code == 200, answer.content
    return answer.json()


def read_points(answer: Any) -> Any:
    (answer_row,) = answer["answers"]
    return answer_row["points"]


@pytest.mark.parametrize("plan", [{"document": OWN}, {"text": TEXT}], ids=["document", "text"])
def test_a_plan_declares_it(api: APIClient, player: Stream, plan: dict[str, Any]) -> None:
    assert read_points(request_evaluation(api, **plan, events={"stop": ROWS})) == DOWN


@pytest.mark.usefixtures("stop")
def test_a_stream_that_is_known_has_it_for_events_that_are_sent_and_for_the_newest(api: APIClient) -> None:
    assert read_points(request_evaluation(api, document=KNOWN, events={"stop": ROWS})) == DOWN
    assert read_points(request_evaluation(api, document=KNOWN, newest=10)) == DOWN


def test_a_mapping_may_name_the_end(api: APIClient, player: Stream) -> None:
    rows = [{("stopped" if name == "end" else name): value for name, value in row.items()} for row in ROWS]
    rules = {"stop": [{"to": "end", "from": "stopped"}]}
    assert read_points(request_evaluation(api, document=OWN, events={"stop": rows}, mapping=rules)) == DOWN


def test_a_file_may_have_it(api: APIClient, player: Stream) -> None:
    lines = "machine,start,end,id\nA,0,60,1\nA,40,90,2\nA,120,,3\n"
    body = {"request": json.dumps({"document": OWN}), "stop": SimpleUploadedFile("stop.csv", lines.encode())}
    answer = api.post("/api/evaluate/", body, format="multipart")
    assert answer.status_code == 200, answer.content
    assert read_points(answer.json()) == DOWN


def test_an_end_before_the_time_is_told_and_left_out(api: APIClient, player: Stream) -> None:
    answer = request_evaluation(api, document=OWN, events={"stop": [*ROWS, EARLY]})
    assert read_points(answer) == DOWN
    assert [(item["code"], item["field"]) for item in answer["warnings"]] == [("until_before_time", "end")]
