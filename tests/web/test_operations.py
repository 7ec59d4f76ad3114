"""How the product runs, for those who run it: parts, processes, and queries with nodes, owners, lag and errors."""

from __future__ import annotations

from django.contrib.auth.models import User
from rest_framework.test import APIClient

from timeline_app.web.core.process_heartbeats import SUPERVISOR, record_heartbeat
from timeline_app.web.models import Node, Plan, Query
from timeline_app.web.ops import readiness
from timeline_app.web.plans.services import run_plan


def test_queries_are_told_with_nodes_owners_and_what_is_wrong(
    roots: APIClient, ada: User, plan: Plan
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    record_heartbeat(SUPERVISOR)
    played = Node.objects.get(operator="has_existed")
    late = {"lag": 7, "state_bytes": 4_096, "observed": "running", "words": "running"}
    Query.objects.exclude(pk=played.query_id).update(**late)
    bad = {"observed": "failed", "words": "failed", "error": "java.lang.OutOfMemoryError: x", "restarts": 6}
    Query.objects.filter(pk=played.query_id).update(**bad)
    answer = roots.get("/api/operations/").json()
    first, second = answer["queries"]
    assert (first["observed"], first["restarts"], first["owners"]) == ("failed", 6, ["ada"])
    assert first["nodes"] == [{"digest": played.digest, "name": "played", "failure": ""}]
    assert first["error"].startswith("java.lang.OutOfMemoryError")
    assert first["trouble"]
    assert (second["lag"], second["nodes"][0]["name"]) == (7, "never")
    assert answer["state_bytes"] == 4_096
    assert answer["database_bytes"] > 0
    assert {part["name"] for part in answer["parts"]} == set(readiness.PARTS)
    assert [process["name"] for process in answer["processes"]] == [SUPERVISOR]
    assert 0 <= answer["processes"][0]["silent_seconds"] < 60


def test_what_stopped_is_no_matter_of_operations(roots: APIClient, ada: User, plan: Plan) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    Query.objects.update(desired="stopped", observed="stopped")
    assert roots.get("/api/operations/").json()["queries"] == []


def test_it_is_for_those_who_run_the_product(api: APIClient) -> None:
    answer = api.get("/api/operations/")
    assert (answer.status_code, answer.json()["code"]) == (403, "role_too_small")
