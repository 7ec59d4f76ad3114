"""Who is asking."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.api.request import user_of
from timeline_app.web.api.schema import ROLES
from timeline_app.web.api.view import ApiView
from timeline_app.web.selectors.access import role_of


class MeSerializer(serializers.Serializer[Any]):
    """A user, as the user sees it."""

    username = serializers.CharField()
    is_staff = serializers.BooleanField(help_text="may open the admin pages")
    role = serializers.ChoiceField(ROLES)
    teams = serializers.ListField(child=serializers.CharField())


class MeView(ApiView):
    """Who is logged in."""

    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """The user who asks."""
        user = user_of(request)
        return Response(
            {
                "username": user.get_username(),
                "is_staff": user.is_staff,
                "role": role_of(user).value,
                "teams": list(user.groups.order_by("name").values_list("name", flat=True)),
            }
        )
