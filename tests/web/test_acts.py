"""What an act changed is told in sentences, with the names of what the reader may look at, and no others."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.web.giving import open_to_all
from timeline_app.web.models import Node, Plan
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.nodes.actions import stop_node
from timeline_app.web.plans.services import delete_plan, run_plan
from timeline_app.web.workspace.audit_entries import describe_act, describe_changes


def describe_both(act: str, before: Any = None, after: Any = None) -> list[str]:
    entry = AuditEntry(act=act, kind=act.split(".", maxsplit=1)[0], before=before, after=after)
    return ["".join(part.text for part in sentence) for sentence in describe_changes(entry, {})]


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        ("plan.run", "ran the plan"),
        ("stream.change", "redeclared the stream"),
        ("stream.source", "changed what feeds the stream"),
        ("node.give_up", "gave up restarting the node"),
        ("node.retry", "restarted the failed node"),
        ("node.recover", "saw the recovery of the node"),
        ("plan.share", "changed who may look at the plan"),
        ("node.fly_high", "fly high the node"),
    ],
)
def test_an_act_is_a_verb_before_the_thing(act: str, sentence: str) -> None:
    assert describe_act(AuditEntry(act=act, kind=act.split(".", maxsplit=1)[0])) == sentence


SAID: list[tuple[str, Any, Any, list[str]]] = [
    ("plan.transfer", {"owner": "ada", "owner_kind": "person"}, {"owner": "qa", "owner_kind": "team"},
     ["It went from ada to qa."]),
    ("plan.share", {"open_to_all": True, "shares": [{"name": "eve", "rights": ["read"]}]},
     {"open_to_all": False, "shares": [{"name": "bob", "rights": ["read", "edit"]}]},
     ["It is not open to all any more.", "bob may look and change; eve may not any more."]),
    ("plan.run", {"running": False}, {"running": True, "version": 2, "placement": "isolated"},
     ["Version 2 runs, placed isolated."]),
    ("plan.stop", {"running": True, "version": 2, "placement": "fused"}, {"running": False},
     ["Version 2 ran before, placed fused."]),
    ("plan.edit", None, {"draft": 7}, ["The draft is at save 7."]),
    ("plan.restore", {"draft": 3}, {"draft": 4, "version": 1}, ["Version 1 is the draft again."]),
    ("plan.version", {"version": 2, "name": ""}, {"version": 2, "name": "First"}, ["Version 2 is called “First”."]),
    ("plan.test", {"test": "old"}, None, ["The test “old” was deleted."]),
    ("person.role", {"role": "viewer"}, {"role": "editor"}, ["Role was viewer, and is editor."]),
    ("person.active", {"active": True}, {"active": False}, ["There is no way in any more."]),
    ("person.teams", {"teams": ["a"]}, {"teams": []}, ["In no team now."]),
    ("token.create", None, {"scopes": ["read", "write", "operate"], "days": 90},
     ["Its scopes: read, write and operate, for 90 days."]),
    ("stream.create", None, {"key": "k", "fields": {"a": "text", "b": "number"}, "allowed_lateness": "30s"},
     ["Declared with key k, fields a text, b number, allowed lateness 30s."]),
    ("stream.change", {"allowed_lateness": "30s", "fields": {"a": "text", "b": "text"}},
     {"allowed_lateness": "1m", "fields": {"a": "number"}},
     ["Allowed lateness was 30s, and is 1m.", "Fields: a is number, there is no b any more."]),
    ("node.restart", {"observed": "failed", "words": "gave up", "restarts": 1}, None,
     ["Before: gave up, 1 restart used."]),
    ("node.stop", {"plans": [1, 2]}, {"plans": []}, ["Stopped with it: 2 plans that you cannot look at."]),
    ("node.sink", None, {"kind": "parquet", "delivers": "final", "options": {"folder": "oven", "every": 10.0},
     "paused": False, "number": 3, "secrets": []},
     ["parquet was added, only what is final: folder oven, every 10.0."]),
    ("node.sink", {"kind": "parquet", "paused": False, "number": 3}, {"kind": "parquet", "paused": True, "number": 3},
     ["Paused was no, and is yes."]),
    ("stream.source", {"kind": "mqtt", "options": {}}, None, ["mqtt was removed."]),
    ("stream.source", None, {"kind": "mqtt", "options": {"topics": "a"}, "paused": False, "secrets": ["password"]},
     ["mqtt was added: topics a. There are secrets: password."]),
    ("stream.source", {"kind": "http", "options": {"url": "https://h/…"}},
     {"kind": "http", "options": {"url": "https://h/…"}, "hidden": ["token", "url"]},
     ["Token and url changed (hidden part)."]),
    ("plan.create", None, None, []),
]  # fmt: skip


@pytest.mark.parametrize(("act", "before", "after", "sentences"), SAID)
def test_what_is_otherwise_is_told_in_sentences(
    act: str, before: Any, after: Any, sentences: list[str]
) -> None:
    assert describe_both(act, before, after) == sentences


@pytest.mark.parametrize("value", [None, 3, "words", [], ["a"], {}, {"plans": 5}, {"plans": [None, "x"]}])
@pytest.mark.parametrize(
    "act", ["node.stop", "plan.run", "plan.test", "token.end", "query.restart", "node.sink", "odd"]
)
def test_an_entry_of_any_shape_is_told(act: str, value: Any) -> None:
    sentences = describe_both(act, value, value)
    assert all(re.fullmatch(r"[A-Z][^{}\[\]]*\.", sentence) for sentence in sentences), sentences


def stop_entry(client: APIClient, node: Node) -> dict[str, Any]:
    result = client.get(f"/api/nodes/{node.digest}/audit/").json()["results"]
    return next(item for item in result if item["act"] == "node.stop")


def test_of_a_stop_each_reads_the_names_of_the_plans_that_may_be_looked_at(
    api: APIClient, bobs: APIClient, ada: User, plan: Plan
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    other = Plan.objects.create(name="Open", owner=ada, document=plan.document)
    run_plan(plan=other, user=ada, placement="isolated")
    node = Node.objects.filter(uses__plan=plan).first()
    assert node
    stop_node(node=node, user=ada, reason="")
    open_to_all(thing=plan, user=ada, is_open=False)
    ours = [{"text": "“", "address": None}, {"text": plan.name, "address": f"/plans/{plan.pk}/"}]
    assert stop_entry(api, node)["changes"][0][1:3] == ours
    [sentence] = stop_entry(bobs, node)["changes"]
    assert "".join(part["text"] for part in sentence) == (
        "Stopped with it: “Open”, 1 other plan that you cannot look at."
    )
    assert plan.name not in str(stop_entry(bobs, node))
    delete_plan(plan=plan, user=ada)
    assert "1 other plan" in str(stop_entry(api, node))
