"""The origin of the current act: set by requests, tasks and commands, and written into the audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from timeline_app.web.models.people import AuditEntry

Source = AuditEntry.Source
_source: ContextVar[AuditEntry.Source] = ContextVar("source", default=Source.SHELL)
_reason: ContextVar[str] = ContextVar("reason", default="")


def get_current_source() -> AuditEntry.Source:
    """Return where the current act comes from."""
    return _source.get()


def get_current_reason() -> str:
    """Return the reason that the user gave for the current act."""
    return _reason.get()


@contextmanager
def act_as(source: AuditEntry.Source | None = None, reason: str | None = None) -> Iterator[None]:
    """Attribute everything inside the block to this source and reason."""
    before = _source.set(source or _source.get()), _reason.set(_reason.get() if reason is None else reason)
    try:
        yield
    finally:
        _source.reset(before[0])
        _reason.reset(before[1])


class FromWhere:
    """Requests come from the admin pages, from the page (with its session), or by REST (with a token)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with act_as(self.get_source(request)):
            return self.get_response(request)

    @staticmethod
    def get_source(request: HttpRequest) -> AuditEntry.Source:
        """Return the source of a request."""
        if request.path.startswith("/admin/"):
            return Source.ADMIN
        return Source.REST if is_token_call(request) else Source.PAGE


def is_token_call(request: HttpRequest) -> bool:
    """Return whether a request calls the API with a token; any other header means a session."""
    return request.path.startswith("/api/") and request.headers.get("Authorization", "").lower().startswith(
        "token "
    )
