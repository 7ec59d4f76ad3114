"""The values of a stream's fields, to be suggested where somebody writes one."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.requests import get_user
from timeline_app.web.core.schema import ScalarField
from timeline_app.web.core.views import ApiView
from timeline_app.web.streams.field_values import MAX_EVENTS_SAMPLED, describe_field_values
from timeline_app.web.streams.selectors import get_stream


class ValueShareSerializer(serializers.Serializer[Any]):
    """A value, and how common it is."""

    value = ScalarField()
    share = serializers.FloatField(help_text="of the events that have the field, from 0 to 1")


class FieldValuesSerializer(serializers.Serializer[Any]):
    """A field in the sample."""

    name = serializers.CharField()
    share = serializers.FloatField(help_text="the share of all events that have it, from 0 to 1")
    distinct = serializers.IntegerField(help_text="how many different values it has")
    values = ValueShareSerializer(many=True, help_text="the commonest first")


class StreamValuesSerializer(serializers.Serializer[Any]):
    """What the newest events of a stream have."""

    events = serializers.IntegerField(help_text="the size of the sample")
    complete = serializers.BooleanField(help_text="whether all fields are described")
    fields = FieldValuesSerializer(many=True)  # type: ignore[assignment]


class StreamValuesView(ApiView):
    """Values of a stream's fields."""

    @extend_schema(
        responses=StreamValuesSerializer,
        description=f"A sample of at most {MAX_EVENTS_SAMPLED:,} events that landed last.",
    )
    def get(self, request: Request, name: str) -> Response:
        """Return the fields of the newest events with their commonest values and shares."""
        return Response(describe_field_values(get_stream(name, get_user(request))))
