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
from timeline_app.web.core.audit_reasons import ReasonSerializer, because
from timeline_app.web.core.etags import guarded, tagged
from timeline_app.web.core.paging import by, paged
from timeline_app.web.core.permissions import changeable, owned_by
from timeline_app.web.core.requests import sent, user_of
from timeline_app.web.core.scopes import needs
from timeline_app.web.core.search_api import WORDS, searched
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
    dashboard_document,
    dashboard_of,
    dashboards,
    sources,
    summaries,
    version_row,
)
from timeline_app.web.dashboards.services import chart_pin, dashboard_create, dashboard_delete, dashboard_save
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
        found = searched(dashboards(user_of(request)), request)
        if owner := query_parameters.text(request, "owner"):
            found = owned_by(found, owner, user_of(request))
        if query_parameters.choice(request, "may", MAY):
            found = changeable(found, user_of(request))
        return paged(self, request, found, lambda rows: summaries(rows, user_of(request)))

    @extend_schema(request=NewDashboardSerializer, responses={201: DashboardSerializer})
    def post(self, request: Request) -> Response:
        """Keep a new dashboard."""
        body = sent(NewDashboardSerializer, request)
        made = dashboard_create(user=user_of(request), name=body.get("name"), document=body.get("document"))
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
        return tagged(request, found, dashboard_document(found, user, wanted or None))

    @extend_schema(request=DashboardSaveSerializer, responses=DashboardSerializer)
    def put(self, request: Request, number: int) -> Response:
        """Save it; `version` is the one that the change is based on."""
        found, body = dashboard_of(number, user_of(request)), sent(DashboardSaveSerializer, request)
        save = partial(
            dashboard_save,
            dashboard=found,
            user=user_of(request),
            version=body["version"],
            name=body.get("name"),
            document=body["document"],
        )
        saved = guarded(request, found, save)
        return tagged(request, saved, shown(saved, user_of(request)))

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, number: int) -> Response:
        """Forget it, and all its versions."""
        found, user = dashboard_of(number, user_of(request)), user_of(request)
        with because(request):
            guarded(request, found, lambda: dashboard_delete(dashboard=found, user=user))
        return Response(status=status.HTTP_204_NO_CONTENT)


class DashboardChartsView(ApiView):
    """A chart is pinned."""

    refusals = ("403",)

    @extend_schema(request=PinSerializer, responses={201: DashboardSerializer})
    def post(self, request: Request, number: int) -> Response:
        """One more chart, where there is room below all others; that makes a version."""
        found, chart = dashboard_of(number, user_of(request)), sent(PinSerializer, request)
        saved = chart_pin(dashboard=found, user=user_of(request), chart=chart)
        return Response(shown(saved, user_of(request)), status=status.HTTP_201_CREATED)


class DashboardVersionsView(ApiView):
    """The versions of a dashboard."""

    pagination_class = by("-version")

    @extend_schema(responses=DashboardVersionSerializer(many=True))
    def get(self, request: Request, number: int) -> Response:
        """Who saved what, the newest first."""
        found = dashboard_of(number, user_of(request)).versions.select_related("saved_by").defer("document")
        return paged(self, request, found, lambda rows: [version_row(one) for one in rows])


class DashboardSourcesView(ApiView):
    """What charts show now."""

    scopes = needs(POST=Scope.READ)

    @extend_schema(request=WantedSerializer, responses=FoundSourcesSerializer)
    def post(self, request: Request) -> Response:
        """For each node of a plan the digest that runs now, or why it does not; nothing is kept."""
        return Response({"sources": sources(sent(WantedSerializer, request)["sources"], user_of(request))})
