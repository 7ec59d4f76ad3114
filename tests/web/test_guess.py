"""Over REST: a sample is guessed, with what is certain already; and pushed, whole or without what is wrong."""

from __future__ import annotations

import io
import json
from typing import Any
from urllib.parse import urlencode

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rest_framework.test import APIClient

from tests.web.outcomes import build_outcome
from timeline_app.web.models import Stream
from timeline_app.web.streams.guesses_api import GuessedSerializer
from timeline_app.web.streams.ingest import get_landing
from timeline_app.web.streams.selectors import load_declaration

EVENT: dict[str, Any] = {"session_id": "s1", "t": 1_719_820_800_000, "event_id": "1", "player_state": "play"}
LINES = "\n".join(json.dumps(EVENT | {"event_id": str(index)}) for index in range(5))
CSV = "session_id,t,event_id,player_state\n" + "\n".join(
    f"s1,{1_719_820_800_000 + n},{n},play" for n in range(5)
)


def post_guess(client: APIClient, body: Any, query: str = "") -> Any:
    return client.generic("POST", f"/api/guess/{query}", body, content_type="application/octet-stream")


def post_sample(client: APIClient, body: Any, query: str = "", **headers: str) -> Any:
    address = f"/api/streams/player/sample/{query}"
    return client.generic("POST", address, body, content_type="text/csv", headers=headers)


def test_a_guess_has_its_wire_type_and_can_be_declared(api: APIClient) -> None:
    document = post_guess(api, LINES).json()
    assert GuessedSerializer(document).data == document
    assert (document["format"], document["rows"], document["refused"]) == ("json_lines", 5, 0)
    answer = api.post("/api/streams/", {"name": "guessed", **document["declaration"]}, format="json")
    assert answer.status_code == 201, answer.content


def test_times_that_may_not_be_what_was_meant_are_told(api: APIClient) -> None:
    local = b'{"k": "a", "t": "2024-07-01 08:00:00"}\n{"k": "b", "t": "2024-07-01 09:00:00Z"}\n'
    assert post_guess(api, local).json()["warnings"] == [], "the guess declares a zone"
    query = "?" + urlencode({"declaration": json.dumps({"key": "k", "time": "t", "zone": None})})
    [warning] = post_guess(api, local, query).json()["warnings"]
    assert (warning["code"], "(1): line 1 2024-07-01 08:00:00" in warning["message"]) == ("local_time", True)
    seconds = b'{"k": "a", "t": 1719820800}\n'
    assert post_guess(api, seconds).json()["warnings"] == []
    query = "?" + urlencode({"declaration": json.dumps({"key": "k", "time": "t", "unit": "ms"})})
    [warning] = post_guess(api, seconds, query).json()["warnings"]
    assert (warning["code"], warning["hint"]) == ("other_unit", "they look like seconds: declare unit = s")


def pack_events(form: str) -> bytes:
    """Five events in a format of bytes."""
    rows = [EVENT | {"event_id": str(index)} for index in range(5)]
    table, sink = pa.Table.from_pylist(rows), io.BytesIO()
    if form == "avro":
        fields = [{"name": name, "type": "long" if name == "t" else "string"} for name in EVENT]
        fastavro.writer(sink, {"type": "record", "name": "Event", "fields": fields}, rows)
    elif form == "parquet":
        pq.write_table(table, sink)
    else:
        make = pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream
        with make(sink, table.schema) as writer:
            writer.write_table(table)
    return sink.getvalue()


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrow_stream", "avro"])
def test_the_form_of_bytes_is_one_that_the_page_knows(api: APIClient, form: str) -> None:
    answer = post_guess(api, pack_events(form)).json()
    assert (answer["format"], answer["rows"], answer["refused"]) == (form, 5, 0)
    GuessedSerializer(data=answer).fields["format"].run_validation(answer["format"])


