"""Streams: declared, looked at, changed, deleted."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from timeline_app.web.api.request import body_of, user_of
from timeline_app.web.errors import Invalid
from timeline_app.web.models import Stream
from timeline_app.web.selectors.streams import stream_named
from timeline_app.web.services.streams import stream_change, stream_create, stream_delete

FIELD_TYPES = ["text", "number", "bool"]


class DeclarationSerializer(serializers.Serializer[Any]):
    """How a stream is declared."""

    name = serializers.CharField()
    key = serializers.CharField(help_text="the field that holds the key")
    time = serializers.CharField(help_text="the field that holds the event time")
    unit = serializers.ChoiceField(["s", "ms", "us", "iso8601"], required=False)
    id = serializers.CharField(allow_null=True, required=False, help_text="the field that tells copies")
    fields = serializers.DictField(child=serializers.ChoiceField(FIELD_TYPES), required=False)  # type: ignore[assignment]
    allowed_lateness = serializers.CharField(required=False, help_text="such as 30s")
    retention = serializers.CharField(required=False, help_text="such as 7d")


class StreamSerializer(DeclarationSerializer):
    """A stream: its declaration, and what has arrived."""

    owner = serializers.CharField(read_only=True)
    events = serializers.IntegerField(read_only=True)
    last_event_at = serializers.IntegerField(read_only=True, allow_null=True)
    seen_fields = serializers.ListField(child=serializers.CharField(), read_only=True)


TOLD = ("name", "owner", "events", "last_event_at", "seen_fields")


def document(stream: Stream) -> dict[str, Any]:
    """A stream as it goes over the wire."""
    told = {
        "owner": stream.owner.get_username(),
        "events": stream.events,
        "last_event_at": stream.last_event_at,
        "seen_fields": stream.seen_fields,
    }
    return {"name": stream.name, **stream.document, **told}


def declared(body: dict[str, Any]) -> dict[str, Any]:
    """What of a body is the declaration; what the server tells is left out: answers can be sent back."""
    return {key: value for key, value in body.items() if key not in TOLD}


class StreamsView(APIView):
    """All streams."""

    refusals = ("409",)

    @extend_schema(responses=StreamSerializer(many=True), operation_id="streams_list")
    def get(self, _request: Request) -> Response:
        """Every declared stream."""
        return Response([document(stream) for stream in Stream.objects.select_related("owner")])

    @extend_schema(request=DeclarationSerializer, responses={201: StreamSerializer})
    def post(self, request: Request) -> Response:
        """Declare a stream."""
        body = body_of(request)
        name = body.get("name")
        if not isinstance(name, str):
            raise Invalid.field("name", "A stream needs a name.", 'Send "name": "player".')
        stream = stream_create(user=user_of(request), name=name, document=declared(body))
        return Response(document(stream), status=status.HTTP_201_CREATED)


class StreamView(APIView):
    """One stream."""

    refusals = ("403", "409")

    @extend_schema(responses=StreamSerializer)
    def get(self, _request: Request, name: str) -> Response:
        """A stream, and what has arrived."""
        return Response(document(stream_named(name)))

    @extend_schema(request=DeclarationSerializer, responses=StreamSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Declare it anew; key, time, unit and id stay as they are while a running plan reads it."""
        stream, body = stream_named(name), body_of(request)
        if body.get("name", name) != name:
            raise Invalid.field(
                "name", "A stream keeps its name.", "Declare another one, and delete this one."
            )
        changed = stream_change(stream=stream, user=user_of(request), document=declared(body))
        return Response(document(changed))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Forget it, unless a running plan reads it."""
        stream_delete(stream=stream_named(name), user=user_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
