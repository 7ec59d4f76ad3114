"""Sharing and giving away over REST: by the owner, to those who are there, as a whole."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from tests.web import giving
from tests.web.conftest import log_in_client
from timeline_app.web.core.permissions import Right
from timeline_app.web.dashboards.services import create_dashboard
from timeline_app.web.models import Dashboard, Node, Plan, Stream
from timeline_app.web.models.people import AuditEntry, Role
from timeline_app.web.models.samples import Sample
from timeline_app.web.plans.services import run_plan

pytestmark = pytest.mark.deep


@pytest.fixture
def board(ada: User) -> Dashboard:
    return create_dashboard(user=ada, name="Board")


@pytest.fixture
def team(db: None) -> Group:
    return Group.objects.create(name="viewing")


def build_share(kind: str, name: str, *rights: str) -> dict[str, Any]:
    return {"kind": kind, "name": name, "rights": list(rights)}


def build_body(*shares: dict[str, Any], is_open: bool = False, **more: Any) -> dict[str, Any]:
    return {"open_to_all": is_open, "shares": list(shares), **more}


@pytest.mark.parametrize("kind", ["plans", "streams", "dashboards"])
def test_a_thing_is_shared_as_a_whole_and_looked_at(
    api: APIClient, bobs: APIClient, team: Group, plan: Plan, board: Dashboard, kind: str
) -> None:
    thing = {"plans": plan.pk, "streams": "player", "dashboards": board.pk}[kind]
    address = f"/api/{kind}/{thing}/sharing/"
    assert bobs.get(address).json() == {
        "owner": "ada",
        "owner_kind": "person",
        "open_to_all": True,
        "shares": [],
    }
    body = build_body(
        build_share("person", "bob", "read", "edit"),
        build_share("team", "viewing", "read"),
        reason="we begin",
    )
    answer = api.put(address, body, format="json")
    assert answer.status_code == 200, answer.json()
    assert answer.json()["shares"] == body["shares"]
    assert bobs.get(f"/api/{kind}/{thing}/").json()["rights"] == ["read", "edit"]
    entry = AuditEntry.objects.first()
    assert entry
    assert (entry.act, entry.reason) == (f"{kind[:-1]}.share", "we begin")
    assert api.put(address, build_body(), format="json").json()["shares"] == []
    assert bobs.get(f"/api/{kind}/{thing}/").status_code == 404
    assert bobs.get(address).status_code == 404


def test_only_the_owner_and_administrators_share(
    bobs: APIClient, roots: APIClient, api: APIClient, plan: Plan
) -> None:
    address = f"/api/plans/{plan.pk}/sharing/"
    api.put(address, build_body(build_share("person", "bob", "edit", "operate")), format="json")
    otto = log_in_client(User.objects.create_user("otto", is_staff=True))
    for client in (bobs, otto):
        assert client.put(address, build_body(), format="json").json()["code"] == "not_yours"
        assert client.get(address).status_code == 200
    assert roots.put(address, build_body(), format="json").status_code == 200


@pytest.mark.deep
@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"open_to_all": True},
        {"shares": []},
        build_body() | {"open_to_all": "perhaps"},
        build_body() | {"shares": {}},
        build_body(build_share("person", "nobody", "read")),
        build_body(build_share("team", "nobody", "read")),
        build_body(build_share("robot", "bob", "read")),
        build_body(build_share("person", "bob")),
        build_body(build_share("person", "bob", "own")),
        build_body(build_share("person", "bob", "read"), build_share("person", "bob", "edit")),
        build_body({"name": "bob", "rights": ["read"]}),
        build_body(build_share("person", "bob", "read"), reason="x" * 501),
        build_body(*[build_share("person", "bob", "read")] * 201),
    ],
)
def test_a_share_that_cannot_be_changes_nothing(api: APIClient, bob: User, plan: Plan, sent: Any) -> None:
    answer = api.put(f"/api/plans/{plan.pk}/sharing/", sent, format="json")
    assert answer.status_code == 400, answer.json()
    assert answer.json()["problems"]
    plan.refresh_from_db()
    assert plan.open_to_all
    assert not AuditEntry.objects.filter(act="plan.share").exists()


def test_a_dashboard_is_not_run(api: APIClient, bob: User, board: Dashboard) -> None:
    sent = build_body(build_share("person", "bob", "operate"))
    answer = api.put(f"/api/dashboards/{board.pk}/sharing/", sent, format="json").json()
    assert [problem["field"] for problem in answer["problems"]] == ["shares.0.rights"]


def test_who_cannot_log_in_any_more_keeps_a_share_and_gets_none(
    api: APIClient, bob: User, plan: Plan
) -> None:
    address, body = f"/api/plans/{plan.pk}/sharing/", build_body(build_share("person", "bob", "read"))
    api.put(address, body, format="json")
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert api.put(address, body | {"open_to_all": True}, format="json").status_code == 200
    api.put(address, build_body(), format="json")
    assert api.put(address, body, format="json").json()["code"] == "unknown_person"


def build_addresses(ada: User, plan: Plan, board: Dashboard) -> dict[str, str]:
    """Of one thing of each kind."""
    run_plan(plan=plan, user=ada, placement="isolated")
    node, sample = Node.objects.first(), Sample.objects.create(owner=ada, name="A sample")
    assert node
    return {
        "plan": f"/api/plans/{plan.pk}/transfer/",
        "stream": "/api/streams/player/transfer/",
        "dashboard": f"/api/dashboards/{board.pk}/transfer/",
        "sample": f"/api/samples/{sample.pk}/transfer/",
        "node": f"/api/nodes/{node.digest}/transfer/",
    }


def test_everything_is_given_away_by_its_owner(
    api: APIClient, bobs: APIClient, ada: User, plan: Plan, board: Dashboard
) -> None:
    for kind, address in build_addresses(ada, plan, board).items():
        assert bobs.post(address, {"name": "bob"}, format="json").json()["code"] == "not_yours", kind
        answer = api.post(address, {"name": "bob", "reason": "yours now"}, format="json")
        assert answer.json() == {"owner": "bob", "owner_kind": "person", "transferred": 1}, kind
        entry = AuditEntry.objects.first()
        assert entry
        assert (entry.act, entry.reason, entry.source) == (f"{kind}.transfer", "yours now", "page")
        assert api.post(address, {"name": "ada"}, format="json").status_code == 403
    assert Stream.objects.get().owner_name == "bob"


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"name": ""},
        {"name": "nobody"},
        {"name": None},
        {"name": ["bob"]},
        {"name": "x" * 151},
        {"kind": "team", "name": "bob"},
        {"kind": "robot", "name": "bob"},
        {"kind": None, "name": "bob"},
        {"name": "bob", "reason": "x" * 501},
        {"name": "bob", "reason": 7 * ["x"]},
        {"name": "gone"},
    ],
)
def test_nothing_is_given_to_who_is_not_there(api: APIClient, bob: User, plan: Plan, sent: Any) -> None:
    User.objects.create_user("gone", is_active=False)
    answer = api.post(f"/api/plans/{plan.pk}/transfer/", sent, format="json")
    assert answer.status_code == 400, answer.json()
    plan.refresh_from_db()
    assert plan.owner_name == "ada"


def test_why_something_is_stopped_or_deleted_is_kept(
    api: APIClient, ada: User, plan: Plan, board: Dashboard
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    reason = {"reason": "it costs too much"}
    assert api.post(f"/api/plans/{plan.pk}/stop/", reason, format="json").status_code == 200
    assert api.delete(f"/api/plans/{plan.pk}/", reason, format="json").status_code == 204
    assert api.delete(f"/api/dashboards/{board.pk}/", reason, format="json").status_code == 204
    assert api.delete("/api/streams/player/", reason, format="json").status_code == 204
    rows = AuditEntry.objects.filter(reason="it costs too much").values_list("act", flat=True)
    assert set(rows) == {"plan.stop", "plan.delete", "dashboard.delete", "stream.delete"}


def test_dashboards_are_listed_by_whether_one_may_change_them(
    api: APIClient, bobs: APIClient, ada: User, bob: User, root: User
) -> None:
    mine, read, changed, teams = (create_dashboard(user=ada, name=f"{n}") for n in range(4))
    team = Group.objects.create(name="drawing")
    bob.groups.add(team)
    for thing, holder, right in (
        (read, bob, Right.READ),
        (changed, bob, Right.EDIT),
        (teams, team, Right.EDIT),
    ):
        giving.share_exactly(thing=thing, user=ada, holder=holder, rights=[right])
    own = create_dashboard(user=bob, name="own")

    def list_dashboards(client: APIClient) -> set[int]:
        answer = client.get("/api/dashboards/?may=edit").json()["results"]
        assert all("edit" in item["rights"] for item in answer)
        return {item["id"] for item in answer}

    assert list_dashboards(bobs) == {changed.pk, teams.pk, own.pk}
    assert list_dashboards(api) == {mine.pk, read.pk, changed.pk, teams.pk}
    assert list_dashboards(log_in_client(root)) == {mine.pk, read.pk, changed.pk, teams.pk, own.pk}
    bob.member.role = Role.VIEWER
    bob.member.save()
    assert list_dashboards(bobs) == set(), "a viewer changes nothing"
    refused = bobs.get("/api/dashboards/?may=own")
    assert (refused.status_code, refused.json()["problems"][0]["field"]) == (400, "may")
