"""Saving, checking, running and stopping plans."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.compiler.placement import PLACEMENTS
from timeline_app.plan.versions.merge import Side
from timeline_app.web.core import query_parameters
from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.display_forms import DisplaySerializer
from timeline_app.web.core.etags import answer_with_etag, apply_if_match
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.permissions import select_owned
from timeline_app.web.core.requests import get_asker, get_user, validate_body
from timeline_app.web.core.schema import OUTPUT_KINDS, KindField, ProblemSerializer, SharedFields
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.search_api import WORDS, filter_by_search
from timeline_app.web.core.views import ApiView
from timeline_app.web.models import Plan
from timeline_app.web.models.tokens import Scope
from timeline_app.web.plans.checks import check_document
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.drafts import Basis, set_document_name
from timeline_app.web.plans.selectors import describe_plans, plan_of, select_plans
from timeline_app.web.plans.services import create_plan, delete_plan, run_plan, stop_plan
from timeline_app.web.plans.versions import compare_documents


class UsedNodeSerializer(serializers.Serializer[Any]):
    """A node of a running plan."""

    name = serializers.CharField()
    digest = serializers.CharField()
    kind = KindField()
    status = serializers.CharField()


class PlanSerializer(SharedFields):
    """A plan: its draft, and whether it runs."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    document = serializers.DictField()
    version = serializers.IntegerField(help_text="of the draft: grows with every save")
    saved_by = serializers.CharField(allow_null=True)
    saved_at = serializers.DateTimeField(allow_null=True)
    running = serializers.BooleanField()
    running_version = serializers.IntegerField(allow_null=True, help_text="the version that runs")
    placement = serializers.ChoiceField(PLACEMENTS)
    ended = serializers.CharField(help_text="why the system stopped it; empty once it runs again")
    updated_at = serializers.DateTimeField()
    problems = ProblemSerializer(many=True)
    not_shared = serializers.ListField(
        child=serializers.CharField(),
        help_text="streams that the draft reads and that you may not look at: of their events nothing is told",
    )
    nodes = UsedNodeSerializer(many=True)
    display = serializers.DictField(
        child=DisplaySerializer(), help_text="by node, what its values look like; changed by `…/display/`"
    )


class DraftSerializer(serializers.Serializer[Any]):
    """A plan document to save."""

    name = serializers.CharField(max_length=200, required=False, allow_blank=True)
    document = serializers.DictField()
    edit = serializers.CharField(
        max_length=40,
        required=False,
        allow_blank=True,
        help_text="your own name of this save: sent twice, it is done once",
    )


class ChoiceSerializer(serializers.Serializer[Any]):
    """Whose value wins where both changed the same."""

    path = serializers.ListField(child=serializers.CharField(), max_length=40)
    take = serializers.ChoiceField(["mine", "theirs"])


class SaveSerializer(DraftSerializer):
    """A plan document to save, and the version of the draft that it is based on."""

    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    base = serializers.DictField(
        required=False, help_text="that draft itself, needed only where the server no longer keeps it"
    )
    choices = ChoiceSerializer(many=True, required=False)
    against = serializers.IntegerField(
        required=False,
        help_text="the version of the draft when the choices were made; later ones are asked anew",
    )


class DraftChangeSerializer(serializers.Serializer[Any]):
    """A changed value at a path; an absent value is left out."""

    path = serializers.ListField(child=serializers.CharField())
    before = serializers.JSONField(required=False)
    after = serializers.JSONField(required=False)


class LeadingSerializer(serializers.Serializer[Any]):
    """The difference of two documents: renamed nodes, then the changes, under the new names."""

    renames = serializers.DictField(child=serializers.CharField())
    changes = DraftChangeSerializer(many=True)


class SavedSerializer(PlanSerializer):
    """The saved plan, and what others changed since the version that was sent."""

    changes = LeadingSerializer()
    words = serializers.CharField(help_text="the same in a sentence; empty where there is nothing")


class DocumentSerializer(serializers.Serializer[Any]):
    """A plan document to check."""

    document = serializers.JSONField()
    plan = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=2**31 - 1,
        help_text="whose document it is, as it is kept or changed: what its draft reads is known to the check, "
        "though the streams be not shared with you",
    )


class CheckedNodeSerializer(serializers.Serializer[Any]):
    """What is known of a node before it runs."""

    kind = serializers.ChoiceField(OUTPUT_KINDS)
    digest = serializers.CharField(allow_null=True)
    known = serializers.BooleanField(help_text="whether it runs or ran, here or in another plan")


class CheckedSerializer(serializers.Serializer[Any]):
    """The result of a check."""

    ok = serializers.BooleanField()
    problems = ProblemSerializer(many=True)
    nodes = serializers.DictField(child=CheckedNodeSerializer())


class RunSerializer(serializers.Serializer[Any]):
    """How to run a plan."""

    placement = serializers.ChoiceField(PLACEMENTS, required=False, help_text="default: as it ran last")


