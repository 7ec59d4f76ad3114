"""Running plans share nodes: joined by whoever needs them, stopped when the last one leaves."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed
from timeline_app.compiler import Program, compile_plan
from timeline_app.demos.player import CIRR
from timeline_app.web.models import Node, Plan, PlanNode, Query, Stream
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.services import create_plan, delete_plan, run_plan, stop_plan
from timeline_app.web.streams.selectors import load_declarations


def run(plan: Plan, user: User) -> Plan:
    return run_plan(plan=plan, user=user, placement="isolated")


def list_wanted() -> set[str]:
    """The operators of the nodes whose query is wanted."""
    return set(Node.objects.filter(query__desired="running").values_list("operator", flat=True))


def test_every_distinct_node_gets_a_query_of_its_own(ada: User, plan: Plan) -> None:
    run(plan, ada)
    compiled = compile_plan(plan.document, load_declarations(ada))
    assert {node.digest for node in Node.objects.all()} == set(compiled.programs)
    for node in Node.objects.select_related("query"):
        program = compiled.programs[node.digest]
        assert (node.operator, node.kind, node.owner) == (program.operator, program.kind.value, ada)
        assert (node.query.name, node.query.desired) == (node.digest, "running")
        assert Program.from_document(node.query.program) == program
    assert set(PlanNode.objects.values_list("name", "node__digest")) == set(compiled.names.items())


def test_the_plan_tells_its_nodes(api: APIClient, plan: Plan) -> None:
    answer = api.post(f"/api/plans/{plan.pk}/run/", {"placement": "isolated"}, format="json").json()
    assert answer["running"] is True
    assert [node["name"] for node in answer["nodes"]] == ["never", "played"]
    assert {node["status"] for node in answer["nodes"]} == {"starting"}


@pytest.mark.parametrize("placement", ["", "Together", 5, None, ["isolated"], {"a": 1}, "x" * 10_000, True])
def test_an_unknown_placement_is_refused(api: APIClient, plan: Plan, placement: Any) -> None:
    answer = api.post(f"/api/plans/{plan.pk}/run/", {"placement": placement}, format="json")
    assert answer.status_code == 400, answer.content
    assert answer.json()["problems"][0]["field"] == "placement"


def test_a_plan_with_problems_does_not_run(api: APIClient, ada: User, player: Stream) -> None:
    plan = create_plan(
        user=ada, name=None, document=build_document(a=build_negation("b"), c={"op": "nonsense"})
    )
    answer = api.post(f"/api/plans/{plan.pk}/run/")
    assert (answer.status_code, answer.json()["code"]) == (422, "plan_refused")
    assert {problem["node"] for problem in answer.json()["problems"]} == {"a", "c"}
    assert Node.objects.count() == 0


def test_a_plan_on_a_stream_of_its_own_does_not_run(api: APIClient, ada: User, db: None) -> None:
    own = build_document(a=has_existed()) | {"streams": {"player": {"key": "k", "time": "t"}}}
    plan = create_plan(user=ada, name=None, document=own)
    answer = api.post(f"/api/plans/{plan.pk}/run/")
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["code"] == "unknown_stream"


def test_what_runs_already_is_joined(ada: User, bob: User, plan: Plan) -> None:
    run(plan, ada)
    other_plan = create_plan(user=bob, name="Theirs", document=build_document(begun=has_existed()))
    run(other_plan, bob)
    assert Node.objects.count() == 2
    shared = Node.objects.get(operator="has_existed")
    assert shared.owner == ada
    assert set(shared.plans.values_list("name", flat=True)) == {"A plan", "Theirs"}


def test_the_last_one_who_leaves_stops_it(ada: User, bob: User, plan: Plan) -> None:
    other_plan = create_plan(user=bob, name="Theirs", document=build_document(begun=has_existed()))
    run(plan, ada)
    run(other_plan, bob)
    stop_plan(plan=plan, user=ada)
    assert list_wanted() == {"has_existed"}
    stop_plan(plan=other_plan, user=bob)
    assert list_wanted() == set()
    assert Node.objects.count() == 2


def test_running_a_changed_document_joins_and_leaves(ada: User, plan: Plan) -> None:
    run(plan, ada)
    before = Node.objects.get(operator="has_existed")
    changed = build_document(begun=has_existed(), seconds={"op": "duration_where", "inputs": {"of": "begun"}})
    save_plan(plan=plan, user=ada, version=1, name=None, document=changed)
    assert list_wanted() == {"has_existed", "not"}
    run(plan, ada)
    assert list_wanted() == {"has_existed", "duration_where"}
    assert set(plan.uses.values_list("name", flat=True)) == {"begun", "seconds"}
    assert Node.objects.get(operator="has_existed").pk == before.pk


def test_running_twice_changes_nothing(ada: User, plan: Plan) -> None:
    run(plan, ada)
    before = list(PlanNode.objects.order_by("pk").values())
    run(plan, ada)
    assert list(PlanNode.objects.order_by("pk").values()) == before


def test_names_that_mean_the_same_are_one_node(ada: User, player: Stream) -> None:
    same = build_document(a=has_existed(), b=has_existed(), c=build_negation("a"), d=build_negation("c"))
    plan = run(create_plan(user=ada, name=None, document=same), ada)
    digests = dict(plan.uses.values_list("name", "node__digest"))
    assert digests["a"] == digests["b"] == digests["d"]
    assert Node.objects.count() == 2


def test_a_deleted_plan_is_stopped(ada: User, api: APIClient, plan: Plan) -> None:
    run(plan, ada)
    assert api.delete(f"/api/plans/{plan.pk}/").status_code == 204
    assert list_wanted() == set()
    assert (PlanNode.objects.count(), Query.objects.count()) == (0, 2)


def test_who_runs_a_failed_query_gives_it_its_budget_back(ada: User, plan: Plan) -> None:
    run(plan, ada)
    Query.objects.update(observed="failed", restarts=20, retry_at=None)
    run(plan, ada)
    assert set(Query.objects.values_list("desired", "restarts")) == {("running", 0)}
    assert all(query.retry_at and query.retry_at <= timezone.now() for query in Query.objects.all())


def test_joining_leaves_a_healthy_query_alone(ada: User, bob: User, plan: Plan) -> None:
    run(plan, ada)
    Query.objects.update(observed="running", restarts=3)
    run(create_plan(user=bob, name=None, document=build_document(begun=has_existed())), bob)
    assert set(Query.objects.values_list("restarts", flat=True)) == {3}


def test_the_workers_are_told_after_the_commit(
    ada: User,
    plan: Plan,
    sent_tasks: list[str],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run(plan, ada)
        assert sent_tasks == []
    assert sent_tasks == ["workers.tasks.supervise"]


def test_the_demo_plan_runs_eight_region_nodes_and_an_aggregate(ada: User, player: Stream) -> None:
    run(create_plan(user=ada, name=None, document=CIRR), ada)
    operators = list(Node.objects.values_list("operator", flat=True))
    assert len(operators) == 9
    assert operators.count("aggregate") == 1


@pytest.mark.django_db(transaction=True)
def test_plans_that_run_and_stop_at_once_agree() -> None:
    from timeline_app.demos.player import STREAM
    from timeline_app.web.streams.services import create_stream

    user = User.objects.create_user("carl")
    create_stream(user=user, name="player", document=STREAM)
    plans = [create_plan(user=user, name=str(number), document=CIRR) for number in range(4)]
    problems: list[BaseException] = []

    def run_and_stop(plan: Plan, last: str) -> None:
        try:
            for _ in range(3):
                run(plan, user)
                stop_plan(plan=plan, user=user)
            if last == "runs":
                run(plan, user)
            elif last == "gone":
                delete_plan(plan=plan, user=user)
        except BaseException as why:
            problems.append(why)
        finally:
            connection.close()

    ends = ("stops", "runs", "gone", "stops")
    threads = [threading.Thread(target=run_and_stop, args=pair) for pair in zip(plans, ends, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert Node.objects.count() == Query.objects.filter(desired="running").count() == 9
    assert set(PlanNode.objects.values_list("plan__name", flat=True)) == {"1"}


def test_without_a_word_a_plan_runs_as_it_ran_last(api: APIClient, plan: Plan) -> None:
    assert api.post(f"/api/plans/{plan.pk}/run/", {}, format="json").json()["placement"] == "isolated"
    api.post(f"/api/plans/{plan.pk}/run/", {"placement": "together"}, format="json")
    assert api.post(f"/api/plans/{plan.pk}/run/", {}, format="json").json()["placement"] == "together"
