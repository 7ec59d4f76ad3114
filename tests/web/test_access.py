"""Who may do what with what: roles, owners, teams, shares, and what is open to all."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import DatabaseError, IntegrityError, connection, transaction
from rest_framework.test import APIClient

from tests.web.conftest import log_in_client
from tests.web.giving import open_to_all, share_exactly
from timeline_app.demos.player import STREAM
from timeline_app.landing.recording import Events
from timeline_app.landing.segments import SCHEMA
from timeline_app.web.core.errors import Conflict, Missing, NotYours
from timeline_app.web.core.permissions import ALL, READ, Right, compute_rights_on, select_readable
from timeline_app.web.core.sharing import delete_person, list_holdings, set_role, transfer, transfer_all
from timeline_app.web.dashboards.services import create_dashboard
from timeline_app.web.models import Dashboard, Node, Plan, Stream
from timeline_app.web.models.people import AuditEntry, Role
from timeline_app.web.nodes.actions import restart_node
from timeline_app.web.nodes.selectors import get_node
from timeline_app.web.people.selectors import describe_sharing
from timeline_app.web.plans.services import create_plan, delete_plan, run_plan, stop_plan
from timeline_app.web.samples.services import keep_sample
from timeline_app.web.streams.services import create_stream


@pytest.fixture
def private(ada: User, plan: Plan) -> Plan:
    """A plan of ada's that nobody else may look at."""
    open_to_all(thing=plan, user=ada, is_open=False)
    return plan


@pytest.fixture
def team(bob: User) -> Group:
    """A team of bob's."""
    team = Group.objects.create(name="viewing")
    bob.groups.add(team)
    return team


@pytest.fixture
def viewer(db: None) -> User:
    user = User.objects.create_user("vera")
    user.member.role = Role.VIEWER
    user.member.save()
    return user


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_user("otto", is_staff=True)


@pytest.mark.parametrize(
    ("flags", "role"),
    [({}, "editor"), ({"is_staff": True}, "operator"), ({"is_staff": True, "is_superuser": True}, "admin")],
)
def test_everybody_has_a_role(db: None, flags: dict[str, Any], role: str) -> None:
    assert User.objects.create_user("new", **flags).member.role == role


def test_what_is_open_is_seen_by_all_and_changed_by_its_owner(ada: User, bob: User, plan: Plan) -> None:
    assert compute_rights_on(ada, plan) == ALL
    assert compute_rights_on(bob, plan) == READ


def test_what_is_not_open_is_not_there_for_others(
    private: Plan, ada: User, bob: User, bobs: APIClient, api: APIClient
) -> None:
    assert compute_rights_on(bob, private) == frozenset()
    assert bobs.get(f"/api/plans/{private.pk}/").status_code == 404
    assert bobs.get("/api/plans/").json()["results"] == []
    assert [result["id"] for result in api.get("/api/plans/").json()["results"]] == [private.pk]


@pytest.mark.parametrize("right", [Right.READ, Right.EDIT, Right.OPERATE])
@pytest.mark.parametrize("in_team", [False, True])
def test_a_share_gives_what_it_says_and_looking(
    private: Plan, ada: User, bob: User, team: Group, right: Right, in_team: bool
) -> None:
    share_exactly(thing=private, user=ada, holder=team if in_team else bob, rights=[right])
    assert compute_rights_on(bob, private) == {Right.READ, right}
    assert list(select_readable(Plan.objects.all(), bob)) == [private]
    share_exactly(thing=private, user=ada, holder=team if in_team else bob, rights=[])
    assert compute_rights_on(bob, private) == frozenset()
    assert describe_sharing(private) == {"open_to_all": False, "shares": []}


def test_a_role_is_the_most_that_a_share_can_give(private: Plan, ada: User, viewer: User) -> None:
    share_exactly(thing=private, user=ada, holder=viewer, rights=[Right.EDIT, Right.OPERATE])
    assert compute_rights_on(viewer, private) == READ


def test_viewers_make_nothing(viewer: User, player: Stream) -> None:
    client = log_in_client(viewer)
    for address, body in (
        ("/api/plans/", {"document": {"nodes": {}}}),
        ("/api/dashboards/", {}),
        ("/api/streams/", {"name": "x", "key": "k", "time": "t"}),
        ("/api/samples/", {"name": "x", "events": {}}),
    ):
        answer = client.post(address, body, format="json")
        assert (answer.status_code, answer.json()["code"]) == (403, "role_too_small"), address
    assert (Plan.objects.count(), Dashboard.objects.count(), Stream.objects.count()) == (0, 0, 1)


