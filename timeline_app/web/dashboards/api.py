"""Dashboards: kept in versions, changed by their owners, looked at by all; and what their charts show now."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.audit_reasons import ReasonSerializer, with_reason
from timeline_app.web.core.etags import answer_with_etag, apply_if_match
from timeline_app.web.core.paging import by, paginate
from timeline_app.web.core.permissions import owned_by, select_changeable
from timeline_app.web.core.requests import user_of, validated_body
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.search_api import WORDS, filter_by_search
from timeline_app.web.core.views import ApiView
from timeline_app.web.dashboards.documents import (
    LARGEST,
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
    chart_sources,
    dashboard_document,
    dashboard_of,
    dashboard_summaries,
    dashboards,
    version_row,
)
from timeline_app.web.dashboards.services import create_dashboard, delete_dashboard, pin_chart, save_dashboard
from timeline_app.web.models import Dashboard
from timeline_app.web.models.tokens import Scope

MAY = ("edit",)


def shown(dashboard: Dashboard, user: User) -> dict[str, Any]:
    """A dashboard as it is now."""
    return dashboard_document(dashboard_of(dashboard.pk, user), user)


class DashboardsView(ApiView):
    """All dashboards."""

    pagination_class = by("-updated_at", "-pk")

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
        """Every dashboard, the one that was changed last first."""
        found = filter_by_search(dashboards(user_of(request)), request)
        if owner := query_parameters.parse_text(request, "owner"):
            found = owned_by(found, owner, user_of(request))
        if query_parameters.parse_choice(request, "may", MAY):
            found = select_changeable(found, user_of(request))
        return paginate(self, request, found, lambda rows: dashboard_summaries(rows, user_of(request)))

    @extend_schema(request=NewDashboardSerializer, responses={201: DashboardSerializer})
    def post(self, request: Request) -> Response:
        """Keep a new dashboard."""
        body = validated_body(NewDashboardSerializer, request)
        made = create_dashboard(user=user_of(request), name=body.get("name"), document=body.get("document"))
        return Response(shown(made, user_of(request)), status=status.HTTP_201_CREATED)


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
        """A dashboard, as it is or as it was saved once."""
        wanted, user = (
            query_parameters.number(request, "version", default=0, least=1, most=LARGEST),
            user_of(request),
        )
        found = dashboard_of(number, user)
        return answer_with_etag(request, found, dashboard_document(found, user, wanted or None))

    @extend_schema(request=DashboardSaveSerializer, responses=DashboardSerializer)
    def put(self, request: Request, number: int) -> Response:
        """Save it; `version` is the one that the change is based on."""
        found, body = dashboard_of(number, user_of(request)), validated_body(DashboardSaveSerializer, request)
        save = partial(
            save_dashboard,
            dashboard=found,
            user=user_of(request),
            version=body["version"],
            name=body.get("name"),
            document=body["document"],
        )
        saved = apply_if_match(request, found, save)
        return answer_with_etag(request, saved, shown(saved, user_of(request)))

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, number: int) -> Response:
        """Forget it, and all its versions."""
        found, user = dashboard_of(number, user_of(request)), user_of(request)
        with with_reason(request):
            apply_if_match(request, found, lambda: delete_dashboard(dashboard=found, user=user))
        return Response(status=status.HTTP_204_NO_CONTENT)


class DashboardChartsView(ApiView):
    """A chart is pinned."""

    refusals = ("403",)

    @extend_schema(request=PinSerializer, responses={201: DashboardSerializer})
    def post(self, request: Request, number: int) -> Response:
        """One more chart, where there is room below all others; that makes a version."""
        found, chart = dashboard_of(number, user_of(request)), validated_body(PinSerializer, request)
        saved = pin_chart(dashboard=found, user=user_of(request), chart=chart)
        return Response(shown(saved, user_of(request)), status=status.HTTP_201_CREATED)


class DashboardVersionsView(ApiView):
    """The versions of a dashboard."""

    pagination_class = by("-version")

    @extend_schema(responses=DashboardVersionSerializer(many=True))
    def get(self, request: Request, number: int) -> Response:
        """Who saved what, the newest first."""
        found = dashboard_of(number, user_of(request)).versions.select_related("saved_by").defer("document")
        return paginate(self, request, found, lambda rows: [version_row(one) for one in rows])


class DashboardSourcesView(ApiView):
    """What charts show now."""

    scopes = require_scopes(POST=Scope.READ)

    @extend_schema(request=WantedSerializer, responses=FoundSourcesSerializer)
    def post(self, request: Request) -> Response:
        """For each node of a plan the digest that runs now, or why it does not; nothing is kept."""
        return Response(
            {"sources": chart_sources(validated_body(WantedSerializer, request)["sources"], user_of(request))}
        )
