"""Two persons on one draft: disjoint changes come together, the others are asked; nothing is lost, nor done twice."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed
from tests.workers.test_at_once import run_at_once
from timeline_app.web.core.errors import Conflict
from timeline_app.web.models import Plan, Stream
from timeline_app.web.plans import drafts
from timeline_app.web.plans.draft_services import MAX_DRAFTS_PER_PLAN, save_plan
from timeline_app.web.plans.services import create_plan


def build_changed(plan: Plan, **paths: Any) -> dict[str, Any]:
    """The plan's document with other values: `played__params__where="x"`, or another part of a node."""
    after: dict[str, Any] = copy.deepcopy(plan.document)
    for path, value in paths.items():
        *way, last = path.split("__")
        place: dict[str, Any] = after["nodes"]
        for part in way:
            place = place.setdefault(part, {})
        place[last] = value
    return after


def save(client: APIClient, plan: Plan, sent: dict[str, Any], version: int = 1, **more: Any) -> Any:
    body = {"document": sent, "version": version, **more}
    return client.put(f"/api/plans/{plan.pk}/", body, format="json")


def request_merge(client: APIClient, plan: Plan, sent: dict[str, Any], version: int = 1, **more: Any) -> Any:
    body = {"document": sent, "version": version, **more}
    return client.post(f"/api/plans/{plan.pk}/merge/", body, format="json")


def test_changes_of_different_parts_come_together(api: APIClient, roots: APIClient, plan: Plan) -> None:
    assert save(api, plan, build_changed(plan, played__params__where="x == 1")).json()["version"] == 2
    answer = save(roots, plan, build_changed(plan, held=build_negation("never"))).json()
    assert (answer["version"], answer["saved_by"]) == (3, "root")
    assert answer["document"]["nodes"]["played"]["params"]["where"] == "x == 1"
    assert answer["document"]["nodes"]["held"] == build_negation("never")
    assert answer["words"] == "Changed where of played."
    [change] = answer["changes"]["changes"]
    assert change == {
        "path": ["nodes", "played", "params", "where"],
        "before": 'player_state == "play"',
        "after": "x == 1",
    }


def test_who_was_alone_is_told_of_no_changes(api: APIClient, plan: Plan) -> None:
    answer = save(api, plan, build_changed(plan, held=build_negation("never"))).json()
    assert (answer["changes"], answer["words"]) == ({"renames": {}, "changes": []}, "")


def test_a_change_of_the_same_is_asked_and_nothing_is_saved(
    api: APIClient, roots: APIClient, plan: Plan
) -> None:
    save(roots, plan, build_changed(plan, played__params__where="theirs"))
    mine = build_changed(plan, played__params__where="mine", held=build_negation("never"))
    answer = save(api, plan, mine)
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    [problem] = answer.json()["problems"]
    assert (problem["node"], problem["field"]) == ("played", "nodes.played.params.where")
    assert problem["message"] == "You and root both changed where of played."
    plan.refresh_from_db()
    assert (plan.version, "held" in plan.document["nodes"]) == (2, False)

    document = request_merge(api, plan, mine).json()
    [conflict] = document["conflicts"]
    assert conflict == {
        "path": ["nodes", "played", "params", "where"],
        "words": "where of played",
        "base": 'player_state == "play"',
        "mine": "mine",
        "theirs": "theirs",
    }
    assert (document["version"], document["saved_by"]) == (2, "root")
    assert document["document"]["nodes"]["held"] == build_negation("never")


@pytest.mark.parametrize("side", ["mine", "theirs"])
def test_a_choice_settles_it(api: APIClient, roots: APIClient, plan: Plan, side: str) -> None:
    save(roots, plan, build_changed(plan, played__params__where="theirs"))
    choice = {"path": ["nodes", "played", "params", "where"], "take": side}
    mine = build_changed(plan, played__params__where="mine")
    answer = save(api, plan, mine, choices=[choice], against=2).json()
    assert answer["document"]["nodes"]["played"]["params"]["where"] == side
    assert answer["version"] == (3 if side == "mine" else 2)


