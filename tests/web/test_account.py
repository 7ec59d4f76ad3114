"""Who am I."""

from __future__ import annotations

from rest_framework.test import APIClient


def test_me(api: APIClient, roots: APIClient) -> None:
    assert api.get("/api/me/").json() == {
        "username": "ada",
        "is_staff": False,
        "role": "editor",
        "teams": [],
        "theme": "system",
        "zone": "",
        "public_links": False,
    }
    assert roots.get("/api/me/").json() == {
        "username": "root",
        "is_staff": True,
        "role": "admin",
        "teams": [],
        "theme": "system",
        "zone": "",
        "public_links": False,
    }
