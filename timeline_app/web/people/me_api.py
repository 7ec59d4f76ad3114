"""Who is asking."""

from __future__ import annotations

from typing import Any

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
    """A user, as the user sees it."""

    username = serializers.CharField()
    is_staff = serializers.BooleanField(help_text="may open the admin pages")
    role = serializers.ChoiceField(ROLES)
    teams = serializers.ListField(child=serializers.CharField())
    theme = serializers.ChoiceField(Theme.choices, help_text="how the page looks")
    zone = serializers.CharField(
        help_text="the time zone of the page, such as Europe/Berlin; empty: the browser's"
    )


class MyPageSerializer(serializers.Serializer[Any]):
    """How the page is to look, and whose clocks it shows; what is left out stays."""

    theme = serializers.ChoiceField(Theme.choices, required=False)
    zone = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=64,
        help_text="IANA name of a time zone, such as Europe/Berlin; empty: the browser's",
    )

    def validate_zone(self, name: str) -> str:
        """The name as the zone spells it."""
        try:
            return read_zone(name) if name else ""
        except ValueError as refusal:
            raise serializers.ValidationError(str(refusal)) from None


class QuotaSerializer(serializers.Serializer[Any]):
    """One quota: how many of a thing there are, and may be."""

    name = serializers.CharField()
    noun = serializers.CharField(help_text="what is counted, in words")
    used = serializers.IntegerField(help_text="of `…_bytes`: bytes")
    limit = serializers.IntegerField()


class QuotasSerializer(serializers.Serializer[Any]):
    """What a person, or a team, has and may have."""

    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)
    quotas = QuotaSerializer(many=True)


class MyQuotasSerializer(serializers.Serializer[Any]):
    """One's own quotas and those of one's teams."""

    results = QuotasSerializer(many=True)


class MyQuotasView(ApiView):
    """What one has and may have."""

    @extend_schema(responses=MyQuotasSerializer)
    def get(self, request: Request) -> Response:
        """How many of each thing you and your teams have, and may have."""
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
    """A user, as the user sees it."""
    shown = member_of(user)
    return {
        "username": user.get_username(),
        "is_staff": user.is_staff,
        "role": get_role(user).value,
        "teams": list(user.groups.order_by("name").values_list("name", flat=True)),
        "theme": shown.theme,
        "zone": shown.zone,
    }


class MeView(ApiView):
    """Who is logged in."""

    @extend_schema(responses=MeSerializer)
    def get(self, request: Request) -> Response:
        """The user who asks."""
        return Response(describe_me(get_user(request)))

    @extend_schema(request=MyPageSerializer, responses=MeSerializer)
    def patch(self, request: Request) -> Response:
        """Choose how the page looks to you (light, dark, or as your system is), and its time zone."""
        user, body = get_user(request), validate_body(MyPageSerializer, request)
        Member.objects.filter(user=user).update(**body)
        return Response(describe_me(user))
