"""Reading dashboards, and the current sources of their charts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from timeline_app.operators import operators
from timeline_app.web.core.errors import Missing
from timeline_app.web.core.permissions import (
    NONE,
    Rights,
    compute_rights,
    compute_rights_on,
    format_rights,
    select_readable,
)
from timeline_app.web.models import Dashboard, Node, Plan, PlanNode
from timeline_app.web.models.versions import DashboardVersion
from timeline_app.web.nodes.displays import Display, DisplayKey, select_displays
from timeline_app.web.nodes.renaming import is_drawn, trace_names
from timeline_app.web.nodes.selectors import describe_status, find_stop_time
from timeline_app.web.plans.checks import compute_digests
from timeline_app.web.streams.granted_streams import load_visible_streams_by_plan

Document = dict[str, Any]


def select_dashboards(user: User) -> QuerySet[Dashboard]:
    """Select the dashboards that somebody may read, the last changed first."""
    return select_readable(Dashboard.objects.select_related("owner", "team"), user)


def get_dashboard(number: int, user: User) -> Dashboard:
    """Return the dashboard of this number, if this user may read it."""
    dashboard = select_dashboards(user).filter(pk=number).first()
    if dashboard is None:
        raise Missing(
            "There is no dashboard of this number that you may look at; it may have been deleted.",
            code="unknown_dashboard",
        )
    return dashboard


def describe_dashboard(dashboard: Dashboard, user: User, version: int | None = None) -> Document:
    """Return a dashboard in its wire type; with a version, as it was saved then."""
    return _describe_version(dashboard, compute_rights_on(user, dashboard), version)


def _describe_version(dashboard: Dashboard, rights: Rights, version: int | None = None) -> Document:
    described: Dashboard | DashboardVersion = dashboard
    if version is not None and version != dashboard.version:
        kept = DashboardVersion.objects.filter(dashboard=dashboard, version=version).first()
        if kept is None:
            raise Missing(
                f"This dashboard never had a version {version}; its newest is {dashboard.version}.",
                code="unknown_version",
            )
        described = kept
    return {
        "id": dashboard.pk,
        "name": described.name,
        **dashboard.owner_told(),
        "rights": format_rights(rights),
        "open_to_all": dashboard.open_to_all,
        "document": described.document,
        "version": described.version,
        "newest": dashboard.version,
        "updated_at": dashboard.updated_at.isoformat(),
    }


def summarize_dashboards(dashboards: Iterable[Dashboard], user: User) -> list[Document]:
    """Return dashboards for a list."""
    chosen = list(dashboards)
    rights = compute_rights(user, chosen)
    return [_summarize_dashboard(dashboard, rights.get(dashboard.pk, NONE)) for dashboard in chosen]


def _summarize_dashboard(dashboard: Dashboard, rights: Rights) -> Document:
    summary = _describe_version(dashboard, rights)
    charts = summary.pop("document")["charts"]
    return summary | {"charts": len(charts)}


def describe_version(version: DashboardVersion) -> Document:
    """Return who saved what."""
    return {
        "version": version.version,
        "name": version.name,
        "saved_by": version.saved_by.get_username() if version.saved_by else None,
        "saved_at": version.saved_at.isoformat(),
    }


def resolve_chart_sources(charts: Sequence[Document], user: User) -> list[Document]:
    """Return the running node of each chart (plan, node, and last digest), or why there is none."""
    plans = select_readable(Plan.objects.all(), user).in_bulk({chart["plan"] for chart in charts})
    uses = PlanNode.objects.filter(plan__in=plans).exclude(name="").select_related("node__query")
    running = {(use.plan_id, use.name): use for use in uses.order_by("-pk")}
    drawn = compute_draft_digests(
        [chart for chart in charts if (chart["plan"], chart["node"]) not in running], plans, user
    )
    charts_with_digest = [
        chart | {"digest": chart.get("digest") or drawn.get(chart["plan"], {}).get(chart["node"])}
        for chart in charts
    ]
    digests = {chart["digest"] for chart in charts_with_digest if chart["digest"]}
    known = select_readable(Node.objects.select_related("query"), user).in_bulk(digests, field_name="digest")
    renamings = cache(lambda number, name: trace_names(plans[number], name))
    sources = [
        _resolve_source(
            chart,
            ChartPlan(plans.get(chart["plan"]), running, drawn.get(chart["plan"], {}), renamings),
            known,
        )
        for chart in charts_with_digest
    ]
    return _add_displays(sources, plans)


def _add_displays(sources: Sequence[Document], plans: Mapping[int, Plan]) -> list[Document]:
    """Add the display options under the present name of each node."""
    keys = [(source["plan"], source["now"] or source["node"]) for source in sources]
    displays: Mapping[DisplayKey, Display] = select_displays(
        (plans[plan], node) for plan, node in keys if plan in plans
    )
    return [source | {"display": displays.get(key, {})} for source, key in zip(sources, keys, strict=True)]


@dataclass(frozen=True, slots=True)
class ChartPlan:
    """The plan of a chart, the running nodes of all plans, the digests of its draft, and a function for renames.

    The function takes the number of a plan and the former name of a node, and returns its later names.
    """

    plan: Plan | None
    running: Mapping[tuple[int, str], PlanNode]
    drawn: Mapping[str, str]
    renamings: Callable[[int, str], list[str]]


def compute_draft_digests(
    charts: Sequence[Document], plans: Mapping[int, Plan], user: User
) -> dict[int, Mapping[str, str]]:
    """Return digests by name of stopped plans' drafts, for charts without a usable digest."""
    stopped = {number: plan for number, plan in plans.items() if not plan.running}
    drafts = [chart for chart in charts if chart["plan"] in stopped]
    numbers = {
        chart["plan"]
        for chart in drafts
        if not (chart.get("digest") and is_drawn(stopped[chart["plan"]].document, chart["node"]))
    }
    drawn = [stopped[number] for number in numbers]
    known = load_visible_streams_by_plan(drawn, user) if drawn else []
    digests = compute_digests(zip((plan.document for plan in drawn), known, strict=True), user)
    return {plan.pk: digests for plan, digests in zip(drawn, digests, strict=True)}


