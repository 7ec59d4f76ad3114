"""How a stream arrives, and its rejected events."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.requests import get_user, read_body, validate_body
from timeline_app.web.core.schema import OWNER_KINDS
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.models.tokens import Scope
from timeline_app.web.nodes.api import NodeUserSerializer
from timeline_app.web.streams.api import DeclarationSerializer, read_declaration
from timeline_app.web.streams.arrivals import (
    describe_arrivals,
    describe_rejected_event,
    select_rejected_events,
)
from timeline_app.web.streams.guesses_api import QuantilesSerializer
from timeline_app.web.streams.ingest import get_landing
from timeline_app.web.streams.measure_writer import MAX_REJECTED_PER_KIND, write_measures
from timeline_app.web.streams.redeclaration import describe_redeclaration
from timeline_app.web.streams.rejected_events import clear_rejected, retry_rejected
from timeline_app.web.streams.selectors import get_stream
from timeline_app.web.streams.services import parse_declaration
from timeline_app.web.streams.source_api import SourceSerializer

MAX_TEXT_CHARS = 65_536


class TickSerializer(serializers.Serializer[Any]):
    """The counts of ten seconds."""

    at = serializers.IntegerField(help_text="when they begin, seconds since the epoch")
    events = serializers.IntegerField()
    late = serializers.IntegerField()
    too_late = serializers.IntegerField()
    refused = serializers.IntegerField()


class TotalsSerializer(serializers.Serializer[Any]):
    """Counts since the stream was declared."""

    events = serializers.IntegerField(help_text="taken")
    late = serializers.IntegerField(
        help_text="of those, behind the watermark when they came, and not too late"
    )
    too_late = serializers.IntegerField(help_text="of those, older than the retention")
    refused = serializers.IntegerField(
        help_text="lines, of a request at most 100; and events that lay too far ahead"
    )


class MeasuredLatenessSerializer(serializers.Serializer[Any]):
    """How far events of the last hour were behind the greatest time before them."""

    events = serializers.IntegerField()
    unordered = serializers.IntegerField()
    quantiles = QuantilesSerializer()
    proposal = serializers.CharField(allow_null=True, help_text="an allowed lateness that covers it")


class ReadingPlanSerializer(serializers.Serializer[Any]):
    """A plan that reads the stream."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)
    running = serializers.BooleanField()


class CountedSerializer(serializers.Serializer[Any]):
    """What a node has counted of the stream since its start."""

    events = serializers.IntegerField()
    late = serializers.IntegerField()
    too_late = serializers.IntegerField()
    duplicates = serializers.IntegerField()
    conflicts = serializers.IntegerField()


class ReadingNodeSerializer(serializers.Serializer[Any]):
    """A node that reads the events of the stream directly."""

    digest = serializers.CharField()
    operator = serializers.CharField()
    users = NodeUserSerializer(many=True)
    observed = serializers.CharField()
    words = serializers.CharField()
    lag = serializers.IntegerField()
    counters = CountedSerializer()


class StreamReaderSerializer(serializers.Serializer[Any]):
    """A person or a team."""

    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)


class OtherReadersSerializer(serializers.Serializer[Any]):
    """Running plans of others that read the stream."""

    plans = serializers.IntegerField()
    owners = StreamReaderSerializer(many=True)


class ActivitySerializer(serializers.Serializer[Any]):
    """How the stream arrives; `series` has only those ten seconds of the last hour with events."""

    now = serializers.IntegerField()
    step = serializers.IntegerField()
    series = TickSerializer(many=True)
    totals = TotalsSerializer()
    lateness = MeasuredLatenessSerializer(allow_null=True)
    plans = ReadingPlanSerializer(many=True)
    nodes = ReadingNodeSerializer(many=True)
    others = OtherReadersSerializer(
        allow_null=True, help_text="running plans that are not shared with you; null: it is not your stream"
    )
    idle_until = serializers.IntegerField(
        allow_null=True,
        help_text="while it is idle: the moment of the last heartbeat, up to which all is taken to have come",
    )
    source = SourceSerializer(allow_null=True, help_text="where it is fed from beside its door")  # type: ignore[assignment]


class ChangeSerializer(serializers.Serializer[Any]):
    """One change of the declaration."""

    what = serializers.CharField()
    before = serializers.CharField(allow_null=True)
    after = serializers.CharField(allow_null=True)
    words = serializers.CharField()
    possible = serializers.BooleanField()


