"""Over REST: a sample is guessed, pushed, kept and evaluated with its fields mapped."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import orjson
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from timeline_app.landing.recording import describe_events, load_last_rows
from timeline_app.web.models import Stream
from timeline_app.web.streams.guesses_api import GuessedSerializer
from timeline_app.web.streams.ingest import get_landing
from timeline_app.web.streams.selectors import load_declaration

T = 1_719_820_800_000
ROWS = f"Sitzung;Zeit;event_id;Wert\ns1;{T};1;21,5\ns2;{T + 1};2;warm\ns1;{T + 2};3;1.234,5\n"
RULES: list[dict[str, Any]] = [
    {"to": "session_id", "from": "Sitzung"},
    {"to": "t", "from": "Zeit"},
    {"to": "level", "from": "Wert", "cast": "decimal_comma"},
    {"to": "site", "constant": "Ulm"},
]
BYTES = "application/octet-stream"


def build_query_string(**parameters: Any) -> str:
    texts = {
        name: parameter if isinstance(parameter, str) else json.dumps(parameter)
        for name, parameter in parameters.items()
    }
    return f"?{urlencode(texts)}"


def test_a_guess_shows_the_first_events_before_and_after(api: APIClient) -> None:
    body = build_query_string(mapping=RULES, declaration={"key": "session_id", "time": "t"})
    answer = api.generic("POST", f"/api/guess/{body}", ROWS, content_type=BYTES).json()
    assert GuessedSerializer(answer).data == answer
    assert answer["compared"][0] == {
        "before": {"Sitzung": "s1", "Zeit": f"{T}", "event_id": "1", "Wert": "21,5"},
        "after": {"session_id": "s1", "t": f"{T}", "event_id": "1", "level": "21.5", "site": "Ulm"},
        "refusal": "",
    }
    assert "'level', which was 'Wert', has the value 'warm'" in answer["compared"][1]["refusal"]
    assert (answer["refused"], answer["refused_lines"][0]["line"]) == (1, 3)
    assert answer["refused_lines"][0]["code"] == "bad_cast"
    plain = api.generic("POST", "/api/guess/", ROWS, content_type=BYTES).json()
    assert plain["compared"] == []


def test_a_pushed_sample_is_mapped_and_what_cannot_be_cast_rejected(api: APIClient, player: Stream) -> None:
    address = "/api/streams/player/sample/"
    refused = api.generic("POST", address + build_query_string(mapping=RULES), ROWS, content_type=BYTES)
    assert refused.status_code == 400
    assert "Line 3: 'level', which was 'Wert', has the value 'warm'" in refused.json()["message"]
    body = build_query_string(mapping=RULES, refused="leave_out")
    answer = api.generic("POST", address + body, ROWS, content_type=BYTES)
    assert (answer.status_code, answer.json()["taken"], answer.json()["left_out"]) == (202, 2, 1)
    rows, _ = load_last_rows(get_landing("player"), 10, [])
    events = describe_events(rows, load_declaration(player))
    assert [(event["session_id"], event["level"], event["site"]) for event in events] == [
        ("s1", 21.5, "Ulm"), ("s1", 1234.5, "Ulm"),
    ]  # fmt: skip
    last = api.get("/api/streams/player/rejected/").json()["results"][0]
    assert orjson.loads(last["text"]) == {
        "session_id": "s2", "t": f"{T + 1}", "event_id": "2", "level": "warm", "site": "Ulm",
    }  # fmt: skip


def test_events_that_are_sent_along_are_mapped(api: APIClient, player: Stream) -> None:
    file = SimpleUploadedFile("rows.csv", ROWS.replace("warm", "7").encode())
    body = {"name": "Mapped", "mapping": {"player": RULES}}
    answer = api.post("/api/samples/", {"request": json.dumps(body), "player": file}, format="multipart")
    assert answer.status_code == 201, answer.content
    events = api.get(f"/api/samples/{answer.json()['id']}/events/").json()["events"]["player"]
    assert [event["level"] for event in events] == [21.5, 7.0, 1234.5]
    document = {
        "version": 1, "name": "p", "results": ["level"],
        "nodes": {"level": {"op": "latest_event_to_state", "stream": "player", "params": {"field": "level"}}},
    }  # fmt: skip
    sent = {"Sitzung": "s1", "Zeit": T, "event_id": "1", "Wert": "1.234,5"}
    request_body = {"document": document, "events": {"player": [sent]}, "mapping": {"player": RULES}}
    entry = api.post("/api/evaluate/", request_body, format="json").json()
    assert entry["answers"][0]["points"][1] == {"t": T * 1_000, "value": "1234.5"}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"mapping": {"plyer": RULES}}, "There are no events of 'plyer' in the request"),
        ({"mapping": {"player": [{"to": "a"}]}}, "mapping[0]: The rule changes nothing"),
        ({"mapping": {"player": [{"to": "t", "constant": 1}]}}, "'t' is the time of the stream's events"),
        ({"mapping": {"player": RULES}, "last": 5, "streams": ["player"], "events": None}, "only events that are sent"),
    ],
)  # fmt: skip
def test_a_mapping_that_cannot_be_used_is_refused(
    api: APIClient, player: Stream, changed: dict[str, Any], words: str
) -> None:
    body = {"name": "S", "events": {"player": []}} | changed
    answer = api.post("/api/samples/", {k: v for k, v in body.items() if v is not None}, format="json")
    assert answer.status_code == 400
    assert words in answer.json()["message"]


def test_a_guess_refuses_a_constant_time(api: APIClient) -> None:
    rules = [{"to": "t", "constant": 1}]
    body = build_query_string(mapping=rules, declaration={"key": "Sitzung", "time": "t"})
    answer = api.generic("POST", f"/api/guess/{body}", ROWS, content_type=BYTES)
    assert answer.status_code == 400
    assert "'t' is the time of the stream's events" in answer.json()["message"]
