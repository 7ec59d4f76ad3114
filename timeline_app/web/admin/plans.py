"""Plans."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from timeline_app.web.admin.base import Owned, Use, pretty, staff
from timeline_app.web.models import Plan
from timeline_app.web.services.plans import plan_delete, plan_stop


@admin.register(Plan)
class PlanAdmin(Owned):
    """Plans: whose, whether they run, and which nodes they use."""

    list_display = ("name", "owner", "running", "placement", "version", "used", "updated_at")
    list_filter = ("running", "placement", "owner")
    search_fields = ("name", "owner__username")
    list_select_related = ("owner", "team")
    actions = ("stop", "transfer", "remove")
    inlines = (Use,)
    fields = ("name", "owner", "running", "placement", "version", "drawn", "runs", "created_at", "updated_at")

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

    @admin.action(permissions=["operate"], description="Stop")
    def stop(self, request: HttpRequest, chosen: QuerySet[Plan]) -> None:
        """Stop the chosen plans."""
        plans = list(chosen)
        for plan in plans:
            plan_stop(plan=plan, user=staff(request))
        self.message_user(request, f"{len(plans)} plans are stopped.", messages.SUCCESS)

    @admin.action(permissions=["operate"], description="Stop and delete")
    def remove(self, request: HttpRequest, chosen: QuerySet[Plan]) -> None:
        """Stop and forget the chosen plans."""
        plans = list(chosen)
        for plan in plans:
            plan_delete(plan=plan, user=staff(request))
        self.message_user(request, f"{len(plans)} plans are deleted.", messages.SUCCESS)
