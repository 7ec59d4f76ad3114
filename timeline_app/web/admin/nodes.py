"""Nodes and their queries."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from timeline_app.web.admin.base import (
    OWNER_FILTERS,
    OwnedAdmin,
    ReadOnly,
    format_json,
    format_micros,
    format_moment,
    get_staff_user,
    make_titled_filter,
)
from timeline_app.web.models import Node, Query
from timeline_app.web.nodes.actions import restart_node, restart_query, stop_node
from timeline_app.web.nodes.selectors import describe_status

RESTARTED_MESSAGE = "tried again within seconds."


class HasError(admin.SimpleListFilter):
    """Filter by whether Spark or the supervisor reports an error."""

    title, parameter_name = "error", "error"

    def lookups(self, *_: Any) -> list[tuple[str, str]]:
        return [("yes", "has one"), ("no", "has none")]

    def queryset(self, _request: HttpRequest, queryset: QuerySet[Node]) -> QuerySet[Node]:
        if self.value() == "yes":
            return queryset.exclude(query__error="")
        return queryset.filter(query__error="") if self.value() == "no" else queryset


@admin.register(Node)
class NodeAdmin(OwnedAdmin):
    """Nodes: digest, owner, state and users."""

    list_display = ("summary", "belongs", "used_by", "state", "spark", "restarts", "failed")
    list_filter = (
        ("query__observed", make_titled_filter("what is seen")),
        ("query__desired", make_titled_filter("what is wanted")),
        HasError,
        "operator",
        "kind",
        *OWNER_FILTERS,
    )
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
    ordering = ("-created_at", "-pk")
    actions = ("restart", "stop", "transfer")
    fields = (
        "digest",
        "operator",
        "kind",
        "belongs",
        "status",
        "wanted",
        "query",
        "query_id",
        "progressed",
        "restarts",
        "error",
        "used_by",
        "final",
        "seen",
        "version",
        "counters",
        "created_at",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Node]:
        """Prefetch the plans that use them."""
        queryset: QuerySet[Node] = (
            super().get_queryset(request).prefetch_related("uses__plan__owner", "uses__plan__team")
        )
        return queryset

    def view_on_site(self, node: Node) -> str:
        return f"/nodes/{node.digest}/"

    @admin.display(description="node", ordering="operator")
    def summary(self, node: Node) -> SafeString:
        """Return the operator, and enough of the digest to identify it."""
        words = '{} <span class="aside">{} · <code>{}</code></span>'
        return format_html(words, node.operator, node.kind, node.digest[:12])

    @admin.display(ordering="query__observed")
    def status(self, node: Node) -> str:
        return str(describe_status(node)["words"])

    @admin.display(description="state", ordering="query__observed")
    def state(self, node: Node) -> SafeString:
        """Return the description, the desired and the actual state."""
        words = '{} <span class="aside">wanted {}, seen {}</span>'
        return format_html(words, self.status(node), node.query.desired, node.query.observed)

    @admin.display(description="query id", ordering="query__spark_query_id")
    def query_id(self, node: Node) -> str:
        return node.query.spark_query_id or "–"

    @admin.display(description="query, last progress", ordering="query__last_progress_at")
    def spark(self, node: Node) -> SafeString:
        """Return Spark's id of the query, its last progress, and the final time."""
        at = node.query.last_progress_at
        got_on = "no progress yet" if at is None else format_moment(at)
        final = "" if node.final_until is None else f"final until {format_micros(node.final_until)}"
        words = '<code>{}</code> <span class="aside">{}</span><span class="aside">{}</span>'
        return format_html(words, node.query.spark_query_id or "none", got_on, final)

    @admin.display(description="last error")
    def error(self, node: Node) -> str:
        return node.failure or node.query.error or "–"

    @admin.display(description="last error")
    def failed(self, node: Node) -> SafeString:
        """Return the beginning of the error; all of it on hover."""
        error = node.failure or node.query.error
        return format_html('<span class="error-words" title="{}">{}</span>', error, error[:200] or "–")

    @admin.display(description="used by")
    def used_by(self, node: Node) -> SafeString:
        """Return the plans that use it, under which name, and their owners."""
        uses = sorted(
            {(use.plan.name, use.plan_id, use.plan.owner_name, use.name) for use in node.uses.all()}
        )
        rows = (
            (f"/plans/{number}/", plan, owner, f" as {name}" if name else "")
            for plan, number, owner, name in uses
        )
        text = format_html_join("", '<li><a href="{}">{}</a> of {}{}</li>', rows)
        return format_html('<ul class="users">{}</ul>', text) if text else format_html("{}", "nobody")

    def named(self, thing: Node) -> str:
        """Return its names in plans, which distinguish nodes of one operator."""
        names = sorted({f"{use.name} in “{use.plan.name}”" for use in thing.uses.all() if use.name})
        return f"{thing}, {', '.join(names)}" if names else str(thing)

    @admin.display(description="counted")
    def counters(self, node: Node) -> str:
        names = ("events", "late", "too_late", "duplicates", "conflicts", "revisions")
        return ", ".join(f"{getattr(node, name):,} {name.replace('_', ' ')}" for name in names)

    @admin.display(description="final until", ordering="final_until")
    def final(self, node: Node) -> str:
        return format_micros(node.final_until)

    @admin.display(description="sources")
    def seen(self, node: Node) -> str:
        """Return how far each source has come."""
        return (
            ", ".join(f"{name}: {format_micros(until)}" for name, until in sorted(node.horizons.items()))
            or "–"
        )

    @admin.display(description="wanted / seen", ordering="query__desired")
    def wanted(self, node: Node) -> str:
        """Return the desired and the actual state."""
        return f"{node.query.desired} / {node.query.observed}"

    @admin.display(description="last progress", ordering="query__last_progress_at")
    def progressed(self, node: Node) -> str:
        return format_moment(node.query.last_progress_at)

    @admin.display(ordering="query__restarts")
    def restarts(self, node: Node) -> int:
        return node.query.restarts

    @admin.action(permissions=["operate"], description="Restart…")
    def restart(self, request: HttpRequest, chosen: QuerySet[Node]) -> HttpResponse | None:
        """Ask for a reason, then restart the nodes."""
        user, words = (
            get_staff_user(request),
            "Their queries are started again, with the whole restart budget. Nothing is lost.",
        )
        return self.why(
            request,
            chosen,
            "Restart",
            words,
            lambda node: restart_node(node=node, user=user),
            RESTARTED_MESSAGE,
        )

    @admin.action(permissions=["operate"], description="Stop, with the plans that use it…")
    def stop(self, request: HttpRequest, chosen: QuerySet[Node]) -> HttpResponse | None:
        """Ask for a reason, then stop the nodes; one that other people's plans use goes on."""
        user, words = (
            get_staff_user(request),
            "All plans that use them are stopped. Nothing is stopped under plans of others.",
        )
        return self.why(
            request, chosen, "Stop", words, lambda node: stop_node(node=node, user=user), "stopped."
        )


