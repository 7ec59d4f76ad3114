"""The answer to a push says what became of each event; clocks that run ahead move nothing."""

from __future__ import annotations

import errno
import gzip
import json
import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError
from django.utils import timezone
from rest_framework.test import APIClient

from tests.web.outcomes import build_outcome
from timeline_app.connectors.reading import Message, Portion
from timeline_app.connectors.splits.slowest_watermark import Slowest
from timeline_app.landing.log import Landing
from timeline_app.web.models import Stream
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.streams import ingest as service
from timeline_app.web.streams import measure_writer, quarantine
from timeline_app.web.streams.arrivals_api import RedeclaringSerializer
from timeline_app.web.streams.events_api import TakenSerializer
from timeline_app.web.streams.services import create_stream
from timeline_app.web.streams.source_intake import SourceProgress, take_portion

NOW = time.time_ns() // 1_000_000
HOUR = 3_600_000
DAY = 24 * HOUR
PLACE = "/api/streams/devices/"
DECLARED = {"key": "device", "time": "t", "id": "id", "allowed_lateness": "1h", "retention": "7d"}


@pytest.fixture
def devices(ada: User) -> Stream:
    return create_stream(user=ada, name="devices", document=dict(DECLARED))


def build_event(number: int, t: int | str = NOW, **more: Any) -> dict[str, Any]:
    return {"device": f"d{number % 3}", "t": t, "id": f"e{number}"} | more


def push_events(client: APIClient, *events: Any, **headers: str) -> dict[str, Any]:
    body = "\n".join(map(json.dumps, events))
    answer = client.generic("POST", f"{PLACE}events/", body, headers=headers)
    assert answer.status_code == 202, answer.content
    document: dict[str, Any] = answer.json()
    assert set(TakenSerializer().fields) == set(document)
    return document


def list_quarantined(stream: Stream) -> list[tuple[str, str, bool, int | None]]:
    measure_writer.write_measures()
    rows = RejectedEvent.objects.filter(stream=stream, kind="refused").order_by("pk")
    return [(json.loads(row.text)["id"], row.code, row.alone, row.line) for row in rows]


def test_late_and_too_late_are_counted_against_the_watermark_from_before_the_request(
    api: APIClient, devices: Stream
) -> None:
    assert push_events(api, build_event(1), build_event(2, NOW - 3 * HOUR)) == build_outcome(2, 0)
    assert push_events(api, build_event(3, NOW - HOUR), build_event(4, NOW - HOUR - 1)) == build_outcome(
        2, 1, late=1
    )
    late = [build_event(5, NOW - 2 * HOUR), build_event(6, NOW - 8 * DAY), build_event(7, NOW + HOUR)]
    assert push_events(api, *late) == build_outcome(3, 2, late=1, too_late=1)
    measure_writer.write_measures()
    devices.refresh_from_db()
    assert (devices.events, devices.late, devices.too_late, devices.refused) == (7, 2, 1, 0)
    (old,) = RejectedEvent.objects.filter(stream=devices)
    assert (old.kind, json.loads(old.text)["id"]) == ("too_late", "e6")


def test_duplicates_are_copies_in_the_request_and_of_recent_ones(api: APIClient, devices: Stream) -> None:
    assert push_events(api, build_event(1), build_event(1), build_event(2)) == build_outcome(
        3, 0, duplicates=1
    )
    again = [build_event(2), build_event(1, state="other"), build_event(3)]
    assert push_events(api, *again) == build_outcome(3, 1, duplicates=1), "a copy that differs is a conflict"
    assert push_events(api, build_event(4, id=None), build_event(4, id=None)) == build_outcome(2, 2), (
        "without an id each counts"
    )


def test_a_repeated_request_is_answered_with_the_same_counts(api: APIClient, devices: Stream) -> None:
    push_events(api, build_event(0))
    events = [
        build_event(1, NOW - 2 * HOUR),
        build_event(0),
        build_event(2, NOW - 9 * DAY),
        build_event(3, NOW + 3 * DAY),
    ]
    first = push_events(api, *events, **{"Idempotency-Key": "a"})
    assert first == build_outcome(3, 1, late=1, too_late=1, duplicates=1, rejected=1)
    service.get_door.cache_clear()  # another process
    assert push_events(api, *events, **{"Idempotency-Key": "a"}) == first
    assert len(list_quarantined(devices)) == 1


