"""Where the nodes of a plan run, and what running it would mean."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.compiler.placement import PLACEMENTS
from timeline_app.web.core import query_parameters
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.schema import OWNER_KINDS
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models import Plan
from timeline_app.web.models.tokens import Scope
from timeline_app.web.nodes.hosting import Fate
from timeline_app.web.plans.consequences import describe_consequences, stop_consequences
from timeline_app.web.plans.placement import explain
from timeline_app.web.plans.selectors import plan_of


class UserSerializer(serializers.Serializer[Any]):
    """A plan that uses a node."""

    plan = serializers.IntegerField(allow_null=True, help_text="null: it is not shared with you")
    plan_name = serializers.CharField()
    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)


class FateSerializer(serializers.Serializer[Any]):
    """What would happen to a node."""

    digest = serializers.CharField()
    names = serializers.ListField(child=serializers.CharField())
    fate = serializers.ChoiceField([fate.value for fate in Fate])
    query = serializers.CharField(allow_null=True)
    observed = serializers.CharField(help_text="what is seen of the query that computes it now; else empty")
    words = serializers.CharField()
    since = serializers.IntegerField(allow_null=True, help_text="so long it has been so, microseconds")
    owner = serializers.CharField(allow_null=True, help_text="null: it is not there yet")
    replaces = serializers.BooleanField(help_text="the plan runs another computation under one of the names")
    was = serializers.ListField(
        child=serializers.CharField(), help_text="names under which the plan runs it now, and would no more"
    )
    reads = serializers.ListField(
        child=serializers.CharField(), help_text="streams that it computes anew from the retained events"
    )
    users = UserSerializer(many=True)


class GoneSerializer(serializers.Serializer[Any]):
    """A node that the plan would not use any more: it stops, or is left to others."""

    digest = serializers.CharField()
    names = serializers.ListField(child=serializers.CharField())
    fate = serializers.ChoiceField(["stopped", "left"])
    users = UserSerializer(many=True)


class PlannedQuerySerializer(serializers.Serializer[Any]):
    """A query that would compute nodes of the plan; a new one has no name yet."""

    name = serializers.CharField(allow_null=True)
    starts = serializers.BooleanField()
    nodes = serializers.ListField(child=serializers.CharField())


class OpenedStreamSerializer(serializers.Serializer[Any]):
    """What of a stream would be opened to the owner of the plan, and to all who may look at it."""

    stream = serializers.CharField()
    fields = serializers.ListField(child=serializers.CharField())  # type: ignore[assignment]


class ConsequencesSerializer(serializers.Serializer[Any]):
    """What would happen if a plan were run."""

    placement = serializers.ChoiceField(PLACEMENTS)
    nodes = FateSerializer(many=True)
    gone = GoneSerializer(many=True)
    queries = PlannedQuerySerializer(many=True)
    replayed_events = serializers.DictField(child=serializers.IntegerField())
    opens = OpenedStreamSerializer(
        many=True, help_text="streams that the plan's owner may not look at, and you may"
    )
    words = serializers.CharField()


class StopConsequencesSerializer(serializers.Serializer[Any]):
    """What would happen if a plan were stopped."""

    gone = GoneSerializer(many=True)
    words = serializers.CharField()


class ForeseeSerializer(serializers.Serializer[Any]):
    """A document that is to be run, as it is or in place of what a plan runs."""

    document = serializers.DictField()
    placement = serializers.ChoiceField(PLACEMENTS, required=False)
    plan = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=2**31 - 1, help_text="null: it is a new plan"
    )


class HostedSerializer(serializers.Serializer[Any]):
    """A node of a query; without names where it is another plan's."""

    digest = serializers.CharField()
    operator = serializers.CharField()
    names = serializers.ListField(child=serializers.CharField())
    moving_from = serializers.CharField(allow_null=True)
    moving_to = serializers.CharField(allow_null=True)


class ReadSerializer(serializers.Serializer[Any]):
    """What a query reads: some fields of a stream, or what another query publishes of a node."""

    stream = serializers.CharField(allow_null=True)
    fields_read = serializers.ListField(child=serializers.CharField())
    node = serializers.CharField(allow_null=True)
    names = serializers.ListField(child=serializers.CharField())


class KeptSerializer(serializers.Serializer[Any]):
    """The state of a query."""

    what = serializers.CharField()
    rows = serializers.IntegerField()
    bytes = serializers.IntegerField()


class ExplainedQuerySerializer(serializers.Serializer[Any]):
    """A query that computes nodes of the plan."""

    name = serializers.CharField()
    observed = serializers.CharField()
    words = serializers.CharField()
    hosts = HostedSerializer(many=True)
    reads = ReadSerializer(many=True)
    keeps = KeptSerializer()
    publishes = serializers.ListField(child=serializers.CharField())


class ExplainedSerializer(serializers.Serializer[Any]):
    """How a plan runs."""

    placement = serializers.ChoiceField(PLACEMENTS)
    running = serializers.BooleanField()
    queries = ExplainedQuerySerializer(many=True)
    text = serializers.CharField()


class PlanConsequencesView(ApiView):
    """What would happen if a plan were run."""

    refusals = ("422", "429")

    @extend_schema(
        parameters=[
            OpenApiParameter("placement", str, enum=PLACEMENTS, description="default: the plan's own")
        ],
        responses=ConsequencesSerializer,
    )
    def get(self, request: Request, number: int) -> Response:
        """Nodes that would be new, joined, moved or stopped, and the events that are computed for that."""
        plan = plan_of(number, get_user(request))
        placement = query_parameters.parse_choice(request, "placement", PLACEMENTS) or plan.placement
        return Response(describe_consequences(plan, placement, get_user(request)))


class ForeseeView(ApiView):
    """What would happen if a document were run."""

    scopes = require_scopes(POST=Scope.READ)
    refusals = ("404", "422", "429")

    @extend_schema(request=ForeseeSerializer, responses=ConsequencesSerializer)
    def post(self, request: Request) -> Response:
        """The same for a document that is not saved yet; nothing is kept."""
        body = validate_body(ForeseeSerializer, request)
        plan = Plan() if body.get("plan") is None else plan_of(body["plan"], get_user(request))
        return Response(
            describe_consequences(
                plan, body.get("placement") or plan.placement, get_user(request), body["document"]
            )
        )


class PlanStopConsequencesView(ApiView):
    """What would happen if a plan were stopped."""

    @extend_schema(responses=StopConsequencesSerializer)
    def get(self, request: Request, number: int) -> Response:
        """The nodes that stop with it, and those that go on for other plans."""
        return Response(stop_consequences(plan_of(number, get_user(request)), get_user(request)))


class PlanExplainView(ApiView):
    """How a plan runs."""

    @extend_schema(responses=ExplainedSerializer)
    def get(self, request: Request, number: int) -> Response:
        """Which query hosts what, reads what, keeps what state, publishes what."""
        return Response(explain(plan_of(number, get_user(request))))
