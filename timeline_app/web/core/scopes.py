"""What a token must allow for each call: declared once, in the view's `scopes`, and held against it here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from timeline_app.web.core.errors import ApiError
from timeline_app.web.models.tokens import ApiToken, Scope

LOGIN = "login"
"""Only who is logged in on the page, with no token whatever."""


class ScopeMissing(ApiError):
    """The token was not made for this."""

    status = 403
    code = "scope_missing"


def require_scopes(**methods: str | tuple[str, ...]) -> dict[str, str | tuple[str, ...]]:
    """Of a view, by method, the scope that a call needs, or all of several: `scopes = needs(POST=Scope.OPERATE)`."""
    return methods


def select_required_scopes(view: Any, method: str) -> tuple[str, ...]:
    """The scopes that a call needs: what the view declares, else `read` where nothing changes, and `write`."""
    default = Scope.READ if method in SAFE_METHODS else Scope.WRITE
    declared = getattr(view, "scopes", {}).get(method, default)
    return (declared,) if isinstance(declared, str) else tuple(declared)


class ScopeOfToken(BasePermission):
    """A token opens what it was made for. Who is logged in may do whatever that person may."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Yes, or a refusal that says what is missing."""
        token = request.auth
        if not isinstance(token, ApiToken) or request.method is None:
            return True
        wanted = select_required_scopes(view, request.method)
        if LOGIN in wanted:
            raise ScopeMissing(
                "This is done by a person who is logged in on the page, with no token.", code="needs_login"
            )
        require_token_scopes(token, wanted)
        return True


def require_token_scopes(token: object, wanted: Iterable[str]) -> None:
    """Refuse a token that lacks any of these scopes; who is logged in needs none."""
    if not isinstance(token, ApiToken):
        return
    if missing := [str(scope) for scope in wanted if not token.allows(scope)]:
        words = f"The token “{token.name}” lacks the scope {' and '.join(missing)}."
        raise ScopeMissing(f"{words} Make one that has it on the page of your tokens.")
