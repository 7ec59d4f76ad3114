"""Back-tests over REST: which incidents a rule would have had, and which messages would have been sent."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.evaluate.backtest.back_test import FLAPPING, RULE, AlertRule
from timeline_app.evaluate.backtest.report import MAX_INCIDENTS_PER_KEY, MAX_KEYS, POLICIES
from timeline_app.plan.text.read import MAX_BYTES
from timeline_app.web.alerts.back_tests import BackTestQuestion, run_test
from timeline_app.web.alerts.documents import SpanFields, make_flapping_fields
from timeline_app.web.core.query_parameters import EARLIEST, LATEST
from timeline_app.web.core.requests import get_asker, get_user, validate_body
from timeline_app.web.core.schema import FiniteField
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.tokens import Scope
from timeline_app.web.plans.evaluate_api import make_names_field, read_requested_document

MAX_ID = 2**31 - 1
MAX_DURATION_CHARS = 50
MAX_LAST_S = 366 * 86_400
TESTED_STATES = ("firing", "resolved", "retracted")


def make_duration_field(help_text: str) -> serializers.CharField:
    """Return a field for a duration such as 5min."""
    return serializers.CharField(required=False, max_length=MAX_DURATION_CHARS, help_text=help_text)


class BackTestRequestSerializer(serializers.Serializer[Any]):
    """A plan (exactly one of `plan`, `document` and `text`), a node of it, and a rule as `alert` takes it."""

    draft_of = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MAX_ID,
        help_text="of a document or a text: the plan whose it is; what its draft reads is known",
    )
    plan = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_ID, help_text="the number of a plan: its draft"
    )
    document = serializers.DictField(required=False)
    text = serializers.CharField(required=False, trim_whitespace=False, max_length=MAX_BYTES)
    node = serializers.CharField(max_length=200, help_text="the name of a node; of a bool no limit is needed")
    above = FiniteField(required=False, help_text="it fires above this limit")
    below = FiniteField(required=False, help_text="it fires below this limit")
    clear = FiniteField(required=False, help_text="the limit for clearing")
    clear_after = make_duration_field("how long it must be clear, such as 1min")
    keys = make_names_field("only these keys, or groups; * for any text")
    sample = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_ID,
        help_text="the number of a sample; else the events of the plan's streams as they came",
    )
    start = serializers.IntegerField(
        required=False,
        min_value=EARLIEST,
        max_value=LATEST,
        help_text="only incidents after this event time, microseconds",
    )
    end = serializers.IntegerField(
        required=False,
        min_value=EARLIEST,
        max_value=LATEST,
        help_text="only incidents before this event time, microseconds",
    )

    last = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_LAST_S,
        help_text="without a start: only incidents of so many seconds before the newest event",
    )
    lane = serializers.CharField(
        required=False,
        max_length=1_024,
        trim_whitespace=False,
        help_text="a key whose values at the node are told, too, as the least and greatest of some columns of time",
    )

    def get_fields(self) -> dict[str, Any]:
        """Add `for`, which cannot be an attribute, and the fields for flapping."""
        crossed = make_duration_field("how long the limit must be crossed, such as 5min")
        return super().get_fields() | {"for": crossed} | make_flapping_fields()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require exactly one plan."""
        if sum(name in attrs for name in ("plan", "document", "text")) != 1:
            raise serializers.ValidationError("Send exactly one of plan, document and text.")
        return attrs


class TestedNewsSerializer(serializers.Serializer[Any]):
    """What a message would have reported of an incident."""

    at = serializers.IntegerField(help_text="when it would have been sent, microseconds")
    change = serializers.CharField()
    message = serializers.IntegerField(
        help_text="the number of the message, which may name several incidents"
    )


