"""Sinks: where nodes are delivered to."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models

from timeline_app.algebra.kinds import OPEN
from timeline_app.web.models.fields import JsonText, Pieces
from timeline_app.web.models.people import Owned


def generate_identity() -> str:
    """Return an unused identity of deliveries."""
    return uuid.uuid4().hex


class NodeSink(Owned):
    """The target of a node's timelines and its state: people write the upper fields, the delivery the lower ones.

    It belongs to whoever added it, however many plans share the node.
    """

    class Delivers(models.TextChoices):
        """The delivered part of the timelines."""

        REVISIONS = "revisions", "every revision"
        FINAL = "final", "only what is final"

    class Observed(models.TextChoices):
        """The state as the delivery sees it."""

        PAUSED = "paused"
        STARTING = "starting"
        DELIVERING = "delivering"
        RETRYING = "retrying"

    node = models.ForeignKey("web.Node", on_delete=models.CASCADE, related_name="sinks")
    kind = models.CharField(max_length=60)
    delivers = models.CharField(max_length=10, choices=Delivers)
    options = JsonText(default=dict, help_text="what may be shown of its options")
    secrets = models.TextField(default="", blank=True, help_text="the others, encrypted")
    paused = models.BooleanField(default=False)
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="who set its options last: by that person's role it may reach private networks",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(help_text="when somebody set it last; whoever delivers opens it anew")

    identity = models.CharField(max_length=32, unique=True, default=generate_identity)
    step = models.BigIntegerField(default=0, help_text="grows with whatever is written down below")
    batch = models.BigIntegerField(default=-1, help_text="the last batch that was published")
    place = JsonText(
        default=dict, help_text="how far the log was read: see timeline_app.web.sinks.deliveries"
    )
    rows = models.BigIntegerField(default=0, help_text="rows delivered so far")
    corrected = models.BigIntegerField(
        default=0, help_text="revisions of what had been delivered as final, and was not delivered again"
    )
    known_at = models.BigIntegerField(
        null=True, help_text="what the node knew by then was delivered, microseconds"
    )
    final_until = models.BigIntegerField(null=True, help_text="what was final by then was delivered")
    lag = models.BigIntegerField(default=0, help_text="versions of the node that wait")
    observed = models.CharField(max_length=10, choices=Observed, default=Observed.STARTING)
    words = models.CharField(max_length=500, default="starting", help_text="what is going on, for people")
    delivered_at = models.DateTimeField(null=True, help_text="when its last batch was published")
    looked_at = models.DateTimeField(null=True, help_text="when the delivery said so")

    class Meta(Owned.Meta):
        ordering = ["pk"]
        verbose_name = "sink"

    def __str__(self) -> str:
        return f"{self.kind} of {self.node}"

    @property
    def name(self) -> str:
        """Return its name in transfers."""
        return str(self)


class SinkKey(models.Model):
    """For a sink of final values: what of a key was delivered, and what waits."""

    sink = models.ForeignKey(NodeSink, on_delete=models.CASCADE, related_name="keys", db_index=False)
    node_key = models.ForeignKey("web.NodeKey", on_delete=models.CASCADE, related_name="+")
    until = models.BigIntegerField(help_text="what lies before was delivered")
    ends = models.BigIntegerField(default=OPEN, help_text="where the first span ends that was not")
    pieces = Pieces(help_text="the points from `until` on")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["sink", "node_key"], name="one_row_a_sink_and_key")]
        indexes = [models.Index(fields=["sink", "ends"], name="sink_key_by_end")]

    def __str__(self) -> str:
        return f"{self.node_key_id} of sink {self.sink_id}"
