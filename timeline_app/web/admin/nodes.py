"""Nodes and their queries."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from timeline_app.web.admin.base import Owned, ReadOnly, Use, pretty, readable, staff
from timeline_app.web.models import Node, Query
from timeline_app.web.services.node_acts import node_restart, node_stop, query_restart

RESTARTED = "tried again within seconds."


class HasError(admin.SimpleListFilter):
    """Those of which Spark says that something is wrong."""

    title, parameter_name = "error", "error"

    def lookups(self, *_: Any) -> list[tuple[str, str]]:
        """Both."""
        return [("yes", "has one"), ("no", "has none")]

    def queryset(self, _request: HttpRequest, found: QuerySet[Node]) -> QuerySet[Node]:
        """Those with, or without."""
        if self.value() == "yes":
            return found.exclude(query__error="")
        return found.filter(query__error="") if self.value() == "no" else found


@admin.register(Node)
class NodeAdmin(Owned):
    """Nodes: digest, owner, how they run, who uses them."""

    list_display = (
        "short",
        "operator",
        "kind",
        "belongs",
        "status",
        "wanted",
        "query_id",
        "progressed",
        "restarts",
        "error",
        "used_by",
        "final",
        "events",
    )
    list_filter = ("query__observed", "query__desired", HasError, "operator", "kind", "owner", "team")
    search_fields = (
        "digest",
        "operator",
        "owner__username",
        "team__name",
        "query__spark_query_id",
        "plans__name",
        "uses__name",
    )
    list_select_related = ("owner", "team", "query")
    actions = ("restart", "stop", "transfer")
    inlines = (Use,)
    fields = (
        "digest",
        "operator",
        "kind",
        "belongs",
        "status",
        "query",
        "query_id",
        "error",
        "used_by",
        "final",
        "seen",
        "version",
        "events",
        "late",
        "too_late",
        "duplicates",
        "conflicts",
        "revisions",
        "created_at",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Node]:
        """Nodes with the plans that use them."""
        found: QuerySet[Node] = (
            super().get_queryset(request).prefetch_related("uses__plan__owner", "uses__plan__team")
        )
        return found

    @admin.display(description="digest", ordering="digest")
    def short(self, node: Node) -> str:
        """Enough of the digest to tell it."""
        return node.digest[:12]

    @admin.display(ordering="query__observed")
    def status(self, node: Node) -> str:
        """What is going on."""
        return node.query.words

    @admin.display(description="query id", ordering="query__spark_query_id")
    def query_id(self, node: Node) -> str:
        """Spark's id of the query."""
        return node.query.spark_query_id or "–"

    @admin.display(description="last error")
    def error(self, node: Node) -> str:
        """The last error, shortened."""
        return node.query.error[:200] or "–"

    @admin.display(description="used by")
    def used_by(self, node: Node) -> str:
        """The plans that use it."""
        plans = {f"{use.plan.name} ({use.plan.owner_name})" for use in node.uses.all()}
        return ", ".join(sorted(plans)) or "nobody"

    @admin.display(description="final until", ordering="final_until")
    def final(self, node: Node) -> str:
        """Until when its timelines are final."""
        return readable(node.final_until)

    @admin.display(description="sources")
    def seen(self, node: Node) -> str:
        """How far each source has come."""
        return ", ".join(f"{name}: {readable(until)}" for name, until in sorted(node.horizons.items())) or "–"

    @admin.display(description="wanted / seen", ordering="query__desired")
    def wanted(self, node: Node) -> str:
        """What people want of its query, and what was seen of it."""
        return f"{node.query.desired} / {node.query.observed}"

    @admin.display(description="last progress", ordering="query__last_progress_at")
    def progressed(self, node: Node) -> datetime | None:
        """When its query last got on."""
        return node.query.last_progress_at

    @admin.display(ordering="query__restarts")
    def restarts(self, node: Node) -> int:
        """How much of the restart budget is used."""
        return node.query.restarts

    @admin.action(permissions=["operate"], description="Restart…")
    def restart(self, request: HttpRequest, chosen: QuerySet[Node]) -> HttpResponse | None:
        """Ask why, then start them again."""
        user, words = (
            staff(request),
            "Their queries are started again, with the whole restart budget. Nothing is lost.",
        )
        return self.why(
            request, chosen, "Restart nodes", words, lambda one: node_restart(node=one, user=user), RESTARTED
        )

    @admin.action(permissions=["operate"], description="Stop, with the plans that use it…")
    def stop(self, request: HttpRequest, chosen: QuerySet[Node]) -> HttpResponse | None:
        """Ask why, then stop them; one that plans of others use goes on."""
        user, words = (
            staff(request),
            "All plans that use them are stopped. Nothing is stopped under plans of others.",
        )
        return self.why(
            request, chosen, "Stop nodes", words, lambda one: node_stop(node=one, user=user), "stopped."
        )


@admin.register(Query)
class QueryAdmin(ReadOnly):
    """Spark queries: wanted, seen, and how they fare."""

    list_display = (
        "name",
        "desired",
        "observed",
        "words",
        "restarts",
        "events_per_second",
        "lag",
        "batch_ms",
        "position",
    )
    list_filter = ("desired", "observed")
    search_fields = ("name", "spark_query_id", "spark_run_id", "words", "error")
    actions = ("restart",)
    fields = (
        "name",
        "desired",
        "observed",
        "observed_since",
        "words",
        "error",
        "spark_query_id",
        "spark_run_id",
        "restarts",
        "retry_at",
        "healthy_since",
        "last_progress_at",
        "claimed_until",
        "looked_at",
        "events_per_second",
        "processed_per_second",
        "batch_ms",
        "lag",
        "backlog",
        "state_rows",
        "state_bytes",
        "position",
        "computes",
        "created_at",
    )

    @admin.display(description="program")
    def computes(self, query: Query) -> SafeString:
        """What it computes."""
        return pretty(query.program)

    @admin.action(permissions=["operate"], description="Restart…")
    def restart(self, request: HttpRequest, chosen: QuerySet[Query]) -> HttpResponse | None:
        """Ask why, then start them again."""
        user, words = (
            staff(request),
            "They are started again, with the whole restart budget. Nothing is lost.",
        )
        return self.why(
            request,
            chosen,
            "Restart queries",
            words,
            lambda one: query_restart(query=one, user=user),
            RESTARTED,
        )
