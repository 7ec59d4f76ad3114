"""Versions of a plan: listing, making, naming, comparing and restoring them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.versions import PlanVersion
from timeline_app.web.plans.api import DraftChangeSerializer, PlanSerializer, describe_current_plan
from timeline_app.web.plans.selectors import plan_of
from timeline_app.web.plans.version_services import make_version, name_version, restore_version
from timeline_app.web.plans.versions import compare_versions, describe_version, summarize_version

DRAFT = "draft"
REASONS = tuple(PlanVersion.Reason.values)
SIDES = (*REASONS, DRAFT)


class VersionSerializer(serializers.Serializer[Any]):
    """A version: who made it, when and why, and what changed since the one before."""

    number = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    reason = serializers.ChoiceField(
        REASONS,
        help_text="run; hand: somebody kept it; restore: what an older one took the place of",
    )
    words = serializers.CharField()
    by = serializers.CharField(allow_null=True)
    made_at = serializers.DateTimeField()
    runs = serializers.BooleanField()


class VersionDocumentSerializer(VersionSerializer):
    """A version with its document."""

    document = serializers.DictField()


class NamedSerializer(serializers.Serializer[Any]):
    """The name of a version."""

    name = serializers.CharField(max_length=200, allow_blank=True, required=False, default="")


class SideSerializer(serializers.Serializer[Any]):
    """One side of a comparison: a version, or the draft, which has no number."""

    number = serializers.IntegerField(allow_null=True)
    name = serializers.CharField(allow_blank=True)
    reason = serializers.ChoiceField(SIDES)
    words = serializers.CharField(allow_blank=True)
    by = serializers.CharField(allow_null=True)
    made_at = serializers.DateTimeField(allow_null=True)
    runs = serializers.BooleanField()
    document = serializers.DictField()


class FieldChangeSerializer(DraftChangeSerializer):
    """A change, and the name of its place for people."""

    field = serializers.CharField()


class SubjectSerializer(serializers.Serializer[Any]):
    """A node or another part of the plan, and all its changes."""

    name = serializers.CharField()
    node = serializers.BooleanField()
    was = serializers.CharField(allow_null=True, help_text="what it was called before")
    did = serializers.ListField(
        child=serializers.ChoiceField(["added", "removed", "renamed", "changed", "rewired", "moved"])
    )
    changes = FieldChangeSerializer(many=True)


class ComparedSerializer(serializers.Serializer[Any]):
    """Two versions side by side."""

    to = SideSerializer()
    words = serializers.CharField()
    renames = serializers.DictField(child=serializers.CharField())
    subjects = SubjectSerializer(many=True)

    def get_fields(self) -> dict[str, Any]:
        """Add `from`, which is a keyword of Python."""
        return {"from": SideSerializer(), **super().get_fields()}


class VersionsView(ApiView):
    """The versions of a plan."""

    pagination_class = make_paginator("-number")
    refusals = ("403",)

    @extend_schema(
        responses=VersionSerializer(many=True),
        operation_id="plans_versions_list",
    )
    def get(self, request: Request, number: int) -> Response:
        """List the versions, the newest first."""
        plan = plan_of(number, get_user(request))
        queryset = plan.versions.select_related("by").defer("document")
        return paginate(self, request, queryset, lambda rows: [summarize_version(plan, row) for row in rows])

    @extend_schema(request=NamedSerializer, responses={201: VersionSerializer})
    def post(self, request: Request, number: int) -> Response:
        """Keep the saved draft as a version, optionally with a name."""
        plan, body = plan_of(number, get_user(request)), validate_body(NamedSerializer, request)
        version = make_version(plan=plan, user=get_user(request), name=body["name"])
        return Response(summarize_version(plan, version), status=status.HTTP_201_CREATED)


class VersionView(ApiView):
    """One version of a plan."""

    refusals = ("403",)

    @extend_schema(responses=VersionDocumentSerializer)
    def get(self, request: Request, number: int, version: int) -> Response:
        """Return a version with its document."""
        return Response(describe_version(plan_of(number, get_user(request)), version))

    @extend_schema(request=NamedSerializer, responses=VersionSerializer)
    def put(self, request: Request, number: int, version: int) -> Response:
        """Name a version; nothing else of a version ever changes."""
        plan, body = plan_of(number, get_user(request)), validate_body(NamedSerializer, request)
        version_now = name_version(plan=plan, user=get_user(request), number=version, name=body["name"])
        return Response(summarize_version(plan, version_now))


class RestoreView(ApiView):
    """Restoring a version."""

    refusals = ("403",)

    @extend_schema(request=None, responses=PlanSerializer)
    def post(self, request: Request, number: int, version: int) -> Response:
        """Replace the draft by this version; the draft is kept as a version if none equals it. What runs goes on."""
        user = get_user(request)
        restored = restore_version(plan=plan_of(number, user), user=user, number=version)
        return Response(describe_current_plan(restored, user))


class CompareView(ApiView):
    """Two versions side by side."""

    @extend_schema(
        parameters=[
            OpenApiParameter("from", str, required=True, description="the number of a version, or `draft`"),
            OpenApiParameter("to", str, description="the same; default `draft`"),
        ],
        responses=ComparedSerializer,
    )
    def get(self, request: Request, number: int) -> Response:
        """Return what was added, removed, renamed, changed, rewired and moved between two versions."""
        plan = plan_of(number, get_user(request))
        old = parse_side("from", query_parameters.parse_text(request, "from", required=True))
        return Response(
            compare_versions(plan, old, parse_side("to", query_parameters.parse_text(request, "to") or DRAFT))
        )


def parse_side(name: str, value: str | None) -> int | None:
    """Return the number of a version; None for the draft."""
    number = None if value is None or value == DRAFT else query_parameters.parse_whole(value)
    if value != DRAFT and (number is None or not 0 < number < 2**31):
        raise Invalid.field(name, f"{value!r:.40} is no version.", f"Give a number, or {DRAFT}.")
    return number
