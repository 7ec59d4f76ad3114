"""Reading dashboards, and what their charts show now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from timeline_app.web.errors import Missing
from timeline_app.web.models import Dashboard, DashboardVersion, Node, Plan, PlanNode
from timeline_app.web.selectors.nodes import status_words

Document = dict[str, Any]


def dashboards() -> QuerySet[Dashboard]:
    """All dashboards, the one that was changed last first."""
    return Dashboard.objects.select_related("owner")


def dashboard_of(number: int) -> Dashboard:
    """The dashboard of this number."""
    found = dashboards().filter(pk=number).first()
    if found is None:
        raise Missing(
            "There is no dashboard of this number; it may have been deleted.", code="unknown_dashboard"
        )
    return found


def dashboard_document(dashboard: Dashboard, version: int | None = None) -> Document:
    """A dashboard as it goes over the wire; as it was saved then, where a version is given."""
    shown: Dashboard | DashboardVersion = dashboard
    if version is not None and version != dashboard.version:
        kept = DashboardVersion.objects.filter(dashboard=dashboard, version=version).first()
        if kept is None:
            raise Missing(
                f"This dashboard never had a version {version}; its newest is {dashboard.version}.",
                code="unknown_version",
            )
        shown = kept
    return {
        "id": dashboard.pk,
        "name": shown.name,
        "owner": dashboard.owner.get_username(),
        "document": shown.document,
        "version": shown.version,
        "newest": dashboard.version,
        "updated_at": dashboard.updated_at.isoformat(),
    }


def summary(dashboard: Dashboard) -> Document:
    """A dashboard as a list shows it."""
    told = dashboard_document(dashboard)
    charts = told.pop("document")["charts"]
    return told | {"charts": len(charts)}


def versions(dashboard: Dashboard) -> list[Document]:
    """All versions, the newest first."""
    found = dashboard.versions.select_related("saved_by").defer("document")
    return [
        {
            "version": one.version,
            "name": one.name,
            "saved_by": one.saved_by.get_username() if one.saved_by else None,
            "saved_at": one.saved_at.isoformat(),
        }
        for one in found
    ]


def sources(wanted: Sequence[Document]) -> list[Document]:
    """What runs of what charts refer to (plan, node, and the digest that was seen last), or why nothing does."""
    plans = Plan.objects.in_bulk({one["plan"] for one in wanted})
    uses = PlanNode.objects.filter(plan__in=plans).exclude(name="").select_related("node__query")
    running = {(use.plan_id, use.name): use for use in uses.order_by("-pk")}
    digests = {one["digest"] for one in wanted if one.get("digest")}
    known = Node.objects.select_related("query").in_bulk(digests, field_name="digest")
    return [source(one, plans.get(one["plan"]), running, known) for one in wanted]


def source(
    wanted: Document,
    plan: Plan | None,
    running: dict[tuple[int, str], PlanNode],
    known: dict[str, Node],
) -> Document:
    """What one chart refers to."""
    name = wanted["node"]
    use = running.get((wanted["plan"], name))
    before = known.get(wanted.get("digest") or "")
    state, now = ("running", None) if use else why_not(wanted, plan, running)
    node = use.node if use else before
    told = {"plan": wanted["plan"], "node": name, "plan_name": plan.name if plan else None, "state": state}
    seen = {} if node is None else {"digest": node.digest, "kind": node.kind, "operator": node.operator}
    words = status_words(node) if use and node else {"observed": None, "words": None, "error": None}
    empty = {"digest": None, "kind": None, "operator": None}
    return told | empty | seen | {one: words[one] for one in ("observed", "words", "error")} | {"now": now}


def why_not(
    wanted: Document, plan: Plan | None, running: dict[tuple[int, str], PlanNode]
) -> tuple[str, str | None]:
    """Why nothing of this name runs, and under which name the same node runs now, if it does."""
    if plan is None:
        return "deleted", None
    others = sorted(
        name
        for (number, name), use in running.items()
        if number == plan.pk and use.node.digest == wanted.get("digest")
    )
    if others:
        return "renamed", others[0]
    drawn = plan.document.get("nodes")
    if not isinstance(drawn, dict) or wanted["node"] not in drawn:
        return "gone", None
    return ("not_run" if plan.running else "stopped"), None
