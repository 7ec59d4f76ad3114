"""Authentication of programs by token: its hash is known and it has not expired."""

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

from timeline_app.web.models.public_links import PublicLink
from timeline_app.web.models.tokens import ApiToken

log = logging.getLogger(__name__)
TOKEN_PATTERN = re.compile(rb"[\x21-\x7e]{1,200}")
USE_NOTE_INTERVAL = timedelta(minutes=1)
"""The use of a token or public link is recorded at most this often."""


class TokenAuthentication(KnoxAuthentication):  # type: ignore[misc]
    """`Authorization: Token …`. Expired tokens stay in the user's list for a while, with the reason."""

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        """Return the user and the token; raise `AuthenticationFailed`."""
        if not TOKEN_PATTERN.fullmatch(token):
            raise AuthenticationFailed("This is no token.")
        user, known_token = super().authenticate_credentials(token)
        if known_token.expired:
            message = f"This token expired on {known_token.expiry:%Y-%m-%d}. Make a new one on the page of your tokens."
            raise AuthenticationFailed(message, code="token_expired")
        note_credential_use(known_token, "a token")
        return user, known_token

    def _cleanup_token(self, _token: ApiToken) -> bool:
        """Delete nothing during a request."""
        return False


def note_credential_use(credential: ApiToken | PublicLink, name: str) -> None:
    """Record that a token or a public link was used. A busy database does not fail the request."""
    now = timezone.now()
    if credential.last_used_at is not None and now - credential.last_used_at < USE_NOTE_INTERVAL:
        return
    unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_NOTE_INTERVAL)
    try:
        type(credential).objects.filter(unnoted, pk=credential.pk).update(last_used_at=now)
    except DatabaseError as why:
        log.warning("could not note the use of %s: %s", name, why)
