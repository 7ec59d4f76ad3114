"""From a sample of events to a declaration, and into the stream."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiRequest, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.json_documents import parse_json
from timeline_app.web.core.parsers import RawBody
from timeline_app.web.core.requests import get_asker, read_body
from timeline_app.web.core.schema import ProblemSerializer
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.tokens import Scope
from timeline_app.web.streams.api import ANSWER_ONLY_FIELDS, FIELD_TYPES
from timeline_app.web.streams.events_api import (
    TakenSerializer,
    describe_outcome,
    get_pushable_stream,
    parse_ticket,
)
from timeline_app.web.streams.guesses import propose_declaration
from timeline_app.web.streams.mappings_api import (
    MAPPING_PARAMETER,
    ComparedEventSerializer,
    parse_mapping_parameter,
)
from timeline_app.web.streams.sample_push import push_sample

MAX_DECLARATION_CHARS = 60_000
SAMPLE = {
    "application/octet-stream": OpenApiRequest(OpenApiTypes.BINARY),
    "application/x-ndjson": OpenApiRequest(OpenApiTypes.STR),
    "text/csv": OpenApiRequest(OpenApiTypes.STR),
}


class OtherSerializer(serializers.Serializer[Any]):
    """An alternative."""

    value = serializers.CharField()
    why = serializers.CharField()


class GuessSerializer(serializers.Serializer[Any]):
    """One part of the declaration; `confidence` goes from 0 to 1."""

    what = serializers.ChoiceField(
        ["key", "time", "until", "unit", "zone", "id", "allowed_lateness", "retention"]
    )
    value = serializers.CharField(allow_null=True)
    confidence = serializers.FloatField()
    why = serializers.CharField()
    alternatives = OtherSerializer(many=True)


class FieldGuessSerializer(serializers.Serializer[Any]):
    """The type of a field, and some of its values."""

    name = serializers.CharField()
    type = serializers.ChoiceField(FIELD_TYPES)
    confidence = serializers.FloatField()
    why = serializers.CharField()
    alternatives = serializers.ListField(child=serializers.CharField())
    values = serializers.ListField(child=serializers.CharField())


class ReadRowSerializer(serializers.Serializer[Any]):
    """An event as it would be kept; the time in microseconds."""

    line = serializers.IntegerField()
    key = serializers.CharField()
    time = serializers.IntegerField()
    id = serializers.CharField(allow_null=True)
    values = serializers.DictField(child=serializers.CharField())


class RefusedLineSerializer(serializers.Serializer[Any]):
    """A line that would be refused, and why."""

    line = serializers.IntegerField()
    field = serializers.CharField(allow_null=True)
    code = serializers.CharField()
    message = serializers.CharField()
    text = serializers.CharField(help_text="the beginning of the line")


class QuantilesSerializer(serializers.Serializer[Any]):
    """How far events were behind the greatest time before them, in microseconds; over all events."""

    p50 = serializers.IntegerField()
    p90 = serializers.IntegerField()
    p99 = serializers.IntegerField()
    p999 = serializers.IntegerField()
    max = serializers.IntegerField()


class SampleLatenessSerializer(serializers.Serializer[Any]):
    """The lateness of the events of the sample, in their order."""

    events = serializers.IntegerField()
    unordered = serializers.IntegerField()
    quantiles = QuantilesSerializer()
    newest_first = serializers.BooleanField()
    proposal = serializers.CharField()
    confidence = serializers.FloatField()
    words = serializers.CharField()


class GuessedSerializer(serializers.Serializer[Any]):
    """The declaration that a sample suggests."""

    format = serializers.ChoiceField(
        ["json_lines", "json_array", "csv", "parquet", "arrow", "arrow_stream", "avro"]
    )
    why = serializers.CharField(help_text="of the format")
    rows = serializers.IntegerField()
    looked_at = serializers.IntegerField()
    declaration = serializers.DictField(help_text="as `POST /api/streams/` takes it, but for the name")
    guesses = GuessSerializer(many=True)
    fields = FieldGuessSerializer(many=True)  # type: ignore[assignment]
    read = ReadRowSerializer(many=True, help_text="the first events, as they would be kept")
    refused = serializers.IntegerField()
    refused_lines = RefusedLineSerializer(many=True)
    warnings = ProblemSerializer(many=True, help_text="times that may not be what was meant")
    lateness = SampleLatenessSerializer(allow_null=True)
    compared = ComparedEventSerializer(many=True, help_text="where fields are mapped, the first events")


class SampleTakenSerializer(TakenSerializer):
    """What was taken, and how many rows were left out."""

    left_out = serializers.IntegerField()


class GuessView(ApiView):
    """Guessing a declaration."""

    scopes = require_scopes(POST=Scope.READ)
    parser_classes = (RawBody,)
    refusals = ("413", "429", "503")
    max_parameter_chars = 65_536

    @extend_schema(
        request=SAMPLE,
        parameters=[
            OpenApiParameter(
                "declaration", str, description="what is certain already, as JSON; the rest is guessed"
            ),
            MAPPING_PARAMETER,
        ],
        responses=GuessedSerializer,
    )
    def post(self, request: Request) -> Response:
        """Guess a stream's declaration from a sample (JSON lines, JSON array, CSV, Parquet); nothing is kept."""
        body = read_body(request).get("body", b"")
        mapping = parse_mapping_parameter(request)
        return Response(propose_declaration(body, read_certain_part(request), mapping, get_asker(request)))


class PushedSampleView(ApiView):
    """Pushing a sample into a stream."""

    keyed = False
    scopes = require_scopes(POST=Scope.EVENTS)
    parser_classes = (RawBody,)
    refusals = ("400", "403", "409", "413", "422", "429", "503", "507")
    max_parameter_chars = 65_536

    @extend_schema(
        request=SAMPLE,
        parameters=[
            OpenApiParameter("refused", str, enum=["leave_out"], description="take the rest all the same"),
            MAPPING_PARAMETER,
        ],
        responses={202: SampleTakenSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Push a sample of any format that can be guessed: every event, or none; or all valid ones."""
        leave_out = query_parameters.parse_choice(request, "refused", ["leave_out"]) is not None
        body = read_body(request).get("body", b"")
        stream = get_pushable_stream(name, request)
        ticket = parse_ticket(request)
        pushed = push_sample(
            stream=stream,
            body=body,
            mapping=parse_mapping_parameter(request),
            leave_out=leave_out,
            asker=get_asker(request),
            ticket=ticket,
        )
        receipt = pushed.request.receipt
        assert receipt is not None
        answer = describe_outcome(receipt) | {"left_out": pushed.left_out}
        return Response(answer, status=status.HTTP_202_ACCEPTED)


def read_certain_part(request: Request) -> dict[str, Any]:
    """Return the parts of the declaration that are certain."""
    text = query_parameters.parse_text(request, "declaration", longest=MAX_DECLARATION_CHARS)
    declaration = parse_json(text.encode()) if text else {}
    if not isinstance(declaration, dict):
        raise Invalid.field("declaration", "It must be a JSON object.", 'Such as {"key": "session_id"}.')
    stated = {name: value for name, value in declaration.items() if name not in ANSWER_ONLY_FIELDS}
    for name in ("key", "time", "until", "id", "unit", "zone", "encoding"):
        if not isinstance(stated.get(name, ""), str | None):
            raise Invalid.field(name, "It must be a text.", "Name a field of the events.")
    if not isinstance(stated.get("fields", {}), dict):
        raise Invalid.field("fields", "It must be an object.", 'Such as {"bitrate": "number"}.')
    return stated
