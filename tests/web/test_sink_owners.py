"""A sink belongs to who added it: equal nodes of two persons are one node, and each has sinks of one's own on it."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone
from rest_framework.test import APIClient

from tests.web.conftest import build_document, has_existed, log_in_client
from timeline_app.web.core.errors import Conflict
from timeline_app.web.core.sharing import delete_person, set_role, transfer_all
from timeline_app.web.models import Node, Plan, Stream
from timeline_app.web.models.people import AuditEntry, Role
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.plans.services import create_plan, run_plan, stop_plan
from timeline_app.web.sinks.services import build_sink

HOOK = "https://hooks.example.com/services/T000/B000/SECRETTOKEN?key=abc"
SECRET = "0123456789abcdef"
WEBHOOK = {"kind": "webhook", "delivers": "final", "options": {"url": HOOK, "secret": SECRET}}
FOLDER = {"kind": "parquet", "delivers": "final", "options": {"folder": "orders"}}


def run(user: User) -> Plan:
    """A closed plan of the user, whose one node is the same as everybody's."""
    plan = create_plan(user=user, name=None, document=build_document(played=has_existed()))
    Plan.objects.filter(pk=plan.pk).update(open_to_all=False)
    return run_plan(plan=Plan.objects.get(pk=plan.pk), user=user, placement="isolated")


@pytest.fixture
def node(ada: User, player: Stream) -> Node:
    run(ada)
    return Node.objects.get()


@pytest.fixture
def sinks(api: APIClient, node: Node) -> str:
    """Where ada's sinks are: a webhook and a folder."""
    at = f"/api/nodes/{node.digest}/sinks/"
    for body in (WEBHOOK, FOLDER):
        assert api.post(at, body, format="json").status_code == 201
    return at


def list_sinks(client: APIClient, at: str) -> list[dict[str, Any]]:
    documents: list[dict[str, Any]] = client.get(at).json()["sinks"]
    return documents


def try_every_act(client: APIClient, at: str, number: int) -> dict[str, int]:
    """Everything that can be done to a sink, and what each is answered."""
    text = f"{at}{number}/"
    check = {"kind": "webhook", "options": {"url": HOOK}, "number": number}
    calls = {
        "pause": ("post", f"{text}pause/", {}),
        "resume": ("post", f"{text}resume/", {}),
        "change": ("put", text, {"delivers": "final", "options": {"folder": "elsewhere"}}),
        "check": ("post", f"{at}check/", check),
        "transfer": ("post", f"{text}transfer/", {"kind": "person", "name": "bob"}),
        "remove": ("delete", text, {}),
    }
    return {
        name: getattr(client, method)(path, body, format="json").status_code
        for name, (method, path, body) in calls.items()
    }


def test_who_joins_a_node_sees_that_others_have_sinks_and_no_more(
    bobs: APIClient, bob: User, sinks: str
) -> None:
    assert bobs.get(sinks).status_code == 404
    run(bob)
    result = list_sinks(bobs, sinks)
    assert [(item["kind"], item["owner"], item["rights"]) for item in result] == [
        ("webhook", "ada", ["read"]), ("parquet", "ada", ["read"])
    ]  # fmt: skip
    assert [(item["options"], item["place"], item["secrets"]) for item in result] == [({}, "", [])] * 2
    for item in result:
        assert set(try_every_act(bobs, sinks, item["number"]).values()) == {403}
        assert bobs.get(f"{sinks}{item['number']}/").json() == item
    digest = sinks.split("/")[3]
    for path in (sinks, f"/api/nodes/{digest}/", f"/api/nodes/{digest}/audit/", "/api/audit/"):
        assert not re.search("hooks|TOKEN|orders", bobs.get(path).content.decode()), path
    assert NodeSink.objects.filter(paused=False).count() == 2


def test_nobody_learns_an_address_of_another_by_guessing_it(bobs: APIClient, bob: User, sinks: str) -> None:
    run(bob)
    assert bobs.post(sinks, WEBHOOK, format="json").status_code == 201
    assert bobs.post(sinks, WEBHOOK, format="json").json()["code"] == "sink_is_there"


KAFKA = {"servers": "broker.example:9092", "topic": "orders"}
TABLE = {"host": "db.example", "database": "d", "user": "u", "password": "p", "table": "orders"}


@pytest.mark.parametrize(
    ("kind", "options", "answer"),
    [
        ("kafka", KAFKA, None),
        ("postgres", TABLE, None),
        ("parquet", {"folder": "orders"}, (409, "sink_is_there")),
    ],
)
def test_nobody_learns_by_guessing_that_somebody_else_delivers_to_a_place(
    ada: User, bob: User, bobs: APIClient, sinks: str, kind: str, options: Any, answer: Any
) -> None:
    """Two cannot write one folder; whoever finds it taken is not told by whom."""
    run(bob)
    node = Node.objects.get(digest=sinks.split("/")[3])
    NodeSink.objects.filter(kind=kind).delete()
    NodeSink.objects.create(
        node=node, kind=kind, options=options, owner=ada, delivers="final", changed_at=timezone.now()
    )
    body = {"kind": kind, "options": options, "delivers": "final"}
    first = bobs.post(sinks, body, format="json")
    assert answer or first.status_code == 201, first.content
    again = bobs.post(sinks, body, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "sink_is_there")
    assert not answer or first.json() == again.json()
    assert "sink " + str(NodeSink.objects.earliest("pk").pk) not in again.json()["message"]


