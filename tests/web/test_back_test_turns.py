"""Back-tests hold up to millions of events in the web process, so one reads after the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections
from rest_framework.test import APIClient

from tests.web.conftest import log_in_client
from timeline_app.evaluate.backtest.landed import load_landed_rows
from timeline_app.web.alerts import back_tests
from timeline_app.web.core import sandboxed_work
from timeline_app.web.core.sandboxed_work import compute, readings
from timeline_app.web.streams.services import create_stream

pytestmark = pytest.mark.django_db(transaction=True)
OVEN = {"key": "k", "time": "t", "unit": "s", "fields": {"v": "number"}}
TEMPERATURE = {"op": "latest_event_to_state", "stream": "oven", "params": {"field": "v"}}
RULE = {"document": {"version": 1, "nodes": {"temperature": TEMPERATURE}}, "node": "temperature", "above": 80}


@pytest.fixture
def people(transactional_db: None) -> list[User]:
    """Three persons, and a stream that all of them may read."""
    items = [User.objects.create_user(name) for name in ("ada", "bob", "carol")]
    create_stream(user=items[0], name="oven", document=OVEN)
    events = [{"k": "a", "t": 1_700_000_000 + second, "v": 90 - 20 * (second % 2)} for second in range(10)]
    pushed = log_in_client(items[0]).post("/api/streams/oven/events/", events, format="json")
    assert pushed.status_code == 202, pushed.content
    return items


def request_back_test(client: APIClient, **more: Any) -> Any:
    return client.post("/api/alerts/test/", RULE | more, format="json")


def run_at_once(acts: list[Callable[[], Any]]) -> list[Any]:
    start, values = threading.Barrier(len(acts)), list[Any]()

    def run_one(act: Callable[[], Any]) -> None:
        start.wait()
        values.append(act())
        connections.close_all()

    threads = [threading.Thread(target=run_one, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return values


def test_several_read_one_after_the_other_and_all_are_answered(
    people: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each holds its events until its child has computed."""
    steps: list[tuple[str, int]] = []

    def load_slowly(*arguments: Any) -> Any:
        steps.append(("read", threading.get_ident()))
        time.sleep(0.2)
        return load_landed_rows(*arguments)

    def compute_and_note(job: str, *arguments: Any, **named: Any) -> Any:
        found = compute(job, *arguments, **named)
        if job == "back_test":
            steps.append(("computed", threading.get_ident()))
        return found

    monkeypatch.setattr(sandboxed_work, "MAX_TURN_WAIT_S", 60.0)
    monkeypatch.setattr(back_tests, "load_landed_rows", load_slowly)
    monkeypatch.setattr(back_tests, "compute", compute_and_note)
    clients = [log_in_client(person) for person in people]
    answers = run_at_once([lambda client=client: request_back_test(client) for client in clients])  # type: ignore[misc]
    assert [answer.status_code for answer in answers] == [200] * 3
    assert len({answer.content for answer in answers}) == 1
    assert answers[0].json()["totals"]["incidents"] == 5
    assert [step for step, _ in steps] == ["read", "computed"] * 3
    assert [thread for _, thread in steps[::2]] == [thread for _, thread in steps[1::2]]


def test_who_waits_too_long_is_told_to_come_again(
    people: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxed_work, "MAX_TURN_WAIT_S", 0.1)
    client = log_in_client(people[0])
    with readings.turn(-1, 1):
        answer = request_back_test(client)
        assert (answer.status_code, answer.json()["code"]) == (429, "busy"), answer.content
        assert answer.headers["Retry-After"]
    assert request_back_test(client).status_code == 200


def test_a_refused_back_test_gives_its_turn_back(people: list[User]) -> None:
    client = log_in_client(people[1])
    for _ in range(3):
        assert request_back_test(client, **{"for": "x"}).status_code == 400
    assert not readings._running
    assert request_back_test(client).status_code == 200
