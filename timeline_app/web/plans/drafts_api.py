"""Concurrent work on a draft: changes by others, and previews of merges."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.tokens import Scope
from timeline_app.web.plans.api import LeadingSerializer, SaveSerializer, parse_basis
from timeline_app.web.plans.selectors import plan_of
from timeline_app.web.plans.versions import compare_draft, preview_merge


class DraftChangesSerializer(serializers.Serializer[Any]):
    """The draft, and the changes since an older one; null if that is no longer kept."""

    version = serializers.IntegerField()
    saved_by = serializers.CharField(allow_null=True)
    saved_at = serializers.DateTimeField(allow_null=True)
    document = serializers.DictField()
    changes = LeadingSerializer(allow_null=True)
    words = serializers.CharField()


class ConflictSerializer(serializers.Serializer[Any]):
    """A conflicting change; a side that is left out removed the value."""

    path = serializers.ListField(child=serializers.CharField())
    words = serializers.CharField()
    base = serializers.JSONField(required=False)
    mine = serializers.JSONField(required=False)
    theirs = serializers.JSONField(required=False)


class MergeSerializer(serializers.Serializer[Any]):
    """The preview of a merge; with conflicts, the document is the one saved now."""

    version = serializers.IntegerField(help_text="of the draft now: send it as `against`")
    saved_by = serializers.CharField(allow_null=True)
    saved_at = serializers.DateTimeField(allow_null=True)
    document = serializers.DictField()
    conflicts = ConflictSerializer(many=True)


class PlanChangesView(ApiView):
    """Changes of a draft by others."""

    @extend_schema(
        parameters=[OpenApiParameter("since", int, required=True, description="a version of the draft")],
        responses=DraftChangesSerializer,
    )
    def get(self, request: Request, number: int) -> Response:
        """Return the current draft, and its changes since a version."""
        plan = plan_of(number, get_user(request))
        since = query_parameters.number(request, "since", default=plan.version, least=1, most=2**31 - 1)
        return Response(compare_draft(plan, since))


class PlanMergeView(ApiView):
    """The preview of a save."""

    scopes = require_scopes(POST=Scope.READ)
    refusals = ("409",)

    @extend_schema(request=SaveSerializer, responses=MergeSerializer)
    def post(self, request: Request, number: int) -> Response:
        """Preview saving this, with all conflicts side by side; nothing is kept."""
        plan, body = plan_of(number, get_user(request)), validate_body(SaveSerializer, request)
        return Response(
            preview_merge(
                plan,
                version=body["version"],
                name=body.get("name"),
                document=body["document"],
                basis=parse_basis(body),
            )
        )
