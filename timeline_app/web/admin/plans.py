"""Plans."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from timeline_app.web.admin.base import OWNER_FILTERS, OwnedAdmin, Use, format_json, get_staff_user
from timeline_app.web.models import Plan
from timeline_app.web.plans.services import delete_plan, run_plan, stop_plan


@admin.register(Plan)
class PlanAdmin(OwnedAdmin):
    """Plans: owners, state, and nodes."""

    list_display = ("name", "belongs", "running", "placement", "version", "used", "updated_at")
    list_filter = ("running", "placement", *OWNER_FILTERS)
    search_fields = ("name", "owner__username", "team__name")
    list_select_related = ("owner", "team")
    actions = ("run", "stop", "transfer", "remove")
    inlines = (Use,)
    fields = (
        "name",
        "belongs",
        "running",
        "placement",
        "version",
        "drawn",
        "runs",
        "created_at",
        "updated_at",
    )

    def view_on_site(self, plan: Plan) -> str:
        return f"/plans/{plan.pk}/"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Plan]:
        """Annotate the number of nodes."""
        queryset: QuerySet[Plan] = super().get_queryset(request).annotate(used_nodes=Count("uses"))
        return queryset

    @admin.display(description="nodes", ordering="used_nodes")
    def used(self, plan: Any) -> int:
        return int(plan.used_nodes)

    @admin.display(description="document")
    def drawn(self, plan: Plan) -> SafeString:
        return format_json(plan.document)

    @admin.display(description="runs as")
    def runs(self, plan: Plan) -> SafeString:
        return format_json(plan.running_document)

    @admin.action(permissions=["operate"], description="Run the draft as it is saved…")
    def run(self, request: HttpRequest, chosen: QuerySet[Plan]) -> HttpResponse | None:
        """Ask for a reason, then run the plans with their last placement."""
        user, words = (
            get_staff_user(request),
            "The drafts run as they are saved now. One that has problems does not run.",
        )
        return self.why(
            request, chosen, "Run", words,
            lambda plan: run_plan(plan=plan, user=user, placement=plan.placement), "running now.",
        )  # fmt: skip

    @admin.action(permissions=["operate"], description="Stop…")
    def stop(self, request: HttpRequest, chosen: QuerySet[Plan]) -> HttpResponse | None:
        """Ask for a reason, then stop the plans."""
        user, words = get_staff_user(request), "They leave their nodes. A node that no other plan uses stops."
        return self.why(
            request, chosen, "Stop", words, lambda plan: stop_plan(plan=plan, user=user), "stopped."
        )

    @admin.action(permissions=["own"], description="Stop and delete…")
    def remove(self, request: HttpRequest, chosen: QuerySet[Plan]) -> HttpResponse | None:
        """Ask for a reason, then stop and delete the plans."""
        user, words = (
            get_staff_user(request),
            "They are stopped and deleted, with their drafts, versions and tests. That is for ever.",
        )
        return self.why(
            request, chosen, "Delete", words, lambda plan: delete_plan(plan=plan, user=user), "deleted."
        )
