"""Pages: login, the shell of the application; nothing inline, everything from here."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings
from rest_framework.test import APIClient


@pytest.fixture
def built_page(settings: Settings, tmp_path: Path) -> Path:
    """A build of the browser application."""
    folder = tmp_path / "dist"
    folder.mkdir()
    manifest = {
        "src/core/ui/fonts.css": {"file": "assets/fonts-4.css", "isEntry": True},
        "index.html": {
            "file": "assets/index-abcd1234.js",
            "isEntry": True,
            "imports": ["_shared.js"],
            "css": ["assets/index-1.css"],
        },
        "_shared.js": {"file": "assets/shared-2.js", "css": ["assets/shared-2.css"], "imports": ["_deep.js"]},
        "_deep.js": {"file": "assets/deep-3.js", "imports": ["_shared.js"]},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    settings.FRONTEND = folder
    return folder


@pytest.mark.parametrize(
    "address",
    ["/", "/plans/new/", "/plans/1/", "/streams/", "/dashboards/", "/dashboards/1/", "/dashboards/1/kiosk/"],
)
def test_every_page_loads_the_entry_of_the_build(api: APIClient, built_page: Path, address: str) -> None:
    answer = api.get(address)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert '<script type="module" src="/static/assets/index-abcd1234.js"></script>' in page
    assert re.findall(r'stylesheet" href="([^"]+)"', page) == [
        "/static/assets/shared-2.css",
        "/static/assets/index-1.css",
    ]
    assert '<div id="root">' in page
    assert "csrftoken" in answer.cookies


@pytest.mark.parametrize("address", ["/login/", "/password/", "/api/docs/", "/nowhere/"])
def test_pages_without_the_application_are_set_in_its_fonts(
    api: APIClient, built_page: Path, address: str
) -> None:
    link = '<link rel="stylesheet" href="/static/assets/fonts-4.css">'
    assert link in api.get(address).content.decode()
    (built_page / "manifest.json").unlink()
    assert "fonts" not in api.get(address).content.decode()


@pytest.mark.parametrize("content", [None, "", "{", "[]", "{}", '{"a": {"file": "a.js"}}'])
def test_without_a_build_the_page_says_what_to_do(
    api: APIClient, settings: Settings, tmp_path: Path, content: str | None
) -> None:
    settings.FRONTEND = tmp_path
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    answer = api.get("/")
    assert answer.status_code == 503
    assert "make setup" in answer.content.decode()


def test_login_and_logout(ada: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    page = browser.get("/login/?next=/streams/").content.decode()
    token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    form = {
        "username": "ada",
        "password": "difference engine",
        "next": "/streams/",
        "csrfmiddlewaretoken": token[1],
    }
    answer = browser.post("/login/", form)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/streams/")
    out = browser.post("/logout/", {"csrfmiddlewaretoken": browser.cookies["csrftoken"].value})
    assert (out.status_code, out.headers["Location"]) == (302, "/login/")
    assert browser.get("/").status_code == 302


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"username": "ada"},
        {"username": "ada", "password": "wrong"},
        {"username": "Ada ", "password": "x"},
        {"username": "a\0", "password": "x"},
        {"username": "x" * 10_000, "password": "y" * 10_000},
    ],
)
def test_a_wrong_login_stays_at_the_page(ada: User, form: dict[str, str]) -> None:
    answer = Client().post("/login/", form)
    assert answer.status_code == 200
    assert "Wrong username or password" in answer.content.decode()


@pytest.mark.parametrize(
    ("form", "field"), [(None, "username"), ({"username": "ada", "password": "wrong"}, "password")]
)
def test_one_writes_where_it_was_wrong(ada: User, form: dict[str, str] | None, field: str) -> None:
    answer = Client().get("/login/") if form is None else Client().post("/login/", form)
    [begun] = re.findall(r"<input[^>]*autofocus[^>]*>", answer.content.decode())
    assert f'name="{field}"' in begun


def test_login_never_leads_elsewhere(ada: User) -> None:
    form = {"username": "ada", "password": "difference engine", "next": "https://example.org/"}
    assert Client().post("/login/", form).headers["Location"] == "/"


def test_the_list_of_plans_is_found_where_those_of_other_things_are(api: APIClient) -> None:
    answer = api.get("/plans/?q=owner%3Ame&page=2")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/?q=owner%3Ame&page=2")
    assert api.get("/plans/").headers["Location"] == "/"
    assert Client().get("/plans/").headers["Location"] == "/login/?next=/plans/"


def test_a_form_without_its_cookie_is_refused_in_our_look(ada: User) -> None:
    answer = Client(enforce_csrf_checks=True).post("/login/", {"username": "ada"})
    assert answer.status_code == 403
    assert "Please try again" in answer.content.decode()


def test_a_session_needs_its_csrf_token_in_the_api(ada: User) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ada)
    answer = browser.post("/api/tokens/")
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert "CSRF" in answer.json()["message"]


def test_no_page_has_inline_scripts_and_the_policy_forbids_them(
    api: APIClient, roots: APIClient, built_page: Path
) -> None:
    pages = [(api, "/"), (Client(), "/login/"), (api, "/api/docs/"), (roots, "/admin/"), (api, "/nowhere/")]
    for client, address in pages:
        answer = client.get(address)
        assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Frame-Options"] == "DENY"
        scripts = re.findall(r"<script([^>]*)>", answer.content.decode())
        assert all("src=" in script for script in scripts)
        assert not re.search(r"(src|href)=\"https?://", answer.content.decode())


@pytest.mark.parametrize(
    "address",
    [
        "timeline/pages.css",
        "timeline/mark.svg",
        "admin/css/base.css",
        "drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js",
    ],
)
def test_static_files_are_served_without_login(address: str) -> None:
    answer = Client().get(f"/static/{address}")
    assert answer.status_code == 200
    assert len(answer.content) > 100


def test_there_is_an_icon_for_pages_that_name_none() -> None:
    assert Client().get("/favicon.ico").headers["Location"] == "/static/timeline/mark.svg"


def test_a_browser_that_has_a_static_file_need_not_load_it_again() -> None:
    first = Client().get("/static/timeline/pages.css")
    repeated = Client().get(
        "/static/timeline/pages.css", HTTP_IF_MODIFIED_SINCE=first.headers["Last-Modified"]
    )
    assert (repeated.status_code, repeated.content) == (304, b"")


@pytest.mark.parametrize("address", ["../settings.py", "%2e%2e/%2e%2e/manage.py", "nowhere.js", ""])
def test_nothing_else_is_served_as_static(address: str) -> None:
    assert Client().get(f"/static/{address}").status_code == 404


def test_a_fault_of_ours_has_the_stable_body(api: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("timeline_app.web.plans.operators_api.operators", fail)
    answer = api.get("/api/operators/")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert answer.json()["request_id"] == answer.headers["X-Request-ID"]


def test_the_page_of_the_calls_is_only_read(api: APIClient) -> None:
    assert api.get("/api/docs/").status_code == 200
    assert {api.options("/api/docs/").status_code, api.post("/api/docs/").status_code} == {405}
