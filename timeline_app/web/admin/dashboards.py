"""Dashboards."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from timeline_app.web.admin.base import OWNER_FILTERS, OwnedAdmin, format_json
from timeline_app.web.models import Dashboard


@admin.register(Dashboard)
class DashboardAdmin(OwnedAdmin):
    """Dashboards, their owners and their charts."""

    list_display = ("name", "belongs", "charts", "version", "updated_at")
    list_filter = OWNER_FILTERS
    search_fields = ("name", "owner__username", "team__name")
    list_select_related = ("owner", "team")
    fields = ("name", "belongs", "version", "drawn", "created_at", "updated_at")

    def view_on_site(self, dashboard: Dashboard) -> str:
        return f"/dashboards/{dashboard.pk}/"

    @admin.display(description="charts")
    def charts(self, dashboard: Dashboard) -> int:
        return len(dashboard.document["charts"])

    @admin.display(description="document")
    def drawn(self, dashboard: Dashboard) -> SafeString:
        return format_json(dashboard.document)
