"""The values that the newest events of a stream have, with their shares."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from timeline_app.web.models import Stream
from timeline_app.web.streams import field_values
from timeline_app.web.streams.field_values_api import StreamValuesSerializer

PLACE = "/api/streams/player/"
NOW = 1_719_820_800_000


def push(client: APIClient, *states: Any, start: int = 0) -> None:
    events = [
        {"session_id": "s1", "t": NOW + index, "event_id": f"e{index}", "player_state": state}
        for index, state in enumerate(states, start)
    ]
    body = "\n".join(json.dumps({k: v for k, v in event.items() if v is not None}) for event in events)
    answer = client.generic("POST", f"{PLACE}events/", body, content_type="application/x-ndjson")
    assert answer.status_code == 202, answer.content


def read_values(client: APIClient) -> dict[str, Any]:
    answer = client.get(f"{PLACE}values/")
    assert answer.status_code == 200, answer.content
    document: dict[str, Any] = answer.json()
    assert StreamValuesSerializer(document).data == document
    return document


def read_field(client: APIClient, name: str = "player_state") -> dict[str, Any]:
    field: dict[str, Any]
    [field] = [field for field in read_values(client)["fields"] if field["name"] == name]
    return field


def test_a_stream_without_events_has_no_values(api: APIClient, player: Stream) -> None:
    assert read_values(api) | {"complete": True} == {"events": 0, "complete": True, "fields": []}


def test_the_commonest_value_comes_first_with_its_share(api: APIClient, player: Stream) -> None:
    push(api, *["play"] * 6, *["buffer"] * 2, None, None)
    assert read_values(api)["events"] == 10
    field = read_field(api)
    assert (field["share"], field["distinct"]) == (0.8, 2)
    assert field["values"] == [{"value": "play", "share": 0.75}, {"value": "buffer", "share": 0.25}]


def test_the_sample_is_bounded_in_events_values_and_length(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(api, *["old"] * 30)
    push(api, *[f"v{index}" for index in range(25)], "x" * 500, start=30)
    monkeypatch.setattr(field_values, "MAX_EVENTS_SAMPLED", 26)
    assert read_values(api)["events"] == 26
    field = read_field(api)
    assert field["distinct"] == 26
    assert len(field["values"]) <= field_values.MAX_VALUES_PER_FIELD
    assert all(len(item["value"]) < 10 and item["value"] != "old" for item in field["values"])
