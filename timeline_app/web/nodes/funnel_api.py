"""The funnel of a sequence, over REST."""

from __future__ import annotations

import time
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from timeline_app.web.core import query_parameters
from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.requests import get_user
from timeline_app.web.core.views import ApiView
from timeline_app.web.nodes.api import KnowingFields
from timeline_app.web.nodes.funnel import (
    COUNTS,
    KEYS,
    FunnelQuestion,
    PagePlace,
    read_funnel,
)
from timeline_app.web.nodes.funnel_log import MAX_FUNNEL_KEYS, MAX_FUNNEL_POINTS
from timeline_app.web.nodes.key_states import compute_now
from timeline_app.web.nodes.selectors import get_node


class FunnelStepSerializer(serializers.Serializer[Any]):
    """How many reached a step, and how the runs ended that got no further."""

    step = serializers.CharField()
    count = serializers.IntegerField(help_text="how many reached it")
    share = serializers.FloatField(allow_null=True, help_text="of those that reached the first step")
    share_of_previous = serializers.FloatField(
        allow_null=True, help_text="of those that reached the step before"
    )
    median_seconds = serializers.FloatField(
        allow_null=True, help_text="median time since the step before, of those that reached this one"
    )
    stopped = serializers.IntegerField(help_text="how many reached this step and no further one")
    active = serializers.IntegerField(help_text="those of them that may still reach the next step")
    expired = serializers.IntegerField()
    broken = serializers.IntegerField()


class StoppedKeySerializer(serializers.Serializer[Any]):
    """A key that stopped at a step: when it began, when it reached the step, and the outcome."""

    key = serializers.CharField()
    start = serializers.IntegerField()
    at = serializers.IntegerField()
    outcome = serializers.ChoiceField(("active", "completed", "expired", "broken"))


class FunnelSerializer(KnowingFields):
    """The funnel of a sequence; `complete`: no key and no change point was left out."""

    node = serializers.CharField()
    to = serializers.IntegerField()
    count = serializers.ChoiceField(COUNTS)
    known = serializers.IntegerField(help_text="how many keys the node has")
    complete = serializers.BooleanField()
    steps = FunnelStepSerializer(many=True)
    stopped = StoppedKeySerializer(
        many=True, help_text="a page of those that stopped at `step`, the latest first"
    )
    next = serializers.URLField(allow_null=True, help_text="the address of the next page of `stopped`")
    as_of = serializers.IntegerField(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        """Add `from`, which is a keyword of Python."""
        return {**super().get_fields(), "from": serializers.IntegerField(allow_null=True)}


class FunnelView(ApiView):
    """The funnel of a sequence."""

    refusals = ("400",)

    @extend_schema(
        parameters=[
            OpenApiParameter(
                "from", OpenApiTypes.STR, description="microseconds or ISO 8601; else since ever"
            ),
            OpenApiParameter("to", OpenApiTypes.STR, description="microseconds or ISO 8601; else now"),
            OpenApiParameter(
                "count",
                str,
                enum=COUNTS,
                default=KEYS,
                description="each key by its furthest run, or each run",
            ),
            OpenApiParameter("step", str, description="list the keys that came to this step and no further"),
            OpenApiParameter("cursor", str, description="from `next` of the page before"),
            OpenApiParameter("limit", int, default=100, description="keys in a page, 1 to 1,000"),
        ],
        responses=FunnelSerializer,
        description="How many keys of a sequence reached each step, which share, how long each step took, and which "
        f"keys stopped at a step. Runs count that began in the time range. The {MAX_FUNNEL_KEYS:,} keys that were "
        f"revised last are read, and at most {MAX_FUNNEL_POINTS:,} change points.",
    )
    def get(self, request: Request, digest: str) -> Response:
        """Return how many keys reached each step, how long it took, and which keys stopped where."""
        node = get_node(digest, get_user(request))
        start, end = query_parameters.parse_stretch(request)
        now = compute_now(node, time.time_ns() // 1000) + 1
        question = FunnelQuestion(
            start,
            now if end is None else min(end, now),
            count=query_parameters.parse_choice(request, "count", COUNTS) or KEYS,
            step=query_parameters.parse_text(request, "step"),
            after=_parse_page_place(request),
            limit=query_parameters.number(request, "limit", default=100, least=1, most=1000),
        )
        document, following = read_funnel(node, question)
        return Response(
            document | {"next": None if following is None else _build_next_url(request, question, following)}
        )


def _parse_page_place(request: Request) -> PagePlace | None:
    """Return where a page begins; raise `Invalid`."""
    text = query_parameters.parse_text(request, "cursor", longest=50)
    if text is None:
        return None
    parts = [query_parameters.parse_whole(item) for item in text.split(".")]
    if len(parts) != 2 or parts[0] is None or parts[1] is None:
        hint = "Take the address from `next` of the page before."
        raise Invalid.field("cursor", "This is no cursor of this list.", hint)
    return PagePlace(parts[0], parts[1])


def _build_next_url(request: Request, question: FunnelQuestion, page_place: PagePlace) -> str:
    """Return the URL of the next page, for the same time range."""
    address = replace_query_param(request.build_absolute_uri(), "to", question.end)
    return str(replace_query_param(address, "cursor", f"{page_place.time}.{page_place.key}"))
