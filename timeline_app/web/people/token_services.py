"""Tokens: made, ended, forgotten."""

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
from timeline_app.web.models.tokens import ApiToken, Scope

DAYS, MOST_DAYS = 90, 365
SHOWN = timedelta(days=30)
"""For so long an expired token stays in the list."""


def create_token(*, user: User, name: str, scopes: Sequence[str], days: int = DAYS) -> tuple[ApiToken, str]:
    """A new token and its text, which is told here and never again; raises `Invalid` for a lifetime out of bounds."""
    if not 1 <= days <= MOST_DAYS:
        raise Invalid.field("days", f"A token lives from 1 to {MOST_DAYS} days.", "Choose fewer days.")
    with transaction.atomic(), enforce_quotas(lock_person(user), "tokens"):
        ordered = [str(scope) for scope in Scope if scope in scopes]
        made: tuple[ApiToken, str] = ApiToken.objects.create(
            user, expiry=timedelta(days=days), name=name, scopes=ordered
        )
        audit_writing.note(
            user=user, act="token.create", thing=made[0], after={"scopes": ordered, "days": days}
        )
    return made


def revoke_token_of(*, token: ApiToken, user: User) -> None:
    """An administrator ends a token of somebody else."""
    require_role(user, Role.ADMIN, "To end a token of somebody else")
    with transaction.atomic():
        rows = ApiToken.objects.select_for_update(of=("self",)).select_related("user")
        result = rows.filter(pk=token.pk).first()
        if result is None:
            raise Missing(f"The token {token.name} was ended in the meantime.", code="unknown_token")
        before = {"scopes": result.scopes, "user": result.user.get_username()}
        audit_writing.note(user=user, act="token.end", thing=result, before=before)
        result.delete()
        notifications.notify_access_change()


def revoke_token(*, user: User, number: int) -> None:
    """It opens nothing any more, from now on."""
    with transaction.atomic():
        token = ApiToken.objects.select_for_update().filter(user=user, pk=number).first()
        if token is None:
            raise Missing("You have no token of this number; it may have been ended.", code="unknown_token")
        audit_writing.note(user=user, act="token.end", thing=token, before={"scopes": token.scopes})
        token.delete()
        notifications.notify_access_change()


def end_tokens_of(person: User) -> list[str]:
    """End all tokens of a person that have not expired; their names, for the audit event of what ended them.

    Call it in a transaction.
    """
    queryset = ApiToken.objects.select_for_update().filter(user=person, expiry__gt=timezone.now())
    names = sorted(queryset.values_list("name", flat=True))
    queryset.delete()
    return names


def count_tokens(person: User) -> int:
    """How many tokens of a person have not expired."""
    return int(ApiToken.objects.filter(user=person, expiry__gt=timezone.now()).count())


def forget_expired_tokens() -> int:
    """Forget those that expired long ago; how many."""
    gone, _ = ApiToken.objects.filter(expiry__lt=timezone.now() - SHOWN).delete()
    return int(gone)
