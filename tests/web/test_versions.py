"""Every run makes a version, a person makes and names one; any two are compared, and none is ever destroyed."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import DjangoAssertNumQueries
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed
from tests.web.test_drafts import build_changed, save
from tests.workers.test_at_once import run_at_once
from timeline_app.web.models import Plan
from timeline_app.web.models.versions import PlanVersion
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.services import create_plan
from timeline_app.web.plans.version_services import make_version


def build_address(plan: Plan, rest: str = "") -> str:
    return f"/api/plans/{plan.pk}/versions/{rest}"


def list_numbers(client: APIClient, plan: Plan, **query: Any) -> list[int]:
    return [result["number"] for result in client.get(build_address(plan), query).json()["results"]]


def test_every_run_makes_a_version(api: APIClient, plan: Plan) -> None:
    assert api.get(build_address(plan)).json()["results"] == []
    assert api.post(f"/api/plans/{plan.pk}/run/").json()["running_version"] == 1
    save(api, plan, build_changed(plan, held=build_negation("never")))
    assert api.post(f"/api/plans/{plan.pk}/run/").json()["running_version"] == 2
    assert api.post(f"/api/plans/{plan.pk}/run/").json()["running_version"] == 3
    answer = api.get(build_address(plan)).json()["results"]
    assert [(item["number"], item["reason"], item["runs"], item["by"], item["words"]) for item in answer] == [
        (3, "run", True, "ada", "Nothing changed."),
        (2, "run", False, "ada", "Added held."),
        (1, "run", False, "ada", "The first version: 2 nodes."),
    ]
    assert api.post(f"/api/plans/{plan.pk}/stop/").json()["running_version"] is None
    assert not any(result["runs"] for result in api.get(build_address(plan)).json()["results"])


def test_a_run_that_is_refused_makes_none(api: APIClient, plan: Plan) -> None:
    save(api, plan, build_changed(plan, never__inputs={"of": "gone"}))
    assert api.post(f"/api/plans/{plan.pk}/run/").status_code == 422
    assert list_numbers(api, plan) == []


def test_a_version_is_made_by_hand_and_named(api: APIClient, plan: Plan) -> None:
    created = api.post(build_address(plan), {"name": "Before the talk"}, format="json")
    assert created.status_code == 201
    assert (created.json()["number"], created.json()["name"], created.json()["reason"]) == (
        1,
        "Before the talk",
        "hand",
    )
    answer = api.put(build_address(plan, "1/"), {"name": "Shown"}, format="json").json()
    assert answer["name"] == "Shown"
    stored = api.get(build_address(plan, "1/")).json()
    assert (stored["name"], stored["document"]) == ("Shown", plan.document)
    assert api.put(build_address(plan, "1/"), {"name": ""}, format="json").json()["name"] == ""


def test_a_version_does_not_change_when_the_draft_does(api: APIClient, plan: Plan) -> None:
    api.post(build_address(plan), {}, format="json")
    save(api, plan, build_changed(plan, held=build_negation("never")))
    assert api.get(build_address(plan, "1/")).json()["document"] == plan.document


def test_restoring_makes_a_draft_and_keeps_the_one_that_was(api: APIClient, plan: Plan) -> None:
    api.post(f"/api/plans/{plan.pk}/run/")
    later = build_changed(plan, held=build_negation("never"))
    save(api, plan, later)
    answer = api.post(build_address(plan, "1/restore/")).json()
    assert (answer["document"], answer["version"], answer["running"]) == (plan.document, 3, True)
    rows = api.get(build_address(plan)).json()["results"]
    assert [(row["number"], row["reason"], row["words"]) for row in rows] == [
        (2, "restore", "Added held."),
        (1, "run", "The first version: 2 nodes."),
    ]
    assert api.get(build_address(plan, "2/")).json()["document"] == later
    assert api.post(build_address(plan, "2/restore/")).json()["document"] == later
    assert list_numbers(api, plan) == [2, 1], "the draft was a version already"


def test_a_restore_is_merged_with_who_was_still_drawing(api: APIClient, roots: APIClient, plan: Plan) -> None:
    api.post(build_address(plan), {}, format="json")
    save(api, plan, build_changed(plan, held=build_negation("never")))
    before = api.get(f"/api/plans/{plan.pk}/").json()["document"]
    api.post(build_address(plan, "1/restore/"))
    mine = copy.deepcopy(before)
    mine["nodes"]["late"] = build_negation("played")
    answer = save(roots, plan, mine, version=2).json()
    assert answer["document"]["nodes"].keys() == {"played", "never", "late"}


def test_two_versions_are_compared(api: APIClient, bobs: APIClient, plan: Plan) -> None:
    api.post(build_address(plan), {"name": "First"}, format="json")
    save(api, plan, build_changed(plan, held=build_negation("never"), played__params__where="x == 1"))
    answer = bobs.get(f"/api/plans/{plan.pk}/compare/?from=1&to=draft").json()
    assert (answer["from"]["name"], answer["from"]["number"], answer["to"]["number"]) == ("First", 1, None)
    assert answer["words"] == "Added held; changed where of played."
    assert [(subject["name"], subject["did"]) for subject in answer["subjects"]] == [
        ("played", ["changed"]),
        ("held", ["added"]),
    ]
    assert answer["subjects"][0]["changes"][0]["field"] == "where"
    back = bobs.get(f"/api/plans/{plan.pk}/compare/?from=draft&to=1").json()
    assert back["words"] == "Removed held; changed where of played."
    assert bobs.get(f"/api/plans/{plan.pk}/compare/?from=1").json()["to"] == answer["to"]


def test_a_renamed_node_is_compared_with_itself(api: APIClient, plan: Plan) -> None:
    api.post(build_address(plan), {}, format="json")
    nodes = {"started": has_existed(), "never": build_negation("started")}
    save(api, plan, build_document(**nodes))
    answer = api.get(f"/api/plans/{plan.pk}/compare/?from=1").json()
    assert (answer["renames"], answer["words"]) == ({"played": "started"}, "Renamed played to started.")


def test_others_look_but_do_not_touch(api: APIClient, bobs: APIClient, plan: Plan) -> None:
    api.post(build_address(plan), {"name": "Mine"}, format="json")
    assert list_numbers(bobs, plan) == [1]
    assert bobs.get(build_address(plan, "1/")).status_code == 200
    for answer in (
        bobs.post(build_address(plan), {}, format="json"),
        bobs.put(build_address(plan, "1/"), {"name": "His"}, format="json"),
        bobs.post(build_address(plan, "1/restore/")),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")
    assert PlanVersion.objects.get().name == "Mine"


def test_staff_may_do_all_of_it(roots: APIClient, plan: Plan) -> None:
    assert roots.post(build_address(plan), {}, format="json").status_code == 201
    assert roots.put(build_address(plan, "1/"), {"name": "Ours"}, format="json").status_code == 200
    assert roots.post(build_address(plan, "1/restore/")).status_code == 200


def test_versions_come_in_pages_and_by_as_many_queries_for_many(
    api: APIClient, plan: Plan, ada: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(30):
        make_version(plan=plan, user=ada, name="")
    assert list_numbers(api, plan, limit=3) == [30, 29, 28]
    following = api.get(build_address(plan), {"limit": 3}).json()["next"]
    assert [result["number"] for result in api.get(following).json()["results"]] == [27, 26, 25]
    with django_assert_max_num_queries(6):
        assert len(list_numbers(api, plan)) == 30


def test_versions_go_with_their_plan(api: APIClient, plan: Plan) -> None:
    api.post(build_address(plan), {}, format="json")
    save(api, plan, build_changed(plan, held=build_negation("never")))
    assert api.delete(f"/api/plans/{plan.pk}/").status_code == 204
    assert PlanVersion.objects.count() == 0


def test_a_version_outlives_who_made_it(api: APIClient, plan: Plan) -> None:
    guest = User.objects.create_superuser("guest")
    make_version(plan=plan, user=guest, name="")
    guest.delete()
    assert api.get(build_address(plan)).json()["results"][0]["by"] is None


BAD_NAMES: list[Any] = [
    b"{",
    b"[]",
    b'"x"',
    b'{"name": {}}',
    b'{"name": null}',
    b'{"name": ["x"]}',
    b'{"name": "\\u0000"}',
]
BAD_NAMES += [b'{"name": "\\ud800"}', b'{"name": "' + b"x" * 201 + b'"}', b"\xff", b'{"name": true}']


@pytest.mark.parametrize("body", BAD_NAMES)
def test_a_bad_name_is_refused(api: APIClient, plan: Plan, body: Any) -> None:
    api.post(build_address(plan), {"name": "Kept"}, format="json")
    for method, where in (("POST", build_address(plan)), ("PUT", build_address(plan, "1/"))):
        answer = api.generic(method, where, body, content_type="application/json")
        assert answer.status_code == 400, answer.content
        assert answer.json()["message"]
    assert [plan_version.name for plan_version in PlanVersion.objects.all()] == ["Kept"]


@pytest.mark.parametrize("number", ["0", "2", "999999999999999999999999"])
def test_a_version_that_is_not_there(api: APIClient, plan: Plan, number: str) -> None:
    api.post(build_address(plan), {}, format="json")
    for call, rest in ((api.get, ""), (api.put, ""), (api.post, "restore/")):
        answer = call(build_address(plan, f"{number}/{rest}"))
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_version")


@pytest.mark.parametrize(
    "query", ["", "from=", "from=x", "from=-1", "from=0", "from=1.5", "from=1&to=x", "from=9999999999"]
)
def test_a_bad_comparison_is_refused(api: APIClient, plan: Plan, query: str) -> None:
    assert api.get(f"/api/plans/{plan.pk}/compare/?{query}").status_code == 400


def test_a_comparison_with_what_is_not_there(api: APIClient, plan: Plan) -> None:
    answer = api.get(f"/api/plans/{plan.pk}/compare/?from=7")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_version")


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "cursor=x"])
def test_a_bad_page_is_refused(api: APIClient, plan: Plan, query: str) -> None:
    assert api.get(build_address(plan, f"?{query}")).status_code == 400


def test_of_many_that_are_made_at_once_each_has_its_number(transactional_db: None) -> None:
    ada = User.objects.create_user("ada")
    plan = create_plan(user=ada, name="p", document={"nodes": {}})

    def make_one_version(turn: int) -> int:
        save_plan(
            plan=plan, user=ada, version=1, name=None, document={"name": "p", "nodes": {f"n{turn}": {}}}
        )
        return make_version(plan=plan, user=ada, name="").number

    result = run_at_once(*[lambda turn=turn: make_one_version(turn) for turn in range(5)])
    assert sorted(result) == [1, 2, 3, 4, 5]
