"""The placement of a plan, and previews of running it."""

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
from timeline_app.web.plans.placement import describe_placement
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


class RemovedNodeSerializer(serializers.Serializer[Any]):
    """A node that the plan would no longer use: it stops, or goes on for others."""

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
    """The fields of a stream that would be opened to the plan's owner and readers."""

    stream = serializers.CharField()
    fields = serializers.ListField(child=serializers.CharField())  # type: ignore[assignment]


class ConsequencesSerializer(serializers.Serializer[Any]):
    """The consequences of running a plan."""

    placement = serializers.ChoiceField(PLACEMENTS)
    nodes = FateSerializer(many=True)
    gone = RemovedNodeSerializer(many=True)
    queries = PlannedQuerySerializer(many=True)
    replayed_events = serializers.DictField(child=serializers.IntegerField())
    opens = OpenedStreamSerializer(
        many=True, help_text="streams that the plan's owner may not look at, and you may"
    )
    words = serializers.CharField()


class StopConsequencesSerializer(serializers.Serializer[Any]):
    """The consequences of stopping a plan."""

    gone = RemovedNodeSerializer(many=True)
    words = serializers.CharField()


class ForeseeSerializer(serializers.Serializer[Any]):
    """A document to run, new or in place of what a plan runs."""

    document = serializers.DictField()
    placement = serializers.ChoiceField(PLACEMENTS, required=False)
    plan = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=2**31 - 1, help_text="null: it is a new plan"
    )


class HostedSerializer(serializers.Serializer[Any]):
    """A node of a query; a node of another plan has no names."""

    digest = serializers.CharField()
    operator = serializers.CharField()
    names = serializers.ListField(child=serializers.CharField())
    moving_from = serializers.CharField(allow_null=True)
    moving_to = serializers.CharField(allow_null=True)


class ReadSerializer(serializers.Serializer[Any]):
    """An input of a query: some fields of a stream, or a node of another query."""

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
    """The placement of a plan."""

    placement = serializers.ChoiceField(PLACEMENTS)
    running = serializers.BooleanField()
    queries = ExplainedQuerySerializer(many=True)
    text = serializers.CharField()


class PlanConsequencesView(ApiView):
    """The preview of a run."""

    refusals = ("422", "429")

    @extend_schema(
        parameters=[
            OpenApiParameter("placement", str, enum=PLACEMENTS, description="default: the plan's own")
        ],
        responses=ConsequencesSerializer,
    )
    def get(self, request: Request, number: int) -> Response:
        """Return which nodes would be new, joined, moved or stopped, and the events replayed for it."""
        plan = plan_of(number, get_user(request))
        placement = query_parameters.parse_choice(request, "placement", PLACEMENTS) or plan.placement
        return Response(describe_consequences(plan, placement, get_user(request)))


class ForeseeView(ApiView):
    """The preview of running an unsaved document."""

    scopes = require_scopes(POST=Scope.READ)
    refusals = ("404", "422", "429")

    @extend_schema(request=ForeseeSerializer, responses=ConsequencesSerializer)
    def post(self, request: Request) -> Response:
        """Preview the run of an unsaved document; nothing is kept."""
        body = validate_body(ForeseeSerializer, request)
        plan = Plan() if body.get("plan") is None else plan_of(body["plan"], get_user(request))
        return Response(
            describe_consequences(
                plan, body.get("placement") or plan.placement, get_user(request), body["document"]
            )
        )


class PlanStopConsequencesView(ApiView):
    """The preview of a stop."""

    @extend_schema(responses=StopConsequencesSerializer)
    def get(self, request: Request, number: int) -> Response:
        """Return the nodes that would stop, and those that go on for other plans."""
        return Response(stop_consequences(plan_of(number, get_user(request)), get_user(request)))


class PlanExplainView(ApiView):
    """The placement of a plan."""

    @extend_schema(responses=ExplainedSerializer)
    def get(self, request: Request, number: int) -> Response:
        """Return which query hosts, reads, keeps and publishes what."""
        return Response(describe_placement(plan_of(number, get_user(request))))