def test_a_choice_against_what_is_not_the_newest_is_asked_anew(
    api: APIClient, roots: APIClient, plan: Plan
) -> None:
    save(roots, plan, build_changed(plan, played__params__where="theirs"))
    save(roots, plan, build_changed(plan, played__params__where="theirs again"), version=2)
    choice = {"path": ["nodes", "played", "params", "where"], "take": "mine"}
    answer = save(api, plan, build_changed(plan, played__params__where="mine"), choices=[choice], against=2)
    assert answer.status_code == 409


def test_a_removed_node_is_left_out_of_the_conflict(api: APIClient, roots: APIClient, plan: Plan) -> None:
    gone = copy.deepcopy(plan.document)
    del gone["nodes"]["never"]
    save(roots, plan, gone)
    [conflict] = request_merge(api, plan, build_changed(plan, never__comment="why")).json()["conflicts"]
    assert conflict["words"] == "whether never stays"
    assert "theirs" not in conflict
    assert conflict["mine"]["comment"] == "why"


def test_a_save_that_is_sent_twice_is_done_once(api: APIClient, roots: APIClient, plan: Plan) -> None:
    mine = build_changed(plan, played__params__where="mine")
    save(api, plan, mine, edit="a1")
    save(roots, plan, build_changed(plan, played__params__where="theirs"), version=2)
    answer = save(api, plan, mine, edit="a1")
    assert (answer.status_code, answer.json()["version"]) == (200, 3)
    assert answer.json()["document"]["nodes"]["played"]["params"]["where"] == "theirs"
    assert answer.json()["changes"]["changes"][0]["after"] == "theirs"


def test_a_plan_that_is_made_twice_is_made_once(api: APIClient, bobs: APIClient) -> None:
    body = {"name": "Mine", "document": {"nodes": {}}, "edit": "a1"}
    numbers = {api.post("/api/plans/", body, format="json").json()["id"] for _ in range(2)}
    assert len(numbers) == 1
    assert bobs.post("/api/plans/", body, format="json").json()["id"] not in numbers


def test_a_base_that_is_no_longer_kept_is_sent_along(api: APIClient, ada: User, plan: Plan) -> None:
    mine = build_changed(plan, held=build_negation("never"))
    for turn in range(1, MAX_DRAFTS_PER_PLAN + 3):
        save_plan(
            plan=plan,
            user=ada,
            version=turn,
            name=None,
            document=build_changed(plan, played__comment=f"{turn}"),
        )
    assert plan.drafts.count() == MAX_DRAFTS_PER_PLAN
    answer = save(api, plan, mine)
    assert (answer.status_code, answer.json()["code"]) == (409, "base_unknown")
    document = save(api, plan, mine, base=plan.document).json()
    assert document["document"]["nodes"]["held"] == build_negation("never")
    assert document["document"]["nodes"]["played"]["comment"] == f"{MAX_DRAFTS_PER_PLAN + 2}"


def test_a_text_is_merged_like_a_document(api: APIClient, roots: APIClient, plan: Plan) -> None:
    text = api.get(f"/api/plans/{plan.pk}/text/").json()["text"]
    save(roots, plan, build_changed(plan, held=build_negation("never")))
    body = {"text": text.replace('"play"', '"pause"'), "version": 1}
    answer = api.put(f"/api/plans/{plan.pk}/text/", body, format="json").json()
    assert answer["document"]["nodes"].keys() == {"played", "never", "held"}
    assert "pause" in json.dumps(answer["document"]["nodes"]["played"])


def test_what_others_did_since_can_be_asked_for(api: APIClient, bobs: APIClient, plan: Plan) -> None:
    save(api, plan, build_changed(plan, held=build_negation("never")))
    answer = bobs.get(f"/api/plans/{plan.pk}/changes/?since=1").json()
    assert (answer["version"], answer["saved_by"], answer["words"]) == (2, "ada", "Added held.")
    assert answer["changes"]["changes"] == [{"path": ["nodes", "held"], "after": build_negation("never")}]
    plan.drafts.all().delete()
    assert bobs.get(f"/api/plans/{plan.pk}/changes/?since=1").json()["changes"] is None
    assert bobs.get(f"/api/plans/{plan.pk}/changes/?since=2").json()["changes"]["changes"] == []


