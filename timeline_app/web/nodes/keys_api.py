"""Details of a node: its keys by value, when something became known, and what was known then."""

from __future__ import annotations

import time
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.algebra.kinds import SECOND, Kind
from timeline_app.web.core import query_parameters
from timeline_app.web.core.errors import Invalid, Missing
from timeline_app.web.core.paging import Pages, paginate
from timeline_app.web.core.requests import get_user
from timeline_app.web.core.schema import KindField, ScalarField
from timeline_app.web.core.views import ApiView
from timeline_app.web.models import Node
from timeline_app.web.nodes.api import KnowingFields, LeftOutSerializer, TimelineSerializer
from timeline_app.web.nodes.freshness import read_known_until
from timeline_app.web.nodes.key_states import (
    MAX_KEYS_READ,
    MAX_POINTS_READ,
    StatesQuestion,
    compute_now,
    describe_key_states,
)
from timeline_app.web.nodes.key_timelines import KeyTimelinesQuestion, read_key_timelines
from timeline_app.web.nodes.selectors import get_node
from timeline_app.web.nodes.timelines import compare, describe_revision, select_key_revisions

ORDERS = ("longest", "shortest")
NUMBER_ORDERS = ("most", "least")
BOOLS = {"true": True, "false": False, "unknown": None}
DAY_S = 86_400


class ValueSerializer(serializers.Serializer[Any]):
    """How many keys have a value (null: unknown) at the instant."""

    value = ScalarField(allow_null=True)
    keys = serializers.IntegerField()


class StateSerializer(serializers.Serializer[Any]):
    """A key's value at the instant, and for how long; `at_least`: it began before the lookback."""

    key = serializers.CharField()
    value = ScalarField(allow_null=True)
    since = serializers.IntegerField()
    seconds = serializers.FloatField()
    at_least = serializers.BooleanField()


class BucketSerializer(serializers.Serializer[Any]):
    """How many lie from `from` (inclusive) to `to` (exclusive)."""

    to = serializers.FloatField()
    count = serializers.IntegerField()

    def get_fields(self) -> dict[str, Any]:
        """Add `from`, which is a keyword of Python."""
        return {"from": serializers.FloatField(), **super().get_fields()}


class DistributionSerializer(serializers.Serializer[Any]):
    """Of states: how long spans with the value lasted, in seconds; of numbers: the values at the instant."""

    of = serializers.ChoiceField(("seconds", "value"))
    count = serializers.IntegerField()
    least = serializers.FloatField(allow_null=True)
    median = serializers.FloatField(allow_null=True)
    p90 = serializers.FloatField(allow_null=True)
    greatest = serializers.FloatField(allow_null=True)
    buckets = BucketSerializer(many=True)