def describe_current_plan(plan: Plan, user: User) -> dict[str, Any]:
    """Return a plan's current state."""
    return describe_plans([plan_of(plan.pk, user)], user)[0]


def parse_basis(body: dict[str, Any]) -> Basis:
    """Return what a save is based on."""
    sides: dict[str, Side] = {"mine": "ours", "theirs": "theirs"}
    return Basis(
        document=body.get("base"),
        edit=body.get("edit", ""),
        choices={tuple(item["path"]): sides[item["take"]] for item in body.get("choices", ())},
        against=body.get("against"),
    )


class PlansView(ApiView):
    """All plans."""

    pagination_class = make_paginator("-updated_at", "-pk")

    @extend_schema(
        parameters=[WORDS, OpenApiParameter("owner", str)],
        responses=PlanSerializer(many=True),
        operation_id="plans_list",
    )
    def get(self, request: Request) -> Response:
        """List all plans, the last changed first."""
        queryset = filter_by_search(select_plans(get_user(request)).defer("running_document"), request)
        if owner := query_parameters.parse_text(request, "owner"):
            queryset = select_owned(queryset, owner, get_user(request))
        return paginate(self, request, queryset, lambda rows: describe_plans(rows, get_user(request)))

    @extend_schema(request=DraftSerializer, responses={201: PlanSerializer})
    def post(self, request: Request) -> Response:
        """Save a new plan; it may still have problems."""
        body = validate_body(DraftSerializer, request)
        plan = create_plan(
            user=get_user(request),
            name=body.get("name"),
            document=body["document"],
            edit=body.get("edit", ""),
        )
        return Response(describe_current_plan(plan, get_user(request)), status=status.HTTP_201_CREATED)


class PlanView(ApiView):
    """One plan."""

    scopes = require_scopes(DELETE=(Scope.WRITE, Scope.OPERATE))
    refusals = ("403", "409")
    tagged = True

    @extend_schema(responses=PlanSerializer)
    def get(self, request: Request, number: int) -> Response:
        """Return a plan, its problems, and its running nodes."""
        plan = plan_of(number, get_user(request))
        return answer_with_etag(request, plan, describe_plans([plan], get_user(request))[0])

    @extend_schema(request=SaveSerializer, responses=SavedSerializer)
    def put(self, request: Request, number: int) -> Response:
        """Save the draft. Changes by others since `version` are merged, unless both changed the same.

        Then nothing is saved and the answer is 409: `…/merge/` lists the conflicts. What runs is not affected.
        """
        plan, body = plan_of(number, get_user(request)), validate_body(SaveSerializer, request)
        save = partial(
            save_plan,
            plan=plan,
            user=get_user(request),
            version=body["version"],
            name=body.get("name"),
            document=body["document"],
            basis=parse_basis(body),
        )
        saved = apply_if_match(request, plan, save)
        changes = compare_documents(set_document_name(body.get("name"), body["document"]), saved.document)
        return answer_with_etag(request, saved, describe_current_plan(saved, get_user(request)), **changes)

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, number: int) -> Response:
        """Stop and delete the plan."""
        plan, user = plan_of(number, get_user(request)), get_user(request)
        with read_reason(request):
            apply_if_match(request, plan, lambda: delete_plan(plan=plan, user=user))
        return Response(status=status.HTTP_204_NO_CONTENT)


class PlanCheckView(ApiView):
    """Checking a document."""

    scopes = require_scopes(POST=Scope.READ)
    refusals = ("404", "413", "429", "503")

    @extend_schema(request=DocumentSerializer, responses=CheckedSerializer)
    def post(self, request: Request) -> Response:
        """Return all problems of a document; nothing is kept."""
        body, user = validate_body(DocumentSerializer, request), get_user(request)
        plan = None if body.get("plan") is None else plan_of(body["plan"], user)
        return Response(check_document(body["document"], user, get_asker(request), plan))


class PlanRunView(ApiView):
    """Running a plan."""

    scopes = require_scopes(POST=Scope.OPERATE)
    refusals = ("403", "422", "429", "507")

    @extend_schema(request=RunSerializer, responses=PlanSerializer)
    def post(self, request: Request, number: int) -> Response:
        """Run the saved draft, and keep it as a version. It joins nodes that run already."""
        plan, body = plan_of(number, get_user(request)), validate_body(RunSerializer, request)
        placement = body.get("placement") or plan.placement
        return Response(
            describe_current_plan(
                run_plan(plan=plan, user=get_user(request), placement=placement), get_user(request)
            )
        )


class PlanStopView(ApiView):
    """Stopping a plan."""

    scopes = require_scopes(POST=Scope.OPERATE)
    refusals = ("403",)

    @extend_schema(request=ReasonSerializer, responses=PlanSerializer)
    def post(self, request: Request, number: int) -> Response:
        """Stop the plan. Nodes that no other plan uses stop as well."""
        user = get_user(request)
        with read_reason(request):
            return Response(describe_current_plan(stop_plan(plan=plan_of(number, user), user=user), user))
