"""Whether a thing is open to all, and with whom it is shared: looked at and set as a whole."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.audit_reasons import ReasonSerializer, with_reason
from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.object_views import ThingView
from timeline_app.web.core.permissions import Right, Rights, require
from timeline_app.web.core.requests import user_of
from timeline_app.web.core.schema import OWNER_KINDS
from timeline_app.web.core.sharing import set_sharing
from timeline_app.web.dashboards.selectors import dashboard_of
from timeline_app.web.models.people import Shared
from timeline_app.web.people.selectors import Holder, shared_with, sharing_of
from timeline_app.web.plans.selectors import plan_of
from timeline_app.web.streams.selectors import get_stream
from timeline_app.web.workspace.transfer_api import HolderSerializer, holder_or_refused

GIVEN = ("read", "edit", "operate")
MOST = 200


class ShareSerializer(HolderSerializer):
    """What a person or a team may do."""

    kind = serializers.ChoiceField(OWNER_KINDS)
    rights = serializers.ListField(
        child=serializers.ChoiceField(GIVEN), min_length=1, max_length=3, help_text="each lets look as well"
    )


class SharingSerializer(ReasonSerializer):
    """Who may do what beside the owner."""

    open_to_all = serializers.BooleanField(help_text="everybody who can log in may look")
    shares = ShareSerializer(many=True, max_length=MOST)  # type: ignore[call-arg]


class ToldSharingSerializer(serializers.Serializer[Any]):
    """Who may do what, and the owner."""

    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)
    open_to_all = serializers.BooleanField(help_text="everybody who can log in may look")
    shares = ShareSerializer(many=True)


class SharingView(ThingView):
    """Who may do what."""

    refusals = ("403",)
    rights: tuple[str, ...] = GIVEN

    @extend_schema(responses=ToldSharingSerializer)
    def get(self, request: Request, **named: Any) -> Response:
        """With whom it is shared; whoever may look at it may know."""
        thing = self.found(user_of(request), named)
        return Response(thing.owner_told() | sharing_of(thing))

    @extend_schema(request=SharingSerializer, responses=ToldSharingSerializer)
    def put(self, request: Request, **named: Any) -> Response:
        """From now on it is shared with exactly these. Its owner does this, or an administrator."""
        user = user_of(request)
        thing = self.found(user, named)
        require(user, Right.OWN, thing)
        with with_reason(request, SharingSerializer) as body:
            wanted = self.wanted(thing, body["shares"])
            set_sharing(thing=thing, user=user, is_open=body["open_to_all"], wanted=wanted)
        return Response(thing.owner_told() | sharing_of(self.found(user, named)))

    def wanted(self, thing: Shared, rows: list[dict[str, Any]]) -> dict[Holder, Rights]:
        """The persons and teams of these names; those who have a share stay, also if they cannot log in any more."""
        held = {_name(one): one for one in shared_with(thing)}
        found: dict[Holder, Rights] = {}
        for at, row in enumerate(rows):
            place = f"shares.{at}"
            holder = held.get((row["kind"], row["name"])) or holder_or_refused(row, f"{place}.name")
            if holder in found:
                raise Invalid.field(f"{place}.name", f"{row['name']!r} is there twice.", "Leave one out.")
            if wrong := set(row["rights"]) - set(self.rights):
                words = f"{wrong.pop()!r} means nothing here."
                raise Invalid.field(f"{place}.rights", words, f"Give {' or '.join(self.rights)}.")
            found[holder] = frozenset(Right(one) for one in row["rights"])
        return found


def _name(holder: Holder) -> tuple[str, str]:
    return ("person", holder.get_username()) if isinstance(holder, User) else ("team", holder.name)


class PlanSharingView(SharingView):
    """With whom a plan is shared."""

    find = staticmethod(plan_of)


class StreamSharingView(SharingView):
    """With whom a stream is shared."""

    find = staticmethod(get_stream)


class DashboardSharingView(SharingView):
    """With whom a dashboard is shared."""

    rights = ("read", "edit")

    find = staticmethod(dashboard_of)
