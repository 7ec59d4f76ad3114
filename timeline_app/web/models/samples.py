"""Samples of events, and the tests of plans on them."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from django.db import models

from timeline_app.landing.recording import Events
from timeline_app.web.models.fields import BytewiseChars, JsonText
from timeline_app.web.models.people import Shared


class Sample(Shared):
    """Events of one or several streams for trying plans."""

    name = models.CharField(max_length=200)
    recording = JsonText(
        null=True,
        blank=True,
        help_text="while events are still to come: how many of which keys, since which batch",
    )
    recording_until = models.DateTimeField(null=True, blank=True, help_text="no longer than that")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta(Shared.Meta):
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.name


class SamplePart(models.Model):
    """The events of one stream in a sample, in the order of their arrival."""

    sample = models.ForeignKey(Sample, on_delete=models.CASCADE, related_name="parts")
    stream = BytewiseChars(max_length=100)
    recorded = models.BooleanField(
        default=True, help_text="from the stream itself: who may not look at that may not look at these"
    )
    events = models.IntegerField(default=0)
    mistyped = models.IntegerField(
        default=0, help_text="values that did not fit their types and count as missing"
    )
    warnings = JsonText(default=list, help_text="what was strange in the events as they were read")
    notes = JsonText(default=list, help_text="how the file was decoded")
    size = models.IntegerField(default=0, help_text="bytes as they are kept")
    first = models.BigIntegerField(null=True, help_text="least event time, microseconds")
    last = models.BigIntegerField(null=True, help_text="greatest event time, microseconds")
    body = models.BinaryField(help_text="Parquet, in the columns of a landing")

    class Meta:
        ordering = ["stream"]
        constraints = [models.UniqueConstraint(fields=["sample", "stream"], name="one_part_a_stream")]

    def __str__(self) -> str:
        return f"{self.events} events of {self.stream}"

    def table(self) -> pa.Table:
        """Return the events, in the columns of a landing."""
        return pq.read_table(io.BytesIO(bytes(self.body)))

    def describe_reading(self) -> dict[str, Any]:
        """Return how the events were read, like `Events.describe_reading`."""
        return {"mistyped": self.mistyped, "warnings": self.warnings, "notes": self.notes}

    def load_events(self) -> Events:
        """Return the events, and how they were read."""
        return Events.from_reading(self.table(), self.describe_reading())

    def holding(self, events: Events) -> SamplePart:
        """Store these events in the part, and return it."""
        sink = io.BytesIO()
        pq.write_table(events.table, sink, compression="zstd")
        self.body = sink.getvalue()
        self.events, self.size = len(events.table), len(self.body)
        reading = events.describe_reading()
        self.mistyped, self.warnings, self.notes = reading["mistyped"], reading["warnings"], reading["notes"]
        time_range = pc.min_max(events.table["time"])
        self.first, self.last = time_range["min"].as_py(), time_range["max"].as_py()
        return self


class PlanTest(models.Model):
    """A plan's expected results on a sample (see `timeline_app.evaluate.expectations`)."""

    plan = models.ForeignKey("web.Plan", on_delete=models.CASCADE, related_name="tests")
    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="tests")
    name = models.CharField(max_length=200)
    expected = JsonText(
        default=list, help_text="by node and key: spans, tolerance of numbers, slack of edges"
    )
    version = models.PositiveIntegerField(default=1, help_text="grows with every save")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["plan", "name"], name="one_test_a_name")]

    def __str__(self) -> str:
        return self.name
