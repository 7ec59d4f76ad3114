"""The search over all resources, and the search words that every list accepts."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.paging import format_page
from timeline_app.web.core.requests import get_user
from timeline_app.web.core.schema import OWNER_KINDS
from timeline_app.web.core.search import apply_search
from timeline_app.web.core.search_query import parse_words
from timeline_app.web.core.search_results import KINDS, search
from timeline_app.web.core.views import ApiView

Thing = TypeVar("Thing", bound=Model)
MAX_QUERY_CHARS = 500
STATES_OF_NODES = ("running", "stopped", "failing", "unused")
THINGS = tuple(KINDS)
WORDS = OpenApiParameter(
    "q",
    str,
    description="words of names, `owner:me`, `owner:NAME`, `team:NAME`, `op:OPERATOR`, `uses:NAME`, `stream:NAME`, "
    "`is:running`, `is:stopped`, `is:failing`, `is:firing`, `is:silenced`, "
    "`severity:critical`, `is:unused`, `is:mine`, `is:shared`, `is:open`; all must hold, `-` "
    "negates one, and what has blanks goes into quotes",
)


def filter_by_search(queryset: QuerySet[Thing], request: Request) -> QuerySet[Thing]:
    """Filter a list by the words of `q`."""
    text = query_parameters.parse_text(request, "q", longest=MAX_QUERY_CHARS)
    return apply_search(queryset, text, get_user(request)) if text else queryset


def asks_for_state(request: Request) -> bool:
    """Return whether `q` asks for a state of nodes."""
    text = query_parameters.parse_text(request, "q", longest=MAX_QUERY_CHARS) or ""
    return any(word.field == "is" and word.value.lower() in STATES_OF_NODES for word in parse_words(text))


class FoundSerializer(serializers.Serializer[Any]):
    """One search result."""

    kind = serializers.ChoiceField(THINGS)
    id = serializers.CharField(help_text="the number; of a node its digest, of a stream its name")
    name = serializers.CharField()
    state = serializers.CharField(
        help_text="of a plan or node: running, failed, retrying, stopped, …; of others empty"
    )
    words = serializers.CharField(help_text="how it is, and what it belongs to")
    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)


class SearchSerializer(serializers.Serializer[Any]):
    """The search results, kind by kind."""

    results = FoundSerializer(many=True)
    next = serializers.CharField(allow_null=True, help_text="null: there is one page")
    previous = serializers.CharField(allow_null=True)
    more = serializers.ListField(
        child=serializers.ChoiceField(THINGS), help_text="the kinds of which there are more"
    )


class SearchView(ApiView):
    """The search over all resources."""

    @extend_schema(
        parameters=[
            WORDS,
            OpenApiParameter("kind", str, enum=THINGS, description="only such things"),
            OpenApiParameter("limit", int, description="of each kind, from 1 to 50; default 8"),
        ],
        responses=SearchSerializer,
    )
    def get(self, request: Request) -> Response:
        """Search plans, nodes, streams and dashboards. Kinds to which one of the words does not apply are
        left out.
        """
        text = query_parameters.parse_text(request, "q", longest=MAX_QUERY_CHARS) or ""
        kind = query_parameters.parse_choice(request, "kind", THINGS)
        limit = query_parameters.number(request, "limit", default=8, least=1, most=50)
        return format_page(**search(text, get_user(request), kind=kind, limit=limit))
