"""The scopes that calls need from a token: declared in the view's `scopes`, and checked here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from timeline_app.web.core.errors import ApiError
from timeline_app.web.models.tokens import ApiToken, Scope

LOGIN = "login"
"""Only for users who are logged in on the page; no token suffices."""


class ScopeMissing(ApiError):
    """The token lacks a scope."""

    status = 403
    code = "scope_missing"


def require_scopes(**methods: str | tuple[str, ...]) -> dict[str, str | tuple[str, ...]]:
    """Return, by method, the scope or scopes a call needs: `scopes = require_scopes(POST=Scope.OPERATE)`."""
    return methods


def select_required_scopes(view: Any, method: str) -> tuple[str, ...]:
    """Return the scopes that a call needs: the declared ones, else `read` for safe methods and `write`."""
    default = Scope.READ if method in SAFE_METHODS else Scope.WRITE
    declared = getattr(view, "scopes", {}).get(method, default)
    return (declared,) if isinstance(declared, str) else tuple(declared)


class ScopeOfToken(BasePermission):
    """A token allows what its scopes say. A user who is logged in needs no scope."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return True, or raise a refusal that says what is missing."""
        token = request.auth
        if not isinstance(token, ApiToken) or request.method is None:
            return True
        required = select_required_scopes(view, request.method)
        if LOGIN in required:
            raise ScopeMissing(
                "This is done by a person who is logged in on the page, with no token.", code="needs_login"
            )
        require_token_scopes(token, required)
        return True


def require_token_scopes(token: object, required: Iterable[str]) -> None:
    """Refuse a token that lacks any of these scopes; a session needs none."""
    if not isinstance(token, ApiToken):
        return
    if missing := [str(scope) for scope in required if not token.allows(scope)]:
        message = f"The token “{token.name}” lacks the scope {' and '.join(missing)}."
        raise ScopeMissing(f"{message} Make one that has it on the page of your tokens.")