class TestedIncidentSerializer(SpanFields):
    """An incident of a back-test."""

    state = serializers.ChoiceField(TESTED_STATES)
    amended = serializers.BooleanField(help_text="whether a late event changed it after it had fired")
    known_at = serializers.IntegerField(
        help_text="when it would have fired, on the clock of arrival, microseconds"
    )

    def get_fields(self) -> dict[str, Any]:
        """Add what would have been sent, by policy."""
        news = {policy: TestedNewsSerializer(many=True) for policy in POLICIES}
        sent = type("TestedSentSerializer", (serializers.Serializer,), news)
        return super().get_fields() | {"sent": sent(help_text="what would have been sent, by policy")}


class TestedCountsFields(serializers.Serializer[Any]):
    """The counts of incidents; durations are in microseconds of event time."""

    incidents = serializers.IntegerField(help_text="without those that were retracted")
    firing = serializers.IntegerField()
    resolved = serializers.IntegerField()
    retracted = serializers.IntegerField(help_text="false alarms, which a late event took back")
    amended = serializers.IntegerField(help_text="those that a late event changed")
    duration = serializers.IntegerField(help_text="of all together")
    longest = serializers.IntegerField()
    flapping = serializers.IntegerField(help_text="how often a key would have begun to flap")


class TestedKeySerializer(TestedCountsFields):
    """One key."""

    key = serializers.CharField()
    spans = TestedIncidentSerializer(many=True, help_text=f"the newest {MAX_INCIDENTS_PER_KEY}, by start")


class TestedMessagesSerializer(serializers.Serializer[Any]):
    """How many messages would have been sent under each policy."""

    early = serializers.IntegerField()
    final = serializers.IntegerField()


class TestedTotalsSerializer(TestedCountsFields):
    """All keys together."""

    keys = serializers.IntegerField(help_text="keys with incidents")
    messages = TestedMessagesSerializer()


class TestedLaneSerializer(serializers.Serializer[Any]):
    """The values of a key."""

    key = serializers.CharField()
    columns = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()),
        allow_null=True,
        help_text="time in microseconds, least and greatest value of each; null: no such key, or no numbers",
    )


class BackTestSerializer(serializers.Serializer[Any]):
    """The result of a back-test."""

    events = serializers.IntegerField(help_text="events that were looked at")
    resolution = serializers.IntegerField(
        help_text="events that arrived within so many microseconds were looked at together; 0: batch by batch"
    )
    newest = serializers.IntegerField(allow_null=True, help_text="the newest event time, microseconds")
    start = serializers.IntegerField(
        allow_null=True, help_text="of the range, microseconds; null: since ever"
    )
    end = serializers.IntegerField(
        allow_null=True, help_text="of the range, microseconds; null: nothing came"
    )
    key_count = serializers.IntegerField()
    totals = TestedTotalsSerializer()
    keys = TestedKeySerializer(
        many=True, help_text=f"at most {MAX_KEYS}, those with the most incidents first"
    )
    lane = TestedLaneSerializer(required=False)


class BackTestView(ApiView):
    """Back-tests of a rule."""

    scopes = require_scopes(POST=Scope.READ)
    refusals = ("404", "413", "422", "429", "503")

    @extend_schema(
        request=BackTestRequestSerializer, responses=BackTestSerializer, operation_id="alerts_test"
    )
    def post(self, request: Request) -> Response:
        """Return the incidents of a rule, which of them late events retracted, and the messages.

        The rule is replayed on the newest events of the plan's streams in the order in which they arrived, or on a
        sample. Nothing is kept.
        """
        body = validate_body(BackTestRequestSerializer, request)
        user, asker = get_user(request), get_asker(request)
        rule = AlertRule(
            body["node"],
            {name: body[name] for name in RULE if name in body},
            tuple(body.get("keys", ())),
            **{name: body[name] for name in FLAPPING if name in body},
        )
        names = ("start", "end", "sample", "last", "lane")
        question = BackTestQuestion(rule, **{name: body.get(name) for name in names})
        request_and_plan = read_requested_document(body, user, asker)
        return Response(run_test(request_and_plan, question, user=user, asker=asker))
