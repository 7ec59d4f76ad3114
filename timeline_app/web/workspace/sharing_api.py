"""Sharing over REST: read and set as a whole."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.object_views import ThingView
from timeline_app.web.core.permissions import Right, Rights, require
from timeline_app.web.core.requests import get_user
from timeline_app.web.core.schema import OWNER_KINDS
from timeline_app.web.core.sharing import set_sharing
from timeline_app.web.dashboards.selectors import get_dashboard
from timeline_app.web.models.people import Shared
from timeline_app.web.people.selectors import Holder, describe_sharing, list_sharing_holders
from timeline_app.web.plans.selectors import plan_of
from timeline_app.web.streams.selectors import get_stream
from timeline_app.web.workspace.transfer_api import HolderSerializer, get_named_holder

GIVEN = ("read", "edit", "operate")
MAX_SHARES = 200


class ShareSerializer(HolderSerializer):
    """The rights of a person or a team."""

    kind = serializers.ChoiceField(OWNER_KINDS)
    rights = serializers.ListField(
        child=serializers.ChoiceField(GIVEN), min_length=1, max_length=3, help_text="each lets look as well"
    )


class SharingSerializer(ReasonSerializer):
    """The rights of people and teams besides the owner."""

    open_to_all = serializers.BooleanField(help_text="everybody who can log in may look")
    shares = ShareSerializer(many=True, max_length=MAX_SHARES)  # type: ignore[call-arg]


class SharingDetailsSerializer(serializers.Serializer[Any]):
    """The owner, and who may do what."""

    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)
    open_to_all = serializers.BooleanField(help_text="everybody who can log in may look")
    shares = ShareSerializer(many=True)


class SharingView(ThingView):
    """The shares of a resource."""

    refusals = ("403",)
    rights: tuple[str, ...] = GIVEN

    @extend_schema(responses=SharingDetailsSerializer)
    def get(self, request: Request, **named: Any) -> Response:
        """Return with whom it is shared; all who may read it may know."""
        thing = self.find_thing(get_user(request), named)
        return Response(thing.owner_told() | describe_sharing(thing))

    @extend_schema(request=SharingSerializer, responses=SharingDetailsSerializer)
    def put(self, request: Request, **named: Any) -> Response:
        """Share it with exactly these. For its owner and administrators."""
        user = get_user(request)
        thing = self.find_thing(user, named)
        require(user, Right.OWN, thing)
        with read_reason(request, SharingSerializer) as body:
            shares = self.parse_shares(thing, body["shares"])
            set_sharing(thing=thing, user=user, is_open=body["open_to_all"], rights_by_holder=shares)
        return Response(thing.owner_told() | describe_sharing(self.find_thing(user, named)))

    def parse_shares(self, thing: Shared, rows: list[dict[str, Any]]) -> dict[Holder, Rights]:
        """Return the people and teams of these names; existing shares of inactive people may stay."""
        holders = {_name(item): item for item in list_sharing_holders(thing)}
        result: dict[Holder, Rights] = {}
        for at, row in enumerate(rows):
            path = f"shares.{at}"
            holder = holders.get((row["kind"], row["name"])) or get_named_holder(row, f"{path}.name")
            if holder in result:
                raise Invalid.field(f"{path}.name", f"{row['name']!r} is there twice.", "Leave one out.")
            if unknown := set(row["rights"]) - set(self.rights):
                message = f"{unknown.pop()!r} means nothing here."
                raise Invalid.field(f"{path}.rights", message, f"Give {' or '.join(self.rights)}.")
            result[holder] = frozenset(Right(right) for right in row["rights"])
        return result


def _name(holder: Holder) -> tuple[str, str]:
    return ("person", holder.get_username()) if isinstance(holder, User) else ("team", holder.name)


class PlanSharingView(SharingView):
    find = staticmethod(plan_of)


class StreamSharingView(SharingView):
    find = staticmethod(get_stream)


class DashboardSharingView(SharingView):
    rights = ("read", "edit")

    find = staticmethod(get_dashboard)
