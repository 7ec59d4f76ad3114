"""One search over plans, nodes, streams and dashboards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, Count, Exists, Model, OuterRef, Prefetch, Q, QuerySet, Value, When

from timeline_app.operators import get_title
from timeline_app.web.core.permissions import select_readable
from timeline_app.web.core.search import TROUBLED, build_word_condition, find_rule
from timeline_app.web.core.search_query import NAME, Word, parse_words
from timeline_app.web.models import Dashboard, Node, Plan, PlanNode, Stream
from timeline_app.web.models.alerts import Alert, Incident
from timeline_app.web.models.people import Owned
from timeline_app.web.nodes.selectors import describe_status, match_state

Document = dict[str, Any]
KINDS: dict[str, type[Model]] = {
    "plan": Plan, "node": Node, "stream": Stream, "dashboard": Dashboard,
    "alert": Alert, "incident": Incident,
}  # fmt: skip
TROUBLE_WORDS = {"failed": "failed", "retrying": "is tried again"}


def search(text: str, user: User, *, kind: str | None, limit: int) -> Document:
    """Return the best few of each kind, and the kinds with more results; a constant number of queries."""
    words = parse_words(text)
    results: list[Document] = []
    more: list[str] = []
    for name in [kind] if kind else KINDS:
        if any(find_rule(KINDS[name], word) is None for word in words):
            continue
        rows, tell = SEARCHES[name](words, user)
        chosen = list(rows[: limit + 1])
        more += [name] * (len(chosen) > limit)
        results += [{"kind": name, **tell(row), **get_owned(row).owner_told()} for row in chosen[:limit]]
    return {"results": results, "more": more}


def get_owned(row: Any) -> Owned:
    """Return what has the owner: an incident belongs to its alert."""
    owned: Owned = row.alert if isinstance(row, Incident) else row
    return owned


def select_matching(queryset: QuerySet[Any], words: Sequence[Word], user: User) -> QuerySet[Any]:
    """Select the matching rows that somebody may read."""
    model = queryset.model
    fit = queryset.filter(*(build_word_condition(model, word, user) for word in words))
    return select_readable(fit.select_related("owner", "team"), user)


def order_by_name(queryset: QuerySet[Any], words: Sequence[Word], newest: str) -> QuerySet[Any]:
    """Order by closeness: equal names first, then names with this start, then the rest, newest first."""
    word = next((word.value for word in words if word.field == NAME and not word.no), None)
    if word is None:
        return queryset.order_by(newest, "-pk")
    closeness = Case(
        When(name__iexact=word, then=Value(0)), When(name__istartswith=word, then=Value(1)), default=2
    )
    return queryset.order_by(closeness, newest, "-pk")


Tell = Callable[[Any], Document]


def list_plans(words: Sequence[Word], user: User) -> tuple[QuerySet[Plan], Tell]:
    """Return plans without their documents, with the worst observed state of their nodes."""
    plans = Plan.objects.defer("document", "running_document")
    running = PlanNode.objects.filter(plan=OuterRef("pk"), plan__running=True).order_by()
    for state in TROUBLED:
        plans = plans.annotate(**{state.value: Exists(running.filter(match_state(state, "node__")))})
    return order_by_name(select_matching(plans, words, user), words, "-updated_at"), describe_plan_match


def describe_plan_match(plan: Plan) -> Document:
    """Return a plan with its state; a running plan that fails is failing."""
    trouble = next((state.value for state in TROUBLED if getattr(plan, state.value)), None)
    state = trouble or ("running" if plan.running else "stopped")
    words = f"running, a node {TROUBLE_WORDS[trouble]}" if trouble else state
    return {"id": str(plan.pk), "name": plan.name, "state": state, "words": words}


def list_streams(words: Sequence[Word], user: User) -> tuple[QuerySet[Stream], Tell]:
    """Return streams without their declarations."""
    rows = order_by_name(
        select_matching(Stream.objects.defer("document", "seen_fields"), words, user), words, "-updated_at"
    )
    return rows, lambda stream: {
        "id": stream.name,
        "name": stream.name,
        "state": "",
        "words": f"{stream.events:,} event{'s' * (stream.events != 1)}",
    }


def list_dashboards(words: Sequence[Word], user: User) -> tuple[QuerySet[Dashboard], Tell]:
    """Return dashboards without their charts."""
    rows = order_by_name(
        select_matching(Dashboard.objects.defer("document"), words, user), words, "-updated_at"
    )
    return rows, lambda board: {
        "id": str(board.pk),
        "name": board.name,
        "state": "",
        "words": f"version {board.version}",
    }


def list_alerts(words: Sequence[Word], user: User) -> tuple[QuerySet[Alert], Tell]:
    """Return alerts with their numbers of firing incidents."""
    firing = Count("incidents", filter=Q(incidents__state=Incident.State.FIRING))
    alerts = Alert.objects.select_related("plan").annotate(firing=firing)
    return order_by_name(select_matching(alerts, words, user), words, "-updated_at"), describe_alert_match


def describe_alert_match(alert: Alert) -> Document:
    """Return an alert with its severity, and how many of its incidents fire."""
    firing = alert.firing if alert.enabled else 0  # type: ignore[attr-defined]  # annotated
    state = "disabled" if not alert.enabled else "firing" if firing else "quiet"
    words = (
        f"{alert.severity}, {alert.node_name} in {alert.plan.name}, {f'{firing} firing' if firing else state}"
    )
    return {"id": str(alert.pk), "name": alert.name, "state": state, "words": words}


def list_incidents(words: Sequence[Word], user: User) -> tuple[QuerySet[Incident], Tell]:
    """Return incidents that fire or are pending; the list of incidents searches all."""
    plans = select_readable(Plan.objects.order_by(), user).values("pk")
    alerts = select_readable(Alert.objects.order_by(), user).filter(plan__in=plans).values("pk")
    open_ones = Incident.objects.filter(
        *(build_word_condition(Incident, word, user) for word in words),
        state__in=(Incident.State.FIRING, Incident.State.PENDING),
        alert__in=alerts,
    )
    return open_ones.select_related("alert__owner", "alert__team"), lambda incident: {
        "id": str(incident.pk),
        "name": incident.key or "(empty key)",
        "state": incident.state,
        "words": f"{incident.state}, {incident.alert.name}",
    }


def list_nodes(words: Sequence[Word], user: User) -> tuple[QuerySet[Node], Tell]:
    """Return nodes with their names in plans that the user may read."""
    open_plans = select_readable(Plan.objects.order_by(), user).values("pk")
    uses = (
        PlanNode.objects.filter(plan__in=open_plans)
        .exclude(name="")
        .select_related("plan")
        .only("node", "name", "plan__name")
    )
    rows = select_matching(Node.objects.defer("program").select_related("query"), words, user)
    named = Prefetch("uses", uses.order_by("plan_id", "name"), to_attr="names")
    return rows.order_by("-created_at", "-pk").prefetch_related(named), describe_node_match


def describe_node_match(node: Node) -> Document:
    """Return a node by its first name, else by its operator's title."""
    uses: list[PlanNode] = getattr(node, "names", [])
    plans = list(dict.fromkeys(use.plan.name for use in uses))
    place_words = f" in {plans[0]}" if plans else ""
    more = f" and {len(plans) - 1} more" if len(plans) > 1 else ""
    status = describe_status(node)
    return {
        "id": node.digest,
        "name": uses[0].name if uses else get_title(node.operator),
        "state": status["observed"],
        "words": f"{get_title(node.operator)}{place_words}{more}, {status['words']}",
    }


SEARCHES: dict[str, Callable[[Sequence[Word], User], tuple[QuerySet[Any], Tell]]] = {
    "plan": list_plans,
    "node": list_nodes,
    "stream": list_streams,
    "dashboard": list_dashboards,
    "alert": list_alerts,
    "incident": list_incidents,
}
