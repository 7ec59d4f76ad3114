"""Samples are recorded from what landed, or uploaded; kept with an owner, within bounds."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from tests.web.conftest import build_document, has_existed
from timeline_app.web.models import Plan, Stream
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.models.samples import Sample
from timeline_app.web.samples import services as sample_services
from timeline_app.web.samples.test_services import create_plan_test
from timeline_app.web.streams.services import create_stream

START = 1_719_820_800_000


def build_event(index: int, key: str = "s1") -> dict[str, Any]:
    return {
        "event_id": f"{key}-{index}",
        "session_id": key,
        "t": START + index,
        "player_state": "play",
        "n": {1: None}.get(index, index),
    }


def push_events(client: APIClient, *events: dict[str, Any], stream: str = "player") -> None:
    answer = client.post(f"/api/streams/{stream}/events/", list(events), format="json")
    assert answer.status_code == 202, answer.content


def make(client: APIClient, **body: Any) -> Any:
    return client.post("/api/samples/", {"name": "A sample"} | body, format="json")


def get_events(client: APIClient, number: int) -> Any:
    return client.get(f"/api/samples/{number}/events/").json()["events"]


@pytest.fixture
def ten_events(api: APIClient, player: Stream) -> None:
    """Ten events of two keys, in five requests."""
    for index in range(5):
        push_events(api, build_event(index), build_event(index, "s2"))


def test_the_last_events_are_recorded_as_they_came(api: APIClient, ten_events: None) -> None:
    answer = make(api, streams=["player"], last=3)
    assert answer.status_code == 201, answer.content
    document = answer.json()
    assert (document["name"], document["owner"], document["recording"]) == ("A sample", "ada", None)
    [part] = document["streams"]
    assert (part["stream"], part["events"], part["last"]) == ("player", 3, (START + 4) * 1_000)
    assert get_events(api, document["id"]) == {
        "player": [build_event(3, "s2"), build_event(4), build_event(4, "s2")]
    }
    of_one = api.get(f"/api/samples/{document['id']}/events/?key=s1").json()["events"]
    assert of_one == {"player": [build_event(4)]}
    assert api.get(f"/api/samples/{document['id']}/events/?key=%00").status_code == 400
    assert api.get(f"/api/samples/{document['id']}/").json() == document
    assert api.get("/api/samples/").json()["results"] == [document]


def test_the_last_events_of_some_keys_are_recorded(api: APIClient, ten_events: None) -> None:
    number = make(api, streams=["player"], last=4, keys=["s2"]).json()["id"]
    assert get_events(api, number) == {"player": [build_event(place, "s2") for place in (1, 2, 3, 4)]}


def test_the_next_events_are_recorded_as_they_come(api: APIClient, ten_events: None) -> None:
    answer = make(api, streams=["player"], next=3, keys=["s1"]).json()
    assert (answer["recording"], answer["streams"][0]["events"]) == ({"count": 3, "keys": ["s1"]}, 0)
    address = f"/api/samples/{answer['id']}/"
    push_events(api, build_event(10), build_event(10, "s2"))
    assert api.get(address).json()["streams"][0]["events"] == 1
    assert api.get(address).json()["recording"] is not None
    for place in (11, 12, 13):
        push_events(api, build_event(place))
    full = api.get(address).json()
    assert (full["recording"], full["streams"][0]["events"]) == (None, 3)
    assert get_events(api, answer["id"]) == {"player": [build_event(10), build_event(11), build_event(12)]}


def test_a_recording_ends_where_its_owner_has_no_room_for_more(
    api: APIClient, ten_events: None, settings: Settings
) -> None:
    number = make(api, streams=["player"], next=3).json()["id"]
    settings.QUOTAS = settings.QUOTAS | {"sample_bytes": 0}
    push_events(api, build_event(100))
    result = api.get(f"/api/samples/{number}/").json()
    assert (result["recording"], result["streams"][0]["events"]) == (None, 0)
    assert "no room" in AuditEntry.objects.get(act="sample.end_recording").reason


def test_a_recording_ends_when_it_is_stopped_or_after_an_hour(api: APIClient, ten_events: None) -> None:
    first, second = (make(api, streams=["player"], next=100).json()["id"] for _ in range(2))
    push_events(api, build_event(20))
    stopped = api.put(f"/api/samples/{first}/", {"recording": False}, format="json").json()
    assert (stopped["recording"], stopped["streams"][0]["events"]) == (None, 1)
    Sample.objects.filter(pk=second).update(recording_until=timezone.now() - timedelta(seconds=1))
    assert api.get(f"/api/samples/{second}/").json()["recording"] is None


def test_events_of_a_stream_without_ids_come_back_by_their_fields(api: APIClient, ada: User) -> None:
    fields = {"n": "number", "live": "bool"}
    declared = {"key": "k", "time": "at", "unit": "iso8601", "fields": fields}
    create_stream(user=ada, name="plain", document=declared)
    sent = {"k": "a", "at": "2024-07-01T08:00:00.250000Z", "n": 3.0, "live": True, "word": "x"}
    push_events(api, sent, stream="plain")
    number = make(api, streams=["plain"], last=5).json()["id"]
    assert get_events(api, number) == {"plain": [sent]}


def test_an_upload_is_kept_and_evaluated(api: APIClient, player: Stream) -> None:
    lines = "\n".join(json.dumps(build_event(index)) for index in range(3)).encode()
    form = {"request": '{"name": "Mine"}', "player": SimpleUploadedFile("e.jsonl", lines)}
    answer = api.post("/api/samples/", form, format="multipart")
    assert answer.status_code == 201, answer.content
    entry = answer.json()
    assert (entry["name"], entry["streams"][0]["events"]) == ("Mine", 3)
    body = {"document": build_document(played=has_existed()), "sample": entry["id"]}
    evaluated = api.post("/api/evaluate/", body, format="json").json()
    assert evaluated["answers"][0]["points"][1] == {"t": START * 1_000, "value": True}


STOPS = {
    "key": "machine",
    "time": "begin",
    "until": "end",
    "id": "row",
    "unit": "iso8601",
    "fields": {"n": "number"},
}
ROWS = """machine;row;begin;end;n
a;1;2024-07-01T08:00:00;2024-07-01T09:00:00;1
a;2;2024-07-01T10:00:00;2024-07-01T09:00:00;2
a;3;2024-07-01T11:00:00;2024-07-01T12:00:00;many
"""
STRANGE = {"local_time": "spell no offset", "mistyped": "line 4 'many'", "until_before_time": "1 row ends"}


def test_a_sample_remembers_how_its_file_was_read(api: APIClient, ada: User) -> None:
    create_stream(user=ada, name="stops", document=STOPS)
    file = SimpleUploadedFile("stops.csv", gzip.compress(ROWS.encode()))
    sent = api.post("/api/samples/", {"request": '{"name": "S"}', "stops": file}, format="multipart")
    assert sent.status_code == 201, sent.content
    [part] = sent.json()["streams"]
    assert (part["events"], part["mistyped"]) == (2, 1)
    assert "the content is compressed with gzip" in part["notes"]
    stopped = {"op": "event_count", "stream": "stops"}
    answer = api.post(
        "/api/evaluate/", {"document": build_document(a=stopped), "sample": sent.json()["id"]}, format="json"
    ).json()
    assert answer["notes"] == {"stops": part["notes"]}
    for warnings in (part["warnings"], answer["warnings"]):
        messages = {warning["code"]: warning["message"] for warning in warnings}
        assert {code: words in messages.get(code, "") for code, words in STRANGE.items()} == dict.fromkeys(
            STRANGE, True
        )


def test_the_same_events_by_the_same_name_are_kept_once(
    api: APIClient, bobs: APIClient, player: Stream
) -> None:
    events = {"player": [build_event(index) for index in range(3)]}
    first = make(api, events=events)
    repeated = make(api, events=events)
    assert (first.status_code, repeated.status_code) == (201, 200)
    assert repeated.json() == first.json()
    for other in (
        make(api, events=events, name="Another name"),
        make(api, events={"player": events["player"][:2]}),
        make(api, events={"player": [*events["player"][:2], build_event(2, "s2")]}),
        make(bobs, events=events),
    ):
        assert other.status_code == 201
        assert other.json()["id"] != first.json()["id"]
    assert Sample.objects.count() == 5


def test_others_look_and_use_but_do_not_change(api: APIClient, bobs: APIClient, ten_events: None) -> None:
    address = f"/api/samples/{make(api, streams=['player'], last=3).json()['id']}/"
    assert bobs.get(address).status_code == 200
    for answer in (bobs.put(address, {"name": "Mine"}, format="json"), bobs.delete(address)):
        assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")
    assert api.put(address, {"name": "Better"}, format="json").json()["name"] == "Better"
    assert api.delete(address).status_code == 204
    assert api.get(address).status_code == 404


def test_a_sample_that_tests_use_stays(
    api: APIClient, ada: User, bob: User, plan: Plan, ten_events: None
) -> None:
    sample = Sample.objects.get(pk=make(api, streams=["player"], last=3).json()["id"])
    create_plan_test(plan=plan, user=ada, sample=sample, name="A test", expected=[])
    answer = api.delete(f"/api/samples/{sample.pk}/")
    assert (answer.status_code, answer.json()["code"]) == (409, "in_use")
    assert "“A test” of the plan “A plan”" in answer.json()["message"]
    Plan.objects.update(owner=bob, open_to_all=False)
    message = api.delete(f"/api/samples/{sample.pk}/").json()["message"]
    assert "of a plan of bob" in message
    assert "A plan" not in message


BAD: dict[str, tuple[int, str, Any]] = {
    "nothing": (400, "invalid", {}),
    "two ways": (400, "invalid", {"streams": ["player"], "last": 3, "next": 3}),
    "no stream": (400, "invalid", {"last": 3}),
    "a stream that is not there": (404, "unknown_stream", {"streams": ["plaier"], "last": 3}),
    "no events at all": (400, "invalid", {"streams": ["player"], "last": 0}),
    "half an event": (400, "invalid", {"streams": ["player"], "last": 1.5}),
    "too many events": (400, "invalid", {"streams": ["player"], "last": 50_001}),
    "too many of two streams": (413, "sample_too_large", {"streams": ["player", "other"], "last": 30_000}),
    "a key that never came": (409, "no_events", {"streams": ["player"], "last": 3, "keys": ["s9"]}),
    "an empty name": (400, "invalid", {"name": " ", "streams": ["player"], "last": 3}),
    "a long name": (400, "invalid", {"name": "x" * 201, "streams": ["player"], "last": 3}),
    "streams that are a text": (400, "invalid", {"streams": "player", "last": 3}),
    "events of no stream": (400, "unknown_stream", {"events": {"gone": []}}),
    "an event without a time": (400, "bad_events", {"events": {"player": [{"session_id": "s"}]}}),
}


@pytest.mark.parametrize(("status", "code", "body"), BAD.values(), ids=BAD.keys())
def test_a_bad_wish_is_refused_with_a_reason(
    api: APIClient, ada: User, ten_events: None, status: int, code: str, body: Any
) -> None:
    create_stream(user=ada, name="other", document={"key": "k", "time": "t"})
    answer = make(api, **body)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.content
    assert not Sample.objects.exists()


def test_one_person_keeps_so_much_and_no_more(api: APIClient, ten_events: None, settings: Settings) -> None:
    settings.QUOTAS = settings.QUOTAS | {"samples": 1}
    assert make(api, streams=["player"], last=3).status_code == 201
    answer = make(api, streams=["player"], last=3)
    assert (answer.status_code, answer.json()["code"]) == (409, "quota_exceeded")


def test_large_events_are_refused(api: APIClient, ten_events: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_services, "MAX_SAMPLE_BYTES", 100)
    answer = make(api, streams=["player"], last=3)
    assert (answer.status_code, answer.json()["code"]) == (413, "sample_too_large")
    assert not Sample.objects.exists()


def test_the_list_costs_the_same_however_long_it_is(
    api: APIClient, ten_events: None, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(5):
        make(api, streams=["player"], last=3)
    with django_assert_max_num_queries(7):
        assert len(api.get("/api/samples/").json()["results"]) == 5


def test_events_of_a_format_and_zone_come_as_they_were_with_their_times(api: APIClient) -> None:
    declared = {
        "name": "till",
        "key": "shop",
        "time": "at",
        "unit": "%d.%m.%Y %H:%M",
        "zone": "Europe/Berlin",
    }
    assert api.post("/api/streams/", declared, format="json").status_code == 201
    events = [{"shop": "a", "at": "01.07.2024 08:00"}, {"shop": "a", "at": "27.10.2024 02:30"}]
    push_events(api, *events, stream="till")
    number = make(api, streams=["till"], last=2).json()["id"]
    answer = api.get(f"/api/samples/{number}/events/").json()
    assert answer["events"] == {"till": events}
    assert answer["times"] == {"till": [1_719_813_600_000_000, 1_729_989_000_000_000]}
