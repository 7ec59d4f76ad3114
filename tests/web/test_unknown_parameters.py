"""Parameters that a call does not have are refused, with the nearest name; those of its description are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from timeline_app.web.core.known_parameters import list_parameters
from timeline_app.web.core.views import ApiView

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> APIClient:
    client = APIClient()
    client.force_authenticate(User.objects.create_user("ann", password="x"))
    return client


@pytest.mark.parametrize(
    ("address", "name", "hint"),
    [
        ("/api/alerts/?sevrity=critical", "sevrity", "Did you mean severity?"),
        ("/api/plans/?owner=me&page=2", "page", "Known are cursor, limit, owner, q"),
        ("/api/nodes/?Status=running", "Status", "Did you mean status?"),
        ("/api/streams/?serach=x", "serach", "Known are cursor, limit, q"),
        ("/api/operators/?x=1", "x", "Leave it out"),
        ("/api/audit/?form=csv", "form", "Known are"),
    ],
)
def test_an_unknown_parameter_is_refused(client: APIClient, address: str, name: str, hint: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 400, answer.content
    [problem] = answer.json()["problems"]
    assert (problem["code"], problem["field"]) == ("unknown_parameter", name)
    assert problem["hint"].startswith(hint)


def test_all_unknown_parameters_are_told_at_once_and_nothing_is_done(client: APIClient) -> None:
    answer = client.post("/api/streams/?name=a&kay=b", {"name": "s", "key": "k", "time": "t"}, format="json")
    assert [problem["field"] for problem in answer.json()["problems"]] == ["kay", "name"]
    assert client.get("/api/streams/").json()["results"] == []


def test_known_parameters_pages_and_the_format_are_taken(client: APIClient) -> None:
    for address in (
        "/api/alerts/?severity=critical&limit=5",
        "/api/audit/?format=csv",
        "/api/plans/?format=json",
    ):
        assert client.get(address).status_code == 200
    assert client.head("/api/plans/?owner=me").status_code == 200


def iterate_views(patterns: list[URLPattern | URLResolver]) -> Iterator[type[ApiView]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from iterate_views(pattern.url_patterns)
        elif issubclass(getattr(pattern.callback, "cls", object), ApiView):
            yield pattern.callback.cls  # type: ignore[attr-defined]


def test_the_parameters_of_every_call_are_those_of_its_description() -> None:
    schema: Any = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    described = {
        parameter["name"]
        for calls in schema["paths"].values()
        for call in calls.values()
        for parameter in call.get("parameters", ())
        if parameter["in"] == "query"
    }
    methods = ("GET", "POST", "PUT", "PATCH", "DELETE")
    views = set(iterate_views(get_resolver().url_patterns))
    known_values = {
        name
        for view in views
        for method in methods
        if hasattr(view, method.lower())
        for name in list_parameters(view, method)
    }
    assert len(views) > 80
    assert known_values == described | {"format"}
