"""Plans in the text language."""

from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.etags import answer_with_etag, apply_if_match
from timeline_app.web.core.json_documents import refuse_strange
from timeline_app.web.core.requests import get_asker, get_user, validate_body
from timeline_app.web.core.schema import ProblemSerializer
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.tokens import Scope
from timeline_app.web.plans.api import PlanSerializer, describe_current_plan
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.selectors import plan_of
from timeline_app.web.plans.texts import format_text, parse_and_check, parse_text


class PlanTextSerializer(serializers.Serializer[Any]):
    """A plan as text, and the version that it is (or is based on)."""

    text = serializers.CharField(trim_whitespace=False, allow_blank=True)
    version = serializers.IntegerField(min_value=1, max_value=2**31 - 1)


class TranslateSerializer(serializers.Serializer[Any]):
    """A text or a document, to be converted into the other."""

    text = serializers.CharField(trim_whitespace=False, allow_blank=True, required=False)
    document = serializers.DictField(required=False)
    plan = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=2**31 - 1,
        help_text="whose text it is: what its draft reads is known to the check",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require exactly one of them."""
        if ("text" in attrs) == ("document" in attrs):
            raise serializers.ValidationError("Send either text or document.")
        return attrs


class TranslatedSerializer(serializers.Serializer[Any]):
    """The converted text or document, null if impossible, and problems with line and column."""

    document = serializers.DictField(allow_null=True)
    text = serializers.CharField(allow_null=True)
    problems = ProblemSerializer(many=True)
    places = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="of a text: line and column of each node, counted from 1",
    )


class PlanTextView(ApiView):
    """One plan as text."""

    refusals = ("403", "409", "413", "429", "503")
    tagged = True

    @extend_schema(responses=PlanTextSerializer)
    def get(self, request: Request, number: int) -> Response:
        """Return the draft in the text language; parsing it gives exactly the document."""
        plan = plan_of(number, get_user(request))
        return answer_with_etag(
            request, plan, {"text": format_text(plan.document, get_asker(request)), "version": plan.version}
        )

    @extend_schema(request=PlanTextSerializer, responses=PlanSerializer)
    def put(self, request: Request, number: int) -> Response:
        """Save the draft from text; without `plan "…"` it keeps its name. What runs is not affected."""
        plan, body = plan_of(number, get_user(request)), validate_body(PlanTextSerializer, request)
        document = parse_text(body["text"], get_asker(request))
        refuse_strange(document)
        name = None if "name" in document else plan.name
        user, version = get_user(request), body["version"]
        save = partial(save_plan, plan=plan, user=user, version=version, name=name, document=document)
        saved = apply_if_match(request, plan, save)
        return answer_with_etag(request, saved, describe_current_plan(saved, user))


class TextView(ApiView):
    """Converting texts and documents."""

    scopes = require_scopes(POST=Scope.READ)
    refusals = ("404", "413", "429", "503")

    @extend_schema(request=TranslateSerializer, responses=TranslatedSerializer)
    def post(self, request: Request) -> Response:
        """Convert `text` to a document or `document` to text; a text is checked as well. Nothing is kept."""
        body = validate_body(TranslateSerializer, request)
        if "text" in body:
            user = get_user(request)
            plan = None if body.get("plan") is None else plan_of(body["plan"], user)
            translated = parse_and_check(body["text"], user, get_asker(request), plan)
            refuse_strange(translated)
            return Response(translated)
        return Response(
            {
                "document": None,
                "text": format_text(body["document"], get_asker(request)),
                "problems": [],
                "places": {},
            }
        )
