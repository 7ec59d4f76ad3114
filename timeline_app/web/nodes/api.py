"""Nodes: their users, status and timelines."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.display_forms import DisplaySerializer
from timeline_app.web.core.errors import Invalid, Missing
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.permissions import select_owned
from timeline_app.web.core.requests import get_user
from timeline_app.web.core.schema import OWNER_KINDS, KindField, OwnedFields, ProblemSerializer, ScalarField
from timeline_app.web.core.search import match_unused_nodes, select_visible_uses
from timeline_app.web.core.search_api import WORDS, asks_for_state, filter_by_search
from timeline_app.web.core.views import ApiView
from timeline_app.web.models import Query
from timeline_app.web.nodes.displays import select_node_display
from timeline_app.web.nodes.freshness import STANDINGS, classify_finality, read_known_until
from timeline_app.web.nodes.log_pages import MAX_POINTS_PER_ANSWER, MAX_POINTS_PER_CHART
from timeline_app.web.nodes.selectors import describe_nodes, get_node, match_state, select_nodes
from timeline_app.web.nodes.timelines import describe_key, find_keys, peek
from timeline_app.web.nodes.warnings import list_node_warnings


class NodeUserSerializer(serializers.Serializer[Any]):
    """A running plan that uses the node."""

    plan = serializers.IntegerField(allow_null=True, help_text="null: it is not shared with you")
    plan_name = serializers.CharField()
    name = serializers.CharField(help_text="the node's name in that plan; empty where it is only an input")
    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)


class NodeStatusSerializer(serializers.Serializer[Any]):
    """The desired and the actual state, and a description."""

    desired = serializers.ChoiceField(Query.Desired.choices)
    observed = serializers.ChoiceField(Query.Observed.choices)
    words = serializers.CharField()
    error = serializers.CharField(help_text="what Spark or the supervisor reported")
    trouble = serializers.CharField(help_text="what is wrong, in words; empty where nothing is")
    hint = serializers.CharField(help_text="what helps")
    query_id = serializers.CharField()
    restarts = serializers.IntegerField()
    mended = serializers.CharField(help_text="what of its checkpoint was mended, and when; mostly empty")
    since = serializers.IntegerField(allow_null=True)
    last_progress = serializers.IntegerField(allow_null=True)


class CountersSerializer(serializers.Serializer[Any]):
    """Counters of a node."""

    events = serializers.IntegerField()
    late = serializers.IntegerField()
    too_late = serializers.IntegerField()
    duplicates = serializers.IntegerField()
    conflicts = serializers.IntegerField()
    revisions = serializers.IntegerField()


class RatesSerializer(serializers.Serializer[Any]):
    """Throughput, lag and size of the state."""

    events_per_second = serializers.FloatField(
        help_text="events read a second; of a node that reads nodes, revisions of theirs"
    )
    processed_per_second = serializers.FloatField(help_text="the same of each second at work")
    batch_ms = serializers.IntegerField(
        help_text="mean length of its last batches, without the first after a start; 0 until there is one"
    )
    lag = serializers.IntegerField(
        help_text="events that wait; of a node that reads nodes, batches of theirs"
    )
    lag_of = serializers.ChoiceField(["events", "batches"], help_text="what waits")
    state_rows = serializers.IntegerField(help_text="entries of its state store, each a page of many keys")
    state_bytes = serializers.IntegerField(help_text="in memory and on disk")


class BacklogSerializer(serializers.Serializer[Any]):
    """The progress of a node that catches up with its stream."""

    events = serializers.IntegerField(help_text="that waited when most did")
    done = serializers.FloatField(help_text="from 0 to 1")
    seconds_left = serializers.FloatField(allow_null=True)


class NodeSerializer(OwnedFields):
    """One distinct computation."""

    digest = serializers.CharField()
    operator = serializers.CharField(help_text="its name in plans")
    operator_title = serializers.CharField(help_text="its name for people")
    kind = KindField()
    users = NodeUserSerializer(many=True)
    status = NodeStatusSerializer()
    final_until = serializers.IntegerField(allow_null=True)
    as_of = serializers.IntegerField(allow_null=True)
    counters = CountersSerializer()
    rates = RatesSerializer()
    backlog = BacklogSerializer(allow_null=True)


class NodeDetailSerializer(NodeSerializer):
    """One node, with warnings about fields and conditions that no event has met."""

    warnings = ProblemSerializer(
        many=True, help_text="fields that no event has had, a condition that no event has met"
    )
    display = DisplaySerializer(help_text="how its values are shown in the first of the plans that use it")


class KeySerializer(serializers.Serializer[Any]):
    """A key, and when its newest revision became known."""

    key = serializers.CharField()
    known_at = serializers.IntegerField()


class LineSerializer(serializers.Serializer[Any]):
    """A value, and its change per second."""

    value = serializers.FloatField()
    slope = serializers.FloatField()


class PointSerializer(serializers.Serializer[Any]):
    """From `t` (null: from the beginning) on, this value; numbers change by `slope` per second.

    A ratio of two climbing numbers has numerator and denominator instead, each with value and slope.
    """

    t = serializers.IntegerField(allow_null=True)
    value = ScalarField(allow_null=True, required=False)
    slope = serializers.FloatField(allow_null=True, required=False)
    num = LineSerializer(allow_null=True, required=False)
    den = LineSerializer(allow_null=True, required=False)


@extend_schema_field(
    {
        "type": "array",
        "prefixItems": [{"type": ["string", "number", "boolean", "null"]}, {"type": "number"}],
        "minItems": 2,
        "maxItems": 2,
    }
)
class ShareField(serializers.JSONField):
    """A value (null: unknown), and for how many seconds it held."""


class LeftOutSerializer(serializers.Serializer[Any]):
    """A span in which change points are left out, with `points`: how many, and a summary of the values.

    Of states, `shares` are pairs of a value and the seconds for which it held; of numbers, the bounds.
    """

    to = serializers.IntegerField()
    changes = serializers.IntegerField()
    shares = serializers.ListField(child=ShareField(), required=False)
    others = serializers.FloatField(
        required=False, help_text="seconds of values that have no share of their own"
    )
    low = serializers.FloatField(required=False, allow_null=True)
    high = serializers.FloatField(required=False, allow_null=True)
    unknown = serializers.FloatField(required=False, help_text="seconds")

    def get_fields(self) -> dict[str, Any]:
        """Add `from`, which is a keyword of Python."""
        return {"from": serializers.IntegerField(), **super().get_fields()}


class BehindSerializer(serializers.Serializer[Any]):
    """How far a lagging node has read; what is later is not known."""

    until = serializers.IntegerField(allow_null=True, help_text="event time; null: it has seen nothing")
    words = serializers.CharField(help_text="what is going on")
    late = serializers.BooleanField(
        help_text="further behind than twice its usual lag: 5 s, or the time that a batch takes"
    )


class KnowingFields(serializers.Serializer[Any]):
    """How far results are known and final."""

    final_until = serializers.IntegerField(allow_null=True, help_text="before it no event changes anything")
    known_until = serializers.IntegerField(
        allow_null=True, help_text="what is said of later is projected; null: nothing is known yet"
    )
    stopped_at = serializers.IntegerField(allow_null=True, help_text="null: it goes on")
    behind = BehindSerializer(allow_null=True, help_text="null: it has seen all that has come, or nearly")
    standing = serializers.ChoiceField(
        STANDINGS,
        required=False,
        help_text="of a value `at` an instant: final, provisional (a late event may change it), or projected "
        "(nothing is known of that time yet)",
    )


class TimelineSerializer(KnowingFields):
    """A node's timeline of one key; with `at` there is `value` instead of `points`."""

    node = serializers.CharField()
    key = serializers.CharField()
    kind = KindField()
    as_of = serializers.IntegerField(allow_null=True)
    version = serializers.IntegerField()
    points = PointSerializer(many=True, required=False)
    truncated = serializers.BooleanField(
        required=False, help_text="whether there are more points than one answer holds"
    )
    next = serializers.IntegerField(
        required=False, allow_null=True, help_text="the `from` of the next page; null: there is none"
    )
    left_out = LeftOutSerializer(many=True, required=False)
    results_from = serializers.IntegerField(
        required=False, allow_null=True, help_text="results before it were removed; null: none were"
    )
    value = ScalarField(allow_null=True, required=False)
    slope = serializers.FloatField(allow_null=True, required=False)
    num = LineSerializer(allow_null=True, required=False)
    den = LineSerializer(allow_null=True, required=False)


