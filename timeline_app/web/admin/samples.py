"""Samples of events."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet, Sum
from django.http import HttpRequest

from timeline_app.web.admin.base import OWNER_FILTERS, OwnedAdmin
from timeline_app.web.models.samples import Sample


@admin.register(Sample)
class SampleAdmin(OwnedAdmin):
    """Samples: owners and sizes."""

    list_display = ("name", "belongs", "events", "size", "created_at")
    list_filter = OWNER_FILTERS
    search_fields = ("name", "owner__username", "team__name")
    list_select_related = ("owner", "team")
    fields = ("name", "belongs", "recording", "recording_until", "created_at", "updated_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Sample]:
        """Annotate the sums of events and bytes."""
        queryset: QuerySet[Sample] = super().get_queryset(request)
        return queryset.annotate(all_events=Sum("parts__events"), bytes=Sum("parts__size"))

    @admin.display(ordering="all_events")
    def events(self, sample: Any) -> int:
        return int(sample.all_events or 0)

    @admin.display(description="bytes", ordering="bytes")
    def size(self, sample: Any) -> int:
        return int(sample.bytes or 0)
