"""Transfer to another person or team: of one resource, or of everything that somebody owns."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.alerts.channel_selectors import get_channel
from timeline_app.web.alerts.selectors import get_alert
from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.errors import Invalid, Missing
from timeline_app.web.core.object_views import ThingView
from timeline_app.web.core.permissions import require_role
from timeline_app.web.core.requests import get_user
from timeline_app.web.core.schema import OWNER_KINDS
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.sharing import transfer, transfer_all
from timeline_app.web.core.views import ApiView
from timeline_app.web.dashboards.selectors import get_dashboard
from timeline_app.web.models.people import Role
from timeline_app.web.models.tokens import Scope
from timeline_app.web.nodes.selectors import get_node
from timeline_app.web.people.selectors import Holder, get_holder, get_person, get_team
from timeline_app.web.plans.selectors import plan_of
from timeline_app.web.samples.selectors import get_sample
from timeline_app.web.sinks.services import get_sink
from timeline_app.web.streams.selectors import get_stream


class HolderSerializer(serializers.Serializer[Any]):
    """A person or a team."""

    kind = serializers.ChoiceField(OWNER_KINDS, default="person")
    name = serializers.CharField(max_length=150)


class TransferSerializer(HolderSerializer, ReasonSerializer):
    """The new owner, and the reason."""


class TransferredSerializer(serializers.Serializer[Any]):
    """The new owner, and how many were transferred."""

    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)
    transferred = serializers.IntegerField(
        help_text="how many things; those that were theirs already are not counted, and nothing is done to them"
    )


def get_named_holder(body: dict[str, Any], field: str = "name") -> Holder:
    """Return the person or team that a body names."""
    try:
        return get_holder(body["kind"], body["name"])
    except Missing as missing:
        raise Invalid.field(
            field, missing.message, "Look at GET /api/people/ and /api/teams/.", code=missing.code
        ) from None


class TransferView(ThingView):
    """The transfer of one resource."""

    refusals = ("403", "409")

    @extend_schema(request=TransferSerializer, responses=TransferredSerializer)
    def post(self, request: Request, **named: Any) -> Response:
        """Transfer it to another person or team. For its owner and administrators."""
        user = get_user(request)
        thing = self.find_thing(user, named)
        with read_reason(request, TransferSerializer) as body:
            to = get_named_holder(body)
            count = transfer(things=[thing], user=user, to=to)
        return Response({"owner": body["name"], "owner_kind": body["kind"], "transferred": count})


class PlanTransferView(TransferView):
    find = staticmethod(plan_of)


class DashboardTransferView(TransferView):
    find = staticmethod(get_dashboard)


class SampleTransferView(TransferView):
    find = staticmethod(get_sample)


class AlertTransferView(TransferView):
    find = staticmethod(get_alert)


class ChannelTransferView(TransferView):
    find = staticmethod(get_channel)


class StreamTransferView(TransferView):
    find = staticmethod(get_stream)


class NodeTransferView(TransferView):
    find = staticmethod(get_node)


class SinkTransferView(TransferView):
    """A sink is given away."""

    def find_thing(self, user: User, named: dict[str, Any]) -> Any:
        """Return the sink of a node that this user may read."""
        return get_sink(get_node(named["digest"], user), named["number"])


class TransferAllView(ApiView):
    """The transfer of everything that a person owns."""

    scopes = require_scopes(POST=Scope.ADMIN)
    refusals = ("403", "409")

    def holder(self, name: str) -> Holder:
        """Return the present owner."""
        return get_person(name)

    @extend_schema(request=TransferSerializer, responses=TransferredSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Transfer everything to another person or team: all or nothing. For administrators."""
        user = get_user(request)
        require_role(user, Role.ADMIN, "To give away all that somebody owns")
        holder = self.holder(name)
        with read_reason(request, TransferSerializer) as body:
            count = transfer_all(holder=holder, user=user, to=get_named_holder(body))
        return Response({"owner": body["name"], "owner_kind": body["kind"], "transferred": count})


class TeamTransferView(TransferAllView):
    """The transfer of everything that a team owns."""

    def holder(self, name: str) -> Holder:
        return get_team(name)
