"""Quotas: nobody has more than may be, also where two come at once; and the refusal says what helps."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from tests.web.conftest import log_in_client
from tests.web.log import make_node
from tests.web.test_people_at_once import run_together
from timeline_app.demos.player import STREAM
from timeline_app.quotas import DEFAULT_QUOTAS
from timeline_app.web.core.errors import Missing, QuotaExceeded
from timeline_app.web.core.quotas import MIN_ANSWER_BYTES, QUOTAS, enforce_quotas
from timeline_app.web.core.sharing import transfer
from timeline_app.web.models import Dashboard, Node, Plan, Query, Stream
from timeline_app.web.models.people import Member, Role
from timeline_app.web.models.versions import PlanDraft
from timeline_app.web.nodes.actions import restart_node
from timeline_app.web.plans.services import create_plan, run_plan, stop_plan
from timeline_app.web.streams.services import create_stream

EMPTY = {"version": 1, "nodes": {}}


def set_quotas(settings: Settings, **numbers: int) -> None:
    settings.QUOTAS = settings.QUOTAS | numbers


def build_chain(many: int) -> dict[str, Any]:
    """A plan of so many different nodes: states of the player's stream, each another value."""
    nodes: dict[str, Any] = {
        "played": {"op": "latest_event_to_state", "stream": "player", "params": {"field": "player_state"}}
    }
    for number in range(many - 1):
        nodes[f"n{number}"] = {
            "op": "equal_to",
            "inputs": {"of": "played"},
            "params": {"value": f"v{number}"},
        }
    return {"version": 1, "nodes": nodes}


BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "plans": ("/api/plans/", {"document": EMPTY}),
    "dashboards": ("/api/dashboards/", {"name": "d"}),
    "streams": ("/api/streams/", STREAM),
    "samples": ("/api/samples/", {"events": {}}),
}


@pytest.mark.parametrize("name", BODIES)
def test_one_more_than_may_be_is_refused_with_what_helps(
    api: APIClient, bobs: APIClient, settings: Settings, name: str
) -> None:
    set_quotas(settings, **{name: 2})
    address, body = BODIES[name]
    items = [
        client.post(address, body | {"name": f"{who}{number}"}, format="json")
        for who, client in (("ada", api), ("bob", bobs))
        for number in range(3)
    ]
    assert [item.status_code for item in items] == [201, 201, 409] * 2, [item.content for item in items]
    refused = items[2].json()
    assert refused["code"] == "quota_exceeded"
    assert f"ada would have 3 {QUOTAS[name].noun}; at most 2 are possible." in refused["message"]
    assert f"TIMELINE_QUOTAS={name}" in refused["message"]
    assert refused["problems"][0]["field"] == name


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["plans", "dashboards", "streams"])
def test_of_two_who_make_the_last_one_at_once_one_is_refused(settings: Settings, name: str) -> None:
    ada = User.objects.create_user("ada")
    set_quotas(settings, **{name: 1})
    address, body = BODIES[name]
    clients = [log_in_client(ada) for _ in range(4)]
    jobs = [
        lambda item=item, number=number: (
            item.post(address, body | {"name": f"n{number}"}, format="json").status_code
        )
        for number, item in enumerate(clients)
    ]
    assert sorted(run_together(*jobs)) == [201, 409, 409, 409]
    models: dict[str, Any] = {"plans": Plan, "dashboards": Dashboard, "streams": Stream}
    assert models[name].objects.count() == 1


def test_documents_are_counted_with_all_their_versions(api: APIClient, settings: Settings) -> None:
    set_quotas(settings, document_bytes=10_000)
    plan = api.post("/api/plans/", {"document": EMPTY}, format="json").json()
    for number in range(40):
        document = EMPTY | {"comments": [{"text": "x" * 1_000, "place": [number, 0, 9, 9]}]}
        answer = api.put(
            f"/api/plans/{plan['id']}/", {"document": document, "version": plan["version"]}, format="json"
        )
        if answer.status_code != 200:
            break
        plan = answer.json()
    assert (answer.status_code, answer.json()["code"]) == (409, "quota_exceeded"), answer.content
    assert 3 <= number < 12
    # What is there may shrink, and stays.
    assert api.get(f"/api/plans/{plan['id']}/").json()["version"] == plan["version"]
    assert api.delete(f"/api/plans/{plan['id']}/").status_code == 204
    assert api.post("/api/plans/", {"document": EMPTY}, format="json").status_code == 201


