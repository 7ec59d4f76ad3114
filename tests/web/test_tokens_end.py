"""Tokens end with the password that made them, and a session alone makes none."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from rest_framework.test import APIClient

from tests.web.conftest import log_in_client
from timeline_app.web.core.errors import Invalid
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.models.tokens import ApiToken
from timeline_app.web.people.passwords import TYPED_AT
from timeline_app.web.people.services import set_active
from timeline_app.web.people.token_services import MAX_TOKEN_DAYS, create_token

PASSWORD = "difference engine"
BODY = {"name": "ci", "scopes": ["read"]}


@pytest.fixture
def token(ada: User) -> str:
    return create_token(user=ada, name="import", scopes=["admin"])[1]


def is_let_in(token: str) -> bool:
    """Whether a program that has the token is let in."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return bool(client.get("/api/me/").status_code == 200)


def get_newest_audit_event(act: str) -> Any:
    return AuditEntry.objects.filter(act=act).latest("pk").after


def open_stale_session(user: User) -> APIClient:
    """A session in which the password was typed long ago, as whoever stole the cookie has it."""
    client = log_in_client(user)
    session = client.session
    del session[TYPED_AT]
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = str(session.session_key)
    return client


def test_tokens_end_with_a_password_that_an_administrator_makes_anew(
    roots: APIClient, ada: User, token: str
) -> None:
    answer = roots.post("/api/people/ada/password/").json()
    assert answer["tokens_ended"] == 1
    assert not is_let_in(token)
    assert get_newest_audit_event("person.password") == {"one_time": True, "tokens_ended": ["import"]}


def test_an_administrator_may_keep_the_tokens_by_choice(roots: APIClient, ada: User, token: str) -> None:
    answer = roots.post("/api/people/ada/password/", {"keep_tokens": True}, format="json").json()
    assert answer["tokens_ended"] == 0
    assert is_let_in(token)
    assert get_newest_audit_event("person.password") == {"one_time": True, "tokens_kept": 1}
    browser = Client()
    browser.post("/login/", {"username": "ada", "password": answer["password"]})
    new = "purple horses"
    browser.post("/password/", {"new_password1": new, "new_password2": new})
    assert User.objects.get(pk=ada.pk).check_password(new)
    assert is_let_in(token), "the administrator's choice holds"


@pytest.mark.parametrize("keep", [False, True])
def test_ones_own_tokens_end_with_the_own_password_or_are_kept(
    api: APIClient, ada: User, token: str, keep: bool
) -> None:
    body = {"old": PASSWORD, "new": "purple horses"} | ({"keep_tokens": True} if keep else {})
    answer = api.post("/api/me/password/", body, format="json")
    assert (answer.status_code, answer.json()) == (200, {"tokens_ended": 1 - keep, "tokens_kept": int(keep)})
    assert is_let_in(token) is keep
    assert get_newest_audit_event("person.password") == (
        {"tokens_kept": 1} if keep else {"tokens_ended": ["import"]}
    )


@pytest.mark.parametrize("keep", [False, True])
def test_the_page_asks_about_the_tokens(api: APIClient, ada: User, token: str, keep: bool) -> None:
    page = api.get("/password/").content.decode()
    assert "Keep my 1 token: else it ends with the old password" in page
    new = "purple horses"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert api.post("/password/", form | ({"keep_tokens": "on"} if keep else {})).status_code == 302
    assert is_let_in(token) is keep


def test_a_wrong_password_ends_no_token(api: APIClient, ada: User, token: str) -> None:
    body = {"old": "wrong", "new": "purple horses"}
    assert api.post("/api/me/password/", body, format="json").status_code == 400
    assert is_let_in(token)


def test_tokens_end_with_a_password_from_the_shell(ada: User, token: str) -> None:
    call_command("password", "ada", "--keep-tokens", stdout=StringIO())
    assert is_let_in(token)
    call_command("password", "ada", stdout=StringIO())
    assert not is_let_in(token)


def test_who_is_shut_out_has_no_tokens_when_let_in_again(root: User, ada: User, token: str) -> None:
    set_active(person=ada, user=root, active=False)
    assert get_newest_audit_event("person.active") == {"active": False, "tokens_ended": ["import"]}
    set_active(person=ada, user=root, active=True)
    assert not is_let_in(token)


@pytest.mark.parametrize("address", ["/password/", "/api/me/password/"])
def test_a_stolen_session_cannot_guess_the_password_without_end(ada: User, address: str) -> None:
    thief, new = open_stale_session(ada), "purple horses"

    def guess(old: str) -> int:
        if address.startswith("/api/"):
            return int(thief.post(address, {"old": old, "new": new}, format="json").status_code)
        form = {"old_password": old, "new_password1": new, "new_password2": new}
        return int(thief.post(address, form).status_code)

    for number in range(5):
        guess(f"guess {number}")
    assert guess(PASSWORD) == 429
    assert User.objects.get(pk=ada.pk).check_password(PASSWORD)


def test_a_stolen_session_makes_no_token(ada: User) -> None:
    thief = open_stale_session(ada)
    answer = thief.post("/api/tokens/", BODY, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "password_needed")
    answer = thief.post("/api/tokens/", BODY | {"password": "guess"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "password_wrong")
    assert not ApiToken.objects.exists()


def test_the_password_makes_a_token_and_is_kept_nowhere(ada: User) -> None:
    client = open_stale_session(ada)
    answer = client.post("/api/tokens/", BODY | {"password": PASSWORD}, format="json")
    assert answer.status_code == 201, answer.json()
    assert PASSWORD not in answer.content.decode()
    assert PASSWORD not in str(list(AuditEntry.objects.values()))
    assert client.post("/api/tokens/", BODY, format="json").status_code == 201, "it was typed a moment ago"


def test_a_thief_cannot_try_passwords_for_ever(ada: User) -> None:
    thief = open_stale_session(ada)
    for _ in range(settings.AXES_FAILURE_LIMIT):
        answer = thief.post("/api/tokens/", BODY | {"password": "guess"}, format="json")
    assert answer.status_code == 429
    assert answer.json()["code"] == "locked_out"
    for path, body in (
        ("/api/tokens/", BODY | {"password": PASSWORD}),
        ("/api/me/password/", {"old": PASSWORD, "new": "purple horses"}),
    ):
        assert thief.post(path, body, format="json").status_code in (400, 429)
    assert not ApiToken.objects.exists()
    assert User.objects.get(pk=ada.pk).check_password(PASSWORD)


def test_a_login_lasts_a_while_as_the_proof(ada: User) -> None:
    browser = Client()
    browser.post("/login/", {"username": "ada", "password": PASSWORD})
    assert browser.post("/api/tokens/", BODY, content_type="application/json").status_code == 201
    session = browser.session
    session[TYPED_AT] -= 301
    session.save()
    answer = browser.post("/api/tokens/", BODY, content_type="application/json")
    assert answer.json()["code"] == "password_needed"


@pytest.mark.parametrize("days", [0, -1, MAX_TOKEN_DAYS + 1, 10**9])
def test_no_token_lives_longer_than_a_year_whoever_makes_it(ada: User, days: int) -> None:
    with pytest.raises(Invalid):
        create_token(user=ada, name="t", scopes=["read"], days=days)


def test_the_login_page_tells_nobody_who_is_logged_in(api: APIClient, nobody: APIClient) -> None:
    address = "/login/?next=/favicon.ico"
    assert api.get(address).status_code == nobody.get(address).status_code == 200
