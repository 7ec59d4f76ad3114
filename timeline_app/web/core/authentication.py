"""How programs are let in: by a token whose hash is known and that has not expired."""

from __future__ import annotations

import logging
import re
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import DatabaseError
from django.db.models import Q
from django.utils import timezone
from knox.auth import TokenAuthentication as KnoxAuthentication
from rest_framework.exceptions import AuthenticationFailed

from timeline_app.web.models.tokens import ApiToken

log = logging.getLogger(__name__)
POSSIBLE = re.compile(rb"[\x21-\x7e]{1,200}")
NOTED = timedelta(minutes=1)
"""Uses are written down so often at most."""


class TokenAuthentication(KnoxAuthentication):  # type: ignore[misc]
    """`Authorization: Token …`; expired tokens stay in the list of their user for a while, and say so."""

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        """The user and the token; raises `AuthenticationFailed`."""
        if not POSSIBLE.fullmatch(token):
            raise AuthenticationFailed("This is no token.")
        user, known_token = super().authenticate_credentials(token)
        if known_token.expired:
            words = f"This token expired on {known_token.expiry:%Y-%m-%d}. Make a new one on the page of your tokens."
            raise AuthenticationFailed(words, code="token_expired")
        note_use(known_token)
        return user, known_token

    def _cleanup_token(self, _token: ApiToken) -> bool:
        """Nothing is deleted while somebody asks."""
        return False


def note_use(token: ApiToken) -> None:
    """Write down that it was used; a database that is busy costs nobody an answer."""
    now = timezone.now()
    if token.last_used_at is not None and now - token.last_used_at < NOTED:
        return
    unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - NOTED)
    try:
        ApiToken.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)
    except DatabaseError as why:
        log.warning("could not note the use of a token: %s", why)
