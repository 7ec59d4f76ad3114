"""Nodes are started again and stopped by those who may; the audit tells who did it, also when it was the system."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.utils import timezone
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed, log_in_client
from tests.web.giving import open_to_all, share_exactly
from timeline_app.web.core.errors import Conflict, NotYours
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.sharing import transfer
from timeline_app.web.models import Node, Plan, Query
from timeline_app.web.models.people import AuditEntry, Role
from timeline_app.web.nodes import system_audit
from timeline_app.web.nodes.actions import restart_node, restart_query, stop_node
from timeline_app.web.plans.services import create_plan, run_plan
from workers.engine import status


@pytest.fixture
def node(ada: User, plan: Plan) -> Node:
    """The node that reads the stream, of ada's plan."""
    run_plan(plan=plan, user=ada, placement="isolated")
    return Node.objects.get(operator="has_existed")


@pytest.fixture
def bobs_plan(bob: User, node: Node) -> Plan:
    """Bob's plan uses it, too."""
    plan = create_plan(user=bob, name="Theirs", document=build_document(begun=has_existed()))
    return run_plan(plan=plan, user=bob, placement="isolated")


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_user("otto", is_staff=True)


def post(client: APIClient, node: Node, act: str, body: Any = None) -> Any:
    return client.post(f"/api/nodes/{node.digest}/{act}/", {} if body is None else body, format="json")


def list_acts(*names: str) -> list[str]:
    """Of these acts, which were written down, in their order."""
    return list(AuditEntry.objects.filter(act__in=names).order_by("id").values_list("act", flat=True))


def test_a_node_that_gave_up_is_tried_again_with_the_whole_budget(
    api: APIClient, node: Node, sent_tasks: list[str]
) -> None:
    Query.objects.update(observed="failed", restarts=21, retry_at=None)
    answer = post(api, node, "restart", {"reason": "the disk is free again"})
    assert (answer.status_code, answer.json()["digest"]) == (202, node.digest)
    node.query.refresh_from_db()
    assert (node.query.restarts, node.query.stale) == (0, False)
    assert node.query.retry_at is not None
    assert node.query.retry_at <= timezone.now()
    entry = AuditEntry.objects.get(act="node.restart")
    assert (entry.actor_name, entry.reason, entry.thing) == ("ada", "the disk is free again", node.pk)
    assert entry.before["restarts"] == 21
    assert Query.objects.filter(restarts=21).count() == 1


def test_a_node_that_runs_is_stopped_and_started(api: APIClient, node: Node) -> None:
    Query.objects.update(observed="running", spark_run_id="r1")
    assert post(api, node, "restart").status_code == 202
    assert list(Query.objects.filter(stale=True)) == [node.query]


def test_what_nobody_uses_is_not_started(ada: User, api: APIClient, node: Node) -> None:
    stop_node(node=node, user=ada)
    answer = post(api, node, "restart")
    assert (answer.status_code, answer.json()["code"]) == (409, "not_wanted")
    with pytest.raises(Conflict):
        restart_query(query=node.query, user=ada)


def test_one_stops_the_own_plans_that_use_it(api: APIClient, plan: Plan, node: Node) -> None:
    answer = post(api, node, "stop", {"reason": "not needed"})
    assert (answer.status_code, answer.json()["users"]) == (200, [])
    plan.refresh_from_db()
    assert not plan.running
    assert set(Query.objects.values_list("desired", flat=True)) == {"stopped"}
    for act in ("plan.stop", "node.stop"):
        assert AuditEntry.objects.get(act=act).reason == "not needed"
    assert post(api, node, "stop").status_code == 200
    assert list_acts("node.stop") == ["node.stop"]


def test_a_teams_plan_is_the_own_plan_of_each_of_it(
    ada: User, bob: User, bobs: APIClient, plan: Plan, node: Node
) -> None:
    team = Group.objects.create(name="viewing")
    bob.groups.add(team)
    transfer(things=[plan], user=ada, to=team)
    assert post(bobs, node, "stop").status_code == 200


def test_nothing_is_stopped_under_others(
    ada: User, api: APIClient, plan: Plan, node: Node, bobs_plan: Plan
) -> None:
    answer = post(api, node, "stop")
    document = answer.json()
    assert (answer.status_code, document["code"]) == (409, "in_use")
    assert [problem["message"] for problem in document["problems"]] == ["bob uses it in “Theirs”"]
    plan.refresh_from_db()
    assert plan.running
    assert list_acts("plan.stop", "node.stop") == []


def test_the_name_of_a_plan_that_is_not_shared_is_not_told(
    bob: User, api: APIClient, node: Node, bobs_plan: Plan
) -> None:
    open_to_all(thing=bobs_plan, user=bob, is_open=False)
    answer = post(api, node, "stop").json()
    assert "Theirs" not in str(answer)
    assert answer["problems"][0]["message"] == "bob uses it in a plan that is not shared with you"


def test_operators_stop_what_its_owner_alone_uses(operator: User, plan: Plan, node: Node) -> None:
    assert post(log_in_client(operator), node, "stop").status_code == 200


def test_not_even_operators_stop_a_node_under_several(
    operator: User, root: User, node: Node, bobs_plan: Plan
) -> None:
    for user in (operator, root):
        with pytest.raises(Conflict, match="bob uses it in “Theirs”"):
            stop_node(node=node, user=user)


