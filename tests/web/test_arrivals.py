"""How a stream arrives is measured in passing: rates, lateness, refused and too late events; who reads it."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIClient

from timeline_app.connectors.reading import Message, Portion
from timeline_app.connectors.splits.slowest_watermark import Slowest
from timeline_app.demos.player import STREAM
from timeline_app.web.models import Plan, Stream
from timeline_app.web.models.arrivals import RejectedEvent, StreamMeasure
from timeline_app.web.plans.services import run_plan
from timeline_app.web.streams import arrival_measures, measure_writer
from timeline_app.web.streams.arrivals_api import (
    ActivitySerializer,
    RedeclaringSerializer,
    RejectedEventSerializer,
)
from timeline_app.web.streams.source_intake import SourceProgress, take_portion
from timeline_app.web.workspace.trash_purge import purge_trash

PLACE = "/api/streams/player/"
NOW = 1_719_820_800_000
DAY = 86_400_000


def build_event(number: int, t: int = NOW, **more: Any) -> dict[str, Any]:
    return {"session_id": "s1", "t": t, "event_id": str(number), "player_state": "play"} | more


def push_events(client: APIClient, *events: Any) -> Any:
    body = "\n".join(event if isinstance(event, str) else json.dumps(event) for event in events)
    return client.generic("POST", f"{PLACE}events/", body, content_type="application/x-ndjson")


def get_activity(client: APIClient) -> dict[str, Any]:
    answer = client.get(f"{PLACE}activity/")
    assert answer.status_code == 200, answer.content
    document: dict[str, Any] = answer.json()
    assert ActivitySerializer(document).data == document
    return document


def list_rejected_events(client: APIClient, query: str = "") -> list[dict[str, Any]]:
    documents: list[dict[str, Any]] = client.get(f"{PLACE}rejected/{query}").json()["results"]
    assert list(RejectedEventSerializer(documents, many=True).data) == documents
    return documents


def test_what_came_is_counted_by_ten_seconds(api: APIClient, player: Stream) -> None:
    push_events(api, build_event(1), build_event(2, NOW + 1000))
    push_events(api, build_event(3, NOW - 40_000), build_event(4, NOW - 8 * DAY))
    push_events(api, "{", build_event(5))
    result = get_activity(api)
    assert result["totals"] == {"events": 4, "late": 1, "too_late": 1, "refused": 1}
    assert sum(series["events"] for series in result["series"]) == 4
    assert all(series["at"] % 10 == 0 and result["now"] - series["at"] < 60 for series in result["series"])


def test_lateness_is_measured_across_requests_and_proposes(api: APIClient, player: Stream) -> None:
    push_events(api, *(build_event(index, NOW + 1000 * index) for index in range(50)))
    push_events(api, build_event(99, NOW + 49_000 - 3_000))
    late = get_activity(api)["lateness"]
    assert (late["events"], late["unordered"], late["quantiles"]["p90"]) == (51, 1, 0)
    assert 3_000_000 <= late["quantiles"]["max"] <= 3_300_000
    assert late["proposal"] == "5s"


def test_what_is_too_late_proposes_nothing(api: APIClient, player: Stream) -> None:
    push_events(api, *(build_event(index, NOW + 1000 * index) for index in range(50)))
    push_events(api, build_event(99, NOW - 30 * DAY))
    late = get_activity(api)["lateness"]
    assert (late["unordered"], late["proposal"]) == (1, None)


def test_nothing_is_measured_of_what_landed_before(api: APIClient, player: Stream) -> None:
    for _ in range(3):
        api.generic("POST", f"{PLACE}events/", json.dumps(build_event(1)), headers={"Idempotency-Key": "k"})
    assert sum(series["events"] for series in get_activity(api)["series"]) == 1


def test_a_refused_line_is_kept_with_its_reason_and_who_sent_it(api: APIClient, player: Stream) -> None:
    push_events(api, build_event(1), '{"t": 1}', "{half", json.dumps(build_event(2) | {"cdn": {"name": "x"}}))
    result = list_rejected_events(api)
    assert [(item["line"], item["code"], item["text"]) for item in reversed(result)] == [
        (2, "missing_key", '{"t": 1}'),
        (3, "not_json", "{half"),
        (4, "nested", json.dumps(build_event(2) | {"cdn": {"name": "x"}})),
    ]
    assert {(item["kind"], item["sender"], item["whole"]) for item in result} == {("refused", "ada", True)}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('[{"session_id": "a", "t": 1}, 17]', "17"),
        ('[{"session_id": "a",\n "t": 1', '"t": 1'),
        ('{"session_id": "a\\u0000", "t": 1}', '{"session_id": "a\\u0000", "t": 1}'),
        (b'{"session_id": "\xff", "t": 1}', '{"session_id": "\ufffd", "t": 1}'),
        (b"a\0b", "a\u2400b"),
        ("", ""),
    ],
)
def test_any_refused_body_can_be_kept(api: APIClient, player: Stream, body: Any, text: str) -> None:
    assert api.generic("POST", f"{PLACE}events/", body).status_code == 400
    assert [item["text"] for item in list_rejected_events(api)] == [text]


def test_what_was_refused_with_its_request_says_the_line_and_that_nothing_else_was_taken(
    api: APIClient, player: Stream
) -> None:
    assert push_events(api, '{"session_id": "a", "t": 1}\n17').status_code == 400
    [item] = list_rejected_events(api)
    assert (item["line"], item["place"], item["alone"], item["sender"]) == (2, "", False, "ada")


def test_what_was_left_out_of_a_sample_says_that_the_rest_was_taken(api: APIClient, player: Stream) -> None:
    body = '{"session_id": "a", "t": 1}\n{"t": 2}'
    answer = api.generic("POST", f"{PLACE}sample/?refused=leave_out", body)
    assert answer.status_code == 202, answer.json()
    [item] = list_rejected_events(api)
    assert (item["line"], item["place"], item["alone"]) == (2, "", True)


def test_what_a_source_brought_says_where_it_lay(api: APIClient, player: Stream) -> None:
    """A file's byte, a broker's message; never a line of a request that was none."""
    right = b'{"session_id": "a", "t": 1}'
    messages = [
        Message(right, "app.jsonl", 1, place="byte 0"),
        Message(b"17", "app.jsonl", 2, place="byte 205"),
        Message(None, "plays/0", 7),
    ]
    assert (
        take_portion(
            stream=player, portion=Portion(messages, {}), progress=SourceProgress({}, {}, Slowest({}))
        )
        == 1
    )
    answer = {item["place"]: item for item in list_rejected_events(api)}
    assert set(answer) == {"byte 205 of app.jsonl", "message 7 of plays/0"}
    assert {(item["line"], item["alone"], item["sender"]) for item in answer.values()} == {(None, True, None)}
    assert answer["message 7 of plays/0"]["message"] == "the message has no value"


def test_of_a_long_line_the_beginning_is_kept(api: APIClient, player: Stream) -> None:
    push_events(api, json.dumps({"x": "y" * 20_000}))
    [item] = list_rejected_events(api)
    assert (len(item["text"]), item["whole"]) == (arrival_measures.MAX_LINE_CHARS, False)
    again = api.post(f"{PLACE}rejected/retry/", {"lines": [{"id": item["id"]}]}, format="json").json()
    assert (again["taken"], again["refused"][0]["code"]) == (0, "cut")


@pytest.mark.parametrize("declared", [STREAM, STREAM | {"id": None}, STREAM | {"unit": "iso8601"}])
def test_an_event_older_than_the_retention_is_rejected_and_taken(
    api: APIClient, player: Stream, declared: dict[str, Any]
) -> None:
    Stream.objects.update(document=declared)
    iso = declared["unit"] == "iso8601"
    new, old = ("2024-07-01T08:00:00", "2024-06-01T08:00:00") if iso else (NOW, NOW - 30 * DAY)
    push_events(api, build_event(1, new))  # type: ignore[arg-type]
    push_events(api, build_event(2, old), build_event(3, new))  # type: ignore[arg-type]
    [item] = list_rejected_events(api, "?kind=too_late")
    kept = json.loads(item["text"])
    assert (kept["session_id"], kept["event_id"]) == ("s1", "2")
    assert str(kept["t"])[:10] == str(old)[:10]
    assert get_activity(api)["totals"]["events"] == 3


def test_an_event_of_the_future_makes_no_other_too_late(api: APIClient, player: Stream) -> None:
    soon = int(time.time() * 1000)
    push_events(api, build_event(1, soon + 365 * DAY))
    push_events(api, build_event(2, soon))
    assert list_rejected_events(api, "?kind=too_late") == []


def test_only_the_newest_are_kept(api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_writer, "MAX_REJECTED_PER_KIND", 5)
    for number in range(4):
        push_events(api, *[f"{{bad {number} {line}" for line in range(3)])
        list_rejected_events(api)
    assert [item["text"] for item in list_rejected_events(api)] == [
        "{bad 3 2", "{bad 3 1", "{bad 3 0", "{bad 2 2", "{bad 2 1",
    ]  # fmt: skip
    assert get_activity(api)["totals"]["refused"] == 12


def test_between_two_writings_memory_is_bounded(api: APIClient, player: Stream) -> None:
    for number in range(15):
        push_events(api, *[f"{{{number}" for _ in range(100)])
    noted = arrival_measures.take_measures()[player.pk]
    assert len(noted.rejected) == arrival_measures.MAX_PENDING_LINES
    assert sum(tally.refused for tally in noted.tallies.values()) == 1_500


def test_measures_of_more_than_an_hour_ago_are_gone(api: APIClient, player: Stream) -> None:
    StreamMeasure.objects.create(stream=player, at=int(time.time()) // 10 * 10 - 7200, events=1)
    push_events(api, build_event(1))
    assert len(get_activity(api)["series"]) == 1
    assert StreamMeasure.objects.count() == 1


def test_what_cannot_be_written_is_forgotten_and_nobody_notices(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise DatabaseError("locked")

    monkeypatch.setattr(measure_writer, "_write", fail)
    assert push_events(api, build_event(1)).status_code == 202
    assert get_activity(api)["series"] == []


def test_a_keeper_writes_without_being_asked(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[int] = []
    monkeypatch.setattr(measure_writer, "write_measures", lambda: rounds.append(1))
    monkeypatch.setattr(measure_writer, "close_old_connections", lambda: None)
    keeper = measure_writer.MeasureWriterThread(period=0.001)
    keeper.start()
    patience = time.monotonic() + 10
    while len(rounds) < 2 and time.monotonic() < patience:
        time.sleep(0.001)
    before = len(rounds)
    keeper.stop()
    after = len(rounds)
    time.sleep(0.02)
    assert before >= 2
    assert after > before, "the last is written at the end"
    assert len(rounds) == after, "and nothing after it"


def test_refused_lines_are_tried_again_as_they_are_or_mended(api: APIClient, player: Stream) -> None:
    push_events(api, '{"session_id": "s2"}', '{"t": 1}')
    keyless, timeless = list_rejected_events(api)
    lines = [{"id": keyless["id"]}, {"id": timeless["id"], "text": json.dumps(build_event(7))}]
    answer = api.post(f"{PLACE}rejected/retry/", {"lines": lines}, format="json").json()
    assert (answer["taken"], [item["id"] for item in answer["refused"]]) == (1, [keyless["id"]])
    assert [item["text"] for item in list_rejected_events(api)] == ['{"t": 1}']
    assert [result["id"] for result in api.get(f"{PLACE}events/").json()["results"]] == ["7"]


def test_a_line_fits_after_its_stream_was_declared_otherwise(api: APIClient, player: Stream) -> None:
    api.put(PLACE, STREAM | {"fields": {"bitrate": "number"}}, format="json")
    push_events(api, build_event(1, bitrate="fast"))
    [item] = list_rejected_events(api)
    again = {"lines": [{"id": item["id"]}]}
    assert api.post(f"{PLACE}rejected/retry/", again, format="json").json()["taken"] == 0
    api.put(PLACE, STREAM | {"fields": {"bitrate": "text"}}, format="json")
    assert api.post(f"{PLACE}rejected/retry/", again, format="json").json() == {"taken": 1, "refused": []}
    assert list_rejected_events(api) == []
    assert get_activity(api)["totals"]["events"] == 1


AGAIN: list[Any] = [
    {},
    {"lines": []},
    {"lines": 7},
    {"lines": [7]},
    {"lines": [{}]},
    {"lines": [{"id": "x"}]},
    {"lines": [{"id": -1}]},
    {"lines": [{"id": 2**70}]},
    {"lines": [{"id": 1, "text": 7.5}, {"id": None}]},
    {"lines": [{"id": 1, "text": "x" * 70_000}]},
    {"lines": [{"id": number} for number in range(1001)]},
]


@pytest.mark.parametrize("body", AGAIN)
def test_what_cannot_be_tried_again_is_refused(api: APIClient, player: Stream, body: Any) -> None:
    answer = api.post(f"{PLACE}rejected/retry/", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid"), answer.content


@pytest.mark.parametrize("query", ["?kind=strange", "?limit=0", "?limit=x", "?limit=100000", "?limit=1e3"])
def test_what_cannot_be_asked_is_refused(api: APIClient, player: Stream, query: str) -> None:
    answer = api.get(f"{PLACE}rejected/{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


def test_lines_of_another_stream_are_not_touched(api: APIClient, player: Stream) -> None:
    api.post("/api/streams/", STREAM | {"name": "other"}, format="json")
    push_events(api, "{")
    [item] = list_rejected_events(api)
    answer = api.post("/api/streams/other/rejected/retry/", {"lines": [{"id": item["id"]}]}, format="json")
    assert answer.json() == {"taken": 0, "refused": []}
    assert len(list_rejected_events(api)) == 1


def test_the_owner_clears_rejected_events_and_counters_stay(
    api: APIClient, bobs: APIClient, player: Stream
) -> None:
    push_events(api, "{", "[")
    assert bobs.delete(f"{PLACE}rejected/").status_code == 403
    assert api.delete(f"{PLACE}rejected/?kind=too_late").json() == {"cleared": 0}
    assert api.delete(f"{PLACE}rejected/").json()["cleared"] == 2
    assert (list_rejected_events(api), get_activity(api)["totals"]["refused"]) == ([], 2)


def test_the_newest_events_come_first(api: APIClient, player: Stream) -> None:
    assert api.get(f"{PLACE}events/").json()["results"] == []
    for number in range(7):
        push_events(api, build_event(number, NOW + number), build_event(number + 100, NOW + number))
    result = api.get(f"{PLACE}events/?limit=3").json()["results"]
    assert [item["id"] for item in result] == ["106", "6", "105"]
    assert result[0]["values"]["player_state"] == "play"
    assert len(api.get(f"{PLACE}events/?limit=200").json()["results"]) == 14


def test_who_reads_it_is_told(api: APIClient, ada: User, plan: Plan) -> None:
    assert [item["running"] for item in get_activity(api)["plans"]] == [False]
    run_plan(plan=plan, user=ada, placement="isolated")
    result = get_activity(api)
    assert [(item["name"], item["running"]) for item in result["plans"]] == [("A plan", True)]
    [node] = result["nodes"]
    assert (node["operator"], node["users"][0]["name"]) == ("has_existed", "played")


def get_consequences(client: APIClient, **change: Any) -> dict[str, Any]:
    answer = client.post(f"{PLACE}consequences/", STREAM | change, format="json")
    assert answer.status_code == 200, answer.content
    document: dict[str, Any] = answer.json()
    assert RedeclaringSerializer(document).data == document
    return document


def test_what_a_change_would_cause_names_no_plan_that_is_not_shared(
    api: APIClient, ada: User, bob: User, plan: Plan
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    Plan.objects.update(owner=bob, open_to_all=False)
    answer = get_consequences(api, unit="s")
    assert answer["plans"] == []
    assert "a plan of bob that is not shared with you" in answer["changes"][0]["words"]
    refused = api.put("/api/streams/player/", STREAM | {"unit": "s"}, format="json")
    assert refused.status_code == 409
    for words in (str(answer), refused.json()["message"]):
        assert "A plan" not in words


def test_what_a_change_would_cause_is_told_before(api: APIClient, ada: User, plan: Plan) -> None:
    assert get_consequences(api) == {"changes": [], "possible": True, "plans": []}
    assert get_consequences(api, unit="s")["possible"]
    run_plan(plan=plan, user=ada, placement="isolated")
    answer = get_consequences(
        api, unit="s", allowed_lateness="1min", fields=STREAM["fields"] | {"cdn": "number"}
    )
    by_name = {change["what"]: change for change in answer["changes"]}
    assert not answer["possible"]
    assert "“A plan” of ada runs" in by_name["unit"]["words"]
    assert "keeps 30s until stopped" in by_name["allowed_lateness"]["words"]
    assert "compute anew" in by_name["fields.cdn"]["words"]


@pytest.mark.parametrize(
    "change", [{"unit": "weeks"}, {"key": None}, {"retention": "soon"}, {"colour": "blue"}]
)
def test_what_cannot_be_declared_has_no_consequences(
    api: APIClient, player: Stream, change: dict[str, Any]
) -> None:
    answer = api.post(f"{PLACE}consequences/", STREAM | change, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


def test_what_is_told_is_what_happens(api: APIClient, player: Stream) -> None:
    push_events(api, build_event(1))
    changes: list[dict[str, Any]] = [
        {"unit": "s"},
        {"id": None},
        {"key": "cdn"},
        {"fields": {}},
        {"retention": "1d"},
    ]
    for change in changes:
        possible = get_consequences(api, **change)["possible"]
        answer = api.put(PLACE, STREAM | change, format="json")
        assert answer.status_code == (200 if possible else 409)


@given(st.lists(st.integers(1, 2**62), min_size=1))
def test_a_step_of_lateness_is_no_shorter_and_hardly_longer(lateness: list[int]) -> None:
    steps = arrival_measures.compute_steps(np.array(lateness))
    for late, step in zip(lateness, steps.tolist(), strict=True):
        assert late * 0.999 - 1 <= arrival_measures.compute_length(step) <= late * 1.1 + 1


def test_a_stream_that_is_deleted_takes_its_rejected_events_with_it(api: APIClient, player: Stream) -> None:
    push_events(api, "{")
    list_rejected_events(api)
    assert api.delete(PLACE).status_code == 204
    assert api.get(f"{PLACE}rejected/").status_code == 404
    assert purge_trash(timezone.now() + timedelta(days=2)) == [player.name]
    assert not RejectedEvent.objects.exists()