def test_sinks_of_others_take_no_places_of_mine(
    api: APIClient, bobs: APIClient, bob: User, sinks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(bob)
    monkeypatch.setattr("timeline_app.web.sinks.services.MAX_SINKS_PER_NODE_AND_OWNER", 3)
    bodies = [FOLDER | {"options": {"folder": f"bob/{number}"}} for number in range(4)]
    assert [bobs.post(sinks, body, format="json").status_code for body in bodies] == [201, 201, 201, 409]
    mine = FOLDER | {"options": {"folder": "ada/one"}}
    assert api.post(sinks, mine, format="json").status_code == 201


def test_a_folder_of_another_is_not_even_tried(bobs: APIClient, bob: User, sinks: str) -> None:
    run(bob)
    answers = [
        bobs.post(f"{sinks}check/", {"kind": "parquet", "options": {"folder": folder}}, format="json")
        for folder in ("bob/orders", "ada/orders")
    ]
    assert [answer.status_code for answer in answers] == [204, 400]
    assert answers[1].json()["problems"][0]["field"] == "options.folder"


def test_the_owner_of_the_node_has_no_right_to_a_sink_of_another(
    api: APIClient, bobs: APIClient, bob: User, node: Node
) -> None:
    run(bob)
    at = f"/api/nodes/{node.digest}/sinks/"
    number = bobs.post(at, WEBHOOK, format="json").json()["number"]
    assert Node.objects.get().owner_name == "ada"
    assert set(try_every_act(api, at, number).values()) == {403}


@pytest.mark.parametrize("role", [Role.OPERATOR, Role.ADMIN])
def test_administrators_do_everything_to_it_and_operators_nothing(
    root: User, bob: User, sinks: str, role: Role
) -> None:
    set_role(person=bob, user=root, role=role)
    bobs = log_in_client(User.objects.get(pk=bob.pk))
    result = list_sinks(bobs, sinks)
    number = result[0]["number"]
    if role == Role.OPERATOR:
        assert result[0]["options"] == {}
        assert set(try_every_act(bobs, sinks, number).values()) == {403}
    else:
        assert result[0]["options"]["url"] == "https://hooks.example.com/…"
        assert bobs.post(f"{sinks}{number}/pause/", {}, format="json").status_code == 200
        assert bobs.delete(f"{sinks}{number}/").status_code == 204


def test_a_sink_is_given_to_a_team_whose_members_it_then_belongs_to(
    api: APIClient, bob: User, sinks: str
) -> None:
    number = list_sinks(api, sinks)[0]["number"]
    crew = Group.objects.create(name="crew")
    bob.groups.add(crew)
    answer = api.post(f"{sinks}{number}/transfer/", {"kind": "team", "name": "crew"}, format="json")
    assert (answer.status_code, answer.json()["transferred"]) == (200, 1)
    assert AuditEntry.objects.filter(act="sink.transfer", kind="sink", thing=number).exists()
    assert set(try_every_act(api, sinks, number).values()) == {403}, "it is not ada's any more"
    run(bob)
    assert log_in_client(bob).delete(f"{sinks}{number}/").status_code == 204


def test_many_sinks_are_given_at_once(api: APIClient, bobs: APIClient, bob: User, sinks: str) -> None:
    numbers = [str(item["number"]) for item in list_sinks(api, sinks)]
    body = {"of": "sink", "ids": numbers, "to": {"kind": "person", "name": "bob"}}
    answer = api.post("/api/transfer/consequences/", {"of": "sink", "q": "is:mine"}, format="json").json()
    assert (answer["count"], answer["owner"]) == (2, {"kind": "person", "name": "ada"})
    run(bob)
    assert bobs.post("/api/transfer/", body, format="json").status_code == 403
    assert api.post("/api/transfer/", body, format="json").json()["transferred"] == 2
    assert {sink.owner for sink in NodeSink.objects.all()} == {bob}


def test_who_has_sinks_is_deleted_only_when_somebody_gets_them(
    root: User, ada: User, bob: User, sinks: str
) -> None:
    for plan in Plan.objects.all():
        stop_plan(plan=plan, user=ada)
    for kind in (Plan, Node, Stream):
        kind._default_manager.update(owner=root)
    with pytest.raises(Conflict, match="sink"):
        delete_person(person=ada, user=root)
    assert transfer_all(holder=ada, user=root, to=bob) == 2
    delete_person(person=ada, user=root)
    assert {sink.owner for sink in NodeSink.objects.all()} == {bob}


def test_a_sink_of_nobody_is_refused_by_the_database(ada: User, sinks: str) -> None:
    for change in ({"owner": None}, {"team": Group.objects.create(name="crew")}):
        with pytest.raises(IntegrityError), transaction.atomic():
            NodeSink.objects.update(**change)


def test_how_many_sinks_one_owns_is_told(api: APIClient, sinks: str) -> None:
    assert api.get("/api/people/ada/").json()["owns"]["sink"] == 2


def change_sink(client: APIClient, at: str, options: dict[str, Any], delivers: str = "final") -> Any:
    number = list_sinks(client, at)[0]["number"]
    return client.put(f"{at}{number}/", {"delivers": delivers, "options": options}, format="json")


def build_webhook() -> Any:
    """The webhook as it is delivered to, and its identity."""
    sink = NodeSink.objects.get(kind="webhook")
    new_sink: Any = build_sink(sink)
    return new_sink._url, new_sink._secret.decode(), sink.identity


def test_another_option_is_changed_without_typing_the_address_or_the_secret(
    api: APIClient, sinks: str
) -> None:
    before = build_webhook()
    options = list_sinks(api, sinks)[0]["options"]
    assert options["url"] == "https://hooks.example.com/…"
    answer = change_sink(api, sinks, options | {"timeout": 20.0})
    assert (answer.status_code, answer.json()["options"]["timeout"]) == (200, 20.0)
    assert build_webhook() == before
    assert change_sink(api, sinks, options | {"url": HOOK}).status_code == 200
    assert build_webhook() == before, "the same address typed again is no other place"


@pytest.mark.parametrize(
    "url",
    ["https://other.example.com/x", "https://hooks.example.com/another", "https://hooks.example.com:444/…"],
)
def test_who_delivers_elsewhere_types_the_secret_again(api: APIClient, sinks: str, url: str) -> None:
    before = build_webhook()
    answer = change_sink(api, sinks, {"url": url})
    assert answer.status_code == 400
    assert "options.secret" in {problem["field"] for problem in answer.json()["problems"]}
    assert build_webhook() == before


def test_a_part_of_an_address_is_not_taken_for_the_whole(api: APIClient, sinks: str) -> None:
    answer = change_sink(api, sinks, {"url": "https://evil.example/…", "secret": SECRET})
    assert answer.status_code == 400
    assert "write the whole address again" in answer.json()["message"]


def test_elsewhere_on_the_same_host_begins_anew_and_is_as_secret(api: APIClient, sinks: str) -> None:
    _, _, identity = build_webhook()
    answer = change_sink(api, sinks, {"url": f"{HOOK}2", "secret": SECRET})
    assert answer.status_code == 200
    assert build_webhook()[:2] == (f"{HOOK}2", SECRET)
    assert build_webhook()[2] != identity
    assert "TOKEN" not in answer.content.decode()


@pytest.mark.parametrize(
    "url", ["ftp://host/TOKEN", "https://a..b/TOKEN", "https://h\u00f6st/TOKEN", 7, ["TOKEN"]]
)
def test_a_refusal_does_not_repeat_the_address(api: APIClient, node: Node, url: Any) -> None:
    body = WEBHOOK | {"options": {"url": url, "secret": SECRET}}
    answer = api.post(f"/api/nodes/{node.digest}/sinks/", body, format="json")
    assert answer.status_code == 400
    assert "TOKEN" not in answer.content.decode()


def test_the_address_is_in_no_column_that_is_not_encrypted(api: APIClient, sinks: str) -> None:
    dumped = StringIO()
    call_command("dumpdata", "web", stdout=dumped)
    assert "hooks.example.com" in dumped.getvalue()
    assert "SECRETTOKEN" not in dumped.getvalue()
    assert SECRET not in dumped.getvalue()


@pytest.mark.parametrize(
    ("folder", "status"),
    [
        ("bob/orders", 400), ("BOB/orders", 400), ("bob", 400), ("crew/orders", 400), ("Crew", 400),
        ("ada/orders", 201), ("ours/orders", 201), ("bobs/orders", 201), ("orders/bob", 201),
    ],
)  # fmt: skip
def test_folders_below_the_name_of_others_are_theirs(
    api: APIClient, bob: User, node: Node, folder: str, status: int
) -> None:
    Group.objects.create(name="crew")
    Group.objects.create(name="ours").user_set.add(User.objects.get(username="ada"))
    body = FOLDER | {"options": {"folder": folder}}
    answer = api.post(f"/api/nodes/{node.digest}/sinks/", body, format="json")
    assert answer.status_code == status, answer.json()
    if status == 400:
        assert answer.json()["problems"][0]["field"] == "options.folder"
        assert "such as ada/" in answer.json()["message"]


def test_a_shared_node_is_restarted_only_by_who_operates_all_its_plans(
    api: APIClient, bobs: APIClient, bob: User, root: User, node: Node
) -> None:
    address = f"/api/nodes/{node.digest}/restart/"
    assert api.post(address, {}, format="json").status_code in (200, 202)
    run(bob)
    for client in (api, bobs):
        answer = client.post(address, {}, format="json")
        assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")
        assert "interrupt what others run" in answer.json()["message"]
    set_role(person=bob, user=root, role=Role.OPERATOR)
    assert log_in_client(User.objects.get(pk=bob.pk)).post(address, {}, format="json").status_code in (
        200,
        202,
    )
