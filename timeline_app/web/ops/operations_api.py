"""The operations page over REST."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.permissions import require_role
from timeline_app.web.core.requests import get_user
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.people import Role
from timeline_app.web.ops.operations import describe_operations


class PartOfProductSerializer(serializers.Serializer[Any]):
    """A part of the product, as `/readyz` probes it."""

    name = serializers.CharField()
    ready = serializers.BooleanField()
    degraded = serializers.BooleanField(help_text="it works, but not all of it does well")
    word = serializers.CharField()
    detail = serializers.CharField(allow_null=True)
    hint = serializers.CharField()


class ProcessSerializer(serializers.Serializer[Any]):
    """A background process."""

    name = serializers.CharField()
    silent_seconds = serializers.FloatField(help_text="since it last said that it works")


class NodeOfQuerySerializer(serializers.Serializer[Any]):
    """A node that a query computes."""

    digest = serializers.CharField()
    name = serializers.CharField(help_text="in a plan, else what its operator is called")
    failure = serializers.CharField(allow_blank=True, help_text="why it was given up")


class OperatedQuerySerializer(serializers.Serializer[Any]):
    """A Spark query that is to run, or has not stopped yet."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    observed = serializers.CharField(help_text="running, failed, retrying, starting, stopping")
    words = serializers.CharField()
    since = serializers.IntegerField(allow_null=True)
    owners = serializers.ListField(child=serializers.CharField(), help_text="of its nodes")
    nodes = NodeOfQuerySerializer(many=True)
    events_per_second = serializers.FloatField()
    processed_per_second = serializers.FloatField()
    batch_ms = serializers.IntegerField()
    lag = serializers.IntegerField(help_text="events that wait; of a query that reads nodes, their batches")
    state_rows = serializers.IntegerField()
    state_bytes = serializers.IntegerField(help_text="the state store, in memory and on disk")
    restarts = serializers.IntegerField(help_text="used of the restart budget")
    last_progress = serializers.IntegerField(allow_null=True)
    error = serializers.CharField(allow_blank=True)
    trouble = serializers.CharField(allow_blank=True)
    hint = serializers.CharField(allow_blank=True)


class OperationsSerializer(serializers.Serializer[Any]):
    """The data of the operations page."""

    parts = PartOfProductSerializer(many=True)
    processes = ProcessSerializer(many=True)
    database_bytes = serializers.IntegerField()
    state_bytes = serializers.IntegerField(help_text="of all queries")
    queries = OperatedQuerySerializer(many=True)


class OperationsView(ApiView):
    """The operations page."""

    refusals = ("403",)

    @extend_schema(responses=OperationsSerializer)
    def get(self, request: Request) -> Response:
        """Return parts, processes and queries with lag, memory and errors; failing ones first. For operators."""
        require_role(get_user(request), Role.OPERATOR, "To look at operations")
        return Response(describe_operations())
