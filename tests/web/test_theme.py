"""A person chooses light, dark, or what the system has, and a time zone; the server remembers it."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings
from rest_framework.test import APIClient

from timeline_app.web.models.people import Member, Role

pytestmark = pytest.mark.django_db


def get_page(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.get("/").content.decode()


@pytest.fixture(autouse=True)
def built_page(tmp_path: Path, settings: Settings) -> None:
    settings.FRONTEND = tmp_path
    (tmp_path / "manifest.json").write_text('{"src/main.tsx": {"file": "assets/a.js", "isEntry": true}}')


def test_until_somebody_chooses_the_page_is_as_the_system(api: APIClient, ada: User) -> None:
    assert api.get("/api/me/").json()["theme"] == "system"
    assert '<html lang="en" data-theme="system" data-zone="">' in get_page(ada)


def test_a_choice_is_kept_and_written_on_each_page(api: APIClient, ada: User) -> None:
    answer = api.patch("/api/me/", {"theme": "dark"}, format="json")
    assert (answer.status_code, answer.json()["theme"]) == (200, "dark")
    assert api.get("/api/me/").json()["theme"] == "dark"
    assert '<html lang="en" data-theme="dark" data-zone="">' in get_page(ada)


def test_a_zone_is_kept_beside_the_theme_and_written_on_each_page(api: APIClient, ada: User) -> None:
    assert api.get("/api/me/").json()["zone"] == ""
    api.patch("/api/me/", {"theme": "dark"}, format="json")
    answer = api.patch("/api/me/", {"zone": "asia/kolkata"}, format="json")
    assert (answer.status_code, answer.json()["zone"], answer.json()["theme"]) == (
        200,
        "Asia/Kolkata",
        "dark",
    )
    assert 'data-theme="dark" data-zone="Asia/Kolkata">' in get_page(ada)
    assert api.patch("/api/me/", {"zone": ""}, format="json").json()["zone"] == ""


def test_a_zone_that_is_none_is_refused_with_an_example(api: APIClient, ada: User) -> None:
    answer = api.patch("/api/me/", {"zone": "Mars/Olympus"}, format="json")
    assert answer.status_code == 400
    assert "Mars/Olympus" in answer.content.decode()
    assert "Europe/Copenhagen" in answer.content.decode()
    assert Member.objects.get(user=ada).zone == ""


def test_who_only_looks_chooses_as_well(api: APIClient, ada: User) -> None:
    Member.objects.filter(user=ada).update(role=Role.VIEWER)
    assert api.patch("/api/me/", {"theme": "light"}, format="json").status_code == 200


def test_another_theme_is_refused_with_those_that_there_are(api: APIClient, ada: User) -> None:
    answer = api.patch("/api/me/", {"theme": "sepia"}, format="json")
    assert answer.status_code == 400
    assert "sepia" in answer.content.decode()
    assert Member.objects.get(user=ada).theme == "system"


@pytest.mark.parametrize(("address", "status"), [("/nowhere/", 404), ("/admin/login/", 403)])
def test_pages_that_refuse_have_the_theme_that_was_chosen(ada: User, address: str, status: int) -> None:
    Member.objects.filter(user=ada).update(theme="dark")
    client = Client()
    client.force_login(ada)
    answer = client.get(address)
    assert answer.status_code == status
    assert '<html lang="en" data-theme="dark">' in answer.content.decode()


def test_a_page_that_is_not_there_has_the_system_s_theme_for_who_is_not_known() -> None:
    assert 'data-theme="system"' in Client().get("/nowhere/").content.decode()
