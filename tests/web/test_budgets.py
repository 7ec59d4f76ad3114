"""Small bodies that unpack or compute to much are refused in words, through the REST views and with a real child."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.conf import settings as conf
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.web.conftest import build_document, has_existed
from tests.web.hostile import (
    PARQUET,
    TEXTS,
    build_lying_footer,
    build_new_names_in_each_event,
    build_parquet,
    build_rows,
)
from tests.web.test_evaluate import EVENTS, NODES, START, request_evaluation
from timeline_app.asgi import application
from timeline_app.plan.text import read_text
from timeline_app.web.core import sandboxed_work
from timeline_app.web.core.sandboxed_work import sandbox, turns
from timeline_app.web.models import Plan, Stream
from timeline_app.web.plans.services import create_plan
from timeline_app.web.streams import arrival_measures

PLAYED = build_document(played=has_existed())
REFUSED = {
    400: {"bad_sample", "bad_file", "bad_events", "bad_parquet", "too_many_fields", "repeated_name"},
    413: {"too_much", "sample_too_large"},
}


@pytest.fixture(autouse=True)
def little_memory(settings: Settings) -> None:
    """Less memory than a small machine has."""
    settings.EVALUATE_MEMORY_BYTES = 256 * 2**20


def post_guess(client: APIClient, body: Any) -> Any:
    return client.generic("POST", "/api/guess/", body, content_type="application/octet-stream")


def post_sample(client: APIClient, body: Any) -> Any:
    address = "/api/streams/player/sample/"
    return client.generic("POST", address, body, content_type="application/octet-stream")


def evaluate_file(client: APIClient, body: bytes, ending: str = "parquet") -> Any:
    form = {"request": json.dumps({"document": PLAYED}), "player": SimpleUploadedFile(f"e.{ending}", body)}
    return client.post("/api/evaluate/", form, format="multipart")


def keep_file(client: APIClient, body: bytes, ending: str = "parquet") -> Any:
    form = {"request": '{"name": "A sample"}', "player": SimpleUploadedFile(f"e.{ending}", body)}
    return client.post("/api/samples/", form, format="multipart")


def assert_refused(answer: Any) -> None:
    """In words, with a stable code; and the web process goes on."""
    assert answer.status_code in REFUSED, (answer.status_code, answer.content[:300])
    document = answer.json()
    assert document["code"] in REFUSED[answer.status_code], document
    assert document["message"]
    assert "Error" not in document["message"]
    assert APIClient().get("/healthz").status_code == 200


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until, "it never came to be so"
        time.sleep(0.02)


def list_children() -> list[int]:
    server = sandbox.pid
    return [int(part) for part in Path(f"/proc/{server}/task/{server}/children").read_text().split()]


@pytest.mark.parametrize("name", PARQUET)
def test_parquet_that_unpacks_to_much_is_refused_at_each_door(
    api: APIClient, player: Stream, name: str
) -> None:
    body = PARQUET[name]()
    for door in (post_guess, post_sample, evaluate_file, keep_file):
        assert_refused(door(api, body))


def test_a_footer_that_tells_of_more_rows_than_there_are_is_not_believed(api: APIClient) -> None:
    answer = post_guess(api, build_lying_footer(2**40)())
    assert (answer.status_code, answer.json()["rows"]) == (200, 100)


def test_the_words_say_what_is_too_long_and_what_to_do(api: APIClient, player: Stream) -> None:
    answer = post_guess(api, PARQUET["one value of 80,000 letters"]()).json()
    (problem,) = answer["problems"]
    assert problem["message"] == "'x' has a value of 80,000 characters; a value may have 65,536."
    assert problem["hint"] == "Leave the column out, or shorten it."
    often = post_guess(api, PARQUET["one value of 60,000 letters, used often"]()).json()["problems"][0]
    assert often["code"] == "too_much"
    assert "64 MiB are read" in often["hint"]
    memory = post_guess(api, PARQUET["one endless list"]())
    assert memory.status_code == 413
    assert memory.json()["problems"][0]["code"] == "memory_limit"
    assert "more than 256 MiB of memory" in memory.json()["message"]
    assert "Send a smaller sample" in memory.json()["message"]


@pytest.mark.parametrize("name", TEXTS)
def test_texts_that_are_small_and_strange_are_answered(api: APIClient, player: Stream, name: str) -> None:
    ending, make = TEXTS[name]
    body = make()
    for answer in (post_guess(api, body), post_sample(api, body), evaluate_file(api, body, ending)):
        assert answer.status_code in (200, 202, 400, 413), answer.content[:300]
        assert APIClient().get("/healthz").status_code == 200


def test_new_names_in_each_event_are_counted_and_refused(api: APIClient) -> None:
    answer = post_guess(api, build_new_names_in_each_event())
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_sample")
    (problem,) = answer.json()["problems"]
    assert problem["code"] == "too_many_fields"
    assert problem["message"] == "9 events have 542 different fields; a stream has at most 500."
    assert len(answer.content) < 1_000


def test_good_parquet_of_long_texts_and_lists_is_guessed_from(api: APIClient) -> None:
    events = {**build_rows(200), "x": ["y" * 10_000] * 200, "tags": [["a", "b"]] * 200}
    answer = post_guess(api, build_parquet(events)).json()
    assert (answer["format"], answer["rows"]) == ("parquet", 200)
    assert {field["name"]: field["type"] for field in answer["fields"]}["x"] == "text"


DOUBLING = "c0 = event_count(player)\n" + "".join(
    f"s{n} = shift(c{n}, {2**n}us)\nc{n + 1} = c{n} + s{n}\n" for n in range(40)
)
"""Each sum has twice the points of the one before."""


def test_a_plan_that_computes_to_much_from_one_event_meets_a_limit_and_others_do_not(
    api: APIClient, player: Stream
) -> None:
    refused = request_evaluation(api, text=DOUBLING, events={"player": EVENTS[:1]}, nodes=["c40"])
    assert (refused.status_code, refused.json()["code"]) == (413, "too_much")
    assert "It is too much: it takes" in refused.json()["message"]
    assert refused.json()["problems"][0]["hint"].startswith("Name fewer nodes")
    assert (
        request_evaluation(api, document=build_document(**NODES), events={"player": EVENTS}).status_code
        == 200
    )


def test_what_spins_is_ended_by_the_limit_of_the_processor(
    api: APIClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EVALUATE_TIMEOUT_S = 0
    settings.EVALUATE_MEMORY_BYTES = 2**30
    monkeypatch.setattr(sandboxed_work, "SLACK_S", 0.05)
    names = [f"n{index}" for index in range(400)]
    event = json.dumps({"session_id": "a", "t": 1, **dict.fromkeys(names, "x")})
    answer = post_guess(api, "\n".join([event] * 1_200).encode())
    assert (answer.status_code, answer.json()["code"]) == (413, "too_much")
    assert answer.json()["problems"][0]["code"] in ("processor_limit", "time_limit")


def test_an_answer_of_many_long_keys_is_refused(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = sandboxed_work.get_child_limits().__class__(2**28, 10, 30, answer=1_000)
    monkeypatch.setattr(sandboxed_work, "get_child_limits", lambda: small)
    answer = request_evaluation(api, document=build_document(**NODES), events={"player": EVENTS})
    assert (answer.status_code, answer.json()["problems"][0]["code"]) == (413, "answer_limit")


def test_of_tests_the_one_that_is_too_much_is_broken_and_the_others_are_run(
    api: APIClient, ada: User, player: Stream
) -> None:
    number = api.post(
        "/api/samples/", {"name": "One", "events": {"player": EVENTS[:1]}}, format="json"
    ).json()["id"]
    plan = create_plan(user=ada, name="Doubling", document=read_text(DOUBLING)).pk
    tests = f"/api/plans/{plan}/tests/"
    for name, node in (("light", "c0"), ("heavy", "c40"), ("light too", "c1")):
        expected = [{"node": node, "key": "s1", "spans": [{"from": None, "to": None, "value": -1}]}]
        body = {"name": name, "sample": number, "expected": expected}
        assert api.post(tests, body, format="json").status_code == 201
    answer = api.post(f"{tests}run/", {}, format="json").json()["tests"]
    assert [(item["name"], item["status"]) for item in answer] == [
        ("light", "failed"),
        ("heavy", "broken"),
        ("light too", "failed"),
    ]
    assert answer[1]["problems"][0]["code"] == "too_much"


def test_a_killed_fork_server_is_not_noticed(api: APIClient, player: Stream) -> None:
    body: dict[str, Any] = {"document": build_document(**NODES), "events": {"player": EVENTS}}
    before = request_evaluation(api, **body)
    server = sandbox.pid
    assert server is not None
    os.kill(server, signal.SIGKILL)
    after = request_evaluation(api, **body)
    assert (after.status_code, after.content) == (200, before.content)
    assert sandbox.pid not in (None, server)


def test_who_finds_all_turns_taken_is_told_to_come_again(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxed_work, "MAX_TURN_WAIT_S", 0.05)
    body: dict[str, Any] = {"document": build_document(**NODES), "events": {"player": EVENTS}}
    with turns.turn(-1, 1), turns.turn(-2, 1):
        for answer in (
            request_evaluation(api, **body),
            post_guess(api, b"key,time\na,1"),
            post_sample(api, b"{}"),
        ):
            assert (answer.status_code, answer.json()["code"]) == (429, "busy")
            assert answer.headers["Retry-After"]
    assert request_evaluation(api, **body).status_code == 200


@pytest.fixture
def slow_plan(player: Stream, ada: User, settings: Settings) -> Plan:
    settings.EVALUATE_MEMORY_BYTES = 2**30
    return create_plan(user=ada, name="Slow", document=build_document(**NODES))


@pytest.mark.django_db(transaction=True)
async def test_the_child_of_a_client_that_has_gone_is_ended(api: APIClient, slow_plan: Plan) -> None:
    body = json.dumps({"text": DOUBLING, "events": {"player": EVENTS[:1]}, "nodes": ["c24"]}).encode()
    cookie = f"{conf.SESSION_COOKIE_NAME}={api.cookies[conf.SESSION_COOKIE_NAME].value}; csrftoken={'a' * 32}"
    headers = {
        "host": "localhost",
        "content-type": "application/json",
        "content-length": str(len(body)),
        "cookie": cookie,
        "x-csrftoken": "a" * 32,
    }
    scope = {
        "type": "http", "http_version": "1.1", "method": "POST", "path": "/api/evaluate/",
        "raw_path": b"/api/evaluate/", "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    sandbox.start()
    door: Any = ApplicationCommunicator(application, scope)  # type: ignore[no-untyped-call]
    await door.send_input({"type": "http.request", "body": body})
    await asyncio.to_thread(wait_until, lambda: bool(list_children()))
    (child,) = list_children()
    await door.send_input({"type": "http.disconnect"})
    await asyncio.to_thread(wait_until, lambda: not Path(f"/proc/{child}").exists())
    await asyncio.to_thread(wait_until, lambda: not turns._running)


def test_times_of_events_are_as_they_were_sent(api: APIClient, player: Stream) -> None:
    answer = request_evaluation(api, document=build_document(**NODES), events={"player": EVENTS}).json()
    played = next(answer for answer in answer["answers"] if answer["node"] == "played")
    assert played["points"][1]["t"] == START * 1_000


def test_of_very_many_wrong_rows_all_are_counted_and_the_newest_kept(api: APIClient, player: Stream) -> None:
    body = b'{"session_id":"a","t":1}\n' + b"".join(b"wrong %d\n" % index for index in range(20_000))
    address = "/api/streams/player/sample/?refused=leave_out"
    answer = api.generic("POST", address, body, content_type="text/csv")  # type: ignore[arg-type]
    assert (answer.status_code, answer.json()["left_out"]) == (202, 20_000)
    noted = arrival_measures.take_measures()[player.pk]
    assert sum(tally.refused for tally in noted.tallies.values()) == 20_000
    assert [item.text for item in noted.rejected] == [
        f"wrong {20_000 - index}" for index in range(arrival_measures.MAX_PENDING_LINES, 0, -1)
    ]
