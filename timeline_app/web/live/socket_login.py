"""Authentication of sockets: a page by its session, only from this origin; a program by its token, from anywhere."""

from __future__ import annotations

from typing import Any

from channels.auth import AuthMiddlewareStack
from channels.db import database_sync_to_async
from django.contrib.auth.models import AnonymousUser, User
from rest_framework.exceptions import AuthenticationFailed

from timeline_app.web.core.authentication import TokenAuthentication
from timeline_app.web.live.socket_origin import SameOrigin
from timeline_app.web.models.tokens import ApiToken, Scope

HEADER = b"authorization"
PREFIX = b"token "


class Login:
    """An ASGI application that adds `user`, and with a token `token`, to the scope.

    Pages of other sites cannot send the header with a token, so the origin does not matter for tokens.
    """

    def __init__(self, application: Any) -> None:
        self.application = application
        self.pages = SameOrigin(AuthMiddlewareStack(application))

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        """Authenticate, and pass the request on."""
        sent = dict(scope["headers"]).get(HEADER, b"")
        if not sent.lower().startswith(PREFIX):
            return await self.pages(scope, receive, send)
        user, token = await database_sync_to_async(authenticate_token)(sent[len(PREFIX) :].strip())
        return await self.application({**scope, "user": user, "token": token}, receive, send)


def authenticate_token(text: bytes) -> tuple[User | AnonymousUser, ApiToken | None]:
    """Return the user of a token that may read, else an anonymous user."""
    try:
        user, token = TokenAuthentication().authenticate_credentials(text)
    except AuthenticationFailed:
        return AnonymousUser(), None
    return (user, token) if token.allows(Scope.READ) else (AnonymousUser(), None)
