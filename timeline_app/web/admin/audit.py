"""The audit: read, searched, and exported as CSV; never changed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from timeline_app.web.admin.base import (
    ReadOnly,
    format_json,
    format_moment,
    get_staff_user,
    make_titled_filter,
)
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.workspace.audit import explain_entry, load_named_things, select_entries
from timeline_app.web.workspace.audit_csv import iterate_csv
from timeline_app.web.workspace.audit_entries import describe_act
from timeline_app.web.workspace.audit_rows import format_sentences, link_to_thing


class EntryList(ChangeList):
    """A page of entries as sentences; the resources that they mention are loaded at once."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list: Any = list(self.result_list)
        things = load_named_things(self.result_list, get_staff_user(request))
        for entry in self.result_list:
            entry.things = things


@admin.register(AuditEntry)
class AuditAdmin(ReadOnly):
    """The audit entries, as sentences."""

    has_history = False
    list_display = ("moment", "actor_name", "did", "changed", "source", "reason")
    list_display_links = ("moment",)
    list_filter = (
        "kind",
        "act",
        ("source", make_titled_filter("where from")),
        ("at", make_titled_filter("when")),
    )
    search_fields = ("name", "actor_name", "reason", "=request")
    date_hierarchy = "at"
    show_full_result_count = False
    actions = ("export",)
    fields = (
        "moment",
        "actor_name",
        "did",
        "changed",
        "reason",
        "source",
        "act",
        "kind",
        "thing",
        "was",
        "is_now",
        "request",
    )

    def get_form(self, request: HttpRequest, *args: Any, **options: Any) -> Any:
        """Return the form without help texts, because nothing is entered."""
        plain = dict.fromkeys(("act", "kind", "actor_name"), "")
        return super().get_form(request, *args, **options, help_texts=plain)

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:  # noqa: ARG002
        return EntryList

    def get_object(self, request: HttpRequest, *args: Any, **options: Any) -> AuditEntry | None:
        entry: AuditEntry | None = super().get_object(request, *args, **options)
        if entry is not None:
            entry.things = load_named_things([entry], get_staff_user(request))  # type: ignore[attr-defined]
        return entry

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        """Select what the user may read: entries about people are for administrators."""
        return select_entries(get_staff_user(request))

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Let readers export, too."""
        return self.has_view_permission(request)

    @admin.display(description="when", ordering="at")
    def moment(self, entry: AuditEntry) -> str:
        return format_moment(entry.at)

    @admin.display(description="what", ordering="act")
    def did(self, entry: Any) -> SafeString:
        return format_html("{} {}", describe_act(entry), link_to_thing(entry, entry.things))

    @admin.display(description="since then")
    def changed(self, entry: Any) -> SafeString:
        """Return what changed, in sentences."""
        return format_sentences(explain_entry(entry, entry.things)) or format_html("{}", "–")

    @admin.display(description="before")
    def was(self, entry: AuditEntry) -> SafeString:
        return format_json(entry.before) if entry.before is not None else format_html("{}", "–")

    @admin.display(description="after")
    def is_now(self, entry: AuditEntry) -> SafeString:
        return format_json(entry.after) if entry.after is not None else format_html("{}", "–")

    @admin.action(permissions=["operate"], description="Export as CSV")
    def export(self, request: HttpRequest, chosen: QuerySet[AuditEntry]) -> StreamingHttpResponse:  # noqa: ARG002
        """Export the selected entries as CSV."""
        answer = StreamingHttpResponse(iterate_csv(chosen), content_type="text/csv; charset=utf-8")
        answer.headers["Content-Disposition"] = 'attachment; filename="audit.csv"'
        return answer
