"""Reading tokens, without their secret texts."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from timeline_app.web.models.tokens import ApiToken


def select_tokens(user: User) -> QuerySet[ApiToken]:
    """Return the tokens of a user, the newest first."""
    queryset: QuerySet[ApiToken] = ApiToken.objects.filter(user=user)
    return queryset.order_by("-created", "-pk")


def describe_token(token: ApiToken) -> dict[str, Any]:
    """Return a token in its wire type."""
    return {
        "id": token.pk,
        "name": token.name,
        "scopes": token.scopes,
        "created_at": token.created.isoformat(),
        "expires_at": token.expiry.isoformat(),
        "last_used_at": token.last_used_at.isoformat() if token.last_used_at else None,
        "expired": token.expired,
    }
