"""Reading plans."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Prefetch, QuerySet

from timeline_app.plan import StreamDeclaration, check
from timeline_app.web.errors import Missing, as_problem
from timeline_app.web.models import Plan, PlanNode
from timeline_app.web.selectors.nodes import seen
from timeline_app.web.selectors.streams import declarations


def plans() -> QuerySet[Plan]:
    """All plans, with all that their documents need."""
    uses = PlanNode.objects.exclude(name="").select_related("node__query").order_by("name")
    return Plan.objects.select_related("owner", "saved_by").prefetch_related(
        Prefetch("uses", uses, to_attr="named_uses")
    )


def plan_of(number: int) -> Plan:
    """The plan of this number."""
    plan = plans().filter(pk=number).first()
    if plan is None:
        raise Missing("There is no plan of this number; it may have been deleted.", code="unknown_plan")
    return plan


def plan_documents(found: Iterable[Plan]) -> list[dict[str, Any]]:
    """Plans as they go over the wire, checked against the streams as they are now."""
    streams = declarations()
    return [plan_document(plan, streams) for plan in found]


def plan_document(plan: Plan, streams: Mapping[str, StreamDeclaration]) -> dict[str, Any]:
    """A plan as it goes over the wire."""
    uses: list[PlanNode] = getattr(plan, "named_uses", [])
    return {
        "id": plan.pk,
        "name": plan.name,
        "owner": plan.owner.get_username(),
        "document": plan.document,
        "version": plan.version,
        "saved_by": plan.saved_by.get_username() if plan.saved_by else None,
        "saved_at": plan.saved_at.isoformat() if plan.saved_at else None,
        "running": plan.running,
        "running_version": plan.running_version,
        "placement": plan.placement,
        "updated_at": plan.updated_at.isoformat(),
        "problems": [as_problem(one.to_document()) for one in check(plan.document, streams).problems],
        "nodes": [
            {
                "name": use.name,
                "digest": use.node.digest,
                "kind": use.node.kind,
                "status": seen(use.node.query)[0],
            }
            for use in uses
        ],
    }
