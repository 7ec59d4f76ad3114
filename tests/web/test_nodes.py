"""Nodes tell who uses them, how they are, which keys they have, and their timelines."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from tests.web.log import SECOND, T, make_node, revise
from timeline_app.web.models import Node, Plan, Query
from timeline_app.web.plans.services import run_plan


@pytest.fixture
def node(ada: User) -> Node:
    """Key s1: false since ever, true from T, false again from T + 5 s, which became known later."""
    node = make_node(ada)
    revise(node, "s1", [[None, False], [T, True]])
    revise(node, "s2", [[None, False]])
    revise(node, "s1", [[T + 5 * SECOND, False]], start=T + 5 * SECOND)
    return node


@pytest.fixture
def climbing(ada: User) -> Node:
    node = make_node(ada, "n1", "number", "duration_where")
    revise(node, "s1", [[None, 0.0, 0.0], [T, 0.0, 1.0]])
    return node


def test_a_node_tells_its_users_and_its_status(api: APIClient, ada: User, plan: Plan) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    Query.objects.update(observed="running", words="running", spark_query_id="q", batch_ms=40)
    Query.objects.update(lag=7, state_bytes=2048)
    answer = api.get("/api/nodes/").json()["results"]
    assert {item["operator"] for item in answer} == {"has_existed", "not"}
    first = next(item for item in answer if item["operator"] == "has_existed")
    assert first["operator_title"] == "Ever happened"
    assert api.get(f"/api/nodes/{first['digest']}/").json() == first | {"warnings": [], "display": {}}
    used = {"plan": plan.pk, "plan_name": "A plan", "name": "played"}
    assert first["users"] == [used | {"owner": "ada", "owner_kind": "person"}]
    assert first["status"] == {
        "desired": "running",
        "observed": "running",
        "words": "running",
        "error": "",
        "trouble": "",
        "hint": "",
        "query_id": "q",
        "restarts": 0,
        "mended": "",
        "since": None,
        "last_progress": None,
    }
    assert first["rates"] == {
        "events_per_second": 0.0,
        "processed_per_second": 0.0,
        "batch_ms": 40,
        "lag": 7,
        "lag_of": "events",
        "state_rows": 0,
        "state_bytes": 2048,
    }
    assert first["backlog"] is None
    assert set(first["counters"]) == {"events", "late", "too_late", "duplicates", "conflicts", "revisions"}


@pytest.mark.parametrize(("observed", "rate"), [("running", 18.5), ("starting", 0.0), ("failed", 0.0)])
def test_a_node_that_does_not_run_reads_nothing(
    api: APIClient, ada: User, plan: Plan, observed: str, rate: float
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    Query.objects.update(observed=observed, words=observed, events_per_second=18.5, looked_at=timezone.now())
    (item, *_) = api.get("/api/nodes/").json()["results"]
    assert item["rates"]["events_per_second"] == rate


def subtract_from_now(seconds: float) -> datetime:
    return timezone.now() - timedelta(seconds=seconds)


def test_a_node_tells_how_far_it_has_caught_up(api: APIClient, node: Node) -> None:
    Query.objects.update(lag=400, backlog=1000, backlog_since=subtract_from_now(30))
    answer = api.get("/api/nodes/d1/").json()["backlog"]
    assert (answer["events"], answer["done"]) == (1000, 0.6)
    assert answer["seconds_left"] == pytest.approx(20, abs=2)


@pytest.mark.parametrize(
    ("desired", "observed", "seconds", "result"),
    [
        ("running", "stopped", None, ("starting", "starting")),
        ("running", "running", 3, ("running", "as it was")),
        (
            "running",
            "running",
            40,
            ("starting", "running when last seen, the supervisor has been away for 40 s"),
        ),
        (
            "running",
            "retrying",
            40,
            ("starting", "retrying when last seen, the supervisor has been away for 40 s"),
        ),
        ("running", "failed", 4_000, ("failed", "as it was")),
        ("stopped", "running", 40, ("stopping", "stopping, the supervisor has been away for 40 s")),
        ("stopped", "stopped", 4_000, ("stopped", "as it was")),
    ],
)
def test_what_nobody_has_looked_at_is_not_said_to_run(
    api: APIClient, node: Node, desired: str, observed: str, seconds: float | None, result: tuple[str, str]
) -> None:
    looked_at = None if seconds is None else subtract_from_now(seconds)
    Query.objects.update(desired=desired, observed=observed, words="as it was", looked_at=looked_at)
    status = api.get("/api/nodes/d1/").json()["status"]
    # A machine that is busy takes seconds of its own.
    assert (status["observed"], re.sub(r"for 4\d s", "for 40 s", status["words"])) == result


def test_nodes_are_filtered(api: APIClient, ada: User, plan: Plan, node: Node) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    Query.objects.filter(name=node.digest).update(observed="failed")
    assert len(api.get("/api/nodes/").json()["results"]) == 2  # no plan uses the third one
    assert len(api.get(f"/api/nodes/?plan={plan.pk}").json()["results"]) == 2
    assert [result["digest"] for result in api.get("/api/nodes/?status=failed").json()["results"]] == [
        node.digest
    ]
    assert api.get("/api/nodes/?owner=bob").json()["results"] == []


def test_the_nodes_of_a_plan_are_not_told_to_those_who_may_not_look_at_it(
    api: APIClient, ada: User, bob: User, plan: Plan
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    Plan.objects.update(owner=bob, open_to_all=False)
    assert len(api.get("/api/nodes/").json()["results"]) == 2  # they are ada's
    assert api.get(f"/api/nodes/?plan={plan.pk}").json()["results"] == []


@pytest.mark.parametrize(
    "query",
    [
        "plan=x",
        "plan=-1",
        "plan=1.5",
        "plan=",
        f"plan={'9' * 40}",
        "plan=%00",
        "plan=１",
        "plan=--1",
        "status=fine",
        "status=%00",
        "owner=%00",
        f"owner={'x' * 3000}",
    ],
)
def test_a_bad_filter_is_refused_by_name(api: APIClient, node: Node, query: str) -> None:
    answer = api.get(f"/api/nodes/?{query}")
    assert answer.status_code == 400
    assert answer.json()["problems"][0]["field"] == query.partition("=")[0]


def test_a_node_that_is_not_there(api: APIClient, db: None) -> None:
    for path in ("", "keys/", "timeline/?key=s1"):
        for digest in ("gone", "%00", "x" * 3000, "%ED%A0%80"):
            answer = api.get(f"/api/nodes/{digest}/{path}")
            assert (answer.status_code, answer.json()["code"]) == (404, "unknown_node")


def test_keys_come_most_recently_revised_first(api: APIClient, node: Node) -> None:
    answer = api.get("/api/nodes/d1/keys/").json()
    assert answer["results"] == [{"key": "s1", "known_at": T + 2}, {"key": "s2", "known_at": T + 1}]
    assert [result["key"] for result in api.get("/api/nodes/d1/keys/?search=2").json()["results"]] == ["s2"]
    assert len(api.get("/api/nodes/d1/keys/?limit=1").json()["results"]) == 1


@pytest.mark.parametrize("limit", ["0", "-1", "1001", "x", "", "1e3", "9" * 50, "%00", "0x10", "1_0", "²"])
def test_a_bad_limit_is_refused(api: APIClient, node: Node, limit: str) -> None:
    answer = api.get(f"/api/nodes/d1/keys/?limit={limit}")
    assert (answer.status_code, answer.json()["problems"][0]["field"]) == (400, "limit")


def test_a_timeline_has_points(api: APIClient, node: Node) -> None:
    assert api.get("/api/nodes/d1/timeline/?key=s1").json() == {
        "node": "d1",
        "key": "s1",
        "kind": "bool",
        "final_until": T,
        "as_of": T + 2,
        "results_from": None,
        "version": 2,
        "points": [
            {"t": None, "value": False},
            {"t": T, "value": True},
            {"t": T + 5 * SECOND, "value": False},
        ],
        "truncated": False,
        "next": None,
        "known_until": T + 2,
        "stopped_at": T + 2,
        "behind": None,
    }


def test_a_timeline_is_cut(api: APIClient, node: Node) -> None:
    answer = api.get(f"/api/nodes/d1/timeline/?key=s1&from={T + SECOND}&to={T + 2 * SECOND}").json()
    assert answer["points"] == [{"t": T + SECOND, "value": True}]


@pytest.mark.parametrize(
    ("at", "value"),
    [(T - 1, False), (T, True), (T + 5 * SECOND - 1, True), (T + 5 * SECOND, False), (T - 2**50, False)],
)
def test_a_value_holds_from_its_change_point_on(api: APIClient, node: Node, at: int, value: bool) -> None:
    answer = api.get(f"/api/nodes/d1/timeline/?key=s1&at={at}").json()
    assert answer["value"] is value
    assert "points" not in answer


def test_a_climbing_value_is_told_with_its_slope(api: APIClient, climbing: Node) -> None:
    answer = api.get(f"/api/nodes/n1/timeline/?key=s1&at={T + 3 * SECOND}").json()
    assert (answer["value"], answer["slope"]) == (3.0, 1.0)


def test_what_was_known_then(api: APIClient, node: Node) -> None:
    document = api.get(f"/api/nodes/d1/timeline/?key=s1&known_at={T + 1}").json()
    assert [point["value"] for point in document["points"]] == [False, True]
    answer = api.get(f"/api/nodes/d1/timeline/?key=s1&known_at={T - 1}")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_key")


@pytest.mark.parametrize(
    "at",
    [
        str(T),
        "2024-07-01T08:00:00Z",
        "2024-07-01T10:00:00+02:00",
        "2024-07-01T08:00:00",
        "2024-07-01T08:00:00.000",
    ],
)
def test_times_are_microseconds_or_iso(api: APIClient, node: Node, at: str) -> None:
    for text in (at, quote(at)):
        assert api.get(f"/api/nodes/d1/timeline/?key=s1&at={text}").json()["value"] is True


@pytest.mark.parametrize("name", ["from", "to", "at", "known_at"])
@pytest.mark.parametrize(
    "value",
    [
        "",
        "yesterday",
        "1.5",
        "1e9",
        "NaN",
        "9" * 30,
        "-",
        "--5",
        "2024-13-01T00:00:00Z",
        "2024-07-01T25:00:00Z",
        "%00",
        "null",
        "１２",
        "2024-07-01T00:00:00+99:00",
        "[]",
        str(2**63 - 1),
        str(-(2**63)),
    ],
)
def test_a_bad_time_is_refused_by_name(api: APIClient, node: Node, name: str, value: str) -> None:
    answer = api.get(f"/api/nodes/d1/timeline/?key=s1&{name}={value}")
    assert answer.status_code == 400, answer.content
    assert answer.json()["problems"][0]["field"] == name
    assert "ISO 8601" in answer.json()["message"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("", "key"),
        ("key=a%00", "key"),
        (f"key={'k' * 1025}", "key"),
        ("key=s1&at=1&from=0", "at"),
        ("key=s1&from=5&to=5", "to"),
    ],
)
def test_a_bad_question_is_refused_by_name(api: APIClient, node: Node, query: str, field: str) -> None:
    answer = api.get(f"/api/nodes/d1/timeline/?{query}")
    assert (answer.status_code, answer.json()["problems"][0]["field"]) == (400, field)


def test_absurd_but_possible_times_have_an_answer(api: APIClient, node: Node) -> None:
    earliest, latest = "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"
    for at in (0, -1, earliest, latest):
        assert api.get(f"/api/nodes/d1/timeline/?key=s1&at={at}").status_code == 200
    assert len(api.get(f"/api/nodes/d1/timeline/?key=s1&from={earliest}&to={latest}").json()["points"]) == 3


def test_an_unknown_key_is_said_to_be_unknown(api: APIClient, node: Node) -> None:
    answer = api.get("/api/nodes/d1/timeline/?key=nobody")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_key")