def _resolve_source(chart: Document, known_charts: ChartPlan, known: Mapping[str, Node]) -> Document:
    """Return the source of one chart."""
    name, plan = chart["node"], known_charts.plan
    use, called = _find_running_node(chart, known_charts)
    before = known.get(chart.get("digest") or "")
    state = "running" if use else describe_stopped(plan, called)
    now = called if called != name else None
    node = use.node if use else before
    source = {"plan": chart["plan"], "node": name, "plan_name": plan.name if plan else None, "state": state}
    source["grouped"] = is_grouped(plan.document if plan else {}, called, node.operator if node else "")
    seen = {} if node is None else {"digest": node.digest, "kind": node.kind, "operator": node.operator}
    words = describe_status(node) if use and node else {"observed": None, "words": None, "error": None}
    empty = {"digest": None, "kind": None, "operator": None}
    ended = {"stopped_at": find_stop_time(node) if node else None}
    return (
        source
        | empty
        | seen
        | ended
        | {word: words[word] for word in ("observed", "words", "error")}
        | {"now": now}
    )


def is_grouped(document: Document, name: str, operator: str) -> bool:
    """Return whether the keys of a node are groups: it, or a node that it reads, works across keys.

    For a node that its plan no longer has, only the operator is known.
    """
    nodes, seen, left = document.get("nodes", {}), set[str](), [name]
    if _is_across_keys(operator):
        return True
    while left:
        node = nodes.get(left.pop(), {})
        if _is_across_keys(node.get("op", "")):
            return True
        for read in node.get("inputs", {}).values():
            below = {read} if isinstance(read, str) else set(read)
            left += below - seen
            seen |= below
    return False


def _is_across_keys(operator: str) -> bool:
    known = operators().get(operator)
    return known is not None and known.across_keys is not None


def _find_running_node(chart: Document, known_charts: ChartPlan) -> tuple[PlanNode | None, str]:
    """Return the running node and its present name: by name, by digest, else by its renames."""
    name, plan = chart["node"], known_charts.plan
    use = known_charts.running.get((chart["plan"], name)) or find_current_name(
        chart, plan, known_charts.running
    )
    if use:
        return use, use.name
    called = _name_of(chart, known_charts.drawn)
    if plan is None or is_drawn(plan.document, called):
        return None, called
    names = known_charts.renamings(plan.pk, name)
    use = next(
        (
            known_charts.running[plan.pk, old_name]
            for old_name in names
            if (plan.pk, old_name) in known_charts.running
        ),
        None,
    )
    return use, use.name if use else next(iter(names), called)


def find_current_name(
    chart: Document, plan: Plan | None, running: Mapping[tuple[int, str], PlanNode]
) -> PlanNode | None:
    """Return the same node under another name of its plan; of several, the first in alphabetical order."""
    if plan is None or not chart.get("digest"):
        return None
    uses = [use for (number, _), use in running.items() if number == plan.pk]
    same = (use for use in uses if use.node.digest == chart["digest"])
    return min(same, key=lambda use: use.name, default=None)


def _name_of(chart: Document, drawn: Mapping[str, str]) -> str:
    """Return a node's name in a draft: the same, else that of an equal computation."""
    name: str = chart["node"]
    same = sorted(other for other, digest in drawn.items() if digest == chart.get("digest"))
    return name if name in drawn or not same else same[0]


def describe_stopped(plan: Plan | None, name: str) -> str:
    """Return why nothing of this name runs."""
    if plan is None:
        return "deleted"
    if not is_drawn(plan.document, name):
        return "gone"
    return "not_run" if plan.running else "stopped"
