"""Every address and method as everybody, by session and by token, held against a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from tests.web.conftest import log_in_client
from tests.web.rights.table import CALLS, PAGES, Call
from tests.web.rights.world import PEOPLE, SECRET, World, create_world
from timeline_app.web.models.tokens import INCLUDED_SCOPES, Scope
from timeline_app.web.people.token_services import create_token

pytestmark = pytest.mark.deep

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
WORDS = {".": (200, 201, 202, 204), "u": (401,), "3": (403,), "4": (404,), "9": (409,), "l": (302,)}
PARTS = {
    "streams/<str:name>": "streams/{stream}",
    "plans/<int:number>": "plans/{plan}",
    "dashboards/<int:number>": "dashboards/{board}",
    "samples/<int:number>": "samples/{sample}",
    "sinks/<int:number>": "sinks/{sink}",
    "alerts/<int:number>": "alerts/{alert}",
    "channels/<int:number>": "channels/{channel}",
    "incidents/<int:number>": "incidents/{incident}",
    "silences/<int:number>": "silences/{silence}",
    "alerts/<int:alert>": "alerts/{alert}",
    "incidents/<int:incident>": "incidents/{incident}",
    "trash/<int:number>": "trash/{trash}",
    "nodes/<str:digest>": "nodes/{node}",
    "tokens/<int:number>": "tokens/{token}",
    "people/<str:name>": "people/{person}",
    "teams/<str:name>": "teams/{team}",
    "plans/<int:plan>": "plans/{plan}",
    "dashboards/<int:dashboard>": "dashboards/{board}",
    "streams/<str:stream>": "streams/{stream}",
    "nodes/<str:node>": "nodes/{node}",
    "<int:version>": "{version}",
    "<int:test>": "{test}",
    "<int:link>": "{link}",
}


def iterate_patterns(items: list[URLPattern | URLResolver], before: str = "/") -> Iterator[tuple[str, Any]]:
    """Every address outside the admin pages, as the table spells it, and its view."""
    for item in items:
        text = before + str(item.pattern)
        if text.startswith("/admin/"):
            continue
        if isinstance(item, URLResolver):
            yield from iterate_patterns(item.url_patterns, text)
        else:
            for part, name in PARTS.items():
                text = text.replace(part, name)
            yield text, item.callback


def list_calls() -> set[tuple[str, str]]:
    """Every method of every address of the API."""
    result = {
        text: getattr(view, "cls", None) for text, view in iterate_patterns(get_resolver().url_patterns)
    }
    return {
        (method, text.removeprefix("/api/"))
        for text, view in result.items()
        if text.startswith("/api/") and text not in PAGES
        for method in METHODS
        if hasattr(view, method.lower())
    }


def test_the_table_has_every_call_of_the_api_and_no_other() -> None:
    assert list_calls() == set(CALLS), "a call is missing in tests/web/rights/table.py, or is there no more"


def test_the_table_has_every_page_and_no_other() -> None:
    result = {
        text for text, _ in iterate_patterns(get_resolver().url_patterns) if not text.startswith("/api/")
    }
    assert result | {"/api/docs/"} == set(PAGES), "a page is missing in tests/web/rights/table.py"


def test_what_is_described_is_what_is_walked() -> None:
    described = SchemaGenerator().get_schema(request=None, public=True)["paths"]  # type: ignore[no-untyped-call]
    blank = re.compile(r"\{\w+\}")
    items = {
        (method.upper(), blank.sub("{}", path))
        for path, value in described.items()
        for method in value
        if method in ("get", "post", "put", "patch", "delete")
    }
    walked = {(method, blank.sub("{}", f"/api/{path}")) for method, path in CALLS if path != "schema/"}
    assert items == walked


@pytest.fixture
def everything(db: None, settings: Any) -> World:
    settings.PUBLIC_LINKS = True
    return create_world()


def request_and_roll_back(client: APIClient, made: World, method: str, path: str, call: Call) -> Any:
    """Do it, and take it back."""
    address = path.format(**made.place()) + call.query
    body = None if call.body is None else call.body(made)
    sent = {} if body is None else {"data": json.dumps(body), "content_type": call.kind}
    with transaction.atomic():
        answer = getattr(client, method.lower())(address, **sent)
        transaction.set_rollback(True)
    return answer


def iterate_wrong(letter: str, answer: Any, call: Call, who: str) -> Iterator[str]:
    """What is not as the table says."""
    words = WORDS[letter] + (call.more if letter == "." else ())
    if answer.status_code not in words:
        yield f"{who}: {answer.status_code} instead of {words} {answer.content[:150]!r}"


def iterate_leaks(answer: Any, call: Call, who: str) -> Iterator[str]:
    """Who may not look at it must not come upon it either."""
    if (
        call.addresses_nothing
        and who in ("nobody", "viewer", "stranger")
        and SECRET in answer.content.decode()
    ):
        yield f"{who} is told the secret"


def list_resources() -> list[str]:
    """The first words of the addresses: each is one test."""
    return sorted({path.split("/")[0] for _, path in CALLS})


def list_calls_of_resource(name: str) -> list[tuple[str, str, Call]]:
    return [(method, path, call) for (method, path), call in CALLS.items() if path.split("/")[0] == name]


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("resource", list_resources())
def test_everybody_is_told_what_the_table_says(everything: World, resource: str, is_open: bool) -> None:
    everything.open(is_open)
    clients = {name: log_in_client(user) for name, user in everything.people.items()}
    clients["nobody"] = APIClient(raise_request_exception=False)
    items = []
    for method, path, call in list_calls_of_resource(resource):
        letters = call.rule.open if is_open else call.rule.closed
        for name, letter in zip(PEOPLE, letters, strict=True):
            answer = request_and_roll_back(clients[name], everything, method, f"/api/{path}", call)
            strange = [
                *iterate_wrong(letter, answer, call, name),
                *([] if is_open else iterate_leaks(answer, call, name)),
            ]
            items += [f"{method} {path} {item}" for item in strange]
    assert not items, "\n".join(items)


@pytest.mark.parametrize("resource", list_resources())
def test_a_token_of_all_scopes_opens_what_its_user_may_and_no_more(everything: World, resource: str) -> None:
    everything.open(False)
    clients = {name: build_bearer(user, *Scope.values) for name, user in everything.people.items()}
    items = []
    for method, path, call in list_calls_of_resource(resource):
        for name, letter in zip(PEOPLE[1:], call.rule.closed[1:], strict=True):
            answer = request_and_roll_back(clients[name], everything, method, f"/api/{path}", call)
            text = "3" if call.scopes == "login" else letter
            strange = [*iterate_wrong(text, answer, call, name), *iterate_leaks(answer, call, name)]
            items += [f"{method} {path} {item}" for item in strange]
    assert not items, "\n".join(items)


@pytest.mark.parametrize("scope", Scope.values)
def test_a_token_of_one_scope_opens_what_it_is_for(everything: World, scope: str) -> None:
    client, items = build_bearer(everything.people["admin"], scope), []
    has = {scope, *INCLUDED_SCOPES.get(scope, ())}
    for (method, path), call in CALLS.items():
        answer = request_and_roll_back(client, everything, method, f"/api/{path}", call)
        code = json.loads(answer.content).get("code") if answer.status_code == 403 else ""
        refused = code in ("scope_missing", "needs_login")
        if refused == (set(call.scopes.split()) <= has):
            items.append(f"{method} {path}: {answer.status_code} {code}")
    assert not items, "\n".join(items)


def test_a_public_link_opens_its_own_calls_and_nothing_else(everything: World) -> None:
    client, items = APIClient(raise_request_exception=False), []
    client.credentials(HTTP_AUTHORIZATION=f"Link {everything.link_text}")
    for (method, path), call in CALLS.items():
        answer = request_and_roll_back(client, everything, method, f"/api/{path}", call)
        # The dashboard has no chart: its link shows no node.
        fine = 200 if path == "public/dashboard/" else 404 if path.startswith("public/") else 401
        if answer.status_code != fine:
            items.append(f"{method} {path}: {answer.status_code} instead of {fine}")
    for address, rule in PAGES.items():
        answer = client.get(address.format(**everything.place()))
        items += [f"GET {address} {item}" for item in iterate_wrong_page(rule.closed[0], answer, "the link")]
    assert not items, "\n".join(items)


def build_bearer(user: User, *scopes: str) -> APIClient:
    """A program with a token of these scopes."""
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Token {create_token(user=user, name='t', scopes=scopes)[1]}")
    return client


@pytest.mark.parametrize("is_open", [False, True])
def test_pages_are_for_those_who_are_logged_in(
    everything: World, settings: Any, tmp_path: Path, is_open: bool
) -> None:
    everything.open(is_open)
    (tmp_path / ".vite").mkdir()
    items = []
    for address, rule in PAGES.items():
        for name, letter in zip(PEOPLE, rule.open if is_open else rule.closed, strict=True):
            client = log_in_client(everything.people[name]) if name != "nobody" else APIClient()
            answer = client.get(address.format(**everything.place()))
            items += [f"GET {address} {item}" for item in iterate_wrong_page(letter, answer, name)]
    assert not items, "\n".join(items)


def iterate_wrong_page(letter: str, answer: Any, who: str) -> Iterator[str]:
    """What is not as the table says: a page that is open may lead on, but not to the login."""
    to_login = answer.status_code == 302 and "/login/" in answer.headers["Location"]
    fine = {
        ".": answer.status_code in (200, 302, 405, 503) and not to_login,
        "l": to_login,
    }.get(letter, answer.status_code in WORDS.get(letter, ()))
    if not fine:
        yield f"{who}: {answer.status_code} instead of {letter}"
    if answer.status_code == 200 and SECRET in answer.content.decode():
        yield f"{who} is told the secret"
