"""The descriptions of operators, for the palette and the inspector."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.operators import operators
from timeline_app.web.core.paging import Whole, format_page
from timeline_app.web.core.schema import OUTPUT_KINDS, ScalarField
from timeline_app.web.core.views import ApiView

PARAMETER_TYPES = (
    "predicate", "duration", "field", "value", "choice", "text", "number", "zone", "clock", "days", "steps",
    "breaks",
)  # fmt: skip


class PortSerializer(serializers.Serializer[Any]):
    """An input port."""

    name = serializers.CharField()
    title = serializers.CharField()
    kinds = serializers.ListField(child=serializers.ChoiceField(OUTPUT_KINDS))
    many = serializers.BooleanField()  # type: ignore[assignment]
    minimum = serializers.IntegerField()
    required = serializers.BooleanField()  # type: ignore[assignment]
    help = serializers.CharField()


class ParameterSerializer(serializers.Serializer[Any]):
    """A parameter."""

    name = serializers.CharField()
    title = serializers.CharField()
    type = serializers.ChoiceField(PARAMETER_TYPES)
    required = serializers.BooleanField()  # type: ignore[assignment]
    choices = serializers.ListField(child=serializers.CharField())
    percentiles = serializers.BooleanField(help_text="any percentile, such as p99.9, may stand for a choice")
    default = ScalarField(allow_null=True)
    help = serializers.CharField()
    placeholder = serializers.CharField()


class ExampleSerializer(serializers.Serializer[Any]):
    """A plan that ends with the operator, and events; built-in ones have a picture at `/static/operators/NAME.svg`."""

    plan = serializers.CharField()
    events = serializers.ListField(
        child=serializers.CharField(), help_text="second, key where it is not s1, fields"
    )


class OperatorSerializer(serializers.Serializer[Any]):
    """An operator's description of itself."""

    name = serializers.CharField()
    title = serializers.CharField()
    category = serializers.ChoiceField(["stream", "timelines", "keys"])
    summary = serializers.CharField()
    description = serializers.CharField()
    needs_stream = serializers.BooleanField()
    reads_streams = serializers.BooleanField(help_text="its parameters name the streams that it reads")
    takes_stream = serializers.BooleanField(
        help_text="it may read a stream; beside inputs, or instead of one"
    )
    inputs = PortSerializer(many=True)
    parameters = ParameterSerializer(many=True)
    one_of = serializers.ListField(child=serializers.CharField())
    output = serializers.ChoiceField(OUTPUT_KINDS)
    keeps_kind = serializers.ListField(
        child=serializers.CharField(),
        help_text="choices with which the result has the kind of `of`, or of the field",
    )
    by_arrival = serializers.BooleanField(
        help_text="judged by when events arrived, as it was written down: the one kind whose answers depend on that"
    )
    synonyms = serializers.ListField(
        child=serializers.CharField(), help_text="what others call it, for the search of the palette"
    )
    caption = serializers.CharField(
        help_text="how a node shows its setting, with names of parameters or ports in braces: `over {duration}`"
    )
    source = serializers.CharField(  # type: ignore[assignment]
        help_text="where one of one's own was found; empty for the product's"
    )
    version = serializers.CharField(help_text="which one it is, of one of one's own")
    example = ExampleSerializer()


class OperatorsView(ApiView):
    """All operators."""

    pagination_class = Whole

    @extend_schema(responses=OperatorSerializer(many=True))
    def get(self, _request: Request) -> Response:
        """List all operators: their ports, parameters and meaning."""
        return format_page([operator.describe() for operator in operators().values()])
