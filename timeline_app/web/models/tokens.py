"""API tokens and their scopes."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone
from knox.models import AbstractAuthToken
from knox.settings import CONSTANTS

from timeline_app.web.models.fields import JsonText


class Scope(models.TextChoices):
    """The permitted uses of a token."""

    READ = "read", "Read everything that you may read"
    WRITE = "write", "Draw plans, declare streams, arrange dashboards (and read)"
    EVENTS = "events", "Push events, and nothing else"
    OPERATE = "operate", "Run, stop and restart (and read)"
    ADMIN = "admin", "Everything that you may do"


INCLUDED_SCOPES: dict[str, frozenset[str]] = {
    Scope.WRITE: frozenset({Scope.READ}),
    Scope.OPERATE: frozenset({Scope.READ}),
    Scope.ADMIN: frozenset(Scope),
}
"""The scopes that a scope includes."""


class ApiToken(AbstractAuthToken):  # type: ignore[misc]
    """A user's token with its scopes and expiry. Only its hash is stored."""

    digest = models.CharField(max_length=CONSTANTS.DIGEST_LENGTH, unique=True)
    name = models.CharField(max_length=100)
    scopes = JsonText(default=list)
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="to the minute")

    class Meta:
        ordering = ["-created", "-pk"]
        verbose_name = "token"

    def __str__(self) -> str:
        return self.name

    @property
    def expired(self) -> bool:
        """Return whether the token has expired."""
        return self.expiry is not None and self.expiry <= timezone.now()

    def allows(self, scope: str) -> bool:
        """Return whether the token has this scope."""
        scopes: list[Any] = self.scopes
        return scope in scopes or any(scope in INCLUDED_SCOPES.get(item, ()) for item in scopes)
