"""Pushing events."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiRequest, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.landing.dedup import Receipt
from timeline_app.web.core import query_parameters
from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.paging import Whole, format_page
from timeline_app.web.core.parsers import RawBody
from timeline_app.web.core.permissions import Right, require
from timeline_app.web.core.requests import get_user, read_body
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models import Stream
from timeline_app.web.models.tokens import Scope
from timeline_app.web.streams.arrivals import load_newest_events
from timeline_app.web.streams.ingest import Ticket, get_landing, take_events
from timeline_app.web.streams.selectors import get_stream

KEY_HEADER, CLIENT_HEADER, SEQUENCE_HEADER = "Idempotency-Key", "Client-Id", "Client-Sequence"
HEADER_DESCRIPTIONS = {
    KEY_HEADER: "a name for this request: whatever is sent again under it lands once, and is answered alike",
    CLIENT_HEADER: "who sends; requests of a client land in the order of their numbers",
    SEQUENCE_HEADER: "the number of this request, one greater than that of the client's last",
}


class TakenSerializer(serializers.Serializer[Any]):
    """The outcome of a request. Events that were taken are on disk."""

    taken = serializers.IntegerField()
    batch = serializers.IntegerField(allow_null=True, help_text="where they lie; null: nothing was taken")
    late = serializers.IntegerField(
        help_text="of those taken, behind the watermark of the stream, and not too late: they correct what was final"
    )
    too_late = serializers.IntegerField(
        help_text="of those taken, older than the retention: no node applies them"
    )
    duplicates = serializers.IntegerField(
        help_text="of those taken, copies in id and content of an event of the request or of recent ones"
    )
    rejected = serializers.IntegerField(
        help_text="not taken but in quarantine: their time lies further ahead than allowed_ahead"
    )


class EventSerializer(serializers.Serializer[Any]):
    """An event that has landed; the time in microseconds, values as text."""

    key = serializers.CharField()
    time = serializers.IntegerField()
    id = serializers.CharField(allow_null=True)
    values = serializers.DictField(child=serializers.CharField())


class EventsView(ApiView):
    """The events of a stream."""

    keyed = False
    scopes = require_scopes(POST=Scope.EVENTS)
    parser_classes = (RawBody,)
    pagination_class = Whole
    refusals = ("400", "403", "408", "409", "411", "413", "415", "422", "429", "503", "507")

    @extend_schema(
        parameters=[OpenApiParameter("limit", int, default=20)],
        responses=EventSerializer(many=True),
        operation_id="streams_events_newest",
    )
    def get(self, request: Request, name: str) -> Response:
        """List the events that landed last, newest first."""
        limit = query_parameters.number(request, "limit", default=20, least=1, most=200)
        stream = get_stream(name, get_user(request))
        return format_page(load_newest_events(get_landing(stream.folder), limit))

    @extend_schema(
        request={
            "application/x-ndjson": OpenApiRequest(OpenApiTypes.STR),
            "application/json": OpenApiRequest({}),
        },
        parameters=[
            OpenApiParameter(name, location=OpenApiParameter.HEADER, description=text)
            for name, text in HEADER_DESCRIPTIONS.items()
        ],
        responses={202: TakenSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Push events as JSON or CSV, compressed or not, at most 8 MiB unpacked: all are taken, or none."""
        stream, ticket = get_pushable_stream(name, request), parse_ticket(request)
        body = read_body(request).get("body", b"")
        answer = take_events(stream=stream, body=body, ticket=ticket)
        assert answer.receipt is not None
        headers = {"Idempotent-Replayed": "true"} if answer.repeated else {}
        return Response(describe_outcome(answer.receipt), status=status.HTTP_202_ACCEPTED, headers=headers)


def describe_outcome(receipt: Receipt) -> dict[str, Any]:
    """Return the outcome of a request in its wire type."""
    counted = {name: getattr(receipt, name) for name in ("late", "too_late", "duplicates", "rejected")}
    return {"taken": receipt.taken, "batch": receipt.batch if receipt.batch >= 0 else None, **counted}


def get_pushable_stream(name: str, request: Request) -> Stream:
    """Return the stream of this name, if the user may push events to it."""
    stream = get_stream(name, get_user(request))
    require(get_user(request), Right.OPERATE, stream)
    return stream


def parse_ticket(request: Request) -> Ticket:
    """Return the idempotency headers of a request; raise `Invalid`."""
    key, client, number = (request.headers.get(name) for name in (KEY_HEADER, CLIENT_HEADER, SEQUENCE_HEADER))
    for name, text in ((KEY_HEADER, key), (CLIENT_HEADER, client)):
        if text is not None and not re.fullmatch(r"[\x20-\x7e]{1,255}", text):
            raise Invalid.field(name, "It must have 1 to 255 printable ASCII characters.")
    if (client is None) != (number is None):
        raise Invalid.field(
            CLIENT_HEADER, f"{CLIENT_HEADER} and {SEQUENCE_HEADER} belong together.", "Send both, or neither."
        )
    if number is not None and not re.fullmatch(r"[0-9]{1,18}", number):
        raise Invalid.field(
            SEQUENCE_HEADER, "It must be a whole number from 0.", "Begin with 0 and add 1 each time."
        )
    return Ticket(key or "", client or "", -1 if number is None else int(number), get_user(request).pk)