def test_who_may_only_look_does_neither(bob: User, bobs: APIClient, node: Node) -> None:
    for act in ("restart", "stop"):
        answer = post(bobs, node, act)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")
    with pytest.raises(NotYours):
        restart_query(query=node.query, user=bob)


def test_who_may_run_a_plan_restarts_its_nodes_and_stops_none(
    ada: User, bob: User, bobs: APIClient, plan: Plan, node: Node
) -> None:
    share_exactly(thing=plan, user=ada, holder=bob, rights=[Right.OPERATE])
    assert post(bobs, node, "restart").status_code == 202
    assert post(bobs, node, "stop").status_code == 409


def test_a_viewer_does_neither_even_to_the_own(ada: User, api: APIClient, node: Node) -> None:
    ada.member.role = Role.VIEWER
    ada.member.save()
    client = log_in_client(User.objects.get(pk=ada.pk))
    assert {post(client, node, act).status_code for act in ("restart", "stop")} == {403}


@pytest.mark.parametrize("act", ["restart", "stop"])
def test_who_may_not_look_is_told_that_there_is_none(
    ada: User, bobs: APIClient, plan: Plan, node: Node, act: str
) -> None:
    open_to_all(thing=plan, user=ada, is_open=False)
    assert post(bobs, node, act).status_code == 404


@pytest.mark.parametrize("act", ["restart", "stop"])
@pytest.mark.parametrize(
    "body", [{"reason": "x" * 501}, {"reason": {}}, {"reason": []}, {"reason": "\0"}, [], "x"]
)
def test_bodies_that_say_nothing_do_nothing(api: APIClient, node: Node, act: str, body: Any) -> None:
    assert post(api, node, act, body).status_code == 400
    assert list_acts("node.restart", "node.stop", "plan.stop") == []


@pytest.mark.parametrize("digest", ["x", "%00", "a" * 3000, "..%2f", "'", "1 OR 1=1", "ü", "%ff", "-", "0"])
def test_there_is_no_such_node(api: APIClient, db: None, digest: str) -> None:
    for act in ("restart", "stop"):
        assert api.post(f"/api/nodes/{digest}/{act}/", {}, format="json").status_code == 404


def run_at_once(*jobs: Callable[[], object]) -> list[str]:
    """Run each in a thread of its own at the same moment; what became of them."""
    start, items = threading.Barrier(len(jobs)), ["" for _ in jobs]

    def run_alone(index: int, job: Callable[[], object]) -> None:
        try:
            start.wait()
            job()
            items[index] = "done"
        except Conflict as why:
            items[index] = why.code
        finally:
            connection.close()

    threads = [threading.Thread(target=run_alone, args=pair) for pair in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return items


def test_of_two_who_restart_at_once_both_are_heard(
    transactional_db: None, ada: User, root: User, node: Node
) -> None:
    Query.objects.update(observed="failed", restarts=20)
    assert run_at_once(
        lambda: restart_node(node=node, user=ada), lambda: restart_node(node=node, user=root)
    ) == [
        "done",
        "done",
    ]
    assert list_acts("node.restart") == ["node.restart", "node.restart"]
    node.query.refresh_from_db()
    assert node.query.restarts == 0


@pytest.mark.parametrize("turn", range(5))
def test_who_joins_while_it_is_stopped_keeps_it_or_starts_it_again(
    transactional_db: None, ada: User, bob: User, plan: Plan, node: Node, turn: int
) -> None:
    other_plan = create_plan(
        user=bob, name="Theirs", document=build_document(begun=has_existed(), never=build_negation("begun"))
    )
    stopped, joined = run_at_once(
        lambda: stop_node(node=node, user=ada),
        lambda: run_plan(plan=other_plan, user=bob, placement="isolated"),
    )
    assert (stopped in ("done", "in_use"), joined) == (True, "done")
    plan.refresh_from_db()
    assert plan.running == (stopped == "in_use")
    assert set(Query.objects.values_list("desired", flat=True)) == {"running"}


def test_the_system_writes_down_that_it_tries_again_gives_up_and_is_back(node: Node) -> None:
    query = node.query
    status.record_failure(query, "out of memory")
    status.restore_budget(query)
    query.restarts = status.MAX_RESTARTS
    status.record_failure(query, "out of memory")
    result = list(
        AuditEntry.objects.filter(actor=None)
        .order_by("id")
        .values_list("act", "actor_name", "source", "thing")
    )
    assert result == [
        (act, "the system", "task", node.pk) for act in ("node.retry", "node.recover", "node.give_up")
    ]
    assert AuditEntry.objects.get(act="node.give_up").reason == "out of memory"


def test_a_query_that_flaps_does_not_fill_the_audit(node: Node) -> None:
    for _ in range(100):
        status.record_failure(node.query, "flaps")
        status.restore_budget(node.query)
    assert list_acts("node.retry", "node.recover") == ["node.retry", "node.recover"]


def test_after_an_hour_it_is_told_again(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    system_audit.note_system_act(node.query, system_audit.RETRIED)
    monkeypatch.setattr(system_audit, "NOTE_INTERVAL", timedelta(0))
    system_audit.note_system_act(node.query, system_audit.RETRIED)
    assert list_acts("node.retry") == ["node.retry", "node.retry"]
