"""What a run or a stop would mean is told before, of a document that nobody saved, too."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed, log_in_client
from timeline_app.web.models import Node, Plan, Query, Stream
from timeline_app.web.nodes.problems import describe_failure
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.services import create_plan, run_plan

pytestmark = pytest.mark.django_db
ADDRESS = "/api/plans/consequences/"
EVENTS = '{"session_id": "s1", "t": 1, "event_id": "a", "player_state": "play"}\n'


def get_consequences(api: APIClient, nodes: dict[str, Any], **more: Any) -> dict[str, dict[str, Any]]:
    answer = api.post(ADDRESS, {"document": build_document(**nodes), **more}, format="json")
    assert answer.status_code == 200, answer.json()
    return {name: node for node in answer.json()["nodes"] for name in node["names"]}


def test_a_document_that_was_never_saved_is_foreseen_and_nothing_is_kept(
    api: APIClient, player: Stream
) -> None:
    api.post("/api/streams/player/events/", EVENTS, content_type="application/x-ndjson")
    answer = get_consequences(api, {"played": has_existed(), "never": build_negation("played")})
    assert {name: (node["fate"], node["owner"], node["since"]) for name, node in answer.items()} == {
        "played": ("new", None, None),
        "never": ("new", None, None),
    }
    assert answer["played"]["reads"] == ["player"]
    assert (Plan.objects.count(), Node.objects.count(), Query.objects.count()) == (0, 0, 0)


def test_what_runs_for_others_says_whose_it_is_and_since_when(
    api: APIClient, bobs: APIClient, bob: User, player: Stream
) -> None:
    his = create_plan(user=bob, name="his", document=build_document(x=has_existed()))
    run_plan(plan=his, user=bob, placement="isolated")
    Query.objects.update(observed="running", observed_since="2024-07-01T09:00:00Z", words="running")
    node = get_consequences(api, {"played": has_existed()})["played"]
    assert (node["fate"], node["owner"], node["observed"]) == ("joined", "bob", "running")
    assert node["since"] == 1_719_824_400_000_000
    assert node["users"] == [{"plan": his.pk, "plan_name": "his", "owner": "bob", "owner_kind": "person"}]
    assert node["reads"] == []


def test_what_runs_in_a_plan_of_ones_own_or_of_ones_team_is_not_said_to_run_for_others(
    ada: User, bob: User, player: Stream
) -> None:
    def describe_for(of: User) -> str:
        return str(
            log_in_client(of)
            .post(ADDRESS, {"document": build_document(x=has_existed())}, format="json")
            .json()["words"]
        )

    own_plan = create_plan(user=ada, name="mine", document=build_document(x=has_existed()))
    run_plan(plan=own_plan, user=ada, placement="isolated")
    assert describe_for(ada) == "Nodes: 1 joined, running already for your other plans."
    assert describe_for(bob) == "Nodes: 1 joined, running already for others."
    team = Group.objects.create(name="viewing")
    bob.groups.add(team)
    Plan.objects.filter(pk=own_plan.pk).update(owner=None, team=team)
    assert describe_for(bob) == "Nodes: 1 joined, running already for your other plans."
    assert describe_for(ada) == "Nodes: 1 joined, running already for others."
    other = create_plan(user=bob, name="his", document=build_document(x=has_existed()))
    run_plan(plan=other, user=bob, placement="isolated")
    answer = log_in_client(bob).get(f"/api/plans/{other.pk}/stop/consequences/").json()
    assert answer["words"] == "Nodes: 1 left to your other plans."


def test_a_node_that_computes_something_else_now_is_told_apart_from_a_new_one(
    api: APIClient, ada: User, plan: Plan
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    changed = {
        "played": has_existed('player_state == "pause"'),
        "never": build_negation("played"),
        "also": has_existed(),
    }
    answer = get_consequences(api, changed, plan=plan.pk)
    assert {name: (node["fate"], node["replaces"]) for name, node in answer.items()} == {
        "played": ("new", True),
        "never": ("new", True),
        "also": ("kept", False),
    }


def test_a_name_is_a_label_another_one_starts_stops_and_computes_nothing(
    api: APIClient, ada: User, plan: Plan
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")

    def list_runs() -> list[dict[str, Any]]:
        return [dict(query) for query in Query.objects.order_by("pk").values()]

    before, nodes = list_runs(), list(Node.objects.order_by("pk").values("pk", "digest", "query"))
    named = {"begun": has_existed(), "never": build_negation("begun")}
    answer = api.post(ADDRESS, {"document": build_document(**named), "plan": plan.pk}, format="json").json()
    entry = {name: (node["fate"], node["was"]) for node in answer["nodes"] for name in node["names"]}
    assert entry == {"begun": ("kept", ["played"]), "never": ("kept", [])}
    assert answer["words"] == "Nodes: 2 left as they are, 1 of them under another name."
    assert (answer["gone"], answer["replayed_events"]) == ([], {})
    assert not any(query["starts"] for query in answer["queries"])
    plan = save_plan(plan=plan, user=ada, version=1, name=None, document=build_document(**named))
    run_plan(plan=plan, user=ada, placement="isolated")
    assert sorted(plan.uses.values_list("name", flat=True)) == ["begun", "never"]
    assert list_runs() == before
    assert list(Node.objects.order_by("pk").values("pk", "digest", "query")) == nodes


def test_before_a_stop_it_is_said_what_goes_on_and_for_whom(
    api: APIClient, ada: User, bob: User, plan: Plan
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    his = create_plan(user=bob, name="his", document=build_document(x=has_existed()))
    run_plan(plan=his, user=bob, placement="isolated")
    answer = api.get(f"/api/plans/{plan.pk}/stop/consequences/").json()
    gone = {name: item for item in answer["gone"] for name in item["names"]}
    assert {name: item["fate"] for name, item in gone.items()} == {"played": "left", "never": "stopped"}
    assert gone["played"]["users"] == [
        {"plan": his.pk, "plan_name": "his", "owner": "bob", "owner_kind": "person"}
    ]
    assert answer["words"] == "Nodes: 1 stopped, 1 left to others."
    plan.refresh_from_db()
    assert plan.running
    assert api.get("/api/plans/4711/stop/consequences/").status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"document": None}, 400),
        ({"document": []}, 400),
        ({"document": "plan"}, 400),
        ({"document": {}, "placement": "both"}, 400),
        ({"document": {}, "plan": "mine"}, 400),
        ({"document": {}, "plan": 0}, 400),
        ({"document": {}, "plan": 2**40}, 400),
        ({"document": {}, "plan": 4711}, 404),
        ({"document": {}}, 422),
        ({"document": {"version": 1, "nodes": {"a": {"op": "nonsense"}}}}, 422),
        ({"document": {"version": 1, "nodes": {"a": build_negation("a")}}}, 422),
    ],
)
def test_what_cannot_be_run_is_refused_with_its_problems(
    api: APIClient, body: dict[str, Any], status: int
) -> None:
    answer = api.post(ADDRESS, body, format="json")
    assert answer.status_code == status, answer.json()
    assert answer.json()["message"]
    assert status != 422 or answer.json()["problems"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("the Spark server at sc://127.0.0.1:1 does not answer: UNAVAILABLE", "The Spark server does not"),
        ("java.io.IOException: No space left on device", "The disk is full."),
        ("java.lang.OutOfMemoryError: Java heap space", "The memory does not suffice."),
        ("PermissionError: [Errno 13] Permission denied: 'x'", "A file may not be read or written."),
        ("stalled: no progress for 40 s, 12 events wait", "It stands still."),
        ("[CANNOT_LOAD_STATE_STORE.X] no", "Its state cannot be read."),
        ("[STREAM_FAILED] x: Python worker failed to connect back.", "The machine was too busy to start"),
        ("ValueError: nobody foresaw this", "It failed, and is tried again."),
    ],
)
def test_an_error_is_told_in_words_with_what_helps(error: str, words: str) -> None:
    failure = describe_failure(Query(observed="retrying", error=error))
    assert failure["trouble"].startswith(words)
    assert failure["hint"]
    assert "press Apply" in describe_failure(Query(observed="failed", error=error))["hint"]
    assert describe_failure(Query(observed="running", error=error)) == {"trouble": "", "hint": ""}
