"""Where a node is delivered to: added, told, tried, changed, paused, removed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.web.log import make_node, revise
from timeline_app.connectors.files.parquet_sink import Parquet
from timeline_app.web.models import Node, Plan
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.models.sinks import NodeSink, SinkKey
from timeline_app.web.sinks.deliveries import read_next_batch, record_step
from timeline_app.web.sinks.services import MAX_SINKS_PER_NODE_AND_OWNER, build_sink

SINK = {"kind": "parquet", "delivers": "revisions", "options": {"folder": "orders/cirr"}}


@pytest.fixture
def node(ada: User) -> Node:
    return make_node(ada)


def build_address(node: Node, rest: str = "") -> str:
    return f"/api/nodes/{node.digest}/sinks/{rest}"


def add(api: APIClient, node: Node, **more: Any) -> Any:
    return api.post(build_address(node), SINK | more, format="json")


def test_a_sink_is_told_with_every_default(api: APIClient, node: Node) -> None:
    assert api.get(build_address(node)).json() == {"sinks": []}
    answer = add(api, node)
    assert answer.status_code == 201
    document = answer.json()
    assert document["options"] == {"folder": "orders/cirr", "every": 10.0}
    assert (document["title"], document["once"], document["delivers"]) == (
        "Parquet files",
        "exactly once",
        "revisions",
    )
    assert (document["observed"], document["rows"], document["lag"], document["secrets"]) == (
        "starting",
        0,
        0,
        [],
    )
    assert api.get(build_address(node)).json() == {"sinks": [document]}
    assert api.get(build_address(node, f"{document['number']}/")).json() == document
    assert api.get(build_address(node, "777/")).json()["code"] == "unknown_sink"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"kind": "floppy"}, "kind"),
        ({"options": {}}, "options.folder"),
        ({"options": {"folder": "../up"}}, "options.folder"),
        ({"options": {"folder": 7}}, "options.folder"),
        ({"options": {"folder": "a", "every": -1}}, "options.every"),
        ({"options": {"folder": "a", "colour": "red"}}, "options.colour"),
        ({"options": "a"}, "options"),
        ({"delivers": "sometimes"}, "delivers"),
        ({"paused": "perhaps"}, "paused"),
        ({"kind": ""}, "kind"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(api: APIClient, node: Node, body: Any, field: str) -> None:
    answer = add(api, node, **body)
    assert answer.status_code == 400
    assert [problem["field"] for problem in answer.json()["problems"]] == [field]
    assert not NodeSink.objects.exists()


def test_an_address_is_told_nobody_whole_and_to_others_not_at_all(
    api: APIClient, bobs: APIClient, ada: User, node: Node
) -> None:
    hook = "https://hooks.example/services/T0/open-sesame?key=hush"
    options = {"url": hook, "secret": "0123456789abcdef"}
    document = add(api, node, kind="webhook", options=options).json()
    assert (document["options"]["url"], document["place"]) == ("https://hooks.example/…",) * 2
    NodeSink.objects.update(words=f"{hook} answers 500")
    node.readers.add(Plan.objects.create(owner=ada, name="open", document={}))
    answers = [bobs.get(build_address(node)), bobs.get(build_address(node, f"{document['number']}/"))]
    for answer in [*answers, bobs.get(f"/api/nodes/{node.digest}/audit/")]:
        assert answer.status_code == 200
        assert not re.search("sesame|hush|hooks.example", answer.content.decode())
    assert answers[1].json()["options"] == {}
    assert (answers[1].json()["words"], answers[1].json()["owner"]) == ("starting", "ada")
    assert api.get(build_address(node)).json()["sinks"][0]["words"] == "https://hooks.example/… answers 500"
    assert "sesame" not in str([*AuditEntry.objects.values(), *NodeSink.objects.values("options", "secrets")])
    assert build_sink(NodeSink.objects.get())._url == hook  # type: ignore[attr-defined]
    other = {"url": f"{hook}2", "secret": "another0123456789"}
    for _ in range(2):
        place = build_address(node, f"{document['number']}/")
        assert api.put(place, {"delivers": "revisions", "options": other}, format="json").status_code == 200
    (entry, before) = api.get(f"/api/nodes/{node.digest}/audit/").json()["results"][:2]
    texts = ["".join(part["text"] for part in change) for change in before["changes"]]
    assert texts == ["Secret and url changed (hidden part)."]
    assert entry["changes"] == []


@pytest.mark.parametrize(
    ("kind", "options", "otherwise"),
    [
        (
            "postgres",
            {"host": "h", "database": "d", "table": "t", "user": "u", "tls": "verify-full"},
            {"tls": "prefer"},
        ),
        (
            "kafka",
            {"servers": "b:1", "topic": "t", "security": "sasl_ssl", "user": "u"},
            {"security": "sasl_plaintext"},
        ),
    ],
)
def test_a_secret_that_would_be_sent_otherwise_is_given_anew(
    api: APIClient, node: Node, kind: str, options: Any, otherwise: Any
) -> None:
    body = add(api, node, kind=kind, options=options | {"password": "hush"}).json()
    assert body["secrets"] == ["password"]
    identity = NodeSink.objects.get().identity

    def list_kept(value: Any) -> list[str]:
        sent = {"delivers": "revisions", "options": value}
        answer = api.put(build_address(node, f"{body['number']}/"), sent, format="json")
        names: list[str] = answer.json()["secrets"]
        return names

    assert list_kept(options) == ["password"]
    assert list_kept(options | otherwise) == []
    assert NodeSink.objects.get().identity == identity, "it goes on"


def test_one_place_has_one_sink_of_a_node(api: APIClient, node: Node) -> None:
    add(api, node)
    answer = add(api, node, delivers="final")
    assert (answer.status_code, answer.json()["code"]) == (409, "sink_is_there")
    for number in range(1, MAX_SINKS_PER_NODE_AND_OWNER):
        assert add(api, node, options={"folder": f"f{number}"}).status_code == 201
    assert add(api, node, options={"folder": "more"}).json()["code"] == "too_many_sinks"


def test_it_is_tried_without_a_trace(api: APIClient, node: Node, settings: Settings, tmp_path: Path) -> None:
    settings.DELIVERY_FOLDER = tmp_path / "delivered"
    body = {"kind": "parquet", "options": {"folder": "a/b"}}
    assert api.post(build_address(node, "check/"), body, format="json").status_code == 204
    assert not settings.DELIVERY_FOLDER.exists()
    (tmp_path / "delivered" / "a" / "b" / "c").mkdir(parents=True)
    answer = api.post(build_address(node, "check/"), body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "sink_trouble")
    assert "is not empty: choose another folder" in answer.json()["message"]
    assert (
        api.post(build_address(node, "check/"), {"kind": "floppy", "options": {}}, format="json").status_code
        == 400
    )


def test_what_the_check_of_a_folder_refuses_is_not_added_either(
    api: APIClient, node: Node, settings: Settings, tmp_path: Path
) -> None:
    settings.DELIVERY_FOLDER = tmp_path / "delivered"
    (settings.DELIVERY_FOLDER / "full" / "c").mkdir(parents=True)
    for kind in ("parquet", "delta"):
        options = {"kind": kind, "options": {"folder": "full"}}
        refused = api.post(build_address(node, "check/"), options, format="json")
        assert "the folder full is not empty: choose another folder" in refused.json()["message"]
        assert str(tmp_path) not in refused.content.decode()
        answer = add(api, node, **options)
        assert (answer.status_code, answer.json()) == (400, refused.json())
    assert not NodeSink.objects.exists()
    number = add(api, node).json()["number"]
    change = {"delivers": "revisions", "options": {"folder": "full"}}
    answer = api.put(build_address(node, f"{number}/"), change, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "sink_trouble")
    assert NodeSink.objects.get().options["folder"] == "orders/cirr"


def test_a_sink_says_where_it_delivers_to_and_its_kinds_what_numbers_count(
    api: APIClient, node: Node
) -> None:
    body = add(api, node).json()
    assert (body["place"], body["units"]) == ("orders/cirr", {"every": "seconds"})
    options = {"host": "db", "database": "video", "table": "cirr", "user": "u", "password": "p"}
    assert add(api, node, kind="postgres", options=options).json()["place"] == "db, 5432, video, cirr"
    kinds = {kind["name"]: kind["options"] for kind in api.get("/api/sink-kinds/").json()["kinds"]}
    units = {item["name"]: item["unit"] for item in kinds["parquet"]}
    assert units == {"folder": "", "every": "seconds"}


def test_a_sink_that_fails_without_words_is_a_refusal(
    api: APIClient, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise ValueError("hush")

    monkeypatch.setattr(Parquet, "check", fails)
    answer = api.post(
        build_address(node, "check/"), {"kind": "parquet", "options": {"folder": "a"}}, format="json"
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "sink_trouble")
    assert "the sink failed (ValueError; see the log of the server)" in answer.json()["message"]
    assert "hush" not in answer.content.decode()


def test_where_it_delivers_elsewhere_it_begins_anew(api: APIClient, node: Node) -> None:
    number = add(api, node, delivers="final").json()["number"]
    revise(node, "a", [[None, True]])
    sink = NodeSink.objects.get()
    while (step := read_next_batch(sink)) is not None:
        record_step(sink, step)
    assert sink.place
    assert SinkKey.objects.count() == 1
    change = {"delivers": "final", "options": {"folder": "orders/cirr", "every": 3.0}}
    assert api.put(build_address(node, f"{number}/"), change, format="json").json()["options"]["every"] == 3.0
    sink.refresh_from_db()
    assert sink.place
    change["options"] = {"folder": "elsewhere"}
    assert api.put(build_address(node, f"{number}/"), change, format="json").status_code == 200
    after = NodeSink.objects.get()
    assert (after.place, after.batch, after.known_at) == ({}, -1, None)
    assert after.identity != sink.identity
    assert not SinkKey.objects.exists()


def test_it_is_paused_resumed_and_removed(api: APIClient, node: Node) -> None:
    number = add(api, node).json()["number"]
    assert api.post(build_address(node, f"{number}/pause/")).json()["observed"] == "paused"
    assert NodeSink.objects.get().paused
    assert api.post(build_address(node, f"{number}/resume/")).json()["observed"] == "starting"
    assert api.delete(build_address(node, f"{number}/")).status_code == 204
    assert api.get(build_address(node)).json() == {"sinks": []}
    acts = AuditEntry.objects.filter(act="node.sink").order_by("pk").values_list("before", "after")
    assert [(bool(before), bool(after)) for before, after in acts] == [
        (False, True), (True, True), (True, True), (True, False),
    ]  # fmt: skip


def test_kinds_are_told_with_what_they_promise_and_ask(api: APIClient) -> None:
    kinds = {kind["name"]: kind for kind in api.get("/api/sink-kinds/").json()["kinds"]}
    assert kinds["parquet"]["once"] == "exactly once"
    assert [option["name"] for option in kinds["parquet"]["options"] if option["required"]] == ["folder"]