def test_an_event_too_far_ahead_is_rejected_alone_and_moves_no_watermark(
    api: APIClient, devices: Stream
) -> None:
    ahead = build_event(2, 4_083_955_200_000)
    assert push_events(api, build_event(1), ahead, build_event(3, NOW + DAY - HOUR)) == build_outcome(
        2, 0, rejected=1
    )
    assert list_quarantined(devices) == [("e2", "ahead", True, 2)]
    (row,) = RejectedEvent.objects.all()
    assert "lies 2" in row.message
    assert "2099-06-01T00:00:00" in row.message
    assert "the stream allows 1d" in row.message
    assert "allowed_ahead" in row.message
    devices.refresh_from_db()
    assert (devices.events, devices.refused, devices.last_event_at) == (2, 1, (NOW + DAY - HOUR) * 1_000)
    old = [build_event(number, NOW - 6 * DAY) for number in range(10, 50)]
    assert push_events(api, *old) == build_outcome(40, 1, late=40), (
        "one clock of 2099 makes no event of others too late"
    )


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (f"device;t;id\nd1;{NOW};e1\n\nd2;4083955200000;e2\n", 4),
        (json.dumps({"records": [build_event(1), build_event(2, 4_083_955_200_000)]}), 2),
        (
            "\n".join(
                json.dumps(item, indent=1) for item in (build_event(1), build_event(2, 4_083_955_200_000))
            ),
            6,
        ),
    ],
    ids=["table", "wrapped", "pretty-printed"],
)
def test_a_rejected_event_of_any_form_is_kept_with_its_line(
    api: APIClient, devices: Stream, body: str, line: int
) -> None:
    declared = devices.document | {"unit": "ms", "fields": {"t": "number"}}
    Stream.objects.filter(pk=devices.pk).update(document=declared)
    answer = api.generic("POST", f"{PLACE}events/", body)
    assert (answer.status_code, answer.json()["rejected"]) == (202, 1), answer.content
    assert list_quarantined(devices) == [("e2", "ahead", True, line)]


def test_a_refused_row_is_kept_as_it_was_sent(api: APIClient, devices: Stream) -> None:
    for body in (
        gzip.compress(b"device,t,id\nd1,noon,e1\n", mtime=0),
        "device,t,id\nd1,noon,e1\n".encode("utf-16"),
    ):
        answer = api.post(f"{PLACE}events/", body, content_type="text/csv")
        assert answer.status_code == 400, answer.content
    api.generic("POST", f"{PLACE}events/", json.dumps({"records": [build_event(1, "noon")]}))
    measure_writer.write_measures()
    assert [row.text for row in RejectedEvent.objects.order_by("pk")] == [
        "d1,noon,e1",
        "d1,noon,e1",
        json.dumps(build_event(1, "noon"), separators=(",", ":")),
    ]


def test_where_all_are_ahead_nothing_lands_but_a_number_is_used_up(api: APIClient, devices: Stream) -> None:
    assert push_events(api, build_event(1, NOW + 2 * DAY)) == build_outcome(0, None, rejected=1)
    assert service.get_landing("devices").end() == 0
    for number, t in enumerate((NOW + 2 * DAY, NOW)):
        numbered = {"Client-Id": "c", "Client-Sequence": str(number)}
        answer = push_events(api, build_event(number, t), **numbered)
        assert answer == build_outcome(number, number, rejected=1 - number)
        assert push_events(api, build_event(number, t), **numbered) == answer
    assert [name for name, *_ in list_quarantined(devices)] == ["e1", "e0"]
    devices.refresh_from_db()
    assert devices.events == 1


