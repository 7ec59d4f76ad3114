"""Who is asking."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


class MeSerializer(serializers.Serializer[Any]):
    """A user, as the user sees it."""

    username = serializers.CharField()
    is_staff = serializers.BooleanField()


class MeView(APIView):
    """Who is logged in."""

    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """The user who asks."""
        return Response(MeSerializer(request.user).data)
