"""Alerts, their channels, and silences."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from timeline_app.web.admin.base import OWNER_FILTERS, OwnedAdmin, get_staff_user
from timeline_app.web.alerts.channel_selectors import describe_state
from timeline_app.web.alerts.silence_services import end_silence
from timeline_app.web.models.alerts import Alert, Incident
from timeline_app.web.models.channels import AlertChannel, Silence


@admin.register(Alert)
class AlertAdmin(OwnedAdmin):
    """Alerts: what they watch, and what fires."""

    list_display = ("name", "belongs", "plan", "node_name", "severity", "enabled", "firing", "updated_at")
    list_filter = ("severity", "enabled", *OWNER_FILTERS)
    search_fields = ("name", "node_name", "owner__username", "team__name")
    list_select_related = ("owner", "team", "plan")
    fields = (
        "name", "belongs", "plan", "node_name", "severity", "policy", "flapping_starts", "flapping_window_s",
        "runbook", "enabled", "created_at", "updated_at",
    )  # fmt: skip

    def view_on_site(self, alert: Alert) -> str:
        return f"/alerts/{alert.pk}/"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Alert]:
        """Annotate the number of firing incidents."""
        queryset: QuerySet[Alert] = super().get_queryset(request)
        return queryset.annotate(fires=Count("incidents", filter=Q(incidents__state=Incident.State.FIRING)))

    @admin.display(ordering="fires")
    def firing(self, alert: Any) -> int:
        return int(alert.fires)


@admin.register(AlertChannel)
class ChannelAdmin(OwnedAdmin):
    """Channels: their states. Where they send messages is for their owners."""

    list_display = ("name", "belongs", "kind", "state", "failing_since", "sent", "sent_at")
    list_filter = ("kind", "observed", *OWNER_FILTERS)
    search_fields = ("name", "owner__username", "team__name")
    list_select_related = ("owner", "team")
    fields = (
        "name", "belongs", "kind", "state", "failing_since", "sent", "sent_at", "created_at", "updated_at",
    )  # fmt: skip

    def view_on_site(self, channel: AlertChannel) -> str:  # noqa: ARG002
        return "/channels/"

    @admin.display(ordering="observed")
    def state(self, channel: AlertChannel) -> str:
        return describe_state(channel)[0]


@admin.register(Silence)
class SilenceAdmin(OwnedAdmin):
    """Silences, and how to end them."""

    list_display = ("reason", "belongs", "alert", "key", "labelled", "begins_at", "ends_at")
    list_filter = ("begins_at", "ends_at", *OWNER_FILTERS)
    search_fields = ("reason", "key", "owner__username", "team__name")
    list_select_related = ("owner", "team", "alert")
    actions = ("transfer", "end")
    fields = (
        "reason", "belongs", "alert", "key", "labelled", "begins_at", "ends_at", "schedule", "during_plan",
        "during_node", "created_at",
    )  # fmt: skip

    def view_on_site(self, silence: Silence) -> str:  # noqa: ARG002
        return "/silences/"

    @admin.display(description="label")
    def labelled(self, silence: Silence) -> str:
        return f"{silence.label}={silence.label_value}" if silence.label else "–"

    @admin.action(permissions=["own"], description="End now…")
    def end(self, request: HttpRequest, chosen: QuerySet[Silence]) -> HttpResponse | None:
        """End the silences that have not ended."""
        running = chosen.filter(ends_at__gt=timezone.now())
        return self.why(
            request,
            running if running.exists() else chosen,
            "End",
            "Channels are notified again, of what is firing as well.",
            lambda silence: end_silence(silence=silence, user=get_staff_user(request)),
            "ended.",
        )
