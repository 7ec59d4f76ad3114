"""Why a node says what it says."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.requests import get_user
from timeline_app.web.core.schema import KindField, ScalarField
from timeline_app.web.core.views import ApiView
from timeline_app.web.nodes.why import explain_value


class BoundarySerializer(serializers.Serializer[Any]):
    """The raw events of an instant; `found` is false where they were not among the files that were looked into.

    `rule` says how the order of events was decided, where several of them say different things; else it is empty.
    """

    stream = serializers.CharField()
    t = serializers.IntegerField()
    events = serializers.ListField(child=serializers.DictField(child=ScalarField(allow_null=True)))
    found = serializers.BooleanField()
    rule = serializers.CharField()


class SentencePartSerializer(serializers.Serializer[Any]):
    """A part of a sentence; of an instant its microseconds, and in `text` its time in UTC."""

    text = serializers.CharField()
    at = serializers.IntegerField(allow_null=True)


class LinkSerializer(serializers.Serializer[Any]):
    """What one node says at an instant, from when (null: ever) to when (null: open), and why.

    `because` names the inputs concerned, which follow in the chain. Below an aggregate `key` is the one with the
    greatest part; below a shift or a count of changes `at` is the earlier instant that matters. What is `final` no
    late event can change.
    """

    node = serializers.CharField()
    op = serializers.CharField()
    title = serializers.CharField()
    key = serializers.CharField()
    at = serializers.IntegerField()
    kind = KindField()
    value = ScalarField(allow_null=True)
    to = serializers.IntegerField(allow_null=True)
    sentence = serializers.CharField()
    sentence_parts = SentencePartSerializer(many=True)
    ends = serializers.CharField()
    ends_parts = SentencePartSerializer(many=True)
    because = serializers.ListField(child=serializers.CharField())
    events = BoundarySerializer(many=True)
    final = serializers.BooleanField()

    def get_fields(self) -> dict[str, Any]:
        """`from` is no name of Python's."""
        return {**super().get_fields(), "from": serializers.IntegerField(allow_null=True)}


class WhySerializer(serializers.Serializer[Any]):
    """The chain of reasons, the node first; `complete` is false where it was too long."""

    digest = serializers.CharField()
    plan = serializers.IntegerField()
    final_until = serializers.IntegerField(allow_null=True)
    as_of = serializers.IntegerField(allow_null=True)
    known_at = serializers.IntegerField(
        allow_null=True,
        help_text="null: as of now; else what was known then (events are those that are kept now)",
    )
    node = serializers.CharField()
    key = serializers.CharField()
    at = serializers.IntegerField()
    complete = serializers.BooleanField()
    chain = LinkSerializer(many=True)


class WhyView(ApiView):
    """The reasons for a node's value."""

    refusals = ("400", "422")

    @extend_schema(
        parameters=[
            OpenApiParameter("key", str, required=True),
            OpenApiParameter("at", OpenApiTypes.STR, required=True, description="microseconds or ISO 8601"),
            OpenApiParameter(
                "plan", int, description="the plan in whose words to speak; else any that uses the node"
            ),
            OpenApiParameter(
                "known_at", OpenApiTypes.STR, description="microseconds or ISO 8601; why, as known then"
            ),
            OpenApiParameter("name", str, description="the node's name in that plan, where it has several"),
        ],
        responses=WhySerializer,
    )
    def get(self, request: Request, digest: str) -> Response:
        """Why the node says what it says of the key at the instant: a sentence from each operator concerned."""
        key = query_parameters.parse_text(request, "key", required=True) or ""
        at = query_parameters.parse_moment(request, "at")
        if at is None:
            raise Invalid.field("at", "This parameter is missing.", "Add ?at=…")
        plan = query_parameters.number(request, "plan", default=-1, least=0, most=query_parameters.LARGEST)
        name, known_at = (
            query_parameters.parse_text(request, "name"),
            query_parameters.parse_moment(request, "known_at"),
        )
        user, asked = get_user(request), None if plan < 0 else plan
        return Response(explain_value(digest, key, at, user, plan=asked, name=name, known_at=known_at))
