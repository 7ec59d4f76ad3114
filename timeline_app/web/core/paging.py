"""Lists, in one shape: `results`, and the addresses of the next and the previous page (null where there is none)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import DataError
from django.db.models import QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.pagination import BasePagination, CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from timeline_app.web.core import query_parameters
from timeline_app.web.core.errors import Invalid

SIZE, MOST = 50, 200
Rows = Sequence[Any]


def format_page(
    results: Rows, following: str | None = None, before: str | None = None, **more: Any
) -> Response:
    """The shape of every list."""
    return Response({"results": results, "next": following, "previous": before, **more})


def build_page_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The same for OpenAPI."""
    link = {"type": ["string", "null"], "format": "uri"}
    return {
        "type": "object",
        "required": ["results", "next", "previous"],
        "properties": {
            "results": schema,
            "next": {**link, "description": "the address of the next page"},
            "previous": {**link, "description": "the address of the page before"},
        },
    }


class Whole(BasePagination):
    """A list that never grows long: there is one page of it."""

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """What OpenAPI says of it."""
        return build_page_schema(schema)

    def get_schema_operation_parameters(self, _view: APIView) -> list[dict[str, Any]]:
        """Nothing chooses a page."""
        return []


class Pages(CursorPagination):
    """A list in pages, by cursor: what is added or taken away meanwhile moves nothing from page to page."""

    page_size_query_param = "limit"
    offset_cutoff = 1_000_000  # so many keys may have one version
    size, most = SIZE, MOST
    order: tuple[str, ...] = ()

    def get_ordering(self, *_: Any) -> tuple[str, ...]:
        """The order of this list."""
        return self.order

    def get_page_size(self, request: Request) -> int:
        """What `limit` says; raises `Invalid`."""
        return query_parameters.number(request, "limit", default=self.size, least=1, most=self.most)

    def rows(self, queryset: QuerySet[Any], request: Request, view: APIView) -> list[Any]:
        """The page that the cursor names; raises `Invalid` where it names none."""
        try:
            return self.paginate_queryset(queryset, request, view) or []
        except (NotFound, ValueError, ValidationError, OverflowError, DataError):
            cure = "Take the address from `next` of the page before."
            raise Invalid.field("cursor", "This is no cursor of this list.", cure) from None

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """What OpenAPI says of it."""
        return build_page_schema(schema)

    def get_schema_operation_parameters(self, _view: APIView) -> list[dict[str, Any]]:
        """How a page is chosen."""
        limit = {"type": "integer", "minimum": 1, "maximum": self.most, "default": self.size}
        words = "where the page begins: part of the address in `next` and `previous`"
        return [
            {"name": "cursor", "in": "query", "description": words, "schema": {"type": "string"}},
            {"name": "limit", "in": "query", "description": "how many a page", "schema": limit},
        ]


def make_paginator(*order: str, size: int = SIZE, most: int = MOST) -> type[Pages]:
    """Pages in this order, which must end with something that no two have in common."""
    return type("Pages", (Pages,), {"order": order, "size": size, "most": most})


def paginate(
    view: Any, request: Request, queryset: QuerySet[Any], tell: Callable[[list[Any]], Rows], **more: Any
) -> Response:
    """The page of a queryset that is asked for; only its rows are read and told."""
    pages: Pages = view.pagination_class()
    rows = pages.rows(queryset, request, view)
    return format_page(tell(rows), pages.get_next_link(), pages.get_previous_link(), **more)