class RunningPlanSerializer(serializers.Serializer[Any]):
    """A running plan that reads the stream."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)


class RedeclaringSerializer(serializers.Serializer[Any]):
    """The consequences of a changed declaration."""

    changes = ChangeSerializer(many=True)
    possible = serializers.BooleanField()
    plans = RunningPlanSerializer(many=True)


class RejectedEventSerializer(serializers.Serializer[Any]):
    """A refused line, or an event that came too late."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(RejectedEvent.Kind.choices)
    at = serializers.IntegerField(help_text="when it came, microseconds")
    sender = serializers.CharField(allow_null=True)
    line = serializers.IntegerField(allow_null=True, help_text="of its request; null: it came by a source")
    place = serializers.CharField(
        help_text="where it lay in its source, as in `byte 205 of plays.jsonl`; else empty"
    )
    alone = serializers.BooleanField(
        help_text="it was left out, and the rest of what came with it was taken; false: all of its request was refused"
    )
    field = serializers.CharField()
    code = serializers.CharField()
    message = serializers.CharField()
    text = serializers.CharField()
    whole = serializers.BooleanField(help_text="false: of a long line only the beginning is kept")


class AgainLineSerializer(serializers.Serializer[Any]):
    """A line to retry."""

    id = serializers.IntegerField(min_value=0, max_value=query_parameters.MAX_INTEGER)
    text = serializers.CharField(
        required=False, allow_null=True, max_length=MAX_TEXT_CHARS, help_text="mended; without it as it came"
    )


class AgainSerializer(serializers.Serializer[Any]):
    """Lines to retry."""

    lines = AgainLineSerializer(many=True, allow_empty=False)

    def validate_lines(self, lines: list[Any]) -> list[Any]:
        """Accept no more lines than are kept."""
        if len(lines) > MAX_REJECTED_PER_KIND:
            raise serializers.ValidationError(
                f"{len(lines):,} lines; at most {MAX_REJECTED_PER_KIND:,} are possible."
            )
        return lines


class TriedSerializer(serializers.Serializer[Any]):
    """The outcome of a retry."""

    taken = serializers.IntegerField()
    refused = RejectedEventSerializer(many=True)


class ClearedSerializer(serializers.Serializer[Any]):
    """How many lines were deleted."""

    cleared = serializers.IntegerField()


KIND = OpenApiParameter("kind", str, enum=RejectedEvent.Kind.values)


class ActivityView(ApiView):
    """How a stream arrives."""

    @extend_schema(responses=ActivitySerializer)
    def get(self, request: Request, name: str) -> Response:
        """Return rates and lateness of the last hour, counters, and the plans and nodes that read the stream."""
        write_measures()
        return Response(describe_arrivals(get_stream(name, get_user(request)), get_user(request)))


class StreamConsequencesView(ApiView):
    """The consequences of a change."""

    scopes = require_scopes(POST=Scope.READ)
    refusals = ("400",)

    @extend_schema(request=DeclarationSerializer, responses=RedeclaringSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Preview the consequences of a changed declaration; nothing is changed."""
        stream = get_stream(name, get_user(request))
        declaration = parse_declaration(stream.name, read_declaration(read_body(request)))
        return Response(
            describe_redeclaration(
                stream, declaration, stream.events or get_landing(stream.folder).end(), get_user(request)
            )
        )


class RejectedEventsView(ApiView):
    """Rejected events."""

    pagination_class = make_paginator("-id", size=100, most=2 * MAX_REJECTED_PER_KIND)
    refusals = ("400", "403")

    @extend_schema(parameters=[KIND], responses=RejectedEventSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        """List refused lines and events that came too late, newest first; the newest 1,000 of each are kept."""
        write_measures()
        kind = query_parameters.parse_choice(request, "kind", RejectedEvent.Kind.values)
        rejected_events = select_rejected_events(get_stream(name, get_user(request)), kind)
        return paginate(
            self, request, rejected_events, lambda rows: [describe_rejected_event(row) for row in rows]
        )

    @extend_schema(parameters=[KIND], responses={200: ClearedSerializer})
    def delete(self, request: Request, name: str) -> Response:
        """Delete them; the counters stay."""
        write_measures()
        kind = query_parameters.parse_choice(request, "kind", RejectedEvent.Kind.values)
        cleared = clear_rejected(
            stream=get_stream(name, get_user(request)), user=get_user(request), kind=kind
        )
        return Response({"cleared": cleared})


class RetryRejectedView(ApiView):
    """A retry of rejected events."""

    scopes = require_scopes(POST=Scope.EVENTS)
    refusals = ("400", "403", "409", "422", "429", "503", "507")

    @extend_schema(request=AgainSerializer, responses=TriedSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Push refused lines again, each on its own: edited, or after the declaration was changed."""
        write_measures()
        stream = get_stream(name, get_user(request))
        texts = {line["id"]: line.get("text") for line in validate_body(AgainSerializer, request)["lines"]}
        if any("\0" in (text or "") for text in texts.values()):
            raise Invalid.field("lines", "A text contains the NUL character.", "Leave it out.")
        tried = retry_rejected(stream=stream, user=get_user(request), texts=texts)
        return Response(
            {"taken": tried.taken, "refused": [describe_rejected_event(item) for item in tried.refused]}
        )