class NodesView(ApiView):
    """All nodes."""

    pagination_class = make_paginator("-created_at", "-id")

    refusals = ("400",)

    @extend_schema(
        parameters=[
            WORDS,
            OpenApiParameter("plan", int, description="only nodes that this plan uses"),
            OpenApiParameter("status", str, enum=Query.Observed.values),
            OpenApiParameter("owner", str),
        ],
        responses=NodeSerializer(many=True),
        operation_id="nodes_list",
    )
    def get(self, request: Request) -> Response:
        """List the nodes that plans use, newest first; with `is:unused` or `is:stopped` in `q`, unused ones."""
        queryset = filter_by_search(select_nodes(get_user(request)).defer("program"), request)
        if not asks_for_state(request) and "status" not in request.query_params:
            queryset = queryset.exclude(match_unused_nodes("", get_user(request)))
        if request.query_params.get("plan") is not None:
            plan = query_parameters.number(
                request, "plan", default=0, least=0, most=query_parameters.MAX_INTEGER
            )
            queryset = queryset.filter(
                pk__in=select_visible_uses(get_user(request)).filter(plan=plan).values("node")
            )
        if status := query_parameters.parse_choice(request, "status", Query.Observed.values):
            queryset = queryset.filter(match_state(status))
        if owner := query_parameters.parse_text(request, "owner"):
            queryset = select_owned(queryset, owner, get_user(request))
        return paginate(self, request, queryset, lambda rows: describe_nodes(rows, get_user(request)))


