"""How streams arrive: measures of ingestion, and rejected events."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from timeline_app.web.models.fields import BytewiseText, JsonText


class StreamMeasure(models.Model):
    """What ingestion measured of a stream in ten seconds of wall-clock time."""

    stream = models.ForeignKey(
        "web.Stream", on_delete=models.CASCADE, related_name="measures", db_index=False
    )
    at = models.BigIntegerField(help_text="when they begin, seconds since the epoch")
    events = models.BigIntegerField(default=0, help_text="taken")
    late = models.BigIntegerField(default=0, help_text="of those, behind the allowed lateness")
    too_late = models.BigIntegerField(default=0, help_text="of those, older than the retention")
    refused = models.BigIntegerField(default=0, help_text="lines refused")
    lateness = JsonText(default=dict, help_text="how many events by step of lateness")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["stream", "at"], name="one_measure_a_time")]

    def __str__(self) -> str:
        return f"{self.stream_id} at {self.at}"


class RejectedEvent(models.Model):
    """A refused line, or an event that came too late to count. Only the newest are kept."""

    class Kind(models.TextChoices):
        """Why it was rejected."""

        REFUSED = "refused"
        TOO_LATE = "too_late"

    stream = models.ForeignKey(
        "web.Stream", on_delete=models.CASCADE, related_name="rejected_events", db_index=False
    )
    kind = models.CharField(max_length=10, choices=Kind)
    at = models.BigIntegerField(help_text="when it came, microseconds")
    sender = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    line = models.BigIntegerField(null=True, help_text="which line of its request")
    place = models.CharField(max_length=500, default="", help_text="where it lay in the stream's source")
    request = models.CharField(
        max_length=32, default="", help_text="the id of its request, where the client gave a key or a number"
    )
    alone = models.BooleanField(default=False, help_text="whether the rest of what came with it was taken")
    field = models.CharField(max_length=200, default="")
    code = models.CharField(max_length=40)
    message = models.CharField(max_length=500)
    text = BytewiseText(help_text="the line; of a long one the beginning")
    whole = models.BooleanField(default=True, help_text="whether that is all of it")

    class Meta:
        indexes = [models.Index(fields=["stream", "kind", "-id"], name="rejected_by_stream")]

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"
