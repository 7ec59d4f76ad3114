"""Who am I, and my token."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient


def test_me(api: APIClient, roots: APIClient) -> None:
    assert api.get("/api/me/").json() == {"username": "ada", "is_staff": False}
    assert roots.get("/api/me/").json() == {"username": "root", "is_staff": True}


def test_the_token_is_ones_own_and_stays(api: APIClient, bobs: APIClient) -> None:
    first = api.post("/api/tokens/").json()["token"]
    assert api.post("/api/tokens/").json()["token"] == first
    assert bobs.post("/api/tokens/").json()["token"] != first


def test_a_token_opens_the_api(api: APIClient, nobody: APIClient) -> None:
    token = api.post("/api/tokens/").json()["token"]
    nobody.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    assert nobody.get("/api/me/").json()["username"] == "ada"


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
    ],
)
def test_a_bad_token_opens_nothing(nobody: APIClient, header: str) -> None:
    nobody.credentials(HTTP_AUTHORIZATION=header)
    answer = nobody.get("/api/me/")
    assert answer.status_code == 401
    assert answer.json()["code"] in ("authentication_failed", "not_authenticated")
    assert "WWW-Authenticate" in answer.headers


def test_the_token_of_someone_who_left_opens_nothing(api: APIClient, nobody: APIClient, ada: User) -> None:
    nobody.credentials(HTTP_AUTHORIZATION=f"Token {api.post('/api/tokens/').json()['token']}")
    ada.is_active = False
    ada.save()
    assert nobody.get("/api/me/").status_code == 401