def test_an_isolated_plan_of_too_many_queries_is_refused_and_told_of_together(
    ada: User, player: Stream, settings: Settings
) -> None:
    set_quotas(settings, running_queries=10)
    plan = create_plan(user=ada, name="many", document=build_chain(11))
    with pytest.raises(QuotaExceeded, match=r"11 running Spark queries; at most 10 .* placement `together`"):
        run_plan(plan=plan, user=ada, placement="isolated")
    assert not Query.objects.exists()
    assert not Node.objects.exists()
    assert not Plan.objects.get(pk=plan.pk).running
    run_plan(plan=plan, user=ada, placement="together")
    assert Query.objects.filter(desired="running").count() == 1


def test_the_installation_has_a_limit_of_queries_too(
    ada: User, bob: User, player: Stream, settings: Settings
) -> None:
    set_quotas(settings, all_queries=5)
    first, second = (
        create_plan(user=who, name="few", document=document)
        for who, document in ((ada, build_chain(4)), (bob, build_chain(6)))
    )
    run_plan(plan=first, user=ada, placement="isolated")
    with pytest.raises(QuotaExceeded, match="This installation would have 6 running Spark queries"):
        run_plan(plan=second, user=bob, placement="isolated")
    # What runs goes on where a limit is lowered, and may be run again and stopped.
    set_quotas(settings, all_queries=1, running_queries=1, running_nodes=1)
    run_plan(plan=first, user=ada, placement="isolated")
    stop_plan(plan=first, user=ada)
    assert not Query.objects.filter(desired="running").exists()


def test_whoever_gets_things_needs_room_for_them(ada: User, bob: User, settings: Settings) -> None:
    team = Group.objects.create(name="blue")
    set_quotas(settings, plans=2)
    plans = [create_plan(user=ada, name=None, document=dict(EMPTY)) for _ in range(2)]
    create_plan(user=bob, name=None, document=dict(EMPTY))
    with pytest.raises(QuotaExceeded, match="bob would have 3 plans"):
        transfer(things=plans, user=ada, to=bob)
    assert Plan.objects.filter(owner=ada).count() == 2
    assert transfer(things=plans, user=ada, to=team) == 2
    more = create_plan(user=ada, name=None, document=dict(EMPTY))
    with pytest.raises(QuotaExceeded, match="The team blue would have 3 plans"):
        transfer(things=[more], user=ada, to=team)


def test_kept_answers_are_bounded_in_bytes(api: APIClient, settings: Settings) -> None:
    def post(key: str) -> Any:
        return api.post("/api/plans/", {"document": EMPTY}, format="json", headers={"Idempotency-Key": key})

    assert post("a").status_code == 201
    set_quotas(settings, answer_bytes=10)
    refused = post("b")
    assert (refused.status_code, refused.json()["code"]) == (409, "quota_exceeded")
    assert Plan.objects.count() == 1
    repeated = post("a")
    assert (repeated.status_code, repeated.headers["Idempotent-Replayed"]) == (201, "true")


def test_small_answers_count_as_well(api: APIClient, settings: Settings) -> None:
    """Each new key looks through all answers of a person: a million empty ones held up everybody's writes."""

    def post(key: str) -> Any:
        return api.post("/api/plans/", {"name": ""}, format="json", headers={"Idempotency-Key": key})

    set_quotas(settings, answer_bytes=2 * MIN_ANSWER_BYTES)
    assert [post(key).status_code for key in "abc"] == [400, 400, 409]
    assert post("a").headers["Idempotent-Replayed"] == "true"


def test_one_reads_what_one_has_and_may_have(api: APIClient, ada: User, settings: Settings) -> None:
    set_quotas(settings, plans=7)
    ada.groups.add(Group.objects.create(name="blue"))
    create_plan(user=ada, name=None, document=dict(EMPTY))
    answer = api.get("/api/me/quotas/")
    assert answer.status_code == 200, answer.content
    mine, team = answer.json()["results"]
    assert (mine["owner"], mine["owner_kind"], team["owner"], team["owner_kind"]) == (
        "ada",
        "person",
        "blue",
        "team",
    )
    rows = {quota["name"]: quota for quota in mine["quotas"]}
    assert rows["plans"] == {"name": "plans", "noun": "plans", "used": 1, "limit": 7}
    assert rows["document_bytes"]["used"] > 0
    assert next(quota["used"] for quota in team["quotas"] if quota["name"] == "plans") == 0