BAD: dict[str, dict[str, Any]] = {
    "no version": {"version": None},
    "a version to come": {"version": 7},
    "a base that is a list": {"base": []},
    "a base that is text": {"base": "x"},
    "a name of a save that is too long": {"edit": "x" * 41},
    "a name of a save that is an object": {"edit": {}},
    "choices that are an object": {"choices": {}},
    "a choice without a path": {"choices": [{"take": "mine"}]},
    "a choice of neither side": {"choices": [{"path": ["name"], "take": "both"}]},
    "a path that is text": {"choices": [{"path": "name", "take": "mine"}]},
    "a path of objects": {"choices": [{"path": [{}], "take": "mine"}]},
    "a path without end": {"choices": [{"path": ["x"] * 41, "take": "mine"}]},
    "against nothing": {"against": "newest"},
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
@pytest.mark.parametrize("call", [save, request_merge])
def test_a_bad_save_is_refused_with_a_reason(
    api: APIClient, plan: Plan, bad: dict[str, Any], call: Any
) -> None:
    answer = call(api, plan, plan.document, **({"version": 1} | bad))
    assert answer.status_code == 400, answer.content
    assert answer.json()["problems"]
    plan.refresh_from_db()
    assert plan.version == 1


@pytest.mark.parametrize("since", ["0", "-1", "x", "1.5", "9" * 20, "2"])
def test_changes_since_nonsense_are_refused(api: APIClient, plan: Plan, since: str) -> None:
    assert api.get(f"/api/plans/{plan.pk}/changes/?since={since}").status_code == 400


def test_what_a_save_would_come_to_keeps_nothing(bobs: APIClient, plan: Plan) -> None:
    assert request_merge(bobs, plan, build_changed(plan, held=build_negation("never"))).status_code == 200
    plan.refresh_from_db()
    assert (plan.version, plan.drafts.count()) == (1, 0)


def test_of_many_who_save_at_once_all_are_kept(transactional_db: None) -> None:
    ada = User.objects.create_user("ada")
    plan = create_plan(user=ada, name="p", document=build_document(played=has_existed()))

    def add(name: str) -> int:
        mine = build_changed(plan, **{name: build_negation("played")})
        return save_plan(plan=plan, user=ada, version=1, name=None, document=mine).version

    names = [f"n{i}" for i in range(6)]
    result = run_at_once(*[lambda name=name: add(name) for name in names])
    assert sorted(result) == [2, 3, 4, 5, 6, 7]
    assert Plan.objects.get().document["nodes"].keys() == {"played", *names}


def test_of_two_who_change_the_same_at_once_one_is_asked(transactional_db: None) -> None:
    ada = User.objects.create_user("ada")
    plan = create_plan(user=ada, name="p", document=build_document(played=has_existed()))

    def write(where: str) -> int:
        try:
            mine = build_changed(plan, played__params__where=where)
            return save_plan(plan=plan, user=ada, version=1, name=None, document=mine).version
        except Conflict:
            return 0

    assert sorted(run_at_once(lambda: write("a"), lambda: write("b"))) == [0, 2]


@pytest.mark.deep
def test_any_documents_can_be_saved_over_each_other(api: APIClient, player: Stream) -> None:
    documents: list[dict[str, Any]] = [
        {},
        {"nodes": 5},
        {"nodes": []},
        {"nodes": {"a": None}},
        {"layout": [1]},
        {"results": {}},
    ]
    for base in documents:
        number = api.post("/api/plans/", {"document": base}, format="json").json()["id"]
        for sent in documents:
            answer = api.put(f"/api/plans/{number}/", {"document": sent, "version": 1}, format="json")
            assert answer.status_code in (200, 409), answer.content


def test_the_untitled_have_a_name() -> None:
    assert drafts.set_document_name(None, {})["name"] == drafts.UNTITLED
