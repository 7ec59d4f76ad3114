"""Evaluating a plan on given events; nothing is started."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiRequest, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.plan.text.read import MAX_BYTES
from timeline_app.web.core.json_documents import refuse_strange
from timeline_app.web.core.query_parameters import EARLIEST, LATEST
from timeline_app.web.core.requests import get_asker, get_user
from timeline_app.web.core.sample_size import MAX_SAMPLE_EVENTS
from timeline_app.web.core.sandboxed_work import Asker
from timeline_app.web.core.schema import KindField, ProblemSerializer, ScalarField
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.upload_parsers import PARSERS, validate_upload
from timeline_app.web.core.views import ApiView
from timeline_app.web.jobs.evaluate import EvaluationQuestion
from timeline_app.web.jobs.uploads import File
from timeline_app.web.models import Plan
from timeline_app.web.models.tokens import Scope
from timeline_app.web.plans.evaluation import EventSource, evaluate_plan
from timeline_app.web.plans.selectors import plan_of
from timeline_app.web.plans.texts import parse_text
from timeline_app.web.samples.selectors import get_sample, load_newest, load_parts
from timeline_app.web.streams.mappings_api import MappingsField

MAX_NAMES = 1000
"""Of nodes or keys."""


def make_names_field(help_text: str) -> serializers.ListField:
    child = serializers.CharField(max_length=1024, trim_whitespace=False)
    return serializers.ListField(child=child, required=False, max_length=MAX_NAMES, help_text=help_text)


class EvaluateSerializer(serializers.Serializer[Any]):
    """A plan and events: exactly one of `plan`, `document`, `text`; one of events (or files), a sample, `newest`."""

    draft_of = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=2**31 - 1,
        help_text="of a document or a text: the plan whose it is; what its draft reads is known",
    )

    plan = serializers.IntegerField(required=False, min_value=1, help_text="the number of a plan: its draft")
    document = serializers.DictField(required=False)
    text = serializers.CharField(required=False, trim_whitespace=False, max_length=MAX_BYTES)
    sample = serializers.IntegerField(required=False, min_value=1, help_text="the number of a kept sample")
    events = serializers.DictField(required=False, help_text="by stream, a list of events")
    newest = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_SAMPLE_EVENTS,
        help_text="so many of the newest events of each stream that the plan reads",
    )
    mapping = MappingsField()
    nodes = make_names_field("only these nodes")
    keys = make_names_field("only these keys, and groups")
    most = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=MAX_NAMES,
        help_text="where no keys are named, so many of each sort",
    )
    at = serializers.IntegerField(
        required=False,
        min_value=EARLIEST,
        max_value=LATEST,
        help_text="the value at an instant, microseconds",
    )
    until = serializers.IntegerField(
        required=False,
        min_value=EARLIEST,
        max_value=LATEST,
        help_text="up to when time has come, microseconds, where that is later than the last event",
    )
    partly = serializers.BooleanField(
        required=False, default=False, help_text="leave out nodes with problems"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require exactly one plan."""
        if sum(name in attrs for name in ("plan", "document", "text")) != 1:
            raise serializers.ValidationError("Send exactly one of plan, document and text.")
        if attrs.get("mapping") and ("sample" in attrs or "newest" in attrs):
            raise serializers.ValidationError(
                "Leave out mapping: only events that are sent along are mapped."
            )
        return attrs


class AnswerSerializer(serializers.Serializer[Any]):
    """One node's timeline of one key, as `manage.py evaluate` prints it."""

    node = serializers.CharField()
    key = serializers.CharField()
    kind = KindField()
    final_until = serializers.IntegerField(allow_null=True)
    points = serializers.ListField(child=serializers.DictField(), required=False)
    value = ScalarField(required=False, allow_null=True)


class EvaluatedSerializer(serializers.Serializer[Any]):
    """The timelines, the keys, and what was left out."""

    events = serializers.DictField(child=serializers.IntegerField())
    mistyped = serializers.IntegerField(help_text="values that did not fit their types and count as missing")
    keys = serializers.ListField(child=serializers.CharField())
    groups = serializers.ListField(child=serializers.CharField())
    key_count = serializers.IntegerField()
    group_count = serializers.IntegerField()
    answers = AnswerSerializer(many=True)
    warnings = ProblemSerializer(
        many=True, help_text="mistyped values, fields that no event has, conditions that no event meets"
    )
    notes = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="by stream, how its file was decoded",
    )
    left_out = ProblemSerializer(many=True)


class EvaluateView(ApiView):
    """Evaluating a plan."""

    scopes = require_scopes(POST=Scope.READ)
    parser_classes = PARSERS
    refusals = ("404", "413", "422", "429", "503")

    @extend_schema(
        request={
            "application/json": EvaluateSerializer,
            "multipart/form-data": OpenApiRequest(
                {"type": "object", "properties": {"request": {"type": "string"}}}
            ),
        },
        responses=EvaluatedSerializer,
    )
    def post(self, request: Request) -> Response:
        """Return every node's timeline for each key; nothing is kept.

        The events are sent along, or come from files, a sample, or the newest events of the plan's streams.
        """
        body, files = validate_upload(EvaluateSerializer, request)
        user = get_user(request)
        question = EvaluationQuestion(
            body.get("nodes", ()), body.get("keys", ()), body.get("most"), body.get("at"), body.get("until")
        )
        plan = read_requested_document(body, user, get_asker(request))
        return Response(
            evaluate_plan(
                plan,
                select_events(body, files, plan, user),
                question,
                partly=body["partly"],
                user=user,
                asker=get_asker(request),
            )
        )


def read_requested_document(
    body: dict[str, Any], user: User, asker: Asker
) -> tuple[dict[str, Any], Plan | None]:
    """Return the requested document, and the plan that it belongs to."""
    number = body.get("plan") or body.get("draft_of")
    plan = None if number is None else plan_of(number, user)
    if "plan" in body and plan is not None:
        return dict(plan.document), plan
    if "document" in body:
        return dict(body["document"]), plan
    document = parse_text(body["text"], asker)
    refuse_strange(document)
    return document, plan


def select_events(
    body: dict[str, Any],
    files: dict[str, File],
    document_and_plan: tuple[dict[str, Any], Plan | None],
    user: User,
) -> EventSource:
    """Return the events that are sent along, those of a sample, or the newest of the plan's streams."""
    if sum(("events" in body or bool(files), "sample" in body, "newest" in body)) != 1:
        raise serializers.ValidationError("Send exactly one of events (or files), sample and newest.")
    if "newest" in body:
        return EventSource({}, {}, load_newest(*document_and_plan, body["newest"], user))
    parts = load_parts(get_sample(body["sample"], user)) if "sample" in body else None
    return EventSource(body.get("events", {}), files, parts, body.get("mapping", {}))
