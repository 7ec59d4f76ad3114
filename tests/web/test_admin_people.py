"""Admin pages of persons, teams and the audit; histories; and that nothing there goes past the services."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from tests.web.conftest import build_document, has_existed, log_in_client
from tests.web.rights.test_rights import build_bearer
from tests.web.rights.world import PEOPLE, World, create_world
from tests.web.test_admin import running_plan
from timeline_app.web.models import Node, Plan, PlanNode, Query, Stream
from timeline_app.web.models.people import AuditEntry, Member, Role
from timeline_app.web.models.tokens import ApiToken
from timeline_app.web.people.token_services import create_token
from timeline_app.web.plans.services import create_plan, run_plan

pytestmark = pytest.mark.deep

__all__ = ["running_plan"]
LISTS = (
    "auth/user", "auth/group", "web/plan", "web/node", "web/query", "web/stream", "web/dashboard", "web/sample",
    "web/alert", "web/alertchannel", "web/silence",
    "web/revision", "web/apitoken", "web/auditentry",
)  # fmt: skip


def post_action(client: APIClient, where: str, action: str, chosen: list[int], **more: Any) -> str:
    form = {"action": action, "_selected_action": chosen, "apply": "1", **more}
    page: str = client.post(f"/admin/{where}/", form, follow=True).content.decode()
    return page


@pytest.fixture
def team(bob: User) -> Group:
    team = Group.objects.create(name="viewing")
    bob.groups.add(team)
    return team


def test_lists_tell_role_teams_and_what_is_owned(roots: APIClient, running_plan: Plan, team: Group) -> None:
    page = roots.get("/admin/auth/user/").content.decode()
    for words in ("ada", "editor", "viewing", "1 plan, 2 nodes, 1 stream"):
        assert words in page
    assert "bob" in roots.get("/admin/auth/group/").content.decode()


def test_a_role_is_given(roots: APIClient, ada: User) -> None:
    assert "1 person now operator." in post_action(
        roots, "auth/user", "give_role", [ada.pk], role="operator", reason="she runs it"
    )
    assert User.objects.get(pk=ada.pk).member.role == Role.OPERATOR
    assert AuditEntry.objects.get(act="person.role").reason == "she runs it"


def test_the_last_administrator_stays_one(roots: APIClient, root: User) -> None:
    assert "only administrator" in post_action(roots, "auth/user", "give_role", [root.pk], role="viewer")
    assert "Ask another administrator" in post_action(roots, "auth/user", "shut_out", [root.pk])
    assert User.objects.get(pk=root.pk).is_superuser


def test_persons_are_shut_out_and_let_in(roots: APIClient, ada: User) -> None:
    post_action(roots, "auth/user", "shut_out", [ada.pk], reason="on leave")
    assert not User.objects.get(pk=ada.pk).is_active
    post_action(roots, "auth/user", "let_in", [ada.pk])
    assert User.objects.get(pk=ada.pk).is_active


def test_who_owns_something_is_deleted_only_when_somebody_gets_it(
    roots: APIClient, ada: User, bob: User, running_plan: Plan
) -> None:
    assert "Transfer them first" in post_action(roots, "auth/user", "delete_and_transfer", [ada.pk])
    assert User.objects.filter(pk=ada.pk).exists()
    assert "deleted." in post_action(roots, "auth/user", "delete_and_transfer", [ada.pk], to=bob.pk)
    assert not User.objects.filter(pk=ada.pk).exists()
    assert set(Plan.objects.values_list("owner__username", flat=True)) == {"bob"}


def test_all_of_a_person_goes_to_a_team(roots: APIClient, ada: User, running_plan: Plan, team: Group) -> None:
    post_action(roots, "auth/user", "give_all", [ada.pk], team=team.pk, reason="she moves on")
    assert {item.team for kind in (Plan, Node, Stream) for item in kind.objects.all()} == {team}
    assert "owns" in post_action(roots, "auth/group", "delete_and_transfer", [team.pk])
    assert Group.objects.filter(pk=team.pk).exists()


@pytest.mark.parametrize("where", ["auth/user", "auth/group"])
def test_nothing_of_persons_is_changed_by_hand(roots: APIClient, ada: User, team: Group, where: str) -> None:
    number = ada.pk if where.endswith("user") else team.pk
    for address in (f"{number}/change/", f"{number}/delete/", "add/"):
        assert (
            roots.post(f"/admin/{where}/{address}", {"is_superuser": "on", "post": "yes"}).status_code == 403
        )
    assert roots.post(f"/admin/auth/user/{ada.pk}/password/", {"password1": "x"}).status_code in (302, 404)
    page = post_action(roots, where, "delete_selected", [number], post="yes")
    assert "delete_selected" not in page
    assert User.objects.filter(pk=ada.pk).exists()
    assert Group.objects.filter(pk=team.pk).exists()


def test_an_administrator_ends_tokens_of_others(roots: APIClient, ada: User) -> None:
    made, _ = create_token(user=ada, name="t", scopes=["read"])
    post_action(roots, "web/apitoken", "end", [made.pk], reason="it leaked")
    assert ApiToken.objects.count() == 0
    entry = AuditEntry.objects.get(act="token.end")
    assert (entry.actor_name, entry.reason, entry.source) == ("root", "it leaked", "admin")


def test_a_node_is_stopped_with_a_reason_but_not_under_others(
    roots: APIClient, bob: User, running_plan: Plan
) -> None:
    other_plan = create_plan(user=bob, name="Theirs", document=build_document(begun=has_existed()))
    run_plan(plan=other_plan, user=bob, placement="isolated")
    shared, own = Node.objects.get(operator="has_existed"), Node.objects.get(operator="not")
    assert "bob uses it in “Theirs”" in post_action(roots, "web/node", "stop", [shared.pk])
    assert PlanNode.objects.filter(plan=running_plan).exists()
    assert "1 node stopped." in post_action(roots, "web/node", "stop", [own.pk], reason="too dear")
    assert AuditEntry.objects.get(act="node.stop").reason == "too dear"


def test_a_plan_is_run_and_one_with_problems_says_so(roots: APIClient, ada: User, plan: Plan) -> None:
    assert "1 plan running now." in post_action(roots, "web/plan", "run", [plan.pk])
    bad = create_plan(user=ada, name="bad", document={"version": 1, "nodes": {"x": {"op": "nonsense"}}})
    assert "“bad”: The plan has 1 problem" in post_action(roots, "web/plan", "run", [bad.pk])


@pytest.mark.parametrize("words", ["yes", "no", "strange"])
def test_nodes_are_filtered_by_error(roots: APIClient, running_plan: Plan, words: str) -> None:
    Query.objects.update(error="out of memory")
    page = roots.get(f"/admin/web/node/?error={words}").content.decode()
    assert ("has_existed <span" in page) == (words != "no")


def test_the_history_of_a_thing_is_its_audit(roots: APIClient, running_plan: Plan) -> None:
    page = roots.get(f"/admin/web/plan/{running_plan.pk}/history/").content.decode()
    for words in ("made the plan", "ran the plan", "Version 1 runs, placed isolated.", "ada"):
        assert words in page
    assert (
        "Nothing was done"
        in roots.get(f"/admin/web/query/{Query.objects.order_by('pk')[0].pk}/history/").content.decode()
    )


def test_the_audit_is_taken_away_as_csv(roots: APIClient, running_plan: Plan) -> None:
    client = Client()
    client.force_login(User.objects.get(username="root"))
    chosen = list(AuditEntry.objects.values_list("pk", flat=True))
    answer = client.post("/admin/web/auditentry/", {"action": "export", "_selected_action": chosen})
    text = b"".join(answer).decode()
    assert text.startswith("id,at,actor")
    assert "plan.run" in text


@pytest.mark.parametrize("where", LISTS)
def test_the_cost_of_a_list_does_not_grow(roots: APIClient, ada: User, plan: Plan, where: str) -> None:
    def count_queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as made:
            assert roots.get(f"/admin/{where}/").status_code == 200
        return len(made)

    create_more(ada, 2, "a")
    few = count_queries()
    create_more(ada, 1000, "b")
    assert count_queries() <= few + 1
    assert few < 25


def create_more(ada: User, count: int, stem: str) -> None:
    """So many more of what there are many of."""
    names = [f"{stem}{number:04}" for number in range(count)]
    User.objects.bulk_create(User(username=name) for name in names)
    Group.objects.bulk_create(Group(name=name) for name in names)
    Query.objects.bulk_create(Query(name=name, program={}) for name in names)
    queries = dict(Query.objects.filter(name__in=names).values_list("name", "pk"))
    Node.objects.bulk_create(
        Node(digest=name, operator="not", kind="bool", owner=ada, query_id=queries[name]) for name in names
    )
    Plan.objects.bulk_create(Plan(name=name, owner=ada, document={}) for name in names)
    plans = dict(Plan.objects.filter(name__in=names).values_list("name", "pk"))
    nodes = dict(Node.objects.filter(digest__in=names).values_list("digest", "pk"))
    PlanNode.objects.bulk_create(
        PlanNode(plan_id=plans[name], node_id=nodes[name], name="n") for name in names
    )
    AuditEntry.objects.bulk_create(
        AuditEntry(actor_name="ada", source="page", act="plan.run", kind="plan", name=name) for name in names
    )


@pytest.mark.parametrize("where", LISTS)
def test_the_admin_pages_are_for_operators_and_above(db: None, where: str) -> None:
    made: World = create_world()
    item = made.people["member"].pk if where.endswith("user") else 1
    for address in ("", "add/", f"{item}/change/", f"{item}/history/", f"{item}/delete/"):
        for name in PEOPLE[1:]:
            answer = log_in_client(made.people[name]).get(f"/admin/{where}/{address}")
            if name in ("operator", "admin"):
                assert (answer.status_code == 403) == (
                    address in ("add/", f"{item}/delete/")
                ) or answer.status_code in (302, 404)
            else:
                assert answer.status_code == 302, (address, name)
        answer = build_bearer(made.people["admin"], "admin").get(f"/admin/{where}/{address}")
        assert answer.headers["Location"].startswith(("/login/", "/admin/login/"))


def test_what_was_done_to_persons_is_for_administrators(roots: APIClient, ada: User) -> None:
    post_action(roots, "auth/user", "give_role", [ada.pk], role="viewer")
    address = f"/admin/auth/user/{ada.pk}/history/"
    assert "gave another role to the person" in roots.get(address).content.decode()
    operator = log_in_client(User.objects.create_user("otto", is_staff=True))
    assert "gave another role to the person" not in operator.get(address).content.decode()


def test_there_is_one_page_for_the_password(roots: APIClient) -> None:
    assert roots.get("/admin/password_change/").headers["Location"] == "/password/"


def test_lists_are_narrowed_by_their_filters_and_by_nothing_else(client: Client, bob: User) -> None:
    Member.objects.filter(user=bob).update(role=Role.OPERATOR)
    client.force_login(bob)
    refused = (
        "auth/user/?password__startswith=md5", "auth/user/?is_superuser__exact=1", "web/apitoken/?digest__gte=8",
        "web/query/?error__regex=(a%2B)%2B%24", "web/node/?query__observed__regex=(a%2B)%2B%24",
    )  # fmt: skip
    taken = (
        "auth/user/?is_active__exact=1&member__role__exact=editor", "web/apitoken/?user__id__exact=1",
        "web/node/?error=yes&query__observed__exact=failed&owner__id__exact=1&team__isnull=True",
        "web/auditentry/?at__year=2026&at__gte=2026-01-01&kind=plan",
    )  # fmt: skip
    assert [client.get(f"/admin/{item}").status_code for item in refused] == [400] * len(refused)
    assert [client.get(f"/admin/{item}").status_code for item in taken] == [200] * len(taken)