@admin.register(Query)
class QueryAdmin(ReadOnly):
    """Spark queries: desired and actual state, and statistics."""

    list_display = ("short", "state", "words", "restarts", "speed", "lag", "last_progress_at", "failed")
    list_filter = (
        ("observed", make_titled_filter("what is seen")),
        ("desired", make_titled_filter("what is wanted")),
    )
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

    @admin.display(description="query", ordering="name")
    def short(self, query: Query) -> SafeString:
        """Return enough of the name to identify it."""
        return format_html('<code title="{}">{}</code>', query.name, str(query))

    @admin.display(description="wanted / seen", ordering="observed")
    def state(self, query: Query) -> str:
        """Return the desired and the actual state."""
        return f"{query.desired} / {query.observed}"

    @admin.display(description="speed", ordering="events_per_second")
    def speed(self, query: Query) -> str:
        """Return how fast it reads, and how long a batch takes."""
        return f"{query.events_per_second:.1f} events/s, {query.batch_ms} ms a batch"

    @admin.display(description="last error")
    def failed(self, query: Query) -> SafeString:
        """Return the beginning of the error; all of it on hover."""
        return format_html(
            '<span class="error-words" title="{}">{}</span>', query.error, query.error[:200] or "–"
        )

    @admin.display(description="program")
    def computes(self, query: Query) -> SafeString:
        return format_json(query.program)

    @admin.action(permissions=["operate"], description="Restart…")
    def restart(self, request: HttpRequest, chosen: QuerySet[Query]) -> HttpResponse | None:
        """Ask for a reason, then restart the queries."""
        user, words = (
            get_staff_user(request),
            "They are started again, with the whole restart budget. Nothing is lost.",
        )
        return self.why(
            request,
            chosen,
            "Restart",
            words,
            lambda query: restart_query(query=query, user=user),
            RESTARTED_MESSAGE,
        )
