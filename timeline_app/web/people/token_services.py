"""Creating and ending tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from timeline_app.web.core import audit_writing, notifications
from timeline_app.web.core.errors import Invalid, Missing
from timeline_app.web.core.permissions import require_role
from timeline_app.web.core.quotas import enforce_quotas
from timeline_app.web.core.sharing import lock_person
from timeline_app.web.models.people import Role
from timeline_app.web.models.public_links import PublicLink
from timeline_app.web.models.tokens import ApiToken, Scope

DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS = 90, 365
EXPIRED_TOKEN_RETENTION = timedelta(days=30)
"""An expired token stays in the list for this time."""


def create_token(
    *, user: User, name: str, scopes: Sequence[str], days: int = DEFAULT_TOKEN_DAYS
) -> tuple[ApiToken, str]:
    """Create a token; return it and its text, which is never shown again. Raise `Invalid` for a bad lifetime."""
    if not 1 <= days <= MAX_TOKEN_DAYS:
        raise Invalid.field("days", f"A token lives from 1 to {MAX_TOKEN_DAYS} days.", "Choose fewer days.")
    with transaction.atomic(), enforce_quotas(lock_person(user), "tokens"):
        ordered = [str(scope) for scope in Scope if scope in scopes]
        created: tuple[ApiToken, str] = ApiToken.objects.create(
            user, expiry=timedelta(days=days), name=name, scopes=ordered
        )
        audit_writing.note(
            user=user, act="token.create", thing=created[0], after={"scopes": ordered, "days": days}
        )
    return created


def revoke_token_of(*, token: ApiToken, user: User) -> None:
    """End a token of somebody else, as an administrator."""
    require_role(user, Role.ADMIN, "To end a token of somebody else")
    with transaction.atomic():
        rows = ApiToken.objects.select_for_update(of=("self",)).select_related("user")
        current_token = rows.filter(pk=token.pk).first()
        if current_token is None:
            raise Missing(f"The token {token.name} was ended in the meantime.", code="unknown_token")
        before = {"scopes": current_token.scopes, "user": current_token.user.get_username()}
        audit_writing.note(user=user, act="token.end", thing=current_token, before=before)
        current_token.delete()
        notifications.notify_access_change()


def revoke_token(*, user: User, number: int) -> None:
    """End a token of the user."""
    with transaction.atomic():
        token = ApiToken.objects.select_for_update().filter(user=user, pk=number).first()
        if token is None:
            raise Missing("You have no token of this number; it may have been ended.", code="unknown_token")
        audit_writing.note(user=user, act="token.end", thing=token, before={"scopes": token.scopes})
        token.delete()
        notifications.notify_access_change()


def end_tokens_of(person: User) -> list[str]:
    """End all unexpired tokens of a person; return their names, for the audit. Call it in a transaction."""
    queryset = ApiToken.objects.select_for_update().filter(user=person, expiry__gt=timezone.now())
    names = sorted(queryset.values_list("name", flat=True))
    queryset.delete()
    return names


def end_public_links_of(person: User) -> int:
    """End all public links that a person made; return how many. Call it in a transaction."""
    ended, _ = PublicLink.objects.filter(made_by=person).delete()
    return ended


def count_tokens(person: User) -> int:
    """Return how many unexpired tokens a person has."""
    return int(ApiToken.objects.filter(user=person, expiry__gt=timezone.now()).count())


def delete_expired_tokens() -> int:
    """Delete tokens that expired long ago; return how many were deleted."""
    deleted, _ = ApiToken.objects.filter(expiry__lt=timezone.now() - EXPIRED_TOKEN_RETENTION).delete()
    return int(deleted)