class StatesSerializer(KnowingFields):
    """The keys of a node by value at an instant; `complete`: no key and no change point was left out."""

    node = serializers.CharField()
    kind = KindField()
    at = serializers.IntegerField()
    value = ScalarField(allow_null=True)
    known = serializers.IntegerField(help_text="how many keys there are")
    looked_at = serializers.IntegerField(help_text="how many of them were looked at, those revised last")
    complete = serializers.BooleanField()
    values = ValueSerializer(many=True)
    matching = serializers.IntegerField(help_text="how many say the value")
    keys = StateSerializer(many=True)
    distribution = DistributionSerializer()
    as_of = serializers.IntegerField(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        """Add `from`, which is a keyword of Python."""
        return {**super().get_fields(), "from": serializers.IntegerField()}


class KeyTimelineSerializer(serializers.Serializer[Any]):
    """A key, its birth, and its thinned timeline in the time range."""

    key = serializers.CharField()
    birth = serializers.IntegerField()
    points = serializers.ListField(
        child=serializers.ListField(child=ScalarField(allow_null=True)),
        help_text="[time, value], of numbers [time, value, slope], of ratios both lines; times in microseconds",
    )
    left_out = LeftOutSerializer(many=True)


class KeyTimelinesSerializer(KnowingFields):
    """The timelines of many keys of a node; `complete`: no key and no change point was left out."""

    node = serializers.CharField()
    kind = KindField()
    to = serializers.IntegerField()
    known = serializers.IntegerField(help_text="how many keys there are")
    complete = serializers.BooleanField()
    keys = KeyTimelineSerializer(many=True, help_text="those that were revised last come first")
    as_of = serializers.IntegerField(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        """Add `from`, which is a keyword of Python."""
        return {**super().get_fields(), "from": serializers.IntegerField()}


class HistoryRowSerializer(serializers.Serializer[Any]):
    """One revision of a key, without its pieces; `folded`: it stands for many."""

    version = serializers.IntegerField()
    known_at = serializers.IntegerField()
    start = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)
    folded = serializers.BooleanField()


class DifferingSerializer(serializers.Serializer[Any]):
    """From when to when; null: unbounded."""

    to = serializers.IntegerField(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        """Add `from`, which is a keyword of Python."""
        return {"from": serializers.IntegerField(allow_null=True), **super().get_fields()}


class AsOfTimelineSerializer(TimelineSerializer):
    """The timeline as known at an instant, and its differences from what is known now."""

    known = serializers.BooleanField(help_text="whether anything was known of the key then")
    differences = DifferingSerializer(many=True, help_text="at most 500, in order")
    different = serializers.IntegerField(help_text="how many there are")
    seconds = serializers.FloatField(help_text="how long those are together that have an end")
    open = serializers.BooleanField(help_text="whether one has none")


class StatesView(ApiView):
    """The keys by value."""

    refusals = ("400",)

    @extend_schema(
        parameters=[
            OpenApiParameter("value", str, description="of bools true, false or unknown; of texts the text"),
            OpenApiParameter(
                "at",
                OpenApiTypes.STR,
                description="microseconds or ISO 8601; else now, or when the node stopped",
            ),
            OpenApiParameter("lookback", int, default=DAY_S, description="seconds"),
            OpenApiParameter("search", str, description="only keys that contain this"),
            OpenApiParameter(
                "order", str, enum=(*ORDERS, *NUMBER_ORDERS), description="of numbers most or least"
            ),
            OpenApiParameter("limit", int, default=50),
        ],
        responses=StatesSerializer,
        description=f"Where a node says a value now, for how long, and how long such spans last. The {MAX_KEYS_READ:,} "
        f"keys that were revised last are looked at, and at most {MAX_POINTS_READ:,} change points read.",
    )
    def get(self, request: Request, digest: str) -> Response:
        """Return which keys have a value at an instant, for how long, and how long such spans last."""
        node = get_node(digest, get_user(request))
        lookback = query_parameters.number(request, "lookback", default=DAY_S, least=1, most=366 * DAY_S)
        at = query_parameters.parse_moment(request, "at")
        orders = NUMBER_ORDERS if Kind(node.kind).is_line else ORDERS
        question = StatesQuestion(
            at=compute_now(node, time.time_ns() // 1000) if at is None else at,
            lookback=lookback * SECOND,
            value=_parse_value(request, node),
            chosen="value" in request.query_params,
            search=query_parameters.parse_text(request, "search") or "",
            order=query_parameters.parse_choice(request, "order", orders) or orders[0],
            limit=query_parameters.number(request, "limit", default=50, least=1, most=MAX_KEYS_READ),
        )
        return Response(describe_key_states(node, question))


class KeyTimelinesView(ApiView):
    """The timelines of many keys."""

    refusals = ("400",)

    @extend_schema(
        parameters=[
            OpenApiParameter("from", OpenApiTypes.STR, required=True, description="microseconds or ISO 8601"),
            OpenApiParameter("to", OpenApiTypes.STR, required=True, description="microseconds or ISO 8601"),
            OpenApiParameter("search", str, description="only keys that contain this"),
            OpenApiParameter("limit", int, default=200, description=f"at most {MAX_KEYS_READ:,} keys"),
            OpenApiParameter("points", int, default=300, description="thinned for so many pixels"),
        ],
        responses=KeyTimelinesSerializer,
        description="The keys that were revised last, and their timelines in the window. "
        f"At most {MAX_POINTS_READ:,} change points are read.",
    )
    def get(self, request: Request, digest: str) -> Response:
        """Return the timelines of many keys in a time range, a row for each key."""
        start, end = query_parameters.parse_stretch(request)
        if start is None or end is None:
            missing = "from" if start is None else "to"
            raise Invalid.field(missing, "This parameter is missing.", f"Add ?{missing}=…")
        question = KeyTimelinesQuestion(
            start,
            end,
            query_parameters.parse_pixels(request) or 300,
            search=query_parameters.parse_text(request, "search") or "",
            limit=query_parameters.number(request, "limit", default=200, least=1, most=MAX_KEYS_READ),
        )
        return Response(read_key_timelines(get_node(digest, get_user(request)), question))


def _parse_value(request: Request, node: Node) -> Any:
    """Return the requested value in the node's type."""
    text, kind = query_parameters.parse_text(request, "value"), Kind(node.kind)
    if text is None:
        return None
    if kind.is_line:
        raise Invalid.field("value", "The node says numbers.", "Leave it out; order=most or least.")
    if kind is not Kind.BOOL:
        return text
    if text not in BOOLS:
        raise Invalid.field("value", f"{text[:40]!r} is not possible.", f"Give {', '.join(BOOLS)}.")
    return BOOLS[text]


class HistoryPages(Pages):
    """Revisions, and since when they are kept."""

    order = ("-known_at", "-pk")
    size, most = 200, 1000

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        result = super().get_paginated_response_schema(schema)
        since = {
            "type": ["integer", "null"],
            "description": "before that no revisions are kept; null: since ever",
        }
        result["properties"]["known_from"] = since
        return result | {"required": [*result["required"], "known_from"]}


class HistoryView(ApiView):
    """The revisions of a key."""

    pagination_class = HistoryPages
    refusals = ("400",)

    @extend_schema(
        parameters=[OpenApiParameter("key", str, required=True)],
        responses=HistoryRowSerializer(many=True),
        operation_id="nodes_revisions_list",
    )
    def get(self, request: Request, digest: str) -> Response:
        """List the revisions of a key, newest first."""
        key = query_parameters.parse_text(request, "key", required=True) or ""
        node = get_node(digest, get_user(request))
        queryset = select_key_revisions(node, key).defer("pieces")
        since = node.known_from
        return paginate(
            self, request, queryset, lambda rows: [describe_revision(row) for row in rows], known_from=since
        )


class DifferenceView(ApiView):
    """The timeline as known at an instant, compared with now."""

    refusals = ("400",)

    @extend_schema(
        parameters=[
            OpenApiParameter("key", str, required=True),
            OpenApiParameter(
                "known_at", OpenApiTypes.STR, required=True, description="microseconds or ISO 8601"
            ),
            OpenApiParameter("from", OpenApiTypes.STR, description="microseconds or ISO 8601"),
            OpenApiParameter("to", OpenApiTypes.STR, description="microseconds or ISO 8601"),
            OpenApiParameter(
                "points", int, description="thinned for so many pixels; the differences are exact"
            ),
        ],
        responses=AsOfTimelineSerializer,
    )
    def get(self, request: Request, digest: str) -> Response:
        """Return the timeline as known at an instant, and where it differs from what is known now."""
        key = query_parameters.parse_text(request, "key", required=True) or ""
        known_at = query_parameters.parse_moment(request, "known_at")
        if known_at is None:
            raise Invalid.field("known_at", "This parameter is missing.", "Add ?known_at=…")
        start, end = query_parameters.parse_stretch(request)
        pixels = query_parameters.parse_pixels(request)
        node = get_node(digest, get_user(request))
        result = compare(node, key, known_at=known_at, start=start, end=end, pixels=pixels)
        if result is None:
            raise Missing(f"Nothing is known of the key {key!r}.", code="unknown_key")
        return Response(result | read_known_until(node, known_at))
