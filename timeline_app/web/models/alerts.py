"""Alerts, their incidents, and every change of an incident."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.evaluate.backtest.flapping import MAX_STARTS, WINDOW_S
from timeline_app.web.models.fields import BytewiseText, JsonText
from timeline_app.web.models.people import Owned

ALL_KEYS = "~"
"""Greater than each digest in hexadecimal: all incidents of the alert are those of its node."""

SETTINGS = (
    "name", "severity", "labels", "runbook", "template", "policy", "flapping_starts", "flapping_window_s", "enabled",
)  # fmt: skip
"""What people set of an alert, beside its channels."""


class Alert(Owned):
    """A bool node of a plan that somebody wants to be notified of; it follows changes of the plan."""

    class Severity(models.TextChoices):
        INFO = "info"
        WARNING = "warning"
        CRITICAL = "critical"

    class Policy(models.TextChoices):
        """When people are notified."""

        EARLY = "early", "as soon as it is known; corrections follow"
        FINAL = "final", "once no late event can change it"

    name = models.CharField(max_length=200)
    plan = models.ForeignKey("web.Plan", on_delete=models.CASCADE, related_name="alerts")
    node_name = models.CharField(max_length=200, help_text="of a bool node of the plan")
    severity = models.CharField(max_length=10, choices=Severity, default=Severity.WARNING)
    labels = JsonText(default=dict, blank=True, help_text="texts by name")
    runbook = models.CharField(max_length=500, default="", blank=True, help_text="where it says what to do")
    template = models.CharField(max_length=2_000, default="", blank=True, help_text="of the message")
    policy = models.CharField(max_length=10, choices=Policy, default=Policy.EARLY)
    flapping_starts = models.PositiveIntegerField(
        default=MAX_STARTS, help_text="a key with more starts within the window flaps; 0: none does"
    )
    flapping_window_s = models.PositiveIntegerField(
        default=WINDOW_S, help_text="seconds of event time in which starts are counted"
    )
    enabled = models.BooleanField(default=True)
    version = models.PositiveIntegerField(default=1, help_text="grows with every change")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    node = models.ForeignKey(
        "web.Node",
        null=True,
        on_delete=models.SET_NULL,
        related_name="alerts",
        help_text="whose true spans are its incidents now",
    )
    taken_until = models.CharField(
        max_length=32,
        default="",
        blank=True,
        help_text="the incidents of keys up to this digest, in hexadecimal, are those of the node",
    )
    transitions = models.BigIntegerField(default=0, help_text="number of its last transition")
    next_boundary = models.BigIntegerField(
        default=BEGINNING,
        help_text="no incident or flapping key changes by the passing of event time alone before this",
    )

    class Meta(Owned.Meta):
        ordering = ["-updated_at", "-pk"]
        indexes = [models.Index(fields=["-updated_at", "-id"], name="alert_by_change")]

    def __str__(self) -> str:
        return self.name


class Incident(models.Model):
    """The longest span in which the node of an alert is true for a key."""

    class State(models.TextChoices):
        """Lists show the states in the order of their names."""

        FIRING = "firing", "it began, and has not ended"
        PENDING = "pending", "it begins later than the node has seen events"
        RESOLVED = "resolved", "it has ended"
        RETRACTED = "retracted", "a late event or another rule took it away"

    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, related_name="incidents", db_index=False)
    digest = models.CharField(max_length=64, help_text="of the node whose span it is")
    key = BytewiseText()
    key_digest = models.BinaryField(max_length=16, help_text="of the key, which may be too long for an index")
    start = models.BigIntegerField(default=BEGINNING, help_text="event time; the least number: since ever")
    end = models.BigIntegerField(default=OPEN, help_text="event time; the greatest number: open")
    state = models.CharField(max_length=10, choices=State)
    fired = models.BooleanField(default=False, help_text="whether it was ever more than pending")
    known_at = models.BigIntegerField(help_text="when it became known, microseconds")
    changed_at = models.BigIntegerField(help_text="when its last change became known, microseconds")
    acknowledged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    acknowledged_at = models.DateTimeField(null=True)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["state", "-changed_at", "-pk"]
        indexes = [
            models.Index(fields=["alert", "key_digest", "end"], name="incident_by_key"),
            models.Index(fields=["alert", "end"], name="incident_by_end"),
            models.Index(fields=["state", "-changed_at", "-id"], name="incident_by_state"),
            models.Index(fields=["alert", "state", "-changed_at", "-id"], name="incident_of_alert"),
            models.Index(
                fields=["alert", "start"], condition=models.Q(state="pending"), name="incident_begins"
            ),
            models.Index(fields=["alert", "end"], condition=models.Q(state="firing"), name="incident_ends"),
        ]

    def __str__(self) -> str:
        return f"{self.key} of alert {self.alert_id}"


class IncidentTransition(models.Model):
    """A change of an incident. Replayed by number, they produce the incidents of an alert."""

    class Kind(models.TextChoices):
        BEGUN = "begun"
        FIRING = "firing"
        RESOLVED = "resolved"
        AMENDED = "amended"
        RETRACTED = "retracted"
        REOPENED = "reopened"
        FLAPPING = "flapping", "its key began to flap: incidents start too often"
        SETTLED = "settled", "its key flaps no more"

    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, related_name="log", db_index=False)
    number = models.BigIntegerField(help_text="in the log of the alert, without gaps")
    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="history")
    kind = models.CharField(max_length=10, choices=Kind)
    state = models.CharField(max_length=10, choices=Incident.State, help_text="from then on")
    start = models.BigIntegerField()
    end = models.BigIntegerField()
    event_time = models.BigIntegerField(help_text="up to which the node had seen events")
    known_at = models.BigIntegerField(help_text="when it became known, microseconds")
    taken = models.BooleanField(
        default=False, help_text="whether the alert began then with what was known before: no news"
    )
    joined = models.ForeignKey(
        Incident,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
        db_constraint=False,
        help_text="the incident that has taken over its span",
    )

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["alert", "number"], name="transition_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.incident_id}"


class FlappingKey(models.Model):
    """A key of an alert that flaps now: receivers are not notified of its incidents until it has settled."""

    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, related_name="flapping", db_index=False)
    key_digest = models.BinaryField(max_length=16)
    carrier = models.ForeignKey(
        Incident, on_delete=models.CASCADE, related_name="+", help_text="the incident whose message says it"
    )
    starts = models.PositiveIntegerField(help_text="within the window")
    settles_at = models.BigIntegerField(help_text="event time at which it settles if nothing changes")
    known_at = models.BigIntegerField(help_text="when it became known, microseconds")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["alert", "key_digest"], name="flapping_once_a_key")]
        indexes = [models.Index(fields=["alert", "settles_at"], name="flapping_settles")]

    def __str__(self) -> str:
        return f"a key of alert {self.alert_id} flaps"


class IncidentNote(models.Model):
    """A comment on an incident, or an action on it."""

    class Kind(models.TextChoices):
        COMMENT = "comment"
        ACKNOWLEDGED = "acknowledged"
        REOPENED = "unacknowledged"
        ASSIGNED = "assigned"

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="notes")
    kind = models.CharField(max_length=20, choices=Kind)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    author_name = models.CharField(max_length=150)
    text = models.TextField(default="", blank=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.kind} by {self.author_name}"
