"""Declaring, reading and changing streams."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.events.declaration import ALLOWED_AHEAD
from timeline_app.web.core.display_forms import DisplaySerializer
from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.etags import answer_with_etag, apply_if_match
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.permissions import NONE, Rights, compute_rights
from timeline_app.web.core.permissions import format_rights as rights_told
from timeline_app.web.core.requests import get_user, read_body
from timeline_app.web.core.schema import OWNER_KINDS, RIGHTS
from timeline_app.web.core.search_api import WORDS, filter_by_search
from timeline_app.web.core.views import ApiView
from timeline_app.web.models import Stream
from timeline_app.web.streams.selectors import get_stream, select_streams
from timeline_app.web.streams.services import change_stream, create_stream

FIELD_TYPES = ["text", "number", "bool"]


class DeclarationSerializer(serializers.Serializer[Any]):
    """The declaration of a stream."""

    name = serializers.CharField()
    key = serializers.CharField(
        help_text='the field that holds the key, or the JSON text of a list of several: ["machine","card"]'
    )
    time = serializers.CharField(
        help_text="the field that holds the event time (names may be paths: data.at), or the JSON text of a list of a"
        ' date and a clock: ["date","clock"]'
    )
    unit = serializers.CharField(
        required=False, help_text="s, ms, us, ns, iso8601, or a format such as %d.%m.%Y %H:%M:%S"
    )
    zone = serializers.CharField(
        required=False,
        allow_null=True,
        help_text="such as Europe/Berlin: whose local times are meant by times without an offset; left out: UTC",
    )
    id = serializers.CharField(allow_null=True, required=False, help_text="the field that tells copies")
    until = serializers.CharField(
        allow_null=True,
        required=False,
        help_text="the field with the end of what began at the time, in the same unit; left out: events are instants",
    )
    fields = serializers.DictField(child=serializers.ChoiceField(FIELD_TYPES), required=False)  # type: ignore[assignment]
    allowed_lateness = serializers.CharField(required=False, help_text="such as 30s")
    retention = serializers.CharField(required=False, help_text="such as 7d")
    idle_after = serializers.CharField(
        required=False,
        allow_null=True,
        help_text="such as 1min: once nothing came for so long, heartbeats make what was said final; left out: never",
    )
    allowed_ahead = serializers.CharField(
        required=False,
        help_text="such as 1d: an event whose time lies further after its arrival is rejected; never: none is",
    )
    encoding = serializers.CharField(
        required=False,
        allow_null=True,
        help_text="such as windows-1251: that of text which is not UTF-8; left out: it is detected, or refused",
    )


class StreamSerializer(DeclarationSerializer):
    """A stream: its declaration, and what has arrived."""

    owner = serializers.CharField(read_only=True)
    owner_kind = serializers.ChoiceField(OWNER_KINDS, read_only=True)
    rights = serializers.ListField(
        child=serializers.ChoiceField(RIGHTS),
        read_only=True,
        help_text="what you may do with it; operate: push",
    )
    open_to_all = serializers.BooleanField(read_only=True, help_text="everybody who can log in may look")
    events = serializers.IntegerField(read_only=True)
    last_event_at = serializers.IntegerField(read_only=True, allow_null=True)
    seen_fields = serializers.ListField(child=serializers.CharField(), read_only=True)
    display = serializers.DictField(
        child=DisplaySerializer(), read_only=True, help_text="by field; changed by `…/display/`"
    )


ANSWER_ONLY_FIELDS = (
    "name", "owner", "owner_kind", "rights", "open_to_all", "events", "last_event_at", "seen_fields", "display",
)  # fmt: skip


def describe_streams(streams: Iterable[Stream], user: User) -> list[dict[str, Any]]:
    """Return streams in their wire type, with the user's rights."""
    chosen = list(streams)
    rights = compute_rights(user, chosen)
    return [_describe_stream(item, rights.get(item.pk, NONE)) for item in chosen]


def describe_stream(stream: Stream, user: User) -> dict[str, Any]:
    return describe_streams([stream], user)[0]


def _describe_stream(stream: Stream, rights: Rights) -> dict[str, Any]:
    document = {
        **stream.owner_told(),
        "rights": rights_told(rights),
        "open_to_all": stream.open_to_all,
        "events": stream.events,
        "last_event_at": stream.last_event_at,
        "seen_fields": stream.seen_fields,
        "display": stream.display,
    }
    return {
        "name": stream.name,
        "zone": None,
        "until": None,
        "idle_after": None,
        "allowed_ahead": ALLOWED_AHEAD,
        "encoding": None,
        **stream.document,
        **document,
    }


def read_declaration(body: dict[str, Any]) -> dict[str, Any]:
    """Return the declaration within a body; read-only fields are dropped, so a response can be sent back."""
    return {key: value for key, value in body.items() if key not in ANSWER_ONLY_FIELDS}


class StreamsView(ApiView):
    """All streams."""

    pagination_class = make_paginator("name")

    refusals = ("409",)

    @extend_schema(parameters=[WORDS], responses=StreamSerializer(many=True), operation_id="streams_list")
    def get(self, request: Request) -> Response:
        """List all streams."""
        queryset = filter_by_search(select_streams(get_user(request)), request)
        return paginate(self, request, queryset, lambda rows: describe_streams(rows, get_user(request)))

    @extend_schema(request=DeclarationSerializer, responses={201: StreamSerializer})
    def post(self, request: Request) -> Response:
        """Declare a stream."""
        body = read_body(request)
        name = body.get("name")
        if not isinstance(name, str):
            raise Invalid.field("name", "A stream needs a name.", 'Send "name": "player".')
        stream = create_stream(user=get_user(request), name=name, document=read_declaration(body))
        return Response(describe_stream(stream, get_user(request)), status=status.HTTP_201_CREATED)


class StreamView(ApiView):
    """One stream."""

    refusals = ("403", "409")
    tagged = True

    @extend_schema(responses=StreamSerializer)
    def get(self, request: Request, name: str) -> Response:
        """Return a stream and its counts."""
        stream = get_stream(name, get_user(request))
        return answer_with_etag(request, stream, describe_stream(stream, get_user(request)))

    @extend_schema(request=DeclarationSerializer, responses=StreamSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Change the declaration. Key, time, unit, id and until are fixed while a running plan reads it."""
        stream, body = get_stream(name, get_user(request)), read_body(request)
        if body.get("name", name) != name:
            raise Invalid.field(
                "name", "A stream keeps its name.", "Declare another one, and delete this one."
            )
        change = partial(
            change_stream, stream=stream, user=get_user(request), document=read_declaration(body)
        )
        changed = apply_if_match(request, stream, change)
        return answer_with_etag(request, changed, describe_stream(changed, get_user(request)))