def test_what_is_certain_is_kept(api: APIClient) -> None:
    answer = post_guess(
        api, LINES, '?declaration={"key":"player_state","id":null,"allowed_lateness":"1h"}'
    ).json()
    declared = answer["declaration"]
    assert [declared[name] for name in ("key", "id", "allowed_lateness")] == ["player_state", None, "1h"]
    assert answer["read"][0]["key"] == "play"


BAD = {
    "nothing": (b"", "", "bad_sample"),
    "a word": (b"hello", "", "bad_sample"),
    "binary": (bytes(range(256)), "", "bad_sample"),
    "half a Parquet file": (b"PAR1\0\0", "", "bad_sample"),
    "half an array": (b"[{", "", "bad_sample"),
    "a declaration that is no JSON": (b"{}", "?declaration={", "bad_json"),
    "a declaration that is no object": (b"{}", "?declaration=[1]", "invalid"),
    "an unknown unit": (LINES, '?declaration={"unit":"weeks"}', "invalid"),
    "a key that is a number": (LINES, '?declaration={"key":3}', "invalid"),
    "fields that are a list": (LINES, '?declaration={"fields":["a"]}', "invalid"),
    "an unknown type": (LINES, '?declaration={"fields":{"a":"varchar"}}', "invalid"),
    "key and time in one": (LINES, '?declaration={"key":"t","time":"t"}', "invalid"),
    "no length of time": (LINES, '?declaration={"allowed_lateness":"soon"}', "invalid"),
    "an unknown word": (LINES, '?declaration={"colour":"blue"}', "invalid"),
    "a long declaration": (LINES, f"?declaration={'x' * 70_000}", "too_long"),
}


@pytest.mark.parametrize(("body", "query", "code"), BAD.values(), ids=BAD.keys())
def test_what_cannot_be_guessed_from_is_refused(api: APIClient, body: Any, query: str, code: str) -> None:
    answer = post_guess(api, body, query)
    assert (answer.status_code, answer.json()["code"]) == (400, code), answer.content
    assert all(problem["message"] for problem in answer.json()["problems"])


def test_more_than_8_mib_are_refused(api: APIClient, player: Stream) -> None:
    for answer in (post_guess(api, b" " * (8 * 2**20 + 1)), post_sample(api, b" " * (8 * 2**20 + 1))):
        assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("body", [LINES, f"[{LINES}]".replace("\n", ","), CSV], ids=["lines", "array", "csv"])
def test_a_sample_of_any_format_lands_alike(api: APIClient, player: Stream, body: str) -> None:
    answer = post_sample(api, body)
    assert (answer.status_code, answer.json()) == (202, build_outcome(5, 0, left_out=0))
    landed = get_landing("player").read(0, 1, load_declaration(player), ["player_state"])
    assert landed["v0"].to_pylist() == ["play"] * 5
    assert landed["id"].to_pylist() == list("01234")


def test_a_sample_with_wrong_rows_is_taken_without_them_only_if_that_is_said(
    api: APIClient, player: Stream
) -> None:
    body = f"{CSV}\ns1,yesterday,9,play\ns1,1"
    answer = post_sample(api, body)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_events")
    assert [problem["line"] for problem in answer.json()["problems"]] == [7, 8]
    assert get_landing("player").end() == 0
    assert post_sample(api, body, "?refused=leave_out").json() == build_outcome(5, 0, left_out=2)


def test_a_sample_of_which_nothing_is_right_is_refused(api: APIClient, player: Stream) -> None:
    answer = post_sample(api, '{"t": 1}', "?refused=leave_out")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_events")


def test_a_sample_that_is_pushed_again_lands_once(api: APIClient, player: Stream) -> None:
    first, second = (post_sample(api, CSV, **{"Idempotency-Key": "k"}).json() for _ in range(2))
    assert first == second
    assert get_landing("player").end() == 1


def test_a_sample_for_no_stream_is_refused(api: APIClient) -> None:
    assert (post_sample(api, CSV).status_code, post_sample(api, CSV).json()["code"]) == (
        404,
        "unknown_stream",
    )
