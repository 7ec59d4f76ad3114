"""Who is not logged in sees the login page, the page of public links without data, health and static files."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.test import APIClient

pytestmark = pytest.mark.deep

OPEN = {"/login/", "/public/", "/healthz", "/readyz", "/metrics", "/admin/login/", "/favicon.ico"}


def iterate_addresses(patterns: list[URLPattern | URLResolver], before: str = "/") -> Iterator[str]:
    """An example of every address."""
    for pattern in patterns:
        text = str(pattern.pattern)
        for converter in getattr(pattern.pattern, "converters", {}):
            text = text.replace(f"<int:{converter}>", "1").replace(f"<str:{converter}>", "x")
            text = text.replace(f"<path:{converter}>", "1").replace(f"<{converter}>", "1")
        if isinstance(pattern, URLResolver):
            yield from iterate_addresses(pattern.url_patterns, before + text.lstrip("^"))
        elif not text.startswith("(?P"):
            yield before + text.lstrip("^").rstrip("$")


EVERY = sorted(set(iterate_addresses(get_resolver().url_patterns)))


def test_the_walk_finds_the_addresses() -> None:
    assert {"/", "/plans/1/", "/api/plans/1/run/", "/api/nodes/x/timeline/", "/admin/web/node/"} <= set(EVERY)
    assert len(EVERY) > 60


@pytest.mark.parametrize("method", ["get", "post", "put", "delete"])
@pytest.mark.parametrize("address", [address for address in EVERY if address not in OPEN])
def test_nobody_gets_nothing(nobody: APIClient, address: str, method: str) -> None:
    answer = getattr(nobody, method)(address)
    if address.startswith("/api/") and address != "/api/docs/":
        assert answer.status_code == 401
        assert json.loads(answer.content)["code"] == "not_authenticated"
    elif answer.status_code != 405:
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith(("/login/?next=", "/admin/login/"))


def test_admin_uses_the_one_login(nobody: APIClient) -> None:
    answer = nobody.get("/admin/login/?next=/admin/web/node/")
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/login/?next=/admin/web/node/"


@pytest.mark.parametrize("address", ["/api/nowhere/", "/nowhere/", "/plans/x/"])
def test_what_is_not_there_is_said_to_be_not_there(nobody: APIClient, address: str) -> None:
    assert nobody.get(address).status_code == 404
