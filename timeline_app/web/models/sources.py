"""Sources of streams, at most one per stream."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from timeline_app.web.models.fields import JsonText


class StreamSource(models.Model):
    """A stream's source and its state: people write the upper fields, the intake the lower ones."""

    class Observed(models.TextChoices):
        """The state as the intake sees it."""

        PAUSED = "paused"
        STARTING = "starting"
        READING = "reading"
        WAITING = "waiting"
        RETRYING = "retrying"

    stream = models.OneToOneField(
        "web.Stream", primary_key=True, on_delete=models.CASCADE, related_name="source"
    )
    kind = models.CharField(max_length=40)
    options = JsonText(default=dict, help_text="what may be shown of its options")
    secrets = models.TextField(default="", blank=True, help_text="the others, encrypted")
    mapping = JsonText(default=list, help_text="how the fields of its events are renamed, cast and added")
    paused = models.BooleanField(default=False)
    changed_at = models.DateTimeField(help_text="when somebody set it last; whoever reads it opens it anew")
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="who set its options last: by that person's role it may reach private networks",
    )

    observed = models.CharField(max_length=10, choices=Observed, default=Observed.STARTING)
    words = models.CharField(max_length=500, default="starting", help_text="what is going on, for people")
    lag = models.BigIntegerField(default=0, help_text="messages that wait at the source, about")
    missed = models.BigIntegerField(
        default=0, help_text="messages gone from the source before they were read"
    )
    last_message_at = models.DateTimeField(null=True)
    looked_at = models.DateTimeField(null=True, help_text="when the intake said so")
    opened = models.BooleanField(
        default=False,
        help_text="it was read from where it reads now; until then the one before may hold back",
    )
    passed = JsonText(
        default=dict,
        help_text="parts read on with nothing to land: position, and the number of the next batch",
    )
    staged = JsonText(
        default=dict, help_text="refused messages that count once the events beside them have landed"
    )

    def __str__(self) -> str:
        return f"{self.kind} of {self.stream_id}"
