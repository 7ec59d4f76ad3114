"""A rule is tried over REST and from the shell, on what landed, on a sample, and on files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from timeline_app.web.models import Stream
from timeline_app.web.plans.services import create_plan
from timeline_app.web.streams.services import create_stream

T = 1_700_000_000
OVEN = {"key": "k", "time": "t", "unit": "s", "fields": {"v": "number"}, "allowed_lateness": "10s"}
NODES = {
    "temperature": {"op": "latest_event_to_state", "stream": "oven", "params": {"field": "v"}},
    "hot": {"op": "greater_than", "inputs": {"of": "temperature"}, "params": {"value": 80}},
}
DOCUMENT = {"version": 1, "nodes": NODES}
HOT_LATE = [
    [("a", 0, 20), ("b", 0, 20)],
    [("a", 10, 90)],
    [("b", 20, 90)],
    [("a", 30, 20), ("b", 15, 30), ("b", 21, 30)],
    [("a", 5, 20), ("a", 11, 30), ("b", 40, 95)],
]
"""Batches of key, seconds and value. Of `a` the end comes late, and of `b` an end that is late as well."""


def build_event(key: str, second: int, value: float) -> dict[str, Any]:
    return {"k": key, "t": T + second, "v": value}


@pytest.fixture
def oven(ada: User, api: APIClient) -> Stream:
    stream = create_stream(user=ada, name="oven", document=OVEN)
    for batch in HOT_LATE:
        sent = [build_event(*event) for event in batch]
        assert api.post("/api/streams/oven/events/", sent, format="json").status_code == 202
    return stream


def request_back_test(client: APIClient, **body: Any) -> Any:
    return client.post("/api/alerts/test/", body, format="json")


def list_spans(answer: dict[str, Any]) -> dict[str, list[tuple[Any, ...]]]:
    return {
        key["key"]: [
            (
                span["start"] // 10**6 - T,
                span["end"] and span["end"] // 10**6 - T,
                span["state"],
                span["amended"],
            )
            for span in key["spans"]
        ]
        for key in answer["keys"]
    }


def test_it_says_what_would_have_fired_and_what_late_events_took_back(api: APIClient, oven: Stream) -> None:
    answer = request_back_test(api, document=DOCUMENT, node="temperature", above=80)
    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert list_spans(body) == {
        "a": [(10, 11, "resolved", True)],
        "b": [(20, 21, "resolved", False), (40, None, "firing", False)],
    }
    totals = body["totals"]
    assert (totals["incidents"], totals["keys"], totals["amended"], totals["duration"]) == (
        3,
        2,
        1,
        2_000_000,
    )
    [own] = [key for key in body["keys"] if key["key"] == "a"]
    assert [change["change"] for change in own["spans"][0]["sent"]["final"]] == ["firing", "resolved"]
    assert request_back_test(api, document=DOCUMENT, node="hot").json()["keys"] == body["keys"], (
        "a bool needs no limit"
    )


def test_a_longer_duration_fires_less(api: APIClient, oven: Stream) -> None:
    answer = request_back_test(api, document=DOCUMENT, node="temperature", above=80, **{"for": "5s"}).json()
    assert list_spans(answer)["a"] == [(15, 30, "retracted", False)]
    assert answer["totals"]["retracted"] == 1
    assert answer["totals"]["messages"] == {"early": 2, "final": 2}
    few = request_back_test(api, document=DOCUMENT, node="temperature", above=80, keys=["b*"]).json()
    assert list(list_spans(few)) == ["b"]
    later = request_back_test(
        api, document=DOCUMENT, node="temperature", above=80, start=(T + 30) * 10**6
    ).json()
    assert later["totals"]["incidents"] == 1


def test_the_values_of_a_key_come_along(api: APIClient, oven: Stream) -> None:
    answer = request_back_test(api, document=DOCUMENT, node="temperature", above=80, last=20, lane="b").json()
    assert (answer["start"], answer["end"]) == ((T + 20) * 10**6, (T + 40) * 10**6)
    assert answer["lane"]["key"] == "b"
    columns = answer["lane"]["columns"]
    assert columns[0][1:] == [90, 90], "until the late end"
    assert {tuple(row[1:]) for row in columns} >= {(90.0, 90.0), (30.0, 30.0)}
    assert columns[-1][2] == 95
    for key in ("nobody", "a"):
        lane = request_back_test(
            api, document=DOCUMENT, node="temperature", above=80, last=20, lane=key
        ).json()["lane"]
        assert (lane["columns"] is None) == (key == "nobody")


def test_groups_are_tried_as_well(api: APIClient, oven: Stream) -> None:
    counted = {"op": "aggregate", "inputs": {"of": "hot"}, "params": {"function": "count"}}
    document = {"version": 1, "nodes": NODES | {"how_many": counted}}
    answer = request_back_test(api, document=document, node="how_many", above=0.5)
    assert answer.status_code == 200, answer.content
    assert answer.json()["totals"]["incidents"] >= 2


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"node": "temperature"}, 400, "node"),
        ({"node": "nothing", "above": 1}, 400, "node"),
        ({"node": "temperature", "above": 1, "below": 2}, 400, "below"),
        ({"node": "temperature", "above": 1, "clear": 2}, 400, "clear"),
        ({"node": "temperature", "above": 1, "for": "x"}, 400, "for"),
        ({"node": "temperature", "above": "x"}, 400, "above"),
        ({"node": "temperature", "above": 1, "sample": 99}, 404, None),
    ],
)
def test_what_cannot_be_tried_is_refused_with_the_field(
    api: APIClient, oven: Stream, body: dict[str, Any], status: int, field: str | None
) -> None:
    answer = request_back_test(api, document=DOCUMENT, **body)
    assert answer.status_code == status, answer.content
    assert field is None or any(problem["field"] == field for problem in answer.json()["problems"]), (
        answer.content
    )


def test_events_are_for_those_who_may_look_at_the_stream(
    api: APIClient, ada: User, bob: User, oven: Stream
) -> None:
    plan = create_plan(user=ada, name="Ovens", document=DOCUMENT)
    Stream.objects.update(open_to_all=False)
    api.force_login(bob)
    answer = request_back_test(api, plan=plan.pk, node="temperature", above=80)
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_stream")


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    plan, events = tmp_path / "plan.json", tmp_path / "events.jsonl"
    plan.write_text(json.dumps(DOCUMENT | {"streams": {"oven": OVEN}}))
    lines = [
        json.dumps(build_event(*event) | {"_arrived": (T + 100 + number) * 10**6})
        for number, batch in enumerate(HOT_LATE)
        for event in batch
    ]
    events.write_text("\n".join(lines))
    return str(plan), str(events)


RULE = ("--node", "temperature", "--above", "80")


def test_the_shell_says_the_same_of_files(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    call_command("alert", "test", *files, *RULE, "--json")
    answer = json.loads(capsys.readouterr().out)
    assert list_spans(answer)["b"] == [(20, 21, "resolved", False), (40, None, "firing", False)]
    call_command("alert", "test", *files, *RULE)
    assert "3 incidents of 2 keys" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--at-most", "2"], "incidents: 3, and at most 2 are expected"),
        (["--at-least", "retracted=1"], "retracted: 0, and at least 1 are expected"),
        (["--at-most", "duration=1"], "duration: 2, and at most 1 are expected"),
        (["--at-most", "x=1"], "WHAT is one of"),
        (["--at-most", "3", "--at-least", "messages=1"], ""),
        (["--from", "yesterday"], "no instant"),
    ],
)
def test_it_fails_where_the_alert_does_something_else(
    files: tuple[str, str], options: list[str], words: str
) -> None:
    if not words:
        call_command("alert", "test", *files, *RULE, *options)
        return
    with pytest.raises(CommandError, match=words):
        call_command("alert", "test", *files, *RULE, *options)


def test_incidents_are_written_and_expected(files: tuple[str, str], tmp_path: Path) -> None:
    expected = str(tmp_path / "incidents.json")
    call_command("alert", "test", *files, *RULE, "--write", expected)
    call_command("alert", "test", *files, *RULE, "--expect", expected)
    with pytest.raises(CommandError, match=r"missing: a .* to .*, resolved") as failed:
        call_command("alert", "test", *files, "--node", "temperature", "--above", "92", "--expect", expected)
    assert "not expected: b" not in str(failed.value)


def test_the_shell_tries_a_plan_that_is_kept_here(
    ada: User, oven: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    create_plan(user=ada, name="Ovens", document=DOCUMENT)
    call_command("alert", "test", "Ovens", *RULE, "--as", "ada", "--json")
    assert json.loads(capsys.readouterr().out)["totals"]["incidents"] == 3
