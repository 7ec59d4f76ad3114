"""Samples of events."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet, Sum
from django.http import HttpRequest

from timeline_app.web.admin.base import OWNERS, OwnedAdmin
from timeline_app.web.models.samples import Sample


@admin.register(Sample)
class SampleAdmin(OwnedAdmin):
    """Samples: whose, and how large."""

    list_display = ("name", "belongs", "events", "size", "created_at")
    list_filter = OWNERS
    search_fields = ("name", "owner__username", "team__name")
    list_select_related = ("owner", "team")
    fields = ("name", "belongs", "recording", "recording_until", "created_at", "updated_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Sample]:
        """Samples with their sums."""
        queryset: QuerySet[Sample] = super().get_queryset(request)
        return queryset.annotate(all_events=Sum("parts__events"), bytes=Sum("parts__size"))

    @admin.display(ordering="all_events")
    def events(self, sample: Any) -> int:
        """In all streams."""
        return int(sample.all_events or 0)

    @admin.display(description="bytes", ordering="bytes")
    def size(self, sample: Any) -> int:
        """As they are kept."""
        return int(sample.bytes or 0)
