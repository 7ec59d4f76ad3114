"""Plans are kept with their problems, and changed by their owners only."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed
from timeline_app.web.models import Plan, Stream


def make(client: APIClient, body: dict[str, Any]) -> Any:
    return client.post("/api/plans/", body, format="json")


def test_a_draft_with_problems_is_kept(api: APIClient, player: Stream) -> None:
    answer = make(api, {"name": "Draft", "document": build_document(a={"op": "nonsense"})})
    assert answer.status_code == 201
    entry = answer.json()
    assert (entry["name"], entry["owner"], entry["version"], entry["running"]) == ("Draft", "ada", 1, False)
    assert entry["document"]["name"] == "Draft"
    assert entry["problems"][0]["node"] == "a"
    assert set(entry["problems"][0]) == {
        "node",
        "port",
        "line",
        "column",
        "field",
        "code",
        "message",
        "hint",
        "severity",
        "stream",
    }
    assert api.get(f"/api/plans/{entry['id']}/").json() == entry
    assert api.get("/api/plans/").json()["results"] == [entry]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"document": {"name": "Inside"}}, "Inside"),
        ({"document": {}}, "Untitled plan"),
        ({"document": {"name": 5}}, "Untitled plan"),
        ({"document": {"name": "Inside"}, "name": "Outside"}, "Outside"),
        ({"document": {"name": "x" * 500}}, "x" * 200),
    ],
)
def test_a_plan_always_has_a_name(api: APIClient, body: dict[str, Any], name: str) -> None:
    assert make(api, body).json()["name"] == name


BAD = {
    "nothing": b"",
    "not JSON": b"{",
    "an array": b"[]",
    "a text": b'"x"',
    "no document": b'{"name": "x"}',
    "a document that is a text": b'{"document": "x"}',
    "a document that is a list": b'{"document": []}',
    "a document that is null": b'{"document": null}',
    "a name that is an object": b'{"document": {}, "name": {}}',
    "a long name": json.dumps({"document": {}, "name": "x" * 201}).encode(),
    "a NUL character": b'{"document": {"name": "a\\u0000"}}',
    "a NUL character in a key": b'{"document": {"a\\u0000": 1}}',
    "half a surrogate pair": b'{"document": {"name": "\\ud800"}}',
    "infinity": b'{"document": {"x": 1e999}}',
    "NaN": b'{"document": {"x": NaN}}',
    "a number of 5000 digits": b'{"document": {"x": ' + b"9" * 5000 + b"}}",
    "depth 40": b'{"document": ' + b'{"a":' * 40 + b"1" + b"}" * 41,
    "depth 100000": b'{"document": ' + b"[" * 100_000,
    "not UTF-8": b'{"document": {"name": "\xff"}}',
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("address", ["/api/plans/", "/api/plans/check/"])
def test_a_bad_body_is_refused_with_a_reason(api: APIClient, address: str, body: Any) -> None:
    answer = api.generic("POST", address, body, content_type="application/json")
    if address == "/api/plans/check/" and body.startswith(b'{"document": ') and answer.status_code == 200:
        assert answer.json()["ok"] is False
        return
    assert answer.status_code == 400, answer.content
    document = answer.json()
    assert document["code"] in ("invalid", "bad_json", "unknown_field")
    assert document["message"]
    assert document["problems"]


def test_a_body_of_more_than_2_mib_is_refused(api: APIClient) -> None:
    answer = make(api, {"document": {"comment": "x" * (2 * 2**20)}})
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


def test_a_save_makes_a_version(api: APIClient, plan: Plan) -> None:
    changed = build_document(played=has_existed())
    body = {"name": "Better", "document": changed, "version": 1}
    answer = api.put(f"/api/plans/{plan.pk}/", body, format="json")
    assert answer.status_code == 200
    assert (answer.json()["version"], answer.json()["name"]) == (2, "Better")
    assert answer.json()["document"] == changed | {"name": "Better"}


def test_a_save_that_changes_nothing_makes_no_version(api: APIClient, plan: Plan) -> None:
    body = {"document": plan.document, "version": 1}
    answer = api.put(f"/api/plans/{plan.pk}/", body, format="json")
    assert (answer.status_code, answer.json()["version"]) == (200, 1)


@pytest.mark.parametrize("version", [None, "one", 0, -1, 2**40, 1.5, True, [1]])
def test_an_absurd_version_is_refused(api: APIClient, plan: Plan, version: Any) -> None:
    body = {"document": plan.document, "version": version}
    answer = api.put(f"/api/plans/{plan.pk}/", body, format="json")
    assert answer.status_code in (400, 409), answer.content


@pytest.mark.parametrize("number", ["0", "999", str(2**63), "9" * 30])
def test_a_plan_that_is_not_there(api: APIClient, number: str) -> None:
    for path in ("", "run/", "stop/"):
        call = api.post if path else api.get
        answer = call(f"/api/plans/{number}/{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_plan")


def test_others_look_but_do_not_touch(bobs: APIClient, plan: Plan) -> None:
    address = f"/api/plans/{plan.pk}/"
    assert bobs.get(address).status_code == 200
    body = {"document": plan.document, "version": 1}
    for answer in (
        bobs.put(address, body, format="json"),
        bobs.delete(address),
        bobs.post(f"{address}run/"),
        bobs.post(f"{address}stop/"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")
        assert "ada" in answer.json()["message"]
    plan.refresh_from_db()
    assert (plan.version, plan.running) == (1, False)


def test_staff_may_do_all_of_it(roots: APIClient, plan: Plan) -> None:
    address = f"/api/plans/{plan.pk}/"
    assert roots.put(address, {"document": plan.document, "version": 1}, format="json").status_code == 200
    assert roots.post(f"{address}run/").json()["running"] is True
    assert roots.post(f"{address}stop/").json()["running"] is False
    assert roots.delete(address).status_code == 204


def test_plans_are_filtered_by_owner(api: APIClient, bobs: APIClient, plan: Plan) -> None:
    make(bobs, {"document": {}})
    assert [result["owner"] for result in api.get("/api/plans/?owner=me").json()["results"]] == ["ada"]
    assert [result["owner"] for result in api.get("/api/plans/?owner=bob").json()["results"]] == ["bob"]
    assert api.get("/api/plans/?owner=a%00").status_code == 400


def test_a_check_tells_kinds_and_digests(api: APIClient, player: Stream) -> None:
    body = {"document": build_document(played=has_existed(), never=build_negation("played"))}
    answer = api.post("/api/plans/check/", body, format="json").json()
    assert (answer["ok"], answer["problems"]) == (True, [])
    assert {name: node["kind"] for name, node in answer["nodes"].items()} == {
        "played": "bool",
        "never": "bool",
    }
    assert len({node["digest"] for node in answer["nodes"].values()}) == 2
    assert [node["known"] for node in answer["nodes"].values()] == [False, False]


def test_a_check_knows_nodes_that_run_already(api: APIClient, plan: Plan) -> None:
    body = {"document": {**plan.document, "name": "Another"}}
    before = api.post("/api/plans/check/", body, format="json").json()["nodes"]
    api.post(f"/api/plans/{plan.pk}/run/")
    after = api.post("/api/plans/check/", body, format="json").json()["nodes"]
    assert {node["known"] for node in before.values()} == {False}
    assert {node["known"] for node in after.values()} == {True}


def test_a_check_tells_all_problems(api: APIClient, player: Stream) -> None:
    body = {
        "document": build_document(
            a={"op": "nonsense"}, b=build_negation("gone"), c=has_existed("player_state = 1")
        )
    }
    answer = api.post("/api/plans/check/", body, format="json").json()
    assert answer["ok"] is False
    assert {problem["node"] for problem in answer["problems"]} == {"a", "b", "c"}


@pytest.mark.parametrize(
    "odd", [None, 7, "x", [], [[]], {"nodes": 5}, {"nodes": {"a": None}}, {"version": []}]
)
def test_any_document_can_be_checked(api: APIClient, odd: Any) -> None:
    answer = api.post("/api/plans/check/", {"document": odd}, format="json")
    assert answer.status_code in (200, 400), answer.content
    assert answer.json().get("ok", False) is False


def test_nothing_is_kept_by_a_check(api: APIClient, player: Stream) -> None:
    api.post("/api/plans/check/", {"document": build_document(a=has_existed())}, format="json")
    assert Plan.objects.count() == 0
