"""The door for events."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiRequest, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from timeline_app.web.api.parsers import RawBody
from timeline_app.web.api.request import body_of
from timeline_app.web.selectors.streams import stream_named
from timeline_app.web.services.streams import stream_take


class TakenSerializer(serializers.Serializer[Any]):
    """What was taken; it is on disk."""

    taken = serializers.IntegerField()
    batch = serializers.IntegerField()


class EventsView(APIView):
    """Events come in."""

    parser_classes = (RawBody,)
    refusals = ("413",)

    @extend_schema(
        request={
            "application/x-ndjson": OpenApiRequest(OpenApiTypes.STR),
            "application/json": OpenApiRequest({}),
        },
        responses={202: TakenSerializer},
    )
    def post(self, request: Request, name: str) -> Response:
        """Push events: JSON lines or a JSON array, at most 8 MiB; all are taken or, if one is wrong, none."""
        stream = stream_named(name)
        taken, batch = stream_take(stream=stream, body=body_of(request).get("body", b""))
        return Response({"taken": taken, "batch": batch}, status=status.HTTP_202_ACCEPTED)
