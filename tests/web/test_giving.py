"""Many things are given away at once: those that were chosen or all that match, all of them or none."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from timeline_app.web.core.sharing import transfer
from timeline_app.web.models import Plan
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.plans.services import create_plan, run_plan

TO_BOB = {"kind": "person", "name": "bob"}


@pytest.fixture
def plans(ada: User, bob: User) -> list[Plan]:
    """Three of ada, one of bob."""
    own_plan = [create_plan(user=ada, name=f"card {n}", document={"nodes": {}}) for n in range(3)]
    return [*own_plan, create_plan(user=bob, name="card of bob", document={"nodes": {}})]


@pytest.fixture
def team(bob: User) -> Group:
    group = Group.objects.create(name="viewing")
    bob.groups.add(group)
    return group


def transfer_plans(api: APIClient, body: dict[str, Any], status: int = 200, path: str = "") -> Any:
    answer = api.post(f"/api/transfer/{path}", {"of": "plan", **body}, format="json")
    assert answer.status_code == status, answer.content
    return answer.json()


def list_owners(plans: list[Plan]) -> list[str]:
    return [Plan.objects.get(pk=plan.pk).owner_name for plan in plans]


def list_ids(plans: list[Plan]) -> list[str]:
    return [str(plan.pk) for plan in plans]


def test_those_that_are_chosen_go_together_each_with_the_reason(api: APIClient, plans: list[Plan]) -> None:
    answer = transfer_plans(api, {"ids": list_ids(plans[:2]), "to": TO_BOB, "reason": "He carries on"})
    assert answer == {"owner": "bob", "owner_kind": "person", "transferred": 2}
    assert list_owners(plans) == ["bob", "bob", "ada", "bob"]
    written = AuditEntry.objects.filter(act="plan.transfer")
    assert {(item.name, item.reason, item.before["owner"], item.after["owner"]) for item in written} == {
        (f"card {n}", "He carries on", "ada", "bob") for n in range(2)
    }


def test_one_that_is_not_ones_own_keeps_all_of_them(api: APIClient, plans: list[Plan]) -> None:
    answer = transfer_plans(api, {"ids": list_ids(plans), "to": TO_BOB}, 403)
    assert "belongs to bob" in answer["message"]
    assert transfer_plans(api, {"ids": [*list_ids(plans[:1]), "999"], "to": TO_BOB}, 404)["code"] == "gone"
    assert list_owners(plans) == ["ada", "ada", "ada", "bob"]


def test_of_all_that_match_ones_own_go_and_the_others_are_named_before(
    api: APIClient, ada: User, plans: list[Plan], plan: Plan, team: Group
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    answer = transfer_plans(api, {"q": "card"}, path="consequences/")
    assert (answer["count"], answer["running"], answer["others"]) == (3, 0, 1)
    assert [(item["name"], item["owner"]) for item in answer["kept"]] == [("card of bob", "bob")]
    assert [item["name"] for item in answer["given"]] == ["card 0", "card 1", "card 2"]
    assert answer["owner"] == {"kind": "person", "name": "ada"}
    teams = plans[0]
    teams.owner, teams.team = None, team
    teams.save()
    ada.groups.add(team)
    assert transfer_plans(api, {"q": "card"}, path="consequences/")["owner"] is None
    teams.owner, teams.team = ada, None
    teams.save()
    assert transfer_plans(api, {"q": ""}, path="consequences/")["running"] == 1
    response = transfer_plans(api, {"q": "card", "count": 3, "to": {"kind": "team", "name": "viewing"}})
    assert response["transferred"] == 3
    assert list_owners(plans) == ["viewing", "viewing", "viewing", "bob"]


def test_all_that_match_are_as_many_as_were_seen_or_none_goes(api: APIClient, plans: list[Plan]) -> None:
    answer = transfer_plans(api, {"q": "card", "count": 2, "to": TO_BOB}, 409)
    assert (answer["code"], "3 by now" in answer["message"]) == ("changed_meanwhile", True)
    assert list_owners(plans[:3]) == ["ada"] * 3


def test_what_others_hide_is_neither_counted_nor_given(bobs: APIClient, plans: list[Plan]) -> None:
    Plan.objects.update(open_to_all=False)
    answer = transfer_plans(bobs, {"q": "card"}, path="consequences/")
    assert (answer["count"], answer["others"], answer["kept"]) == (1, 0, [])
    transfer_plans(bobs, {"ids": list_ids(plans[:1]), "to": TO_BOB}, 404)


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"to": TO_BOB}, 400, "ids"),
        ({"to": TO_BOB, "ids": ["1"], "q": "x"}, 400, "ids"),
        ({"to": TO_BOB, "ids": []}, 400, "ids"),
        ({"to": TO_BOB, "ids": ["1"] * 1001}, 400, "ids"),
        ({"to": TO_BOB, "ids": "1"}, 400, "ids"),
        ({"to": TO_BOB, "of": "person", "q": ""}, 400, "of"),
        ({"to": TO_BOB, "q": "is:odd"}, 400, "q"),
        ({"to": TO_BOB, "q": "x" * 501}, 400, "q"),
        ({"to": {"name": "nobody here"}, "q": "card"}, 400, "to"),
        ({"q": "card"}, 400, "to"),
        ({"to": TO_BOB, "q": "card", "count": -1}, 400, "count"),
        ({"to": TO_BOB, "ids": ["1e9", "9" * 40, "²"]}, 404, None),
        ({"to": TO_BOB, "of": "node", "ids": ["0"]}, 404, None),
    ],
)
def test_what_is_not_understood_is_refused_by_its_field(
    api: APIClient, plans: list[Plan], body: dict[str, Any], status: int, field: str | None
) -> None:
    answer = transfer_plans(api, body, status)
    if field:
        assert field in {problem["field"] for problem in answer["problems"]}, answer
    assert list_owners(plans) == ["ada", "ada", "ada", "bob"]


def count_queries(things: list[Plan], user: User, to: User) -> int:
    with CaptureQueriesContext(connection) as queries:
        transfer(things=things, user=user, to=to)
    return len(queries)


def test_many_cost_as_many_queries_as_a_few(ada: User, root: User, bob: User, plans: list[Plan]) -> None:
    more = [create_plan(user=ada, name=f"more {n}", document={"nodes": {}}) for n in range(40)]
    few = count_queries(plans[:2], root, bob)
    assert count_queries(more, root, bob) == few


def test_what_belongs_to_them_already_is_left_alone(
    api: APIClient, bobs: APIClient, roots: APIClient, ada: User, plans: list[Plan]
) -> None:
    assert transfer_plans(bobs, {"ids": list_ids(plans[3:]), "to": TO_BOB})["transferred"] == 0
    alone = roots.post(f"/api/plans/{plans[3].pk}/transfer/", TO_BOB, format="json")
    assert (alone.status_code, alone.json()["transferred"]) == (200, 0)
    assert not AuditEntry.objects.filter(act="plan.transfer").exists()
    assert transfer_plans(roots, {"ids": list_ids(plans), "to": TO_BOB})["transferred"] == 3
    assert AuditEntry.objects.filter(act="plan.transfer").count() == 3
    same = roots.post("/api/people/bob/transfer/", TO_BOB, format="json")
    assert (same.status_code, same.json()["code"]) == (409, "same_owner")
