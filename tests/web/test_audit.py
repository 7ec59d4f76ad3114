"""The audit over REST: what one may look at, chosen, in pages, and as CSV that no spreadsheet computes."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.db import connection
from rest_framework.test import APIClient

from tests.web.conftest import log_in_client
from tests.web.giving import open_to_all
from timeline_app.web.core import audit_writing
from timeline_app.web.core.audit_context import act_as
from timeline_app.web.core.sharing import set_role
from timeline_app.web.models import Node, Plan, Stream
from timeline_app.web.models.people import AuditEntry, Role
from timeline_app.web.people.token_services import create_token, revoke_token_of
from timeline_app.web.plans.services import create_plan, delete_plan, run_plan
from timeline_app.web.workspace.audit import filter_by_text
from timeline_app.web.workspace.audit_csv import escape_formula


def list_entries(client: APIClient, address: str = "/api/audit/") -> list[dict[str, Any]]:
    """The entries of a page."""
    answer = client.get(address)
    assert answer.status_code == 200, answer.json()
    documents: list[dict[str, Any]] = answer.json()["results"]
    return documents


def list_acts(client: APIClient, address: str = "/api/audit/") -> list[str]:
    return [item["act"] for item in list_entries(client, address)]


def download_table(
    client: APIClient, address: str = "/api/audit/?format=csv", **headers: Any
) -> list[list[str]]:
    """The audit as it is downloaded."""
    answer: Any = client.get(address, **headers)
    assert answer.headers["Content-Type"].startswith("text/csv")

    async def collect() -> bytes:
        return b"".join([part async for part in answer.streaming_content])

    return list(csv.reader(io.StringIO(async_to_sync(collect)().decode())))


def test_one_reads_of_what_one_may_look_at(api: APIClient, bobs: APIClient, ada: User, plan: Plan) -> None:
    assert list_acts(bobs) == list_acts(api) == ["plan.create", "stream.create"]
    open_to_all(thing=plan, user=ada, is_open=False)
    assert list_acts(bobs) == ["stream.create"]
    assert list_acts(api) == ["plan.share", "plan.create", "stream.create"]
    assert bobs.get(f"/api/plans/{plan.pk}/audit/").status_code == 404
    assert list_acts(api, f"/api/plans/{plan.pk}/audit/") == ["plan.share", "plan.create"]


def test_of_what_is_deleted_read_who_did_it_and_operators(
    api: APIClient, bobs: APIClient, roots: APIClient, ada: User, plan: Plan
) -> None:
    delete_plan(plan=plan, user=ada)
    otto = log_in_client(User.objects.create_user("otto", is_staff=True))
    assert "plan.delete" not in list_acts(bobs)
    for client in (api, roots, otto):
        [entry] = [item for item in list_entries(client) if item["act"] == "plan.delete"]
        assert entry["address"] is None


def test_of_persons_read_they_themselves_and_administrators(
    api: APIClient, bobs: APIClient, roots: APIClient, ada: User, root: User
) -> None:
    set_role(person=ada, user=root, role=Role.VIEWER)
    otto = log_in_client(User.objects.create_user("otto", is_staff=True))
    assert list_acts(api) == list_acts(roots) == list_acts(roots, "/api/people/ada/audit/") == ["person.role"]
    assert list_acts(bobs) == list_acts(otto) == []
    assert list_acts(api, "/api/people/ada/audit/") == ["person.role"]
    assert bobs.get("/api/people/ada/audit/").status_code == 403


def test_who_has_a_token_reads_that_somebody_else_ended_it_and_nobody_else_does(
    api: APIClient, bobs: APIClient, ada: User, root: User
) -> None:
    token, _ = create_token(user=ada, name="nightly", scopes=["read"])
    with act_as(reason="it leaked"):
        revoke_token_of(token=token, user=root)
    [ended, _] = list_entries(api)
    assert (ended["act"], ended["actor"], ended["name"], ended["reason"]) == (
        "token.end", "root", "nightly", "it leaked",
    )  # fmt: skip
    otto = log_in_client(User.objects.create_user("otto", is_staff=True))
    assert list_acts(bobs) == list_acts(otto) == []


def test_of_each_thing_its_own(api: APIClient, ada: User, plan: Plan) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    node = Node.objects.first()
    assert node
    audit_writing.note(user=ada, act="node.restart", thing=node, reason="it hung")
    [entry] = list_entries(api, f"/api/nodes/{node.digest}/audit/")
    assert (entry["act"], entry["reason"], entry["address"]) == (
        "node.restart",
        "it hung",
        f"/nodes/{node.digest}/",
    )
    [made] = list_entries(api, "/api/streams/player/audit/")
    assert (made["actor"], made["source"], made["address"]) == ("ada", "shell", "/streams/player/")


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("kind=stream", ["stream.create"]),
        ("act=plan.create", ["plan.create"]),
        ("actor=bob", ["plan.edit"]),
        ("actor=me", ["plan.create", "stream.create"]),
        ("reason=BETTER", ["plan.edit"]),
        ("search=player", ["stream.create"]),
        ("search=BETTER name", ["plan.edit"]),
        ("search=PLAN.CR", ["plan.create"]),
        ("search=bob", ["plan.edit"]),
        ("search=createada", []),
        ("search=%25", []),
        ("since=2100-01-01", []),
        ("until=2000-01-01", []),
        ("since=2000-01-01&until=2100-01-01", ["plan.edit", "plan.create", "stream.create"]),
        ("since=-62135596800000000&until=253402300799999999", ["plan.edit", "plan.create", "stream.create"]),
        ("thing=0", []),
    ],
)
def test_entries_are_chosen(
    api: APIClient, bob: User, player: Stream, plan: Plan, query: str, names: list[str]
) -> None:
    audit_writing.note(user=bob, act="plan.edit", thing=plan, reason="a better name")
    assert list_acts(api, f"/api/audit/?{query}") == names


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("kind=robot", "kind"),
        ("kind=", "kind"),
        ("thing=x", "thing"),
        ("thing=-1", "thing"),
        ("since=yesterday", "since"),
        ("until=", "until"),
        ("actor=%00", "actor"),
        ("reason=" + "x" * 1025, "reason"),
        ("limit=0", "limit"),
        ("limit=100000", "limit"),
        ("cursor=x", "cursor"),
        ("cursor=cD14", "cursor"),
        ("format=xml", "format"),
        ("search=%00", "search"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(api: APIClient, query: str, field: str) -> None:
    answer = api.get(f"/api/audit/?{query}")
    assert answer.status_code == 400
    assert [problem["field"] for problem in answer.json()["problems"]] == [field]


def test_pages_follow_one_another_while_more_is_done(api: APIClient, ada: User) -> None:
    for number in range(5):
        create_plan(user=ada, name=f"{number}", document={"nodes": {}})
    first = api.get("/api/audit/?limit=2").json()
    create_plan(user=ada, name="new", document={"nodes": {}})
    second = api.get(first["next"]).json()
    names = [result["name"] for result in first["results"] + second["results"]]
    assert names == ["4", "3", "2", "1"]


def test_the_cost_does_not_grow(api: APIClient, ada: User, django_assert_max_num_queries: Any) -> None:
    for number in range(40):
        create_plan(user=ada, name=f"{number}", document={"nodes": {}})
    with django_assert_max_num_queries(10):
        assert len(list_entries(api)) == 40


def test_all_of_it_is_downloaded_and_no_cell_is_computed(api: APIClient, ada: User, plan: Plan) -> None:
    for name in ('=HYPERLINK("x")', "+1", "-1", "@SUM(A1)", "\tx", "plain"):
        audit_writing.note(user=ada, act="plan.edit", thing=Plan(pk=plan.pk, name=name), reason=name)
    head, *rows = download_table(api, "/api/audit/?format=csv&act=plan.edit")
    assert head[:5] == ["id", "at", "actor", "source", "act"]
    names = [row[head.index("name")] for row in rows]
    assert names == ["plain", "'\tx", "'@SUM(A1)", "'-1", "'+1", '\'=HYPERLINK("x")']
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
    assert download_table(api, "/api/audit/?act=plan.edit", HTTP_ACCEPT="text/csv") == [head, *rows]


def test_the_download_is_as_private_as_the_page(bobs: APIClient, ada: User, plan: Plan) -> None:
    open_to_all(thing=plan, user=ada, is_open=False)
    assert [row[4] for row in download_table(bobs)[1:]] == ["stream.create"]


def test_it_goes_on_beyond_what_is_read_at_once(
    api: APIClient, ada: User, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timeline_app.web.workspace.audit_csv.ENTRIES_PER_PAGE", 3)
    for _ in range(10):
        audit_writing.note(user=ada, act="stream.change", thing=player)
    numbers = [int(row[0]) for row in download_table(api)[1:]]
    assert numbers == list(AuditEntry.objects.values_list("pk", flat=True))
    assert len(numbers) == 11


@pytest.mark.parametrize("cell", ["", "a", "1", "a=b", " =1"])
def test_what_is_harmless_stays_as_it_is(cell: str) -> None:
    assert escape_formula(cell) == cell


@pytest.mark.postgres
def test_the_search_has_an_index(ada: User) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_indexscan = off")
    assert "audit_by_words" in filter_by_text(AuditEntry.objects.all(), "stream77").explain()


def test_a_long_document_is_not_kept_for_ever(ada: User) -> None:
    nodes = {f"n{number}": {"op": "has_existed", "params": {"of": "x" * 100}} for number in range(1_000)}
    plan = create_plan(user=ada, name="long", document={"nodes": nodes})
    delete_plan(plan=plan, user=ada)
    entry = AuditEntry.objects.get(act="plan.delete")
    assert entry.before["running"] is False
    assert "document" not in entry.before
    assert entry.before["shortened"]["bytes"] > 100_000
    assert len(entry.before["shortened"]["sha256"]) == 64
    short = create_plan(user=ada, name="short", document={"nodes": {}})
    delete_plan(plan=short, user=ada)
    assert AuditEntry.objects.filter(act="plan.delete").first().before["document"] == short.document  # type: ignore[union-attr]


def test_whatever_is_long_is_shortened_to_something_short() -> None:
    long = "x" * 100_000
    for value in (
        long,
        [long],
        [[long]] * 9,
        {long: 1},
        {"a": long, "b": 2},
        {str(n): n for n in range(50_000)},
    ):
        kept = audit_writing.shorten_value(value)
        assert len(json.dumps(kept)) <= audit_writing.MAX_AUDITED_BYTES + 200, kept
    many = [{"name": str(number), "rights": ["read"]} for number in range(10_000)]
    *kept, mark = audit_writing.shorten_value(many)
    assert kept == many[: len(kept)]
    assert 1_000 < len(kept) < len(many)
    assert (mark["shortened"]["items"], mark["shortened"]["bytes"]) == (10_000, len(json.dumps(many)))
    assert audit_writing.shorten_value(None) is None
