"""Explaining values over REST."""

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
    """The raw events of an instant; `found` is false if they are not in the files that were searched.

    `rule` says how the order of conflicting events was decided; else it is empty.
    """

    stream = serializers.CharField()
    t = serializers.IntegerField()
    events = serializers.ListField(child=serializers.DictField(child=ScalarField(allow_null=True)))
    found = serializers.BooleanField()
    rule = serializers.CharField()


class SentencePartSerializer(serializers.Serializer[Any]):
    """A part of a sentence; an instant has its microseconds, and its time in UTC as `text`."""

    text = serializers.CharField()
    at = serializers.IntegerField(allow_null=True)


class LinkSerializer(serializers.Serializer[Any]):
    """The value of one node at an instant, from when (null: ever) to when (null: open), and why.

    `because` names the inputs concerned, which follow in the chain. Below an aggregate, `key` has the greatest part.
    Below a shift or a count of changes, `at` is the earlier instant that matters. No late event can change what is
    `final`.
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
        """Add `from`, which is a keyword of Python."""
        return {**super().get_fields(), "from": serializers.IntegerField(allow_null=True)}


class WhySerializer(serializers.Serializer[Any]):
    """The chain of reasons, beginning with the node; `complete` is false if it was too long."""

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
        """Explain the node's value for the key at the instant: a sentence from each operator concerned."""
        key = query_parameters.parse_text(request, "key", required=True) or ""
        at = query_parameters.parse_moment(request, "at")
        if at is None:
            raise Invalid.field("at", "This parameter is missing.", "Add ?at=…")
        plan = query_parameters.number(
            request, "plan", default=-1, least=0, most=query_parameters.MAX_INTEGER
        )
        name, known_at = (
            query_parameters.parse_text(request, "name"),
            query_parameters.parse_moment(request, "known_at"),
        )
        user, plan_number = get_user(request), None if plan < 0 else plan
        return Response(explain_value(digest, key, at, user, plan=plan_number, name=name, known_at=known_at))
