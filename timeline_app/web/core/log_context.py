"""Context of the current work, which every log line carries."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.functional import LazyObject

REQUEST_ID_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
THINGS = tuple(
    (name, re.compile(rf"\b{places}/<\w+:(\w+)>"))
    for name, places in (
        ("plan", "plans"),
        ("node", "nodes"),
        ("stream", "streams"),
        ("dashboard", "dashboards"),
    )
)


def generate_request_id() -> str:
    return uuid.uuid4().hex


def parse_request_id(text: str | None) -> str:
    """Return the request's id if it is valid, else a new one."""
    return text if text and REQUEST_ID_PATTERN.fullmatch(text) else generate_request_id()


@dataclass(slots=True)
class Seen:
    """What is known so far about a request or an open socket."""

    id: str
    request: HttpRequest | None = None
    user: str = ""

    def facts(self) -> dict[str, str]:
        """Return the request id, the user and the things that the URL names."""
        request = self.request
        user = self.user or (get_known_username(request) if request is not None else "")
        return {"request": self.id, "user": user, **(identify_things(request) if request is not None else {})}

    def route(self) -> str:
        """Return the name of the matched route, or "" if none matches."""
        match = self.request.resolver_match if self.request is not None else None
        return (match.view_name or match.route or "/") if match is not None else ""


_request: ContextVar[Seen | None] = ContextVar("seen", default=None)
_facts: ContextVar[Mapping[str, str]] = ContextVar("facts", default={})  # noqa: B039  # nobody changes it


@contextmanager
def log_request(request: Seen) -> Iterator[Seen]:
    """Attribute all log lines of the block to this request."""
    before = _request.set(request)
    try:
        yield request
    finally:
        _request.reset(before)


@contextmanager
def log_facts(**facts: str) -> Iterator[None]:
    """Add these facts to all log lines of the block."""
    before = _facts.set({**_facts.get(), **facts})
    try:
        yield
    finally:
        _facts.reset(before)


def get_current_request() -> Seen | None:
    """Return the request that is being answered."""
    return _request.get()


def get_request_id() -> str:
    """Return the id of the current request, or of the request that caused this work; else ""."""
    request = _request.get()
    return request.id if request is not None else _facts.get().get("request", "")


def collect_facts() -> dict[str, str]:
    """Return all that is known about the current work."""
    request = _request.get()
    facts = {**(request.facts() if request is not None else {}), **_facts.get()}
    return {name: value for name, value in facts.items() if value}


def get_known_username(request: HttpRequest) -> str:
    """Return the user's name if it has been loaded already: logging never queries the database."""
    user = request.__dict__.get("user")
    if user is None or isinstance(user, LazyObject):
        user = getattr(request, "_cached_user", None)
    return str(user.get_username()) if user is not None else ""


def get_request_username() -> str:
    """Return the name of the user whom Django found for the current request, or ""."""
    present = _request.get()
    return get_known_username(present.request) if present is not None and present.request is not None else ""


def identify_things(request: HttpRequest) -> dict[str, str]:
    """Return the plan, node, stream or dashboard that the URL names."""
    match = request.resolver_match
    if match is None:
        return {}
    places = ((name, pattern.search(match.route or "")) for name, pattern in THINGS)
    return {name: str(match.kwargs[at.group(1)]) for name, at in places if at and at.group(1) in match.kwargs}
