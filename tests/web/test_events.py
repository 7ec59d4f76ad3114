"""The door for events takes whole requests or nothing, and says which line is wrong."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pyarrow as pa
import pytest
from django.db import DatabaseError
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIClient

from tests.web.outcomes import build_outcome
from timeline_app.events.declaration import MAX_SEEN_FIELDS
from timeline_app.landing.request_body import read_batch
from timeline_app.plan import BadEvents, StreamDeclaration
from timeline_app.web.models import Stream
from timeline_app.web.streams import ingest as service
from timeline_app.web.streams.selectors import load_declaration

DOOR = "/api/streams/player/events/"
EVENT: dict[str, Any] = {"session_id": "s1", "t": 1_719_820_800_000, "event_id": "1", "player_state": "play"}


def push_body(client: APIClient, body: Any, content_type: str = "application/x-ndjson") -> Any:
    return client.generic("POST", DOOR, body, content_type=content_type)


@pytest.mark.parametrize(
    "content_type", ["application/json", "application/x-ndjson", "text/plain", "image/png"]
)
def test_lines_and_arrays_are_taken_whatever_they_are_called(
    api: APIClient, player: Stream, content_type: str
) -> None:
    lines = "\n".join(json.dumps(EVENT | {"event_id": str(number)}) for number in range(3))
    array = json.dumps([EVENT, EVENT | {"event_id": "2"}])
    first, second = push_body(api, lines, content_type), push_body(api, array, content_type)
    assert (first.status_code, first.json()) == (202, build_outcome(3, 0))
    assert (second.status_code, second.json()) == (202, build_outcome(2, 1, duplicates=2))


def test_what_was_taken_is_on_disk_and_counted(api: APIClient, player: Stream) -> None:
    push_body(api, json.dumps(EVENT))
    push_body(api, json.dumps(EVENT | {"t": EVENT["t"] - 5000, "event_id": "0", "bitrate": 3}))
    answer = api.get("/api/streams/player/").json()
    assert answer["events"] == 2
    assert answer["last_event_at"] == EVENT["t"] * 1000
    assert set(answer["seen_fields"]) == {"event_id", "player_state", "bitrate"}
    landed = service.get_landing("player").read(0, 2, load_declaration(player), ["player_state"])
    assert landed["key"].to_pylist() == ["s1", "s1"]


BAD = {
    "not JSON": b"{",
    "half a line": b'{"session_id": "s1", "t": 17198',
    "nothing": b"",
    "blank lines": b"\n\n  \n",
    "a number": b"17",
    "null": b"null",
    "a text": b'"event"',
    "an array of numbers": b"[1, 2]",
    "an empty array": b"[]",
    "no key": b'{"t": 1}',
    "an empty key": b'{"session_id": "", "t": 1}',
    "a key that is an object": b'{"session_id": {}, "t": 1}',
    "a key of true": b'{"session_id": true, "t": 1}',
    "a key with NUL": b'{"session_id": "a\\u0000b", "t": 1}',
    "a long key": json.dumps({"session_id": "k" * 2000, "t": 1}).encode(),
    "no time": b'{"session_id": "s1"}',
    "a time in words": b'{"session_id": "s1", "t": "yesterday"}',
    "a time of true": b'{"session_id": "s1", "t": true}',
    "an absurd time": b'{"session_id": "s1", "t": 1e300}',
    "an infinite time": b'{"session_id": "s1", "t": 1e999}',
    "NaN": b'{"session_id": "s1", "t": NaN}',
    "a nested field": b'{"session_id": "s1", "t": 1, "cdn": {"name": "CDN1"}}',
    "a surrogate": b'{"session_id": "\\ud800", "t": 1}',
    "not UTF-8": b'{"session_id": "\xff\xfe", "t": 1}',
    "deep nesting": b"[" * 100_000,
    "deep nesting in an event": b'{"session_id": "s1", "t": 1, "cdn": ' + b"[" * 100_000,
    "a huge number": b'{"session_id": "s1", "t": ' + b"9" * 10_000 + b"}",
    "binary": bytes(range(256)),
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD.keys())
def test_bad_events_are_refused_with_their_line(api: APIClient, player: Stream, body: bytes) -> None:
    answer = push_body(api, json.dumps(EVENT).encode() + b"\n" + body if body.startswith(b"{") else body)
    assert answer.status_code == 400, answer.content
    document = answer.json()
    assert document["code"] == "bad_events"
    assert document["problems"][0]["line"] == (2 if body.startswith(b"{") else 1)
    assert document["problems"][0]["message"]
    player.refresh_from_db()
    assert player.events == 0
    assert not service.get_landing("player").path.exists()


def test_every_bad_line_is_said(api: APIClient, player: Stream) -> None:
    lines = [json.dumps(EVENT), "{", json.dumps(EVENT), json.dumps({"t": 1}), "17"]
    problems = push_body(api, "\n".join(lines)).json()["problems"]
    assert [problem["line"] for problem in problems] == [2, 4, 5]


def test_an_unknown_stream_is_refused_with_the_nearest_names(api: APIClient, player: Stream) -> None:
    answer = api.generic("POST", "/api/streams/plyer/events/", json.dumps(EVENT))
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_stream")
    assert "player" in answer.json()["message"]


def test_more_than_8_mib_is_refused_with_a_hint(api: APIClient, player: Stream) -> None:
    answer = push_body(api, b" " * (8 * 2**20 + 1))
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    assert "split" in answer.json()["problems"][0]["hint"]


def test_8_mib_are_taken(api: APIClient, player: Stream) -> None:
    line = json.dumps(EVENT).encode() + b"\n"
    assert push_body(api, line * (8 * 2**20 // len(line))).status_code == 202


def test_events_on_disk_are_taken_even_if_they_cannot_be_counted(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise DatabaseError("locked")

    monkeypatch.setattr(service, "count", fail)
    assert push_body(api, json.dumps(EVENT)).status_code == 202


def test_the_names_of_fields_that_are_kept_are_limited(api: APIClient, player: Stream) -> None:
    for start in range(0, 1500, 300):
        push_body(api, json.dumps(EVENT | {f"f{number}": 1 for number in range(start, start + 300)}))
    player.refresh_from_db()
    assert len(player.seen_fields) == MAX_SEEN_FIELDS


DECLARED = StreamDeclaration.from_document("player", {"key": "k", "time": "t"})
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.lists(JSON, max_size=5) | st.dictionaries(st.sampled_from(["k", "t", "x"]), JSON))
def test_any_json_is_taken_or_refused_with_lines(document: Any) -> None:
    lines, size = [1], 1
    try:
        size = read_batch(json.dumps(document).encode(), DECLARED).size
    except BadEvents as bad:
        lines = [problem.line for problem in bad.problems]
    assert size > 0
    assert lines
    assert min(lines) >= 1


def test_a_name_that_no_plan_can_say_is_not_remembered(api: APIClient, player: Stream) -> None:
    assert push_body(api, json.dumps(EVENT | {"f" * 201: 1, "f" * 200: 1})).status_code == 202
    assert "f" * 200 in (seen := api.get("/api/streams/player/").json()["seen_fields"])
    assert "f" * 201 not in seen


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("gzip", gzip.compress),
        ("zstd", lambda body: bytes(pa.compress(body, "zstd", asbytes=True))),
        ("br", lambda body: bytes(pa.compress(body, "brotli", asbytes=True))),
        ("", gzip.compress),
    ],
)
def test_a_compressed_body_is_taken(api: APIClient, player: Stream, name: str, pack: Any) -> None:
    body: Any = pack(json.dumps(EVENT).encode())
    headers = {"Content-Encoding": name} if name else {}
    answer = api.generic("POST", DOOR, body, content_type="application/x-ndjson", headers=headers)
    assert (answer.status_code, answer.json()["taken"]) == (202, 1)


@pytest.mark.parametrize(
    ("name", "body", "status", "code"),
    [
        ("deflate", b"x", 415, "unsupported_encoding"),
        ("gzip, br", b"x", 415, "unsupported_encoding"),
        ("gzip", gzip.compress(b"{}" * 99, mtime=0)[:-9], 400, "cut_short"),
        ("gzip", gzip.compress(b" " * 9_000_000, mtime=0), 413, "body_too_large"),
    ],
)
def test_a_body_that_does_not_unpack_is_refused(
    api: APIClient, player: Stream, name: str, body: Any, status: int, code: str
) -> None:
    headers = {"Content-Encoding": name}
    answer = api.generic("POST", DOOR, body, content_type="application/json", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.content


def test_a_table_is_taken_by_its_header(api: APIClient, player: Stream) -> None:
    answer = push_body(api, b"session_id;t;player_state\ns1;1719820800000;play\n")
    assert (answer.status_code, answer.json()["taken"]) == (202, 1)
