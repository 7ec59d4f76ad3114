"""Wire types of alerts and incidents."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from timeline_app.evaluate.backtest.flapping import MAX_STARTS_POSSIBLE, MAX_WINDOW_S, MIN_WINDOW_S
from timeline_app.web.alerts.incident_services import MAX_COMMENT_CHARS
from timeline_app.web.alerts.selectors import MAX_HISTORY, STATES
from timeline_app.web.alerts.silences import MAX_SILENCES_SHOWN
from timeline_app.web.core.audit_reasons import ReasonSerializer
from timeline_app.web.core.schema import OwnedFields
from timeline_app.web.models.alerts import Alert, Incident, IncidentNote, IncidentTransition

MAX_LABELS, MAX_LABEL_NAME = 20, 50
MAX_ID = 2**31 - 1


class LabelsField(serializers.DictField):
    """A few texts by name."""

    def __init__(self, **options: Any) -> None:
        super().__init__(child=serializers.CharField(max_length=200, allow_blank=True), **options)

    def to_internal_value(self, data: Any) -> dict[str, str]:
        labels: dict[str, str] = super().to_internal_value(data)
        if len(labels) > MAX_LABELS:
            raise serializers.ValidationError(f"{len(labels)} labels. At most {MAX_LABELS} are possible.")
        for name in labels:
            if not 0 < len(name) <= MAX_LABEL_NAME or "\0" in name:
                message = (
                    f"{name[:MAX_LABEL_NAME]!r}: the name of a label has 1 to {MAX_LABEL_NAME} characters."
                )
                raise serializers.ValidationError(message)
        return labels


def make_flapping_fields() -> dict[str, serializers.IntegerField]:
    """Return the fields that say when a key flaps."""
    return {
        "flapping_starts": serializers.IntegerField(
            required=False,
            min_value=0,
            max_value=MAX_STARTS_POSSIBLE,
            help_text="a key with more starts within the window flaps; 0: none does",
        ),
        "flapping_window_s": serializers.IntegerField(
            required=False,
            min_value=MIN_WINDOW_S,
            max_value=MAX_WINDOW_S,
            help_text="seconds of event time in which starts are counted",
        ),
    }


class AlertSettingsSerializer(ReasonSerializer):
    """The settings of an alert; fields that are left out stay, or have their default."""

    name = serializers.CharField(max_length=200)
    severity = serializers.ChoiceField(Alert.Severity.choices, required=False)
    labels = LabelsField(required=False, help_text=f"at most {MAX_LABELS} texts by name")
    runbook = serializers.CharField(
        max_length=500, required=False, allow_blank=True, help_text="where it says what to do"
    )
    template = serializers.CharField(
        max_length=2_000,
        required=False,
        allow_blank=True,
        help_text="of the message, with fields such as {key} and {since}; empty: the default",
    )
    policy = serializers.ChoiceField(
        Alert.Policy.choices, required=False, help_text="when people are notified"
    )
    enabled = serializers.BooleanField(required=False)
    channels = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MAX_ID),
        required=False,
        max_length=50,
        help_text="the numbers of the channels that it notifies",
    )

    def get_fields(self) -> dict[str, Any]:
        """Return the fields, with those that say when a key flaps."""
        return super().get_fields() | make_flapping_fields()


class NewAlertSerializer(AlertSettingsSerializer):
    """An alert to create: the name of a bool node of a plan, and its settings."""

    plan = serializers.IntegerField(min_value=1, max_value=MAX_ID)
    node = serializers.CharField(max_length=200, help_text="the name of a bool node of the plan")


class ChangedAlertSerializer(AlertSettingsSerializer):
    """Changed settings of an alert."""

    name = serializers.CharField(max_length=200, required=False)


class ActiveSilenceSerializer(serializers.Serializer[Any]):
    """An active silence of an alert or an incident."""

    id = serializers.IntegerField()
    key = serializers.CharField(help_text="with * for any text; empty: all keys")
    reason = serializers.CharField()
    owner = serializers.CharField()
    ends_at = serializers.DateTimeField()


class AlertSerializer(OwnedFields):
    """An alert and its state."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    plan = serializers.IntegerField()
    plan_name = serializers.CharField()
    node = serializers.CharField(help_text="the name of the bool node in the plan")
    digest = serializers.CharField(allow_null=True, help_text="of the node; null while no plan runs it")
    severity = serializers.ChoiceField(Alert.Severity.choices)
    labels = serializers.DictField(child=serializers.CharField())
    runbook = serializers.CharField()
    template = serializers.CharField()
    policy = serializers.ChoiceField(Alert.Policy.choices)
    flapping_starts = serializers.IntegerField(
        help_text="a key with more starts within the window flaps; 0: none does"
    )
    flapping_window_s = serializers.IntegerField(
        help_text="seconds of event time in which starts are counted"
    )
    enabled = serializers.BooleanField()
    channels = serializers.ListField(
        child=serializers.IntegerField(), help_text="the numbers of the channels that it notifies"
    )
    version = serializers.IntegerField(help_text="grows with every change of its settings")
    state = serializers.ChoiceField(STATES)
    words = serializers.CharField(help_text="the state, for people")
    firing = serializers.IntegerField(help_text="how many incidents are firing")
    firing_since = serializers.IntegerField(
        allow_null=True,
        help_text="earliest start of the firing incidents, event time, microseconds; null: none fires, or since ever",
    )
    pending = serializers.IntegerField(help_text="how many incidents are pending")
    flapping = serializers.IntegerField(help_text="how many keys are flapping")
    silences = ActiveSilenceSerializer(
        many=True, help_text=f"those that silence some of its incidents now, at most {MAX_SILENCES_SHOWN}"
    )
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class AlertOfIncidentSerializer(serializers.Serializer[Any]):
    """The alert of an incident."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    severity = serializers.ChoiceField(Alert.Severity.choices)
    plan = serializers.IntegerField()
    node = serializers.CharField()


class SpanFields(serializers.Serializer[Any]):
    """The span of an incident in event time, microseconds."""

    start = serializers.IntegerField(allow_null=True, help_text="event time, microseconds; null: since ever")
    end = serializers.IntegerField(allow_null=True, help_text="event time, microseconds; null: open")


class IncidentSerializer(SpanFields):
    """A span in which the node of an alert is true for a key."""

    id = serializers.IntegerField()
    alert = AlertOfIncidentSerializer()
    digest = serializers.CharField(help_text="of the node")
    key = serializers.CharField()
    state = serializers.ChoiceField(Incident.State.choices)
    fired = serializers.BooleanField(help_text="whether it was ever more than pending")
    flapping = serializers.BooleanField(help_text="whether its key is flapping now")
    known_at = serializers.IntegerField(help_text="when it became known, microseconds")
    changed_at = serializers.IntegerField(help_text="when its last change became known, microseconds")
    acknowledged_by = serializers.CharField(allow_null=True)
    acknowledged_at = serializers.DateTimeField(allow_null=True)
    assignee = serializers.CharField(allow_null=True)
    silences = ActiveSilenceSerializer(
        many=True, help_text=f"those that silence it now, at most {MAX_SILENCES_SHOWN}"
    )


class IncidentTransitionSerializer(SpanFields):
    """One change of an incident."""

    number = serializers.IntegerField(help_text="in the log of the alert")
    kind = serializers.ChoiceField(IncidentTransition.Kind.choices)
    state = serializers.ChoiceField(Incident.State.choices, help_text="from then on")
    event_time = serializers.IntegerField(
        allow_null=True, help_text="up to which the node had seen events then, microseconds"
    )
    known_at = serializers.IntegerField(help_text="when it became known, microseconds")
    joined = serializers.IntegerField(
        allow_null=True, help_text="the incident that has taken over the span of a retracted one"
    )


class IncidentNoteSerializer(serializers.Serializer[Any]):
    """A comment on an incident, or an action on it."""

    kind = serializers.ChoiceField(IncidentNote.Kind.choices)
    author = serializers.CharField()
    text = serializers.CharField(help_text="the comment, or the person to whom it was assigned")
    at = serializers.DateTimeField()


class IncidentWithHistorySerializer(IncidentSerializer):
    """An incident with its changes and comments."""

    history = IncidentTransitionSerializer(many=True, help_text=f"the newest {MAX_HISTORY}, oldest first")
    notes = IncidentNoteSerializer(many=True)


class IncidentsSummarySerializer(serializers.Serializer[Any]):
    """How many incidents there were in a stretch of event time, and how long they took."""

    began = serializers.IntegerField(help_text="incidents that began then and fired")
    resolved = serializers.IntegerField(help_text="incidents that ended then")
    acknowledged = serializers.IntegerField(help_text="of those that began then")
    firing = serializers.IntegerField(help_text="now")
    resolve_mean = serializers.IntegerField(
        allow_null=True, help_text="mean duration of those that ended, microseconds of event time"
    )
    acknowledge_mean = serializers.IntegerField(
        allow_null=True, help_text="mean time from when they became known, microseconds"
    )


class AcknowledgeSerializer(serializers.Serializer[Any]):
    """Whether somebody takes care of an incident."""

    acknowledged = serializers.BooleanField(default=True, help_text="false: take the acknowledgement back")


class AssignSerializer(serializers.Serializer[Any]):
    """Who takes care of an incident."""

    to = serializers.CharField(max_length=150, allow_null=True, help_text="a person; null: nobody")


class CommentSerializer(serializers.Serializer[Any]):
    """A comment on an incident."""

    text = serializers.CharField(max_length=MAX_COMMENT_CHARS)