class NodeView(ApiView):
    """One node."""

    @extend_schema(responses=NodeDetailSerializer)
    def get(self, request: Request, digest: str) -> Response:
        """Return a node: its users, status, counters, and warnings about its events."""
        user = get_user(request)
        node = get_node(digest, user)
        document = describe_nodes([node], user)[0]
        more = {"warnings": list_node_warnings(node, user), "display": select_node_display(document["users"])}
        return Response(document | more)


class KeysView(ApiView):
    """The keys of a node."""

    pagination_class = make_paginator("-version", "key", most=1000)
    refusals = ("400",)

    @extend_schema(parameters=[OpenApiParameter("search", str)], responses=KeySerializer(many=True))
    def get(self, request: Request, digest: str) -> Response:
        """List keys that contain `search`, most recently revised first."""
        keys = find_keys(
            get_node(digest, get_user(request)), query_parameters.parse_text(request, "search") or ""
        )
        return paginate(self, request, keys, lambda rows: [describe_key(row) for row in rows])


class TimelineView(ApiView):
    """A node's timeline of one key."""

    refusals = ("400",)

    @extend_schema(
        parameters=[
            OpenApiParameter("key", str, required=True),
            *(
                OpenApiParameter(name, OpenApiTypes.STR, description=f"microseconds or ISO 8601; {words}")
                for name, words in (
                    ("from", "the timeline from there on"),
                    ("to", "the timeline until there"),
                    ("at", "the value there, instead of points"),
                    ("known_at", "what was known then"),
                )
            ),
            OpenApiParameter(
                "points", int, description="thinned for so many pixels (10 to 10,000); says what is left out"
            ),
        ],
        responses=TimelineSerializer,
        description=f"At most {MAX_POINTS_PER_ANSWER:,} points an answer: `next` is the `from` of the next page. "
        f"Thinned, at most {MAX_POINTS_PER_CHART:,} points are read, and `next` says where that ends.",
    )
    def get(self, request: Request, digest: str) -> Response:
        """Return the timeline, or with `at` one value of it; as known now, or at `known_at`."""
        key = query_parameters.parse_text(request, "key", required=True) or ""
        start, end = query_parameters.parse_stretch(request)
        at, known_at = (query_parameters.parse_moment(request, name) for name in ("at", "known_at"))
        if at is not None and (start is not None or end is not None):
            raise Invalid.field("at", "It cannot be combined with from or to.", "Leave those out.")
        if at is not None:
            start, end = at, at + 1
        pixels = query_parameters.parse_pixels(request) if at is None else None
        node = get_node(digest, get_user(request))
        timeline = peek(node, key, start=start, end=end, known_at=known_at, pixels=pixels)
        if timeline is None:
            then = " at that time" if known_at is not None else ""
            raise Missing(f"Nothing is known of the key {key!r}{then}.", code="unknown_key")
        timeline |= read_known_until(node, known_at)
        if at is not None:
            timeline["standing"] = classify_finality(at, timeline["final_until"], timeline["known_until"])
            del timeline["truncated"], timeline["next"]
            point = timeline.pop("points")[0]
            timeline |= {name: value for name, value in point.items() if name != "t"}
            if "num" in point:
                timeline["value"] = point["num"] and point["num"]["value"] / point["den"]["value"]
        return Response(timeline)
