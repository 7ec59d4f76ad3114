"""Dashboards over REST, and the current sources of their charts."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.etags import answer_with_etag, apply_if_match
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.permissions import select_changeable, select_owned
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.search_api import WORDS, filter_by_search
from timeline_app.web.core.views import ApiView
from timeline_app.web.dashboards.documents import (
    MAX_ID,
    DashboardSaveSerializer,
    DashboardSerializer,
    DashboardSummarySerializer,
    DashboardVersionSerializer,
    FoundSourcesSerializer,
    NewDashboardSerializer,
    PinSerializer,
    WantedSerializer,
)
from timeline_app.web.dashboards.selectors import (
    describe_dashboard,
    describe_version,
    get_dashboard,
    resolve_chart_sources,
    select_dashboards,
    summarize_dashboards,
)
from timeline_app.web.dashboards.services import create_dashboard, delete_dashboard, pin_chart, save_dashboard
from timeline_app.web.models import Dashboard
from timeline_app.web.models.tokens import Scope

MAY = ("edit",)


def describe_current_dashboard(dashboard: Dashboard, user: User) -> dict[str, Any]:
    """Return a dashboard's current state."""
    return describe_dashboard(get_dashboard(dashboard.pk, user), user)


class DashboardsView(ApiView):
    """All dashboards."""

    pagination_class = make_paginator("-updated_at", "-pk")

    @extend_schema(
        parameters=[
            WORDS,
            OpenApiParameter("owner", str),
            OpenApiParameter("may", str, enum=MAY, description="only those that you may change"),
        ],
        responses=DashboardSummarySerializer(many=True),
        operation_id="dashboards_list",
    )
    def get(self, request: Request) -> Response:
        """List all dashboards, the last changed first."""
        queryset = filter_by_search(select_dashboards(get_user(request)), request)
        if owner := query_parameters.parse_text(request, "owner"):
            queryset = select_owned(queryset, owner, get_user(request))
        if query_parameters.parse_choice(request, "may", MAY):
            queryset = select_changeable(queryset, get_user(request))
        return paginate(self, request, queryset, lambda rows: summarize_dashboards(rows, get_user(request)))

    @extend_schema(request=NewDashboardSerializer, responses={201: DashboardSerializer})
    def post(self, request: Request) -> Response:
        """Create a dashboard."""
        body = validate_body(NewDashboardSerializer, request)
        made = create_dashboard(user=get_user(request), name=body.get("name"), document=body.get("document"))
        return Response(describe_current_dashboard(made, get_user(request)), status=status.HTTP_201_CREATED)


class DashboardView(ApiView):
    """One dashboard."""

    refusals = ("400", "403", "409")
    tagged = True

    @extend_schema(
        parameters=[
            OpenApiParameter("version", int, description="as it was saved then; default: the newest")
        ],
        responses=DashboardSerializer,
    )
    def get(self, request: Request, number: int) -> Response:
        """Return a dashboard, current or as saved in a version."""
        version, user = (
            query_parameters.number(request, "version", default=0, least=1, most=MAX_ID),
            get_user(request),
        )
        dashboard = get_dashboard(number, user)
        return answer_with_etag(request, dashboard, describe_dashboard(dashboard, user, version or None))

    @extend_schema(request=DashboardSaveSerializer, responses=DashboardSerializer)
    def put(self, request: Request, number: int) -> Response:
        """Save a dashboard; `version` is the one that the change is based on."""
        dashboard, body = (
            get_dashboard(number, get_user(request)),
            validate_body(DashboardSaveSerializer, request),
        )
        save = partial(
            save_dashboard,
            dashboard=dashboard,
            user=get_user(request),
            version=body["version"],
            name=body.get("name"),
            document=body["document"],
        )
        saved = apply_if_match(request, dashboard, save)
        return answer_with_etag(request, saved, describe_current_dashboard(saved, get_user(request)))

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, number: int) -> Response:
        """Delete it with all its versions."""
        dashboard, user = get_dashboard(number, get_user(request)), get_user(request)
        with read_reason(request):
            apply_if_match(request, dashboard, lambda: delete_dashboard(dashboard=dashboard, user=user))
        return Response(status=status.HTTP_204_NO_CONTENT)


class DashboardChartsView(ApiView):
    """Pinning a chart."""

    refusals = ("403",)

    @extend_schema(request=PinSerializer, responses={201: DashboardSerializer})
    def post(self, request: Request, number: int) -> Response:
        """Add a chart below all others or in a gap; this makes a version."""
        dashboard, chart = get_dashboard(number, get_user(request)), validate_body(PinSerializer, request)
        saved = pin_chart(dashboard=dashboard, user=get_user(request), chart=chart)
        return Response(describe_current_dashboard(saved, get_user(request)), status=status.HTTP_201_CREATED)


class DashboardVersionsView(ApiView):
    """The versions of a dashboard."""

    pagination_class = make_paginator("-version")

    @extend_schema(responses=DashboardVersionSerializer(many=True))
    def get(self, request: Request, number: int) -> Response:
        """List who saved what, the newest first."""
        queryset = (
            get_dashboard(number, get_user(request)).versions.select_related("saved_by").defer("document")
        )
        return paginate(self, request, queryset, lambda rows: [describe_version(row) for row in rows])


class DashboardSourcesView(ApiView):
    """The sources of charts."""

    scopes = require_scopes(POST=Scope.READ)

    @extend_schema(request=WantedSerializer, responses=FoundSourcesSerializer)
    def post(self, request: Request) -> Response:
        """Return for each node of a plan the digest that runs now, or why none does. Nothing is kept."""
        return Response(
            {
                "sources": resolve_chart_sources(
                    validate_body(WantedSerializer, request)["sources"], get_user(request)
                )
            }
        )
