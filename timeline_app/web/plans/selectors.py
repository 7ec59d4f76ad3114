"""Reading plans."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from timeline_app.web.core.errors import Missing, Problem
from timeline_app.web.core.permissions import NONE, Rights, compute_rights, format_rights, select_readable
from timeline_app.web.models import Plan, PlanNode, Query
from timeline_app.web.nodes.selectors import QuerySighting, describe_observed_state
from timeline_app.web.plans.checks import find_problems
from timeline_app.web.streams.granted_streams import list_unshared_streams, load_visible_streams_by_plan

NODE_COLUMNS = ("plan", "name", "node__digest", "node__kind", "node__failure")
QUERY_COLUMNS = ("desired", "observed", "words", "looked_at")


def select_plans(user: User) -> QuerySet[Plan]:
    """Select the plans that somebody may read."""
    return select_readable(Plan.objects.select_related("owner", "team", "saved_by"), user)


def plan_of(number: int, user: User) -> Plan:
    """Return the plan of this number, if this user may read it."""
    plan = select_plans(user).filter(pk=number).first()
    if plan is None:
        raise Missing(
            "There is no plan of this number that you may look at; it may have been deleted.",
            code="unknown_plan",
        )
    return plan


def describe_plans(plans: Iterable[Plan], user: User) -> list[dict[str, Any]]:
    """Return plans in their wire type, checked against the current streams."""
    chosen = list(plans)
    declarations = load_visible_streams_by_plan(chosen, user)
    problems = find_problems(
        ((plan.document, streams) for plan, streams in zip(chosen, declarations, strict=True)), user
    )
    rights, nodes = compute_rights(user, chosen), load_running_nodes(chosen)
    return [
        describe_plan(plan, problems_of_plan, rights.get(plan.pk, NONE), nodes[plan.pk])
        | {"not_shared": list_unshared_streams(streams, plan.document)}
        for plan, problems_of_plan, streams in zip(chosen, problems, declarations, strict=True)
    ]


def load_running_nodes(plans: Iterable[Plan]) -> dict[int, list[dict[str, Any]]]:
    """Return the nodes that plans run under a name; read as plain rows, because there are many."""
    nodes: dict[int, list[dict[str, Any]]] = {plan.pk: [] for plan in plans}
    rows = PlanNode.objects.filter(plan__in=nodes).exclude(name="").order_by("name")
    for plan, name, digest, kind, failure, *seen_of in rows.values_list(
        *NODE_COLUMNS, *(f"node__query__{item}" for item in QUERY_COLUMNS)
    ):
        status = (
            Query.Observed.FAILED.value if failure else describe_observed_state(QuerySighting(*seen_of))[0]
        )
        nodes[plan].append({"name": name, "digest": digest, "kind": kind, "status": status})
    return nodes


def describe_plan(
    plan: Plan, problems: list[Problem], rights: Rights, nodes: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return a plan in its wire type."""
    return {
        "id": plan.pk,
        "name": plan.name,
        **plan.owner_told(),
        "rights": format_rights(rights),
        "open_to_all": plan.open_to_all,
        "document": plan.document,
        "version": plan.version,
        "saved_by": plan.saved_by.get_username() if plan.saved_by else None,
        "saved_at": plan.saved_at.isoformat() if plan.saved_at else None,
        "running": plan.running,
        "running_version": plan.running_version,
        "placement": plan.placement,
        "ended": plan.ended,
        "updated_at": plan.updated_at.isoformat(),
        "problems": problems,
        "nodes": nodes,
        "display": plan.display,
    }
