"""Tokens for programs that call the API."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.authtoken.models import Token
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from timeline_app.web.api.request import user_of


class TokenSerializer(serializers.Serializer[Any]):
    """Send it as `Authorization: Token …`."""

    token = serializers.CharField()


class TokenView(APIView):
    """One's own token."""

    @extend_schema(request=None, responses=TokenSerializer)
    def post(self, request: Request) -> Response:
        """The token of the user who asks; made with the first call, the same ever after."""
        token, _ = Token.objects.get_or_create(user=user_of(request))
        return Response({"token": token.key})