def test_every_quota_has_a_number_and_a_line_in_the_docs() -> None:
    assert set(QUOTAS) | {"subscriptions", "rankings"} == set(DEFAULT_QUOTAS)


def test_a_viewer_has_quotas_like_everybody(ada: User, settings: Settings) -> None:
    Member.objects.filter(user=ada).update(role=Role.VIEWER)
    assert log_in_client(ada).get("/api/me/quotas/").status_code == 200


def test_a_stream_beyond_the_quota_leaves_nothing_behind(ada: User, settings: Settings) -> None:
    set_quotas(settings, streams=0)
    with pytest.raises(QuotaExceeded, match="at most 0"):
        create_stream(user=ada, name="s", document=dict(STREAM))
    assert not Stream.objects.exists()


def test_sinks_count_for_whom_they_belong_to(api: APIClient, ada: User, settings: Settings) -> None:
    set_quotas(settings, sinks=1)
    node = make_node(ada)
    answers = [
        api.post(f"/api/nodes/{node.digest}/sinks/", sink | {"delivers": "revisions"}, format="json")
        for sink in ({"kind": "parquet", "options": {"folder": name}} for name in ("a", "b"))
    ]
    assert [answer.status_code for answer in answers] == [201, 409], [answer.content for answer in answers]
    assert answers[1].json()["code"] == "quota_exceeded"
    rows = api.get("/api/me/quotas/").json()["results"][0]["quotas"]
    assert next(row["used"] for row in rows if row["name"] == "sinks") == 1


def test_the_database_keeps_the_sizes_of_documents(api: APIClient, ada: User) -> None:
    """Each save counted all characters of a person's documents: 128 MiB were read for that."""
    created = api.post("/api/plans/", {"document": EMPTY}, format="json").json()
    for version in (1, 2, 3):
        document = EMPTY | {"comments": [{"text": "x" * version, "place": [0, 0, 9, 9]}]}
        body = {"document": document, "version": version}
        assert api.put(f"/api/plans/{created['id']}/", body, format="json").status_code == 200
    rows = [Plan.objects.get().document, *PlanDraft.objects.values_list("document", flat=True)]
    with CaptureQueriesContext(connection) as queries:
        used = QUOTAS["document_bytes"].count(ada)
    assert used == sum(len(json.dumps(document)) for document in rows)
    assert not [item["sql"] for item in queries if '"document"' in item["sql"]]


def test_a_restart_that_needs_a_query_more_asks_the_quotas(
    ada: User, player: Stream, settings: Settings
) -> None:
    plan = create_plan(user=ada, name="two", document=build_chain(2))
    run_plan(plan=plan, user=ada, placement="together")
    node = Node.objects.exclude(uses__name="played").get()
    query = node.query
    query.program = query.program | {"silent": [node.digest]}
    query.save()
    Node.objects.filter(pk=node.pk).update(failure="too many points")
    node.refresh_from_db()
    for name in ("running_queries", "all_queries"):
        with (
            override_settings(QUOTAS=settings.QUOTAS | {name: 1}),
            pytest.raises(QuotaExceeded, match="2 running Spark queries"),
        ):
            restart_node(node=node, user=ada)
        assert Query.objects.count() == 1
    restart_node(node=node, user=ada)
    assert Query.objects.count() == 2
    assert QUOTAS["running_queries"].count(ada) == 2


def test_an_owner_who_was_deleted_is_not_there(ada: User, settings: Settings) -> None:
    team = Group.objects.create(name="crew")
    for holder, words in ((ada, "ada was deleted"), (team, "The team crew was deleted")):
        number = holder.pk
        holder.delete()
        holder.pk = number
        with pytest.raises(Missing, match=words), enforce_quotas(holder, "plans"):
            raise AssertionError("nobody counts for somebody who is not there")
