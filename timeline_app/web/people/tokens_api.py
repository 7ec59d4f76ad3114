"""Tokens for programs that call the API; each is shown once."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.scopes import LOGIN, require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.tokens import Scope
from timeline_app.web.people.passwords import confirm_password, is_password_fresh
from timeline_app.web.people.token_services import (
    DEFAULT_TOKEN_DAYS,
    MAX_TOKEN_DAYS,
    create_token,
    revoke_token,
)
from timeline_app.web.people.tokens import describe_token, select_tokens


class NewTokenSerializer(serializers.Serializer[Any]):
    """The name, scopes and lifetime of a new token."""

    name = serializers.CharField(max_length=100)
    scopes = serializers.ListField(
        child=serializers.ChoiceField(Scope.choices),
        min_length=1,
        max_length=10,
        help_text="write and operate include read; admin includes all; events is for pushing only",
    )
    days = serializers.IntegerField(
        min_value=1, max_value=MAX_TOKEN_DAYS, default=DEFAULT_TOKEN_DAYS, help_text="after which it expires"
    )
    password = serializers.CharField(
        max_length=4096,
        trim_whitespace=False,
        required=False,
        write_only=True,
        help_text="your own; needed unless it was typed in this session within the last five minutes",
    )


class TokenSerializer(serializers.Serializer[Any]):
    """A token, without its secret text."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.ChoiceField(Scope.choices))
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="to the minute")
    expired = serializers.BooleanField()


class MadeTokenSerializer(TokenSerializer):
    """A new token. Send it as `Authorization: Token …`."""

    token = serializers.CharField(help_text="it is shown here and never again: only its hash is kept")


def require_password(request: Request, password: str | None) -> None:
    """Require a recently typed password: a stolen session must not create a token for a year."""
    if password is None:
        if is_password_fresh(request._request.session):
            return
        message = "A token is made with your password, and it was not typed in the last minutes."
        raise Invalid.field("password", message, 'Send "password" as well.', code="password_needed")
    if not confirm_password(request._request, get_user(request), password):
        message = "This is not your password, or too many wrong ones were tried from here."
        raise Invalid.field(
            "password", message, "Type it again, or wait some minutes.", code="password_wrong"
        )


class TokensView(ApiView):
    """The tokens of the current user."""

    keyed = False
    pagination_class = make_paginator("-created", "-pk")

    refusals = ("400", "403", "409")
    scopes = require_scopes(POST=LOGIN)

    @extend_schema(responses=TokenSerializer(many=True), operation_id="tokens_list")
    def get(self, request: Request) -> Response:
        """List your tokens, the newest first; expired ones stay for thirty days."""
        tokens = select_tokens(get_user(request))
        return paginate(self, request, tokens, lambda rows: [describe_token(row) for row in rows])

    @extend_schema(request=NewTokenSerializer, responses={201: MadeTokenSerializer})
    def post(self, request: Request) -> Response:
        """Create a token. This needs a login on the page and the password; a token cannot create another one."""
        body = validate_body(NewTokenSerializer, request)
        require_password(request, body.pop("password", None))
        token, text = create_token(user=get_user(request), **body)
        return Response(describe_token(token) | {"token": text}, status=status.HTTP_201_CREATED)


class TokenView(ApiView):
    """One token."""

    refusals = ("403",)
    scopes = require_scopes(DELETE=LOGIN)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, number: int) -> Response:
        """End a token."""
        revoke_token(user=get_user(request), number=number)
        return Response(status=status.HTTP_204_NO_CONTENT)