def test_a_viewer_is_told_of_the_role_and_what_was_not_done(viewer: User, player: Stream, plan: Plan) -> None:
    client = log_in_client(viewer)
    message = "Your role, viewer, lets you look only. Ask an administrator for another."
    for address, words in (
        ("streams/player/events/", "This stream belongs to ada, and you may not push events to it"),
        ("streams/player/rejected/retry/", "This stream belongs to ada, and you may not push events to it"),
        (f"plans/{plan.pk}/run/", "This plan belongs to ada, and you may not run or stop it."),
        (f"plans/{plan.pk}/versions/", "This plan belongs to ada, and you may not change it."),
    ):
        body = {"lines": [{"id": 1}]} if "retry" in address else {}
        answer = client.post(f"/api/{address}", body, format="json")
        document = answer.json()
        assert (answer.status_code, document["code"]) == (403, "role_too_small"), address
        assert document["message"].startswith(words)
        assert document["message"].endswith(message)


def test_who_may_look_at_a_node_is_told_what_operating_it_is(bob: User, plan: Plan, ada: User) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    node = plan.nodes.first()
    assert node
    with pytest.raises(
        NotYours, match=r"you may not restart or stop it, or say where it is delivered\. Ask ada"
    ):
        restart_node(node=node, user=bob)


def test_operators_see_and_run_everything_and_change_nothing(private: Plan, operator: User) -> None:
    assert compute_rights_on(operator, private) == {Right.READ, Right.OPERATE}
    run_plan(plan=private, user=operator, placement="isolated")
    stop_plan(plan=private, user=operator)
    with pytest.raises(NotYours, match="may not share, transfer or delete"):
        delete_plan(plan=private, user=operator)


def test_what_belongs_to_a_team_belongs_to_each_of_it(
    private: Plan, ada: User, bob: User, team: Group
) -> None:
    assert transfer(things=[private], user=ada, to=team) == 1
    private.refresh_from_db()
    assert (private.owner, private.owner_name, private.owner_told()["owner_kind"]) == (
        None,
        "viewing",
        "team",
    )
    assert (compute_rights_on(bob, private), compute_rights_on(ada, private)) == (ALL, frozenset())


