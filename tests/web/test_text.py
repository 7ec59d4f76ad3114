"""Plans as text over REST: shown, saved, translated; nothing is lost, and every mistake has its line and column."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed
from timeline_app.web.models import Plan, Stream

TEXT = 'plan "Anew"\n\nplayed = has_existed(player.player_state == "play")\nnever = not played\n'


def test_a_plan_is_shown_as_text_and_saved_from_it(api: APIClient, plan: Plan) -> None:
    address = f"/api/plans/{plan.pk}/text/"
    entry = api.get(address).json()
    assert entry == {"text": TEXT.replace("Anew", "A plan"), "version": 1}
    answer = api.put(address, {"text": TEXT + "ever = not never\n", "version": 1}, format="json")
    assert answer.status_code == 200, answer.content
    assert (answer.json()["version"], answer.json()["name"]) == (2, "Anew")
    assert answer.json()["document"] == build_document(
        played=has_existed(), never=build_negation("played"), ever=build_negation("never")
    ) | {"name": "Anew"}


def test_what_is_saved_from_its_own_text_is_what_it_was(api: APIClient, plan: Plan) -> None:
    before = api.get(f"/api/plans/{plan.pk}/").json()
    text = api.get(f"/api/plans/{plan.pk}/text/").json()
    after = api.put(f"/api/plans/{plan.pk}/text/", text, format="json").json()
    assert after["document"] == before["document"]


def test_a_text_without_a_name_leaves_the_plan_its_name(api: APIClient, plan: Plan) -> None:
    body = {"text": "x = event_count(player)", "version": 1}
    assert api.put(f"/api/plans/{plan.pk}/text/", body, format="json").json()["name"] == "A plan"


def test_a_draft_may_be_as_incomplete_as_on_the_canvas(api: APIClient, plan: Plan) -> None:
    body = {"text": "x = not()", "version": 1}
    answer = api.put(f"/api/plans/{plan.pk}/text/", body, format="json").json()
    assert [item["code"] for item in answer["problems"]] == ["open_port"]


def test_a_text_that_cannot_be_read_is_refused_with_every_place(api: APIClient, plan: Plan) -> None:
    body = {"text": "a = nott(b)\nb = not(a\n", "version": 1}
    answer = api.put(f"/api/plans/{plan.pk}/text/", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_text")
    assert [(item["line"], item["column"]) for item in answer.json()["problems"]] == [(1, 5), (2, 8)]
    assert "line 1, column 5" in answer.json()["message"]
    plan.refresh_from_db()
    assert plan.version == 1


def test_a_save_on_a_version_to_come_or_of_another_owner_is_refused(
    api: APIClient, bobs: APIClient, plan: Plan
) -> None:
    address = f"/api/plans/{plan.pk}/text/"
    assert bobs.get(address).status_code == 200
    assert bobs.put(address, {"text": TEXT, "version": 1}, format="json").status_code == 403
    assert api.put(address, {"text": TEXT, "version": 2}, format="json").json()["code"] == "invalid"
    assert api.put(address, {"text": TEXT}, format="json").json()["problems"][0]["field"] == "version"
    assert api.get("/api/plans/999/text/").status_code == 404


def test_a_text_becomes_a_document_with_the_places_of_its_problems(api: APIClient, player: Stream) -> None:
    text = "calm = not has_existed(player.player_stat == 'play')\nmany = calm > 3\n"
    answer = api.post("/api/text/", {"text": text}, format="json").json()
    assert list(answer["document"]["nodes"]) == ["calm_1", "calm", "many"]
    items = [(item["line"], item["column"], item["code"]) for item in answer["problems"]]
    assert items == [(1, 24, "unseen_field"), (2, 8, "wrong_kind")]


def test_a_text_that_cannot_be_read_is_told_without_a_document(api: APIClient) -> None:
    answer = api.post("/api/text/", {"text": "x = not(y"}, format="json").json()
    assert (answer["document"], answer["problems"][0]["line"], answer["problems"][0]["column"]) == (
        None,
        1,
        8,
    )


def test_a_document_becomes_a_text(api: APIClient) -> None:
    body = {"document": build_document(played=has_existed(), never=build_negation("played"))}
    answer = api.post("/api/text/", body, format="json").json()
    assert answer == {"document": None, "text": TEXT.replace("Anew", "A plan"), "problems": [], "places": {}}


@pytest.mark.parametrize(
    "body",
    [{}, {"text": "x", "document": {}}, {"text": []}, {"text": None}, {"document": []}, {"document": None}],
)
def test_a_wrong_body_is_refused(api: APIClient, body: Any) -> None:
    answer = api.post("/api/text/", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid"), answer.content


@pytest.mark.parametrize(
    "text", [r'x = event_count(s) == "\u0000"', r'@groups ["\ud800"]', "@a " + "[" * 40 + "]" * 40]
)
def test_what_a_database_cannot_keep_is_refused(api: APIClient, plan: Plan, text: str) -> None:
    answer = api.put(f"/api/plans/{plan.pk}/text/", {"text": text, "version": 1}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_json"), answer.content
    plan.refresh_from_db()
    assert plan.version == 1
    assert api.post("/api/text/", {"text": text}, format="json").status_code == 400


def test_nobody_translates_who_is_not_logged_in(nobody: APIClient) -> None:
    assert nobody.post("/api/text/", {"text": ""}, format="json").status_code == 401
