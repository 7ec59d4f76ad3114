"""The current user."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.times.week import read_zone
from timeline_app.web.core.permissions import get_role, member_of
from timeline_app.web.core.quotas import QUOTAS
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.schema import OWNER_KINDS, ROLES
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.people import Member, Theme
from timeline_app.web.people.selectors import Holder


class MeSerializer(serializers.Serializer[Any]):
    """The current user."""

    username = serializers.CharField()
    is_staff = serializers.BooleanField(help_text="may open the admin pages")
    role = serializers.ChoiceField(ROLES)
    teams = serializers.ListField(child=serializers.CharField())
    theme = serializers.ChoiceField(Theme.choices, help_text="how the page looks")
    zone = serializers.CharField(
        help_text="the time zone of the page, such as Europe/Berlin; empty: the browser's"
    )
    public_links = serializers.BooleanField(help_text="whether dashboards may have public links here")


class MyPageSerializer(serializers.Serializer[Any]):
    """The theme and time zone of the page; fields that are left out stay."""

    theme = serializers.ChoiceField(Theme.choices, required=False)
    zone = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=64,
        help_text="IANA name of a time zone, such as Europe/Berlin; empty: the browser's",
    )

    def validate_zone(self, name: str) -> str:
        """Return the canonical name of the zone."""
        try:
            return read_zone(name) if name else ""
        except ValueError as refusal:
            raise serializers.ValidationError(str(refusal)) from None


class QuotaSerializer(serializers.Serializer[Any]):
    """One quota: how many of a resource exist, and how many may."""

    name = serializers.CharField()
    noun = serializers.CharField(help_text="what is counted, in words")
    used = serializers.IntegerField(help_text="of `…_bytes`: bytes")
    limit = serializers.IntegerField()


class QuotasSerializer(serializers.Serializer[Any]):
    """The quotas of a person or a team."""

    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)
    quotas = QuotaSerializer(many=True)


class MyQuotasSerializer(serializers.Serializer[Any]):
    """The quotas of the current user and the user's teams."""

    results = QuotasSerializer(many=True)


class MyQuotasView(ApiView):
    """The quotas of the current user."""

    @extend_schema(responses=MyQuotasSerializer)
    def get(self, request: Request) -> Response:
        """Return how many of each resource you and your teams have, and may have."""
        user = get_user(request)
        holders: list[tuple[Holder, str]] = [(user, "person")]
        holders += [(team, "team") for team in user.groups.order_by("name")]
        quotas = [
            {
                "owner": str(holder),
                "owner_kind": kind,
                "quotas": [quota.to_json(holder) for quota in QUOTAS.values()],
            }
            for holder, kind in holders
        ]
        return Response({"results": quotas})


def describe_me(user: User) -> dict[str, Any]:
    """Return the current user's data."""
    member = member_of(user)
    return {
        "username": user.get_username(),
        "is_staff": user.is_staff,
        "role": get_role(user).value,
        "teams": list(user.groups.order_by("name").values_list("name", flat=True)),
        "theme": member.theme,
        "zone": member.zone,
        "public_links": settings.PUBLIC_LINKS,
    }


class MeView(ApiView):
    """The current user."""

    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """Return the current user."""
        return Response(describe_me(get_user(request)))

    @extend_schema(request=MyPageSerializer, responses=MeSerializer)
    def patch(self, request: Request) -> Response:
        """Choose the theme of the page (light, dark, or as your system) and its time zone."""
        user, body = get_user(request), validate_body(MyPageSerializer, request)
        Member.objects.filter(user=user).update(**body)
        return Response(describe_me(user))
