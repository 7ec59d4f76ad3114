"""The audit over REST: who did what to the resources that one may read; in pages, or all of it as CSV."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from timeline_app.web.alerts.selectors import get_alert
from timeline_app.web.core import query_parameters
from timeline_app.web.core.object_views import ThingView
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.permissions import require_role
from timeline_app.web.core.renderers import Json
from timeline_app.web.core.requests import get_user
from timeline_app.web.core.views import ApiView
from timeline_app.web.dashboards.selectors import get_dashboard
from timeline_app.web.models.people import AuditEntry, Role
from timeline_app.web.nodes.selectors import get_node
from timeline_app.web.people.selectors import get_person
from timeline_app.web.plans.selectors import plan_of
from timeline_app.web.samples.selectors import get_sample
from timeline_app.web.streams.selectors import get_stream
from timeline_app.web.workspace.audit import (
    describe_entries,
    filter_by_text,
    select_entries,
    select_entries_of_thing,
)
from timeline_app.web.workspace.audit_csv import iterate_csv

KINDS = (
    "plan",
    "node",
    "stream",
    "dashboard",
    "sample",
    "sink",
    "alert",
    "channel",
    "silence",
    "person",
    "team",
    "token",
)
MAX_NUMBER = 2**63 - 1


class PartSerializer(serializers.Serializer[Any]):
    """A part of a sentence."""

    text = serializers.CharField()
    address = serializers.CharField(allow_null=True, help_text="the page of what they name")


class AuditEntrySerializer(serializers.Serializer[Any]):
    """One act."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = serializers.CharField(help_text="as it was called then")
    source = serializers.ChoiceField(AuditEntry.Source.choices, help_text="from where it was done")  # type: ignore[assignment]
    request = serializers.CharField(help_text="the id of the request, as in the logs")
    act = serializers.CharField(help_text="such as plan.run")
    kind = serializers.CharField(help_text="of the thing: plan, node, stream, …")
    thing = serializers.IntegerField(allow_null=True, help_text="its number")
    name = serializers.CharField(help_text="its name, as it was then")
    address = serializers.CharField(allow_null=True, help_text="its page, where there is one to look at")
    words = serializers.CharField(help_text="what was done, before the name: ran the plan")
    changes = serializers.ListField(
        child=PartSerializer(many=True), help_text="what is otherwise since then, a sentence each"
    )
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)
    reason = serializers.CharField()


def make_parameter(name: str, words: str, kind: Any = str) -> OpenApiParameter:
    """Return a parameter that filters entries."""
    return OpenApiParameter(name, kind, description=words)


FORMAT = OpenApiParameter(
    "format", str, enum=["csv"], description="all of it as CSV; the same as Accept: text/csv"
)
COMMON_PARAMETERS = [
    make_parameter("actor", "only what this person did; `me` is who asks"),
    make_parameter("act", "only this, such as plan.run"),
    make_parameter("since", "only from then on: microseconds, or ISO 8601"),
    make_parameter("until", "only before then: microseconds, or ISO 8601"),
    make_parameter("reason", "only where the reason contains this"),
    make_parameter("search", "only where the thing's name, the act, the actor or the reason contains this"),
    FORMAT,
]
ALL_PARAMETERS = [
    OpenApiParameter("kind", str, enum=KINDS, description="only what was done to things of this kind"),
    make_parameter("thing", "only what was done to the thing of this number", int),
    *COMMON_PARAMETERS,
]
RESPONSES = {(200, "application/json"): AuditEntrySerializer(many=True), (200, "text/csv"): OpenApiTypes.STR}