def test_nothing_belongs_to_nobody_or_to_two(plan: Plan, team: Group) -> None:
    for change in ({"owner": None}, {"team": team}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Plan.objects.filter(pk=plan.pk).update(**change)


def test_all_of_them_go_or_none(ada: User, bob: User, plan: Plan) -> None:
    his = create_plan(user=bob, name="his", document={"nodes": {}})
    with pytest.raises(NotYours):
        transfer(things=[plan, his], user=ada, to=bob)
    plan.refresh_from_db()
    assert plan.owner == ada
    his.delete()
    with pytest.raises(Missing, match="deleted in the meantime"):
        transfer(things=[plan, Plan(pk=99, name="x")], user=ada, to=bob)
    plan.refresh_from_db()
    assert plan.owner == ada


def test_nothing_is_given_to_who_has_left(ada: User, bob: User, plan: Plan) -> None:
    bob.is_active = False
    bob.save()
    with pytest.raises(Conflict, match="cannot log in"):
        transfer(things=[plan], user=ada, to=bob)


def test_who_owns_something_is_not_deleted_but_may_be_followed_by_another(
    ada: User, bob: User, root: User, plan: Plan
) -> None:
    create_dashboard(user=ada, name="Board")
    run_plan(plan=plan, user=ada, placement="isolated")
    with pytest.raises(Conflict, match=r"ada owns .* Transfer them first"):
        delete_person(person=ada, user=root)
    with pytest.raises(NotYours):
        delete_person(person=ada, user=bob, to=bob)
    delete_person(person=ada, user=root, to=bob)
    assert not User.objects.filter(username="ada").exists()
    assert {type(holding) for holding in list_holdings(bob)} == {Plan, Node, Stream, Dashboard}


def test_all_of_a_person_goes_at_once(ada: User, bob: User, root: User, plan: Plan) -> None:
    with pytest.raises(NotYours, match="role admin"):
        transfer_all(holder=ada, user=ada, to=bob)
    assert transfer_all(holder=ada, user=root, to=bob) == len(list_holdings(bob)) == 2
    assert list_holdings(ada) == []


def test_there_is_always_an_administrator(root: User, ada: User) -> None:
    with pytest.raises(Conflict, match="only administrator"):
        set_role(person=root, user=root, role=Role.EDITOR)
    set_role(person=ada, user=root, role=Role.ADMIN)
    set_role(person=root, user=root, role=Role.VIEWER)
    root.refresh_from_db()
    assert (root.is_staff, root.is_superuser, root.member.role) == (False, False, "viewer")
    with pytest.raises(NotYours):
        set_role(person=ada, user=User.objects.get(pk=root.pk), role=Role.VIEWER)
    with pytest.raises(Conflict, match="themselves"):
        delete_person(person=User.objects.get(pk=ada.pk), user=User.objects.get(pk=ada.pk))


def test_a_node_is_seen_by_those_who_see_a_plan_that_uses_it_or_did(
    private: Plan, ada: User, bob: User, team: Group
) -> None:
    run_plan(plan=private, user=ada, placement="isolated")
    node = Node.objects.first()
    assert node
    assert (compute_rights_on(bob, node), compute_rights_on(ada, node)) == (frozenset(), ALL)
    with pytest.raises(Missing):
        get_node(node.digest, bob)
    share_exactly(thing=private, user=ada, holder=team, rights=[Right.OPERATE])
    assert compute_rights_on(bob, node) == {Right.READ, Right.OPERATE}
    stop_plan(plan=private, user=ada)
    assert compute_rights_on(bob, node) == READ
    assert get_node(node.digest, bob) == node
    share_exactly(thing=private, user=ada, holder=team, rights=[])
    assert list(select_readable(Node.objects.all(), bob)) == []


def test_who_joins_is_not_told_the_names_of_plans_that_are_not_shared(
    private: Plan, ada: User, bob: User, bobs: APIClient
) -> None:
    run_plan(plan=private, user=ada, placement="isolated")
    his = create_plan(user=bob, name="his", document=private.document)
    answer = bobs.get(f"/api/plans/{his.pk}/consequences/").json()
    users = [user for node in answer["nodes"] for user in node["users"]]
    assert {(user["plan"], user["plan_name"], user["owner"]) for user in users} == {
        (None, "a plan that is not shared with you", "ada")
    }
    run_plan(plan=his, user=bob, placement="isolated")
    for node in bobs.get("/api/nodes/").json()["results"]:
        assert "A plan" not in {user["plan_name"] for user in node["users"]}


def test_a_stream_that_is_not_open_is_no_stream_for_others(
    ada: User, player: Stream, bobs: APIClient, bob: User
) -> None:
    open_to_all(thing=player, user=ada, is_open=False)
    document = {"version": 1, "nodes": {"n": {"op": "has_existed", "stream": "player"}}}
    answer = bobs.post("/api/plans/check/", {"document": document}, format="json").json()
    assert not answer["ok"]
    assert "unknown_stream" in {problem["code"] for problem in answer["problems"]}
    his = create_plan(user=bob, name="his", document=document)
    assert bobs.post(f"/api/plans/{his.pk}/run/", {}, format="json").status_code == 422
    for address in ("", "events/", "activity/", "rejected/", "values/"):
        assert bobs.get(f"/api/streams/player/{address}").status_code == 404
    assert "Did you mean" not in bobs.get("/api/streams/players/").json()["message"]


def test_the_owner_alone_shares(plan: Plan, ada: User, bob: User) -> None:
    share_exactly(thing=plan, user=ada, holder=bob, rights=[Right.EDIT, Right.OPERATE])
    with pytest.raises(NotYours):
        share_exactly(thing=plan, user=bob, holder=bob, rights=[Right.READ])
    with pytest.raises(NotYours):
        open_to_all(thing=plan, user=bob, is_open=False)


def test_the_cost_of_a_list_does_not_grow(
    ada: User, bob: User, team: Group, bobs: APIClient, django_assert_max_num_queries: Any
) -> None:
    for number in range(20):
        new_plan = create_plan(user=ada, name=f"{number}", document={"nodes": {}})
        open_to_all(thing=new_plan, user=ada, is_open=False)
        share_exactly(thing=new_plan, user=ada, holder=team if number % 2 else bob, rights=[Right.EDIT])
    with django_assert_max_num_queries(10):
        answer = bobs.get("/api/plans/").json()["results"]
    assert len(answer) == 20
    assert {tuple(item["rights"]) for item in answer} == {("read", "edit")}


def test_every_act_is_written_down_with_who_and_whence(
    api: APIClient, ada: User, bob: User, root: User, plan: Plan
) -> None:
    api.post(f"/api/plans/{plan.pk}/run/", {"placement": "together"}, format="json")
    share_exactly(thing=plan, user=ada, holder=bob, rights=[Right.READ])
    transfer(things=[plan], user=ada, to=bob, reason="he carries on")
    ran = AuditEntry.objects.get(act="plan.run")
    assert (ran.actor, ran.actor_name, ran.source, ran.name) == (ada, "ada", "page", "A plan")
    assert (ran.before, ran.after) == (
        {"running": False},
        {"running": True, "version": 1, "placement": "together"},
    )
    entry = AuditEntry.objects.get(act="plan.transfer")
    assert (entry.reason, entry.source) == ("he carries on", "shell")
    assert (entry.before, entry.after) == (
        {"owner": "ada", "owner_kind": "person"},
        {"owner": "bob", "owner_kind": "person"},
    )
    assert list(AuditEntry.objects.values_list("act", flat=True)) == [
        "plan.transfer", "plan.share", "plan.run", "plan.create", "stream.create",
    ]  # fmt: skip


def test_what_fails_is_not_written_down(bobs: APIClient, plan: Plan) -> None:
    before = AuditEntry.objects.count()
    assert bobs.delete(f"/api/plans/{plan.pk}/").status_code == 403
    assert AuditEntry.objects.count() == before


def test_the_audit_is_never_changed(plan: Plan) -> None:
    entry = AuditEntry.objects.first()
    assert entry
    for act in (entry.save, entry.delete):
        with pytest.raises(TypeError):
            act()
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        AuditEntry.objects.update(actor_name="somebody else")
    if connection.vendor == "postgresql":
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            AuditEntry.objects.all()._raw_delete(AuditEntry.objects.db)


def test_who_is_gone_stays_in_the_audit(ada: User, root: User) -> None:
    create_stream(user=ada, name="s", document={"key": "k", "time": "t"})
    delete_person(person=ada, user=root, to=root)
    assert AuditEntry.objects.get(act="stream.create").actor_name == "ada"


def test_what_is_made_of_a_stream_that_is_not_open_begins_closed(
    ada: User, player: Stream, plan: Plan, bob: User
) -> None:
    other = create_stream(user=ada, name="other", document=STREAM)
    open_to_all(thing=other, user=ada, is_open=False)
    elsewhere = create_plan(user=ada, name="of another stream", document=plan.document)
    assert compute_rights_on(bob, run_plan(plan=elsewhere, user=ada, placement="isolated")) == READ
    open_to_all(thing=player, user=ada, is_open=False)
    sample = keep_sample(user=ada, name="s", events={"player": Events(SCHEMA.empty_table())})
    assert not sample.open_to_all
    assert compute_rights_on(bob, sample) == frozenset()
    assert compute_rights_on(bob, run_plan(plan=plan, user=ada, placement="isolated")) == frozenset()
    assert AuditEntry.objects.filter(act="plan.share").count() == 1
    open_to_all(thing=plan, user=ada, is_open=True)
    assert compute_rights_on(bob, run_plan(plan=plan, user=ada, placement="together")) == READ, (
        "the owner said so"
    )


def test_tokens_are_in_the_audit_by_name_and_never_by_text(api: APIClient, ada: User) -> None:
    body = {"name": "machine", "scopes": ["events"]}
    made = api.post("/api/tokens/", body, format="json", headers={"X-Request-ID": "my-request"}).json()
    assert api.delete(f"/api/tokens/{made['id']}/").status_code == 204
    ended, created = AuditEntry.objects.filter(kind="token")
    assert (created.act, created.name, created.after["scopes"]) == ("token.create", "machine", ["events"])
    assert created.request == "my-request"
    assert (ended.act, ended.before) == ("token.end", {"scopes": ["events"]})
    assert made["token"] not in str(list(AuditEntry.objects.values()))
