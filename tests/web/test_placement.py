"""What running a plan would mean, told before; where its nodes run, told after. Asking changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.web.conftest import build_document, has_existed
from timeline_app.web.models import Node, Plan, Query, Stream
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.services import create_plan, run_plan, stop_plan

pytestmark = pytest.mark.django_db
EVENTS = '{"session_id": "s1", "t": 1, "event_id": "a", "player_state": "play"}\n'


def build_two_nodes() -> dict[str, Any]:
    """Two nodes of one stream, and what counts one of them across keys."""
    return {
        "played": has_existed(),
        "never": {"op": "not", "inputs": {"of": "played"}},
        "players": {"op": "aggregate", "inputs": {"of": "played"}, "params": {"function": "count"}},
    }


def list_fates(document: dict[str, Any]) -> dict[str, str]:
    return {name: item["fate"] for item in document["nodes"] for name in item["names"]}


@pytest.fixture
def drawn_plan(ada: User, player: Stream) -> Plan:
    return create_plan(user=ada, name="mine", document=build_document(**build_two_nodes()))


def get_placement(api: APIClient, plan: Plan, placement: str = "") -> dict[str, Any]:
    address = f"/api/plans/{plan.pk}/consequences/" + (f"?placement={placement}" if placement else "")
    answer = api.get(address)
    assert answer.status_code == 200, answer.json()
    document: dict[str, Any] = answer.json()
    return document


def test_everything_of_a_first_plan_is_new_and_computed_from_the_retained_events(
    api: APIClient, drawn_plan: Plan
) -> None:
    api.post("/api/streams/player/events/", EVENTS * 3, content_type="application/x-ndjson")
    answer = get_placement(api, drawn_plan)
    assert list_fates(answer) == {"played": "new", "never": "new", "players": "new"}
    assert answer["replayed_events"] == {"player": 3}
    assert [len(query["nodes"]) for query in answer["queries"]] == [1, 1, 1]
    assert [len(query["nodes"]) for query in get_placement(api, drawn_plan, "together")["queries"]] == [2, 1]
    assert answer["words"] == "Nodes: 3 new. 3 retained events are computed for that."
    assert (Node.objects.count(), Query.objects.count()) == (0, 0)


def test_what_another_plan_runs_is_joined_and_stays_where_it_is(
    api: APIClient, drawn_plan: Plan, ada: User, bob: User
) -> None:
    run_plan(plan=drawn_plan, user=ada, placement="together")
    other = create_plan(
        user=bob,
        name="his",
        document=build_document(x=has_existed(), n=build_two_nodes()["never"] | {"inputs": {"of": "x"}}),
    )
    answer = get_placement(api, other)
    assert list_fates(answer) == {"x": "joined", "n": "joined"}
    assert answer["replayed_events"] == {}
    assert answer["nodes"][0]["users"] == [
        {"plan": drawn_plan.pk, "plan_name": "mine", "owner": "ada", "owner_kind": "person"}
    ]
    run_plan(plan=other, user=bob, placement="isolated")
    assert set(list_fates(get_placement(api, drawn_plan, "isolated")).values()) == {"kept"}, (
        "what others use is not moved"
    )


def test_another_placement_moves_what_nobody_else_uses(api: APIClient, drawn_plan: Plan, ada: User) -> None:
    run_plan(plan=drawn_plan, user=ada, placement="isolated")
    assert list_fates(get_placement(api, drawn_plan)) == {
        "played": "kept",
        "never": "kept",
        "players": "kept",
    }
    assert list_fates(get_placement(api, drawn_plan, "together")) == {
        "played": "moved",
        "never": "moved",
        "players": "kept",
    }
    run_plan(plan=drawn_plan, user=ada, placement="together")
    moving = {node.digest for node in Node.objects.exclude(next_query=None)}
    assert len(moving) == 2
    explained = api.get(f"/api/plans/{drawn_plan.pk}/explain/").json()
    assert explained["placement"] == "together"
    coming = [item for query in explained["queries"] for item in query["hosts"] if item["moving_from"]]
    assert {item["digest"] for item in coming} == moving
    run_plan(plan=drawn_plan, user=ada, placement="isolated")
    empty = Query.objects.filter(nodes=None, coming=None)
    assert [query.desired for query in empty] == ["stopped"], "what nobody waits for any more is not started"


def test_what_an_edit_leaves_out_stops_or_is_left_to_others(
    api: APIClient, drawn_plan: Plan, ada: User, bob: User
) -> None:
    run_plan(plan=drawn_plan, user=ada, placement="together")
    other = create_plan(user=bob, name="his", document=build_document(x=has_existed()))
    run_plan(plan=other, user=bob, placement="isolated")
    smaller = build_document(one={"op": "event_count", "stream": "player"})
    save_plan(plan=drawn_plan, user=ada, version=1, name=None, document=smaller)
    answer = get_placement(api, drawn_plan)
    assert list_fates(answer) == {"one": "new"}
    gone = {name: item["fate"] for item in answer["gone"] for name in item["names"]}
    assert gone == {"played": "left", "never": "stopped", "players": "stopped"}
    run_plan(plan=drawn_plan, user=ada, placement="together")
    group = Node.objects.get(uses__plan=other).query
    assert (group.desired, group.stale, len(group.program["silent"])) == ("running", True, 1)
    stop_plan(plan=other, user=bob)
    group.refresh_from_db()
    assert group.desired == "stopped"


def test_a_plan_that_runs_again_goes_on_where_it_stopped(api: APIClient, drawn_plan: Plan, ada: User) -> None:
    run_plan(plan=drawn_plan, user=ada, placement="together")
    stop_plan(plan=drawn_plan, user=ada)
    assert set(list_fates(get_placement(api, drawn_plan, "together")).values()) == {"resumed"}
    assert list_fates(get_placement(api, drawn_plan, "isolated")) == {
        "played": "moved",
        "never": "moved",
        "players": "resumed",
    }
    before = set(Query.objects.values_list("name", flat=True))
    run_plan(plan=drawn_plan, user=ada, placement="together")
    assert set(Query.objects.values_list("name", flat=True)) == before


def test_explain_says_who_hosts_reads_keeps_and_publishes_what(
    api: APIClient, drawn_plan: Plan, ada: User
) -> None:
    run_plan(plan=drawn_plan, user=ada, placement="together")
    answer = api.get(f"/api/plans/{drawn_plan.pk}/explain/").json()
    group = next(query for query in answer["queries"] if len(query["hosts"]) == 2)
    alone = next(query for query in answer["queries"] if len(query["hosts"]) == 1)
    assert group["reads"] == [
        {"stream": "player", "fields_read": ["player_state"], "node": None, "names": []}
    ]
    assert alone["reads"][0]["names"] == ["played"]
    assert len(group["publishes"]) == 2
    assert "the sums of each group" in alone["keeps"]["what"]
    assert "hosts      " in answer["text"]


@pytest.mark.parametrize("placement", ["", "Together", "x" * 5_000, "isolated,together"])
def test_an_unknown_placement_is_refused_by_name(api: APIClient, drawn_plan: Plan, placement: str) -> None:
    answer = api.get(f"/api/plans/{drawn_plan.pk}/consequences/", {"placement": placement})
    assert answer.status_code == 400
    assert "isolated or together" in str(answer.json())


def test_a_plan_with_problems_has_them_told_instead(api: APIClient, ada: User) -> None:
    plan = create_plan(user=ada, name="x", document=build_document(a={"op": "nonsense"}))
    answer = api.get(f"/api/plans/{plan.pk}/consequences/")
    assert answer.status_code == 422
    assert answer.json()["problems"]
