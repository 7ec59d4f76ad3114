"""Plans."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from timeline_app.web.admin.base import OWNERS, OwnedAdmin, Use, pretty, staff
from timeline_app.web.models import Plan
from timeline_app.web.plans.services import delete_plan, run_plan, stop_plan


@admin.register(Plan)
class PlanAdmin(OwnedAdmin):
    """Plans: whose, whether they run, and which nodes they use."""

    list_display = ("name", "belongs", "running", "placement", "version", "used", "updated_at")
    list_filter = ("running", "placement", *OWNERS)
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
        """Its own page."""
        return f"/plans/{plan.pk}/"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Plan]:
        """Plans with the number of nodes that they use."""
        found: QuerySet[Plan] = super().get_queryset(request).annotate(used_nodes=Count("uses"))
        return found

    @admin.display(description="nodes", ordering="used_nodes")
    def used(self, plan: Any) -> int:
        """How many nodes it uses."""
        return int(plan.used_nodes)

    @admin.display(description="document")
    def drawn(self, plan: Plan) -> SafeString:
        """The draft."""
        return pretty(plan.document)

    @admin.display(description="runs as")
    def runs(self, plan: Plan) -> SafeString:
        """The document that runs."""
        return pretty(plan.running_document)

    @admin.action(permissions=["operate"], description="Run the draft as it is saved…")
    def run(self, request: HttpRequest, chosen: QuerySet[Plan]) -> HttpResponse | None:
        """Ask why, then run them, placed as they were last."""
        user, words = (
            staff(request),
            "The drafts run as they are saved now. One that has problems does not run.",
        )
        return self.why(
            request, chosen, "Run", words,
            lambda one: run_plan(plan=one, user=user, placement=one.placement), "running now.",
        )  # fmt: skip

    @admin.action(permissions=["operate"], description="Stop…")
    def stop(self, request: HttpRequest, chosen: QuerySet[Plan]) -> HttpResponse | None:
        """Ask why, then stop them."""
        user, words = staff(request), "They leave their nodes. A node that no other plan uses stops."
        return self.why(
            request, chosen, "Stop", words, lambda one: stop_plan(plan=one, user=user), "stopped."
        )

    @admin.action(permissions=["own"], description="Stop and delete…")
    def remove(self, request: HttpRequest, chosen: QuerySet[Plan]) -> HttpResponse | None:
        """Ask why, then stop and forget them."""
        user, words = (
            staff(request),
            "They are stopped and deleted, with their drafts, versions and tests. That is for ever.",
        )
        return self.why(
            request, chosen, "Delete", words, lambda one: delete_plan(plan=one, user=user), "deleted."
        )
