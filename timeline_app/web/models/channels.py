"""Channels: where people are notified of which incidents, and what is silenced."""

from __future__ import annotations

import uuid
from datetime import datetime

import numpy as np
from django.conf import settings
from django.db import models

from timeline_app.algebra.kinds import SECOND
from timeline_app.times.schedule import read_schedule
from timeline_app.web.models.alerts import Alert, Incident
from timeline_app.web.models.fields import BytewiseChars, JsonText
from timeline_app.web.models.people import Owned


def new_identity() -> str:
    """Return an unused identity of messages."""
    return uuid.uuid4().hex


class AlertChannel(Owned):
    """A receiver of messages and its state: people write the upper fields, the sender the lower ones."""

    class Observed(models.TextChoices):
        """The state as the sender sees it."""

        PAUSED = "paused"
        STARTING = "starting"
        READY = "ready"
        RETRYING = "retrying"

    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=60)
    options = JsonText(default=dict, help_text="what may be shown of its options")
    secrets = models.TextField(default="", blank=True, help_text="the others, encrypted")
    paused = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1, help_text="grows with every change")
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="who set its options last: by that person's role it may reach private networks",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    observed = models.CharField(max_length=10, choices=Observed, default=Observed.STARTING)
    words = models.CharField(max_length=500, default="starting", help_text="what is going on, for people")
    sent = models.BigIntegerField(default=0, help_text="messages that the receiver has")
    sent_at = models.DateTimeField(null=True, help_text="when it got the last one")
    failing_since = models.DateTimeField(null=True, help_text="no message has arrived since; null: they do")
    looked_at = models.DateTimeField(null=True, help_text="when the sender said so")

    class Meta(Owned.Meta):
        ordering = ["name", "pk"]
        verbose_name = "channel"

    def __str__(self) -> str:
        return self.name


class AlertRoute(models.Model):
    """A route from an alert to a channel, with its position in the alert's log."""

    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, related_name="routes")
    channel = models.ForeignKey(AlertChannel, on_delete=models.CASCADE, related_name="routes")
    read_until = models.BigIntegerField(
        default=0, help_text="the number of the last transition that it has read"
    )
    identity = models.CharField(
        max_length=32, default=new_identity, help_text="part of the id of each message"
    )
    messages = models.BigIntegerField(default=0, help_text="so many were made")
    made_at = models.DateTimeField(null=True, help_text="when the last one was made")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["alert", "channel"], name="one_route_a_channel")]

    def __str__(self) -> str:
        return f"alert {self.alert_id} to channel {self.channel_id}"


class RoutedIncident(models.Model):
    """What a channel was notified of an incident, and whether more is due."""

    route = models.ForeignKey(AlertRoute, on_delete=models.CASCADE, related_name="incidents", db_index=False)
    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(
        max_length=10, default="", blank=True, help_text="as it was told; empty: it was not"
    )
    start = models.BigIntegerField(default=0, help_text="as it was told")
    end = models.BigIntegerField(default=0, help_text="as it was told")
    due = models.BooleanField(default=True, help_text="whether it is to be looked at")
    damped = models.BooleanField(default=False, help_text="whether its news wait until its key has settled")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["route", "incident"], name="incident_once_a_route")]
        indexes = [
            models.Index(
                fields=["route", "incident"], condition=models.Q(due=True), name="routed_incident_due"
            )
        ]

    def __str__(self) -> str:
        return f"incident {self.incident_id} of route {self.route_id}"


class AlertNotification(models.Model):
    """A message: composed once, and sent until the receiver has it."""

    route = models.ForeignKey(
        AlertRoute, on_delete=models.CASCADE, related_name="notifications", db_index=False
    )
    number = models.BigIntegerField(help_text="of the messages of its route, without gaps")
    body = JsonText(help_text="as it is sent, each time alike")
    attempts = models.IntegerField(default=0)
    answer = models.CharField(max_length=500, default="", blank=True, help_text="why it was not taken last")
    made_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True, help_text="null: it waits")
    given_up = models.BooleanField(default=False, help_text="it was tried for a day, and then dropped")

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["route", "number"], name="notification_once")]
        indexes = [
            models.Index(
                fields=["route", "number"], condition=models.Q(sent_at=None), name="notification_waits"
            )
        ]

    def __str__(self) -> str:
        return f"message {self.number} of route {self.route_id}"


class Silence(Owned):
    """Nobody is notified of some incidents for a while; the incidents go on."""

    alert = models.ForeignKey(
        Alert, null=True, blank=True, on_delete=models.CASCADE, related_name="silences", help_text="null: all"
    )
    key = models.CharField(
        max_length=1_024, default="", blank=True, help_text="with * for any text; empty: all"
    )
    label = models.CharField(max_length=50, default="", blank=True, help_text="only alerts with this label")
    label_value = models.CharField(max_length=200, default="", blank=True, help_text="and this value of it")
    reason = models.CharField(max_length=500)
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    schedule = JsonText(default=dict, blank=True, help_text="only within these hours; empty: always")
    during_plan = models.ForeignKey(
        "web.Plan",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="only for keys of which a node of this plan is true now; null: for all",
    )
    during_node = BytewiseChars(max_length=200, default="", blank=True, help_text="the name of that node")
    version = models.PositiveIntegerField(default=1, help_text="grows with every change")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(Owned.Meta):
        ordering = ["-ends_at", "-pk"]
        indexes = [models.Index(fields=["ends_at"], name="silence_by_end")]

    def __str__(self) -> str:
        return self.reason

    def is_open(self, now: datetime) -> bool:
        """Return whether its time has come, and its schedule is within its hours."""
        if not self.begins_at <= now < self.ends_at:
            return False
        moment = np.array([int(now.timestamp() * SECOND)])
        return not self.schedule or bool(read_schedule(self.schedule).is_open(moment)[0])
