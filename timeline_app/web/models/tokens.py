"""What programs call the API with, and what they may do by it."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone
from knox.models import AbstractAuthToken
from knox.settings import CONSTANTS

from timeline_app.web.models.fields import JsonText


class Scope(models.TextChoices):
    """What a token may be used for."""

    READ = "read", "Read everything that you may read"
    WRITE = "write", "Draw plans, declare streams, arrange dashboards (and read)"
    EVENTS = "events", "Push events, and nothing else"
    OPERATE = "operate", "Run, stop and restart (and read)"
    ADMIN = "admin", "Everything that you may do"


INCLUDED: dict[str, frozenset[str]] = {
    Scope.WRITE: frozenset({Scope.READ}),
    Scope.OPERATE: frozenset({Scope.READ}),
    Scope.ADMIN: frozenset(Scope),
}
"""What a scope brings along."""


class ApiToken(AbstractAuthToken):  # type: ignore[misc]
    """A token of a user: what it may do, until when. Only its hash is kept."""

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
        """Whether it opens nothing any more."""
        return self.expiry is not None and self.expiry <= timezone.now()

    def allows(self, scope: str) -> bool:
        """Whether it may be used for this."""
        mine: list[Any] = self.scopes
        return scope in mine or any(scope in INCLUDED.get(item, ()) for item in mine)
