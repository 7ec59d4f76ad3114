"""The events of a key, for the lanes."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.landing.arrivals import load_arrivals
from timeline_app.operators.parameters import parse_duration
from timeline_app.web.core import query_parameters
from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.requests import get_user
from timeline_app.web.core.views import ApiView
from timeline_app.web.streams.ingest import get_landing
from timeline_app.web.streams.selectors import get_stream


class ArrivedSerializer(serializers.Serializer[Any]):
    """An event."""

    t = serializers.IntegerField(help_text="microseconds")
    late = serializers.IntegerField(
        allow_null=True,
        help_text="behind the greatest time before it, microseconds; 0: in order; null: there was no time to find out",
    )


class TicksSerializer(serializers.Serializer[Any]):
    """Events by time; `complete` is false if some are left out, or time ran out."""

    events = ArrivedSerializer(many=True)
    complete = serializers.BooleanField()
    allowed_lateness = serializers.IntegerField(help_text="microseconds")
    retention = serializers.IntegerField(help_text="microseconds; what came later than that was too late")


class TicksView(ApiView):
    """The events of a key."""

    refusals = ("400",)

    @extend_schema(
        parameters=[
            OpenApiParameter("key", str, required=True),
            OpenApiParameter("from", OpenApiTypes.STR, required=True, description="microseconds or ISO 8601"),
            OpenApiParameter("to", OpenApiTypes.STR, required=True, description="microseconds or ISO 8601"),
        ],
        responses=TicksSerializer,
    )
    def get(self, request: Request, name: str) -> Response:
        """Return the key's events from `from` to `to`, and how late each was, as far as the files still tell."""
        key = query_parameters.parse_text(request, "key", required=True) or ""
        start, end = _require_parameter(request, "from"), _require_parameter(request, "to")
        stream = get_stream(name, get_user(request))
        arrivals, complete = load_arrivals(get_landing(stream.folder), key, start, end)
        return Response(
            {
                "events": [{"t": arrival.time, "late": arrival.late} for arrival in arrivals],
                "complete": complete,
                "allowed_lateness": parse_duration(stream.document["allowed_lateness"]),
                "retention": parse_duration(stream.document["retention"]),
            }
        )


def _require_parameter(request: Request, name: str) -> int:
    moment = query_parameters.parse_moment(request, name)
    if moment is None:
        raise Invalid.field(name, "This parameter is missing.", f"Add ?{name}=…")
    return moment