def test_what_cannot_be_written_into_quarantine_at_once_is_written_later(
    api: APIClient, devices: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        raise DatabaseError("away")

    monkeypatch.setattr(quarantine, "keep_rejected", fails)
    assert push_events(api, build_event(1), build_event(2, NOW + 2 * DAY))["rejected"] == 1
    assert list_quarantined(devices) == [("e2", "ahead", True, 2)]


def test_of_a_push_that_does_not_land_nothing_stays_in_quarantine(
    api: APIClient, devices: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> None:
        assert RejectedEvent.objects.count() == 1, "it is kept before the rest lands"
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched:
        patched.setattr(Landing, "commit", fails)
        answer = api.generic(
            "POST",
            f"{PLACE}events/",
            "\n".join(map(json.dumps, [build_event(1), build_event(2, NOW + 2 * DAY)])),
        )
        assert answer.status_code >= 500
    assert list_quarantined(devices) == []
    gap = {"Client-Id": "c", "Client-Sequence": "7"}
    assert api.generic("POST", f"{PLACE}events/", json.dumps(build_event(1)), headers=gap).status_code == 202
    late = {"Client-Id": "c", "Client-Sequence": "9"}
    body = "\n".join(map(json.dumps, [build_event(1), build_event(2, NOW + 2 * DAY)]))
    assert api.generic("POST", f"{PLACE}events/", body, headers=late).status_code == 409
    assert list_quarantined(devices) == []
    devices.refresh_from_db()
    assert devices.refused == 0


def test_the_limit_is_declared_and_changes_on_a_running_stream(api: APIClient, devices: Stream) -> None:
    document = {"name": "devices", **DECLARED}
    assert api.get(PLACE).json()["allowed_ahead"] == "1d"
    assert push_events(api, build_event(1, NOW + 12 * HOUR))["rejected"] == 0
    for limit, rejected in (("10min", 1), ("never", 0)):
        changed = document | {"allowed_ahead": limit}
        entry = api.post(f"{PLACE}consequences/", changed, format="json").json()
        assert RedeclaringSerializer(entry).data == entry
        assert ([change["what"] for change in entry["changes"]], entry["possible"]) == (
            ["allowed_ahead"],
            True,
        )
        answer = api.put(PLACE, changed, format="json")
        assert (answer.status_code, answer.json()["allowed_ahead"]) == (200, limit)
        assert push_events(api, build_event(2, NOW + HOUR))["rejected"] == rejected


@pytest.mark.parametrize("limit", ["0s", "-1d", "tomorrow", 7, "1 d", [], True])
def test_a_limit_that_is_none_is_refused_in_words(api: APIClient, devices: Stream, limit: Any) -> None:
    answer = api.put(PLACE, {"name": "devices", **DECLARED, "allowed_ahead": limit}, format="json")
    assert answer.status_code == 400
    (problem,) = answer.json()["problems"]
    assert problem["field"] == "allowed_ahead"
    assert "never" in json.dumps(problem)


def test_a_source_quarantines_the_message_and_takes_the_others(devices: Stream) -> None:
    messages = [
        Message(json.dumps(build_event(number, t)).encode(), f"p{number % 2}", number)
        for number, t in enumerate((NOW, NOW + 30 * DAY, NOW + 1))
    ]
    StreamSource.objects.create(stream=devices, kind="kafka", changed_at=timezone.now())
    progress = SourceProgress({}, {}, Slowest({}))
    portion = Portion(messages, {}, parts={"p0": True, "p1": True})
    assert take_portion(stream=devices, portion=portion, progress=progress) == 2
    assert progress.slowest.times == {"p0": (NOW + 1) * 1_000}
    (row,) = RejectedEvent.objects.filter(stream=devices)
    assert (row.code, row.alone, row.place, json.loads(row.text)["id"]) == (
        "ahead",
        True,
        "message 1 of p1",
        "e1",
    )


def test_what_is_tried_again_too_early_stays_in_quarantine(api: APIClient, devices: Stream) -> None:
    push_events(api, build_event(1, NOW + 2 * DAY))
    (row,) = RejectedEvent.objects.all()
    again = {"lines": [{"id": row.pk}]}
    answer = api.post(f"{PLACE}rejected/retry/", again, format="json").json()
    assert (answer["taken"], [item["code"] for item in answer["refused"]]) == (0, ["ahead"])
    mended = {"lines": [{"id": row.pk, "text": json.dumps(build_event(1))}]}
    assert api.post(f"{PLACE}rejected/retry/", mended, format="json").json() == {"taken": 1, "refused": []}
