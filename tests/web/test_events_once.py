"""At the door: what is repeated lands once, a client's requests land in order, and too much is told to come later."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.web.outcomes import build_outcome
from timeline_app.fs.paths import require_path
from timeline_app.landing.dedup import Memory
from timeline_app.landing.requests import Request
from timeline_app.landing.segments import Index
from timeline_app.web.models import Query, Stream
from timeline_app.web.streams import backlog
from timeline_app.web.streams import ingest as service
from timeline_app.web.streams.ingest import Ticket, take_events
from timeline_app.web.streams.selectors import load_declaration
from timeline_app.web.streams.services import change_stream

DOOR = "/api/streams/player/events/"
Disk = namedtuple("Disk", "total used free")


def push_event(client: APIClient, number: int = 0, **headers: Any) -> Any:
    """One event in a request with these headers."""
    event = {"session_id": "s1", "t": 1_719_820_800_000 + number, "event_id": f"{number}"}
    named: dict[str, Any] = {f"HTTP_{name.upper()}": str(value) for name, value in headers.items()}
    return client.generic("POST", DOOR, json.dumps(event), content_type="application/x-ndjson", **named)


def list_landed(player: Stream) -> list[str]:
    landing = service.get_landing("player")
    return list(landing.read(0, landing.end(), load_declaration(player), [])["id"].to_pylist())


def test_a_request_that_is_sent_again_is_answered_alike_and_lands_once(
    api: APIClient, player: Stream
) -> None:
    first, again = push_event(api, idempotency_key="k1"), push_event(api, idempotency_key="k1")
    assert (
        (first.status_code, first.json()) == (again.status_code, again.json()) == (202, build_outcome(1, 0))
    )
    assert (first.headers.get("Idempotent-Replayed"), again.headers["Idempotent-Replayed"]) == (None, "true")
    service.get_door.cache_clear()  # another process, or the same after kill -9
    assert push_event(api, idempotency_key="k1").json() == first.json()
    assert list_landed(player) == ["0"]
    player.refresh_from_db()
    assert player.events == 1


def test_without_a_key_every_request_lands(api: APIClient, player: Stream) -> None:
    assert [push_event(api).json()["batch"] for _ in range(3)] == [0, 1, 2]


def test_a_known_key_with_another_body_is_refused(api: APIClient, player: Stream) -> None:
    push_event(api, 1, idempotency_key="k1")
    answer = push_event(api, 2, idempotency_key="k1")
    assert (answer.status_code, answer.json()["code"]) == (422, "reused")
    assert "'k1'" in answer.json()["message"]
    assert list_landed(player) == ["1"]


def test_the_key_of_another_user_is_another_key(api: APIClient, roots: APIClient, player: Stream) -> None:
    assert [push_event(item, idempotency_key="k1").json()["batch"] for item in (api, roots)] == [0, 1]


def test_who_may_only_look_at_a_stream_pushes_nothing(bobs: APIClient, player: Stream) -> None:
    answer = push_event(bobs)
    assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")
    assert "ada" in answer.json()["message"]
    assert list_landed(player) == []


def test_the_requests_of_a_client_land_in_order(api: APIClient, player: Stream) -> None:
    for number in range(3):
        assert push_event(api, number, client_id="gate", client_sequence=number).status_code == 202
    repeated = push_event(api, 1, client_id="gate", client_sequence=1)
    assert (repeated.status_code, repeated.json()["batch"]) == (202, 1)
    gap = push_event(api, 5, client_id="gate", client_sequence=5)
    assert (gap.status_code, gap.json()["code"], gap.headers["Expected-Sequence"]) == (
        409,
        "sequence_gap",
        "3",
    )
    assert gap.headers["Retry-After"] == "1"
    other = push_event(api, 9, client_id="gate", client_sequence=2)
    assert (other.status_code, other.json()["code"]) == (422, "reused")
    assert push_event(api, 7, client_id="another", client_sequence=7).status_code == 202
    assert list_landed(player) == ["0", "1", "2", "7"]


def test_a_number_that_is_long_past_is_refused(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timeline_app.landing.dedup.MAX_DEDUP_RECORDS", 1)
    for number in range(5):
        push_event(api, number, client_id="gate", client_sequence=number)
    answer = push_event(api, 0, client_id="gate", client_sequence=0)
    assert (answer.status_code, answer.json()["code"]) == (409, "sequence_old")
    assert answer.headers["Expected-Sequence"] == "5"
    assert "Retry-After" not in answer.headers


@pytest.mark.parametrize(
    ("headers", "field"),
    [
        ({"idempotency_key": ""}, "Idempotency-Key"),
        ({"idempotency_key": "x" * 256}, "Idempotency-Key"),
        ({"idempotency_key": "caf\u00e9"}, "Idempotency-Key"),
        ({"idempotency_key": "a\tb"}, "Idempotency-Key"),
        ({"client_id": "gate"}, "Client-Id"),
        ({"client_sequence": "1"}, "Client-Id"),
        ({"client_id": "", "client_sequence": "1"}, "Client-Id"),
        ({"client_id": "gate", "client_sequence": "-1"}, "Client-Sequence"),
        ({"client_id": "gate", "client_sequence": "1.0"}, "Client-Sequence"),
        ({"client_id": "gate", "client_sequence": "one"}, "Client-Sequence"),
        ({"client_id": "gate", "client_sequence": ""}, "Client-Sequence"),
        ({"client_id": "gate", "client_sequence": "9" * 19}, "Client-Sequence"),
    ],
)
def test_headers_that_say_nothing_are_refused(
    api: APIClient, player: Stream, headers: dict[str, Any], field: str
) -> None:
    answer = push_event(api, **headers)
    assert (answer.status_code, answer.json()["problems"][0]["field"]) == (400, field)
    assert service.get_landing("player").end() == 0


def test_a_bad_line_uses_up_neither_key_nor_number(api: APIClient, player: Stream) -> None:
    headers = {"HTTP_IDEMPOTENCY_KEY": "k", "HTTP_CLIENT_ID": "gate", "HTTP_CLIENT_SEQUENCE": "0"}
    bad = api.generic("POST", DOOR, "{", content_type="application/x-ndjson", **headers)  # type: ignore[arg-type]
    assert bad.status_code == 400
    assert push_event(api, idempotency_key="k", client_id="gate", client_sequence=0).status_code == 202


@pytest.mark.django_db(transaction=True)
def test_copies_that_come_at_the_same_time_land_once(player: Stream) -> None:
    body, ticket = b'{"session_id": "s1", "t": 1, "event_id": "a"}', Ticket("k1")
    barrier, result = threading.Barrier(8), list[Any]()

    def send() -> None:
        barrier.wait()
        request = make()
        service.get_door("player").land(request)
        result.append(request)

    def make() -> Any:
        return Request(service.decode_events(player, body), ticket.receipt(body).with_events(1))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {item.receipt.batch for item in result} == {0}
    assert sorted(item.repeated for item in result) == [False] + [True] * 7
    assert take_events(stream=player, body=body, ticket=ticket).repeated
    assert list_landed(player) == ["a"]


def test_a_nearly_full_disk_is_told_before_anything_is_written(
    api: APIClient, player: Stream, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: Disk(0, 0, settings.DISK_RESERVE_BYTES - 1))
    answer = push_event(api, idempotency_key="k1")
    assert (answer.status_code, answer.json()["code"]) == (507, "disk_full")
    assert int(answer.headers["Retry-After"]) > 0
    assert "1,023 MiB" in answer.json()["message"]
    assert service.get_landing("player").end() == 0
    monkeypatch.undo()
    assert push_event(api, idempotency_key="k1").status_code == 202


@pytest.mark.parametrize(("number", "status", "code"), [(28, 507, "disk_full"), (5, 503, "not_written")])
def test_a_write_that_fails_is_told_and_can_be_tried_again(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch, number: int, status: int, code: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, "no")

    monkeypatch.setattr("timeline_app.fs.durable.os.fsync", fail)
    answer = push_event(api)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert "Retry-After" in answer.headers
    monkeypatch.undo()
    assert list_landed(player) == []
    assert push_event(api).status_code == 202


class Failing:
    """`os.fsync` that fails at the call of that number and succeeds at all others."""

    def __init__(self, number: int, real: Callable[[int], None]) -> None:
        self.number, self.real, self.calls = number, real, 0

    def __call__(self, handle: int) -> None:
        self.calls += 1
        if self.calls == self.number:
            raise OSError(errno.EIO, "Input/output error")
        self.real(handle)


@pytest.mark.parametrize("key", [None, "k1"])
@pytest.mark.parametrize("failing", range(1, 5))
def test_whichever_sync_fails_the_answer_is_true_and_a_repeat_counts_once(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch, failing: int, key: str | None
) -> None:
    """The folders of the first batch are synced, then its file, then its name."""
    headers: dict[str, Any] = {"idempotency_key": key} if key else {}
    with monkeypatch.context() as patched:
        sync = Failing(failing, os.fsync)
        patched.setattr("timeline_app.fs.durable.os.fsync", sync)
        answer = push_event(api, **headers)
    assert sync.calls == failing
    assert answer.status_code == 503
    has_landed = list_landed(player) == ["0"]
    assert answer.json()["message"].startswith("It is not known" if has_landed else "Nothing was taken")
    repeated = push_event(api, **headers)
    assert (repeated.status_code, repeated.json()["batch"], list_landed(player)) == (202, 0, ["0"])
    assert push_event(api, 1).json()["batch"] == 1
    assert push_event(api, 1).json()["batch"] == 2, (
        "what was acknowledged and comes again without a key is another event"
    )


def test_the_steps_of_a_sync_are_all_tried(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = Failing(0, os.fsync)
    monkeypatch.setattr("timeline_app.fs.durable.os.fsync", sync)
    push_event(api)
    assert sync.calls == 4


def create_query(name: str, offsets: dict[str, Any], **fields: Any) -> Query:
    """A query that runs and reads the stream."""
    program: dict[str, Any] = {"streams": {"player": {}}}
    state = {"desired": "running", "observed": "running", **fields}
    return Query.objects.create(name=name, program=program, offsets=offsets, **state)


def test_events_wait_when_a_query_that_runs_is_too_far_behind(
    api: APIClient, player: Stream, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "COUNT_INTERVAL_S", 0.0)
    settings.MAX_BACKLOG_EVENTS = 3
    for number in range(10):
        assert push_event(api, number).status_code == 202, "nobody reads"
    slow = create_query("slow", {"7": [0]})
    create_query("quick", {"7": [13]})
    create_query("failing", {}, observed="retrying")
    create_query("stopped", {}, desired="stopped")
    answers = [push_event(api, number) for number in range(10, 16)]
    assert [answer.status_code for answer in answers] == [202] * 4 + [429] * 2, (
        "what was there before is history"
    )
    assert answers[-1].json()["code"] == "behind"
    assert "4 events of player" in answers[-1].json()["message"]
    assert int(answers[-1].headers["Retry-After"]) > 0
    slow.offsets = {"8": [11]}
    slow.save()
    assert push_event(api, 16).status_code == 202


def test_the_database_is_asked_rarely_how_far_queries_are(
    api: APIClient, player: Stream, django_assert_max_num_queries: Any
) -> None:
    push_event(api)
    with django_assert_max_num_queries(5):  # session, user, role, stream, the count
        push_event(api, 1)


def test_a_repeated_request_is_answered_also_when_nothing_new_is_taken(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_event(api, idempotency_key="k1")
    monkeypatch.setattr("shutil.disk_usage", lambda _: Disk(0, 0, 0))
    assert push_event(api, idempotency_key="k1").status_code == 202


def test_names_do_not_run_into_one_another(ada: User) -> None:
    left, right = Ticket("", "a 1", 2, ada.pk), Ticket("", "a", 12, ada.pk)
    assert left.receipt(b"").id != right.receipt(b"").id
    assert left.receipt(b"").id != Ticket("2 a 1", "", -1, ada.pk).receipt(b"").id


@pytest.mark.django_db(transaction=True)
def test_first_events_land_while_the_stream_is_locked_and_by_its_newest_declaration(
    ada: User, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, land = list[bool](), service.get_door("player").land

    def record_request(request: Request) -> list[Request]:
        locked.append(connection.in_atomic_block)
        return land(request)

    monkeypatch.setattr(service.get_door("player"), "land", record_request)
    change_stream(stream=player, user=ada, document=player.document | {"key": "user"})
    for _ in range(2):
        take_events(stream=player, body=b'{"session_id": "s1", "user": "u", "t": 1, "event_id": "a"}')
        player.refresh_from_db()
    assert locked == [True, False], "what has events is declared so for good, and needs no lock"
    landing = service.get_landing("player")
    assert landing.rows(0, landing.end(), ["key"])["key"].to_pylist() == ["u", "u"]


def test_events_that_were_not_counted_keep_the_declaration_as_well(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "count_carefully", lambda *_: None)
    assert push_event(api).status_code == 202
    answer = api.put("/api/streams/player/", player.document | {"key": "user"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "has_events")


@pytest.mark.parametrize("name", ["index.json", "deduplication.json"])
@pytest.mark.parametrize("text", [b"", b'{"until": 1', b"[]", b"{}"])
def test_a_torn_file_is_told_as_trouble_of_the_disk(
    api: APIClient, player: Stream, name: str, text: bytes
) -> None:
    push_event(api)
    whole: Any = {"index.json": Index(), "deduplication.json": Memory()}[name]
    path = require_path(service.get_landing("player").path)
    (path / name).write_bytes(text)
    service.get_door.cache_clear()
    answer = push_event(api, 1)
    assert (answer.status_code, answer.json()["code"]) == (503, "not_written")
    whole.save(path)
    assert push_event(api, 1).json() == build_outcome(1, 1)


def test_a_missing_landing_file_is_told_and_its_return_ends_it(api: APIClient, player: Stream) -> None:
    for number in range(3):
        push_event(api, number)
    path = require_path(service.get_landing("player").file(1))
    path.rename(path.with_suffix(".away"))
    service.get_door.cache_clear()
    answer = push_event(api, 3)
    assert (answer.status_code, answer.json()["code"]) == (503, "not_written")
    path.with_suffix(".away").rename(path)
    assert push_event(api, 3).json()["batch"] == 3