def select_entries_by(request: Request, queryset: QuerySet[AuditEntry], user: User) -> QuerySet[AuditEntry]:
    """Filter entries by the parameters of the request."""
    if kind := query_parameters.parse_choice(request, "kind", KINDS):
        queryset = queryset.filter(kind=kind)
    if "thing" in request.query_params:
        queryset = queryset.filter(
            thing=query_parameters.number(request, "thing", default=0, least=0, most=MAX_NUMBER)
        )
    if actor := query_parameters.parse_text(request, "actor"):
        queryset = queryset.filter(actor=user) if actor == "me" else queryset.filter(actor_name=actor)
    if act := query_parameters.parse_text(request, "act"):
        queryset = queryset.filter(act=act)
    for name, lookup in (("since", "at__gte"), ("until", "at__lt")):
        if (micros := query_parameters.parse_moment(request, name)) is not None:
            queryset = queryset.filter(**{lookup: parse_instant(micros)})
    if reason := query_parameters.parse_text(request, "reason"):
        queryset = queryset.filter(reason__icontains=reason)
    if search := query_parameters.parse_text(request, "search"):
        queryset = filter_by_text(queryset, search)
    return queryset


def parse_instant(micros: int) -> datetime:
    """Return a time within the range of the database."""
    within = min(max(micros, query_parameters.EARLIEST), query_parameters.LATEST)
    return query_parameters.EPOCH + timedelta(microseconds=within)


class AuditView(ApiView):
    """The whole audit."""

    refusals = ("400",)
    pagination_class = make_paginator("-id", size=100, most=1000)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[BaseRenderer, str]:  # noqa: ARG002
        """Use JSON for everything but CSV, which is streamed; refusals of it are JSON, too."""
        return Json(), "application/json"

    @extend_schema(parameters=ALL_PARAMETERS, responses=RESPONSES, operation_id="audit_list")
    def get(self, request: Request) -> HttpResponseBase:
        """List who did what to all that you may read, the newest first."""
        return self.answer(request, select_entries(get_user(request)))

    def answer(self, request: Request, queryset: QuerySet[AuditEntry]) -> HttpResponseBase:
        """Return a page of the selected entries, or all of them as CSV."""
        user = get_user(request)
        queryset = select_entries_by(request, queryset, user)
        file_format = query_parameters.parse_choice(request, "format", ("csv", "json"))
        if file_format == "csv" or (file_format is None and "text/csv" in request.headers.get("Accept", "")):
            answer = StreamingHttpResponse(iterate_csv(queryset), content_type="text/csv; charset=utf-8")
            answer.headers["Content-Disposition"] = 'attachment; filename="audit.csv"'
            return answer
        return paginate(self, request, queryset, lambda page: describe_entries(page, user))


class ThingAuditView(ThingView, AuditView):
    """The audit of one resource."""

    @extend_schema(parameters=COMMON_PARAMETERS, responses=RESPONSES)
    def get(self, request: Request, **named: Any) -> HttpResponseBase:
        """List who did what to it, the newest first."""
        user = get_user(request)
        return self.answer(request, select_entries_of_thing(self.find_thing(user, named), user))


class PlanAuditView(ThingAuditView):
    find = staticmethod(plan_of)


class DashboardAuditView(ThingAuditView):
    find = staticmethod(get_dashboard)


class SampleAuditView(ThingAuditView):
    find = staticmethod(get_sample)


class AlertAuditView(ThingAuditView):
    find = staticmethod(get_alert)


class StreamAuditView(ThingAuditView):
    find = staticmethod(get_stream)


class NodeAuditView(ThingAuditView):
    find = staticmethod(get_node)


class PersonAuditView(ThingAuditView):
    """The audit of a person."""

    @extend_schema(parameters=COMMON_PARAMETERS, responses=RESPONSES)
    def get(self, request: Request, **named: Any) -> HttpResponseBase:
        """List who did what to a person, the newest first; for the person and for administrators."""
        user = get_user(request)
        person = get_person(named["name"])
        if person.pk != user.pk:
            require_role(user, Role.ADMIN, "To look at what was done to a person")
        return self.answer(request, select_entries(user).filter(kind="person", thing=person.pk))
