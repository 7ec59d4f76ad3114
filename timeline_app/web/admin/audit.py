"""The audit: looked at, searched, and taken away as CSV; never changed."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.safestring import SafeString

from timeline_app.web.admin.base import ReadOnly, pretty, staff
from timeline_app.web.api.audit_csv import rows
from timeline_app.web.people_models import AuditEntry
from timeline_app.web.selectors.audit import entries


@admin.register(AuditEntry)
class AuditAdmin(ReadOnly):
    """Who did what to what, when, from where, and why."""

    list_display = ("at", "actor_name", "act", "kind", "name", "source", "reason")
    list_filter = ("kind", "act", "source", "at")
    search_fields = ("name", "actor_name", "reason", "=request")
    date_hierarchy = "at"
    show_full_result_count = False
    actions = ("export",)
    fields = (
        "at",
        "actor_name",
        "act",
        "kind",
        "thing",
        "name",
        "source",
        "request",
        "was",
        "is_now",
        "reason",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        """What concerns persons is for administrators."""
        return entries(staff(request))

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Who may look may take it away."""
        return self.has_view_permission(request)

    @admin.display(description="before")
    def was(self, entry: AuditEntry) -> SafeString:
        """As it was."""
        return pretty(entry.before)

    @admin.display(description="after")
    def is_now(self, entry: AuditEntry) -> SafeString:
        """As it was then."""
        return pretty(entry.after)

    @admin.action(permissions=["operate"], description="Export as CSV")
    def export(self, request: HttpRequest, chosen: QuerySet[AuditEntry]) -> StreamingHttpResponse:  # noqa: ARG002
        """The chosen ones, or all that the filters leave."""
        answer = StreamingHttpResponse(rows(chosen), content_type="text/csv; charset=utf-8")
        answer.headers["Content-Disposition"] = 'attachment; filename="audit.csv"'
        return answer
