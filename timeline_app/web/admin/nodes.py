"""Nodes and their queries."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from timeline_app.web.admin.base import Owned, ReadOnly, Use, pretty, readable, staff
from timeline_app.web.models import Node, Query
from timeline_app.web.services.node_acts import query_restart


@admin.register(Node)
class NodeAdmin(Owned):
    """Nodes: digest, owner, how they run, who uses them."""

    list_display = (
        "short",
        "operator",
        "kind",
        "owner",
        "status",
        "query_id",
        "error",
        "used_by",
        "final",
        "events",
    )
    list_filter = ("query__observed", "query__desired", "operator", "kind", "owner")
    search_fields = (
        "digest",
        "operator",
        "owner__username",
        "query__spark_query_id",
        "plans__name",
        "uses__name",
    )
    list_select_related = ("owner", "team", "query")
    actions = ("restart", "transfer")
    inlines = (Use,)
    fields = (
        "digest",
        "operator",
        "kind",
        "owner",
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

    @admin.action(permissions=["operate"], description="Restart: try again now, with the whole budget")
    def restart(self, request: HttpRequest, chosen: QuerySet[Node]) -> None:
        """Try again now."""
        queries = Query.objects.filter(nodes__in=chosen).distinct()
        for query in queries:
            query_restart(query=query, user=staff(request))
        self.message_user(
            request, f"{len(queries)} queries are tried again within seconds.", messages.SUCCESS
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

    @admin.action(permissions=["operate"], description="Restart: try again now, with the whole budget")
    def restart(self, request: HttpRequest, chosen: QuerySet[Query]) -> None:
        """Try again now."""
        for query in chosen:
            query_restart(query=query, user=staff(request))
        self.message_user(request, f"{len(chosen)} queries are tried again within seconds.", messages.SUCCESS)
