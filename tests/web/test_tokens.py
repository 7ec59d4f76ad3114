"""Tokens: shown once, kept as a hash, good for what they were made for and until they expire."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from timeline_app.web.models import Plan, Stream
from timeline_app.web.models.tokens import ApiToken
from timeline_app.web.people.token_services import create_token, delete_expired_tokens

ALL = ["read", "write", "events", "operate", "admin"]


def make(api: APIClient, *scopes: str, **more: Any) -> dict[str, Any]:
    """A new token, as it is told once."""
    answer = api.post("/api/tokens/", {"name": "ci", "scopes": scopes or ["read"], **more}, format="json")
    assert answer.status_code == 201, answer.json()
    document: dict[str, Any] = answer.json()
    return document


def build_program(token: str) -> APIClient:
    """A program that has only the token."""
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return client


def test_a_token_is_shown_once_and_only_its_hash_is_kept(api: APIClient) -> None:
    new_token = make(api, "read", "write")
    listed = api.get("/api/tokens/").json()
    [row] = listed["results"] if isinstance(listed, dict) else listed
    assert row == {name: value for name, value in new_token.items() if name != "token"}
    [rows] = ApiToken.objects.values()
    assert new_token["token"] not in str(rows)
    assert new_token["scopes"] == ["read", "write"]


def test_a_token_opens_the_api_as_its_user(api: APIClient) -> None:
    opened = build_program(make(api)["token"])
    assert opened.get("/api/me/").json()["username"] == "ada"


def test_each_sees_and_ends_only_their_own(api: APIClient, bobs: APIClient) -> None:
    new_token = make(api)
    assert "ci" not in bobs.get("/api/tokens/").content.decode()
    assert bobs.delete(f"/api/tokens/{new_token['id']}/").json()["code"] == "unknown_token"
    assert build_program(new_token["token"]).get("/api/me/").status_code == 200


def test_one_that_was_ended_opens_nothing(api: APIClient) -> None:
    new_token = make(api)
    assert api.delete(f"/api/tokens/{new_token['id']}/").status_code == 204
    assert build_program(new_token["token"]).get("/api/me/").status_code == 401
    assert api.delete(f"/api/tokens/{new_token['id']}/").status_code == 404


def test_it_lasts_ninety_days_unless_one_says_otherwise_and_a_year_at_most(api: APIClient) -> None:
    def count_days_left(token: dict[str, Any]) -> int:
        left: timedelta = ApiToken.objects.get(pk=token["id"]).expiry - timezone.now()
        return (left + timedelta(hours=1)).days

    assert count_days_left(make(api)) == 90
    assert count_days_left(make(api, days=365)) == 365
    for rejected in (0, 366, -1, "soon", None, 1.5):
        body = {"name": "ci", "scopes": ["read"], "days": rejected}
        assert api.post("/api/tokens/", body, format="json").json()["code"] == "invalid"


def test_one_that_expired_says_so_and_is_listed_for_a_while(api: APIClient) -> None:
    new_token = make(api)
    ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
    answer = build_program(new_token["token"]).get("/api/me/")
    assert (answer.status_code, answer.json()["code"]) == (401, "token_expired")
    assert '"expired":true' in api.get("/api/tokens/").content.decode()
    assert delete_expired_tokens() == 0
    ApiToken.objects.update(expiry=timezone.now() - timedelta(days=31))
    assert delete_expired_tokens() == 1


def test_when_it_was_used_is_noted_to_the_minute(api: APIClient) -> None:
    opened = build_program(make(api)["token"])
    opened.get("/api/me/")
    first = ApiToken.objects.get().last_used_at
    opened.get("/api/me/")
    assert first is not None
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(minutes=2))
    opened.get("/api/me/")
    assert ApiToken.objects.get().last_used_at > first


def test_no_token_makes_or_ends_another(api: APIClient) -> None:
    new_token = make(api, *ALL)
    opened = build_program(new_token["token"])
    answer = opened.post("/api/tokens/", {"name": "more", "scopes": ["read"]}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "needs_login")
    assert opened.delete(f"/api/tokens/{new_token['id']}/").status_code == 403
    assert ApiToken.objects.count() == 1


def test_a_token_for_events_pushes_them_and_nothing_else(api: APIClient, player: Stream) -> None:
    opened = build_program(make(api, "events")["token"])
    event = {"session_id": "s1", "at": 1, "player_state": "play"} | {player.document["time"]: 1}
    taken = opened.post("/api/streams/player/events/", [event], format="json")
    assert taken.status_code == 202, taken.json()
    for refused in (
        opened.get("/api/streams/player/"),
        opened.get("/api/streams/player/events/"),
        opened.post("/api/plans/", {"document": {}}, format="json"),
        opened.get("/api/me/"),
        opened.get("/api/schema/"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")


@pytest.mark.parametrize(
    ("scopes", "reads", "writes", "runs"),
    [
        (["read"], 200, 403, 403),
        (["write"], 200, 201, 403),
        (["operate"], 200, 403, 200),
        (["write", "operate"], 200, 201, 200),
        (["events"], 403, 403, 403),
        (["admin"], 200, 201, 200),
    ],
)
def test_what_a_scope_allows(
    api: APIClient, plan: Plan, scopes: list[str], reads: int, writes: int, runs: int
) -> None:
    opened = build_program(make(api, *scopes)["token"])
    assert opened.get(f"/api/plans/{plan.pk}/").status_code == reads
    assert opened.post("/api/plans/", {"document": {"nodes": {}}}, format="json").status_code == writes
    assert opened.post(f"/api/plans/{plan.pk}/run/").status_code == runs
    assert opened.post(f"/api/plans/{plan.pk}/stop/").status_code == runs


def test_to_delete_a_plan_stops_it_and_needs_both(api: APIClient, plan: Plan) -> None:
    address = f"/api/plans/{plan.pk}/"
    assert build_program(make(api, "write")["token"]).delete(address).status_code == 403
    assert build_program(make(api, "operate")["token"]).delete(address).status_code == 403
    assert build_program(make(api, "write", "operate")["token"]).delete(address).status_code == 204


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "", "scopes": ["read"]},
        {"name": "x"},
        {"name": "x", "scopes": []},
        {"name": "x", "scopes": ["root"]},
        {"name": "x", "scopes": "read"},
        {"name": "x", "scopes": {"read": True}},
        {"name": "x", "scopes": [["read"]]},
        {"name": "x" * 101, "scopes": ["read"]},
        {"name": "x", "scopes": ["read"] * 11},
        {"name": None, "scopes": ["read"]},
    ],
)
def test_what_is_no_token_is_refused(api: APIClient, body: Any) -> None:
    answer = api.post("/api/tokens/", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert not ApiToken.objects.exists()


def test_nobody_collects_tokens_without_end(api: APIClient, ada: User, settings: Settings) -> None:
    settings.QUOTAS = settings.QUOTAS | {"tokens": 3}
    for _ in range(3):
        create_token(user=ada, name="ci", scopes=["read"])
    answer = api.post("/api/tokens/", {"name": "ci", "scopes": ["read"]}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "quota_exceeded")


@pytest.mark.parametrize(
    "header",
    [
        "Token",
        "Token x",
        "Token a b",
        f"Token {'x' * 5000}",
        "Bearer x",
        "Basic eDp5",
        "Token \x01",
        "token ",
        "Token é",
        "x",
        "Token \x00",
        "Token %00",
    ],
)
def test_a_bad_token_opens_nothing(nobody: APIClient, header: str) -> None:
    nobody.credentials(HTTP_AUTHORIZATION=header)
    answer = nobody.get("/api/me/")
    assert answer.status_code == 401
    assert answer.json()["code"] in ("authentication_failed", "not_authenticated")
    assert "WWW-Authenticate" in answer.headers


def test_half_a_token_opens_nothing(api: APIClient) -> None:
    text = make(api)["token"]
    for rejected in (text[:15], text[:-1], text + "0", text[:15] + "0" * (len(text) - 15), text.upper()):
        assert build_program(rejected).get("/api/me/").status_code == (200 if rejected == text else 401)


def test_the_token_of_someone_who_left_opens_nothing(api: APIClient, ada: User) -> None:
    opened = build_program(make(api)["token"])
    ada.is_active = False
    ada.save()
    assert opened.get("/api/me/").status_code == 401


def test_the_shell_makes_one(ada: User) -> None:
    output = StringIO()
    call_command("token", "ada", "ci", "--scopes", "events,read", "--days", "7", stdout=output)
    assert build_program(output.getvalue().strip()).get("/api/me/").json()["username"] == "ada"
    assert ApiToken.objects.get().scopes == ["read", "events"]


@pytest.mark.parametrize(
    "words",
    [
        ["eve", "ci"],
        ["ada", ""],
        ["ada", "x" * 101],
        ["ada", "ci", "--scopes", ""],
        ["ada", "ci", "--scopes", "root"],
        ["ada", "ci", "--scopes", "read,,root"],
        ["ada", "ci", "--days", "0"],
        ["ada", "ci", "--days", "366"],
        ["ada", "ci", "--days", "x"],
        ["ada"],
    ],
)
def test_the_shell_refuses_what_is_no_token(ada: User, words: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("token", *words)
    assert not ApiToken.objects.exists()


def test_administrators_see_whose_they_are_and_end_them(api: APIClient, roots: APIClient) -> None:
    new_token = make(api, "events")
    page = roots.get("/admin/web/apitoken/").content.decode()
    assert "ada" in page
    assert "events" in page
    assert new_token["token"] not in page
    assert roots.get("/admin/web/apitoken/add/").status_code == 403
    chosen = {"action": "end", "_selected_action": [new_token["id"]], "apply": "1", "reason": "lost"}
    roots.post("/admin/web/apitoken/", chosen)
    assert build_program(new_token["token"]).get("/api/me/").status_code == 401
