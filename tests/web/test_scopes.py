"""Which scope each call needs: the whole table, held against what the views declare."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import URLResolver, get_resolver

from timeline_app.web.core.scopes import LOGIN, select_required_scopes
from timeline_app.web.models.tokens import Scope

ANSWERED = {
    "guess/",
    "plans/check/",
    "plans/consequences/",
    "plans/<int:number>/merge/",
    "plans/<int:number>/tests/run/",
    "streams/<str:name>/consequences/",
    "transfer/consequences/",
    "dashboards/sources/",
    "text/",
    "evaluate/",
    "alerts/test/",
}
"""POST because something is sent along; nothing is kept, nothing starts."""
PUSHED = {
    "streams/<str:name>/events/",
    "streams/<str:name>/sample/",
    "streams/<str:name>/rejected/retry/",
}
OPERATING = ("/run/", "/stop/", "/restart/", "/start/", "/pause/", "/resume/")


def iterate_calls() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Address, method and scopes of every call that changes something, or looks as if."""
    [api] = [item for item in get_resolver().url_patterns if str(item.pattern) == "api/"]
    assert isinstance(api, URLResolver)
    for pattern in api.url_patterns:
        view = getattr(getattr(pattern, "callback", None), "cls", None)
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            if view is not None and hasattr(view, method.lower()):
                yield str(pattern.pattern), method, select_required_scopes(view, method)


EVERY = list(iterate_calls())


def test_the_walk_finds_the_calls() -> None:
    assert len(EVERY) > 70
    assert ("plans/<int:number>/run/", "POST", (Scope.OPERATE,)) in EVERY


def test_reading_needs_to_read() -> None:
    assert {scopes for _, method, scopes in EVERY if method == "GET"} == {(Scope.READ,)}


def test_what_operates_needs_to_operate() -> None:
    operating = [
        (address, scopes)
        for address, method, scopes in EVERY
        if method == "POST" and f"/{address}".endswith(OPERATING) and address not in ANSWERED
    ]
    assert operating
    for address, scopes in operating:
        assert Scope.OPERATE in scopes or Scope.ADMIN in scopes, address


def test_what_only_answers_needs_to_read_and_events_have_their_own() -> None:
    for address, method, scopes in EVERY:
        if method == "POST" and address in ANSWERED:
            assert scopes == (Scope.READ,), address
        if method == "POST" and address in PUSHED:
            assert scopes == (Scope.EVENTS,), address


def test_everything_else_that_changes_something_needs_more_than_to_read() -> None:
    for address, method, scopes in EVERY:
        if method != "GET" and address not in ANSWERED | PUSHED:
            assert set(scopes) & {Scope.WRITE, Scope.OPERATE, Scope.ADMIN, LOGIN}, address
            assert Scope.READ not in scopes, address


def test_tokens_are_made_and_ended_by_persons() -> None:
    assert ("tokens/", "POST", (LOGIN,)) in EVERY
    assert ("tokens/<int:number>/", "DELETE", (LOGIN,)) in EVERY
