"""The one shape of lists: `results`, and the URLs of the next and the previous page (null if there is none)."""

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

DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE = 50, 200
Rows = Sequence[Any]


def format_page(
    results: Rows, following: str | None = None, before: str | None = None, **more: Any
) -> Response:
    return Response({"results": results, "next": following, "previous": before, **more})


def build_page_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI schema of a list."""
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
    """A list that is always short: a single page."""

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return build_page_schema(schema)

    def get_schema_operation_parameters(self, _view: APIView) -> list[dict[str, Any]]:
        return []


class Pages(CursorPagination):
    """A list in pages by cursor: insertions and deletions move no row to another page."""

    page_size_query_param = "limit"
    offset_cutoff = 1_000_000  # this many keys may share one version
    size, most = DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE
    order: tuple[str, ...] = ()

    def get_ordering(self, *_: Any) -> tuple[str, ...]:
        return self.order

    def get_page_size(self, request: Request) -> int:
        """Return the value of `limit`; raise `Invalid`."""
        return query_parameters.number(request, "limit", default=self.size, least=1, most=self.most)

    def rows(self, queryset: QuerySet[Any], request: Request, view: APIView) -> list[Any]:
        """Return the page at the cursor; raise `Invalid` for an invalid cursor."""
        try:
            return self.paginate_queryset(queryset, request, view) or []
        except (NotFound, ValueError, ValidationError, OverflowError, DataError):
            hint = "Take the address from `next` of the page before."
            raise Invalid.field("cursor", "This is no cursor of this list.", hint) from None

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return build_page_schema(schema)

    def get_schema_operation_parameters(self, _view: APIView) -> list[dict[str, Any]]:
        limit = {"type": "integer", "minimum": 1, "maximum": self.most, "default": self.size}
        words = "where the page begins: part of the address in `next` and `previous`"
        return [
            {"name": "cursor", "in": "query", "description": words, "schema": {"type": "string"}},
            {"name": "limit", "in": "query", "description": "how many a page", "schema": limit},
        ]


def make_paginator(*order: str, size: int = DEFAULT_PAGE_SIZE, most: int = MAX_PAGE_SIZE) -> type[Pages]:
    """Return a paginator with this order, which must end with a unique column."""
    return type("Pages", (Pages,), {"order": order, "size": size, "most": most})


def paginate(
    view: Any, request: Request, queryset: QuerySet[Any], tell: Callable[[list[Any]], Rows], **more: Any
) -> Response:
    """Return the requested page of a queryset; only its rows are read and rendered."""
    pages: Pages = view.pagination_class()
    rows = pages.rows(queryset, request, view)
    return format_page(tell(rows), pages.get_next_link(), pages.get_previous_link(), **more)
