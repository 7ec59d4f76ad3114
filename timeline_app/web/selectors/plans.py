"""Reading plans."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Prefetch, QuerySet

from timeline_app.web.errors import Missing, Problem
from timeline_app.web.models import Plan, PlanNode
from timeline_app.web.selectors.access import NONE, Rights, readable, rights_of, told
from timeline_app.web.selectors.checks import problems_of
from timeline_app.web.selectors.nodes import seen
from timeline_app.web.selectors.streams import declarations

USED = (
    "plan", "name", "node__digest", "node__kind",
    *(f"node__query__{one}" for one in ("desired", "observed", "words", "looked_at")),
)  # fmt: skip
"""What is told of the nodes of a plan, without their programs."""


def plans(user: User) -> QuerySet[Plan]:
    """All plans that somebody may look at, with all that their documents need."""
    uses = PlanNode.objects.exclude(name="").select_related("node__query").only(*USED).order_by("name")
    found = Plan.objects.select_related("owner", "team", "saved_by")
    return readable(found, user).prefetch_related(Prefetch("uses", uses, to_attr="named_uses"))


def plan_of(number: int, user: User) -> Plan:
    """The plan of this number, if this user may look at it."""
    plan = plans(user).filter(pk=number).first()
    if plan is None:
        raise Missing(
            "There is no plan of this number that you may look at; it may have been deleted.",
            code="unknown_plan",
        )
    return plan


def plan_documents(found: Iterable[Plan], user: User) -> list[dict[str, Any]]:
    """Plans as they go over the wire to somebody, checked against the streams as they are now."""
    chosen = list(found)
    problems = problems_of([plan.document for plan in chosen], declarations(user))
    rights = rights_of(user, chosen)
    return [
        plan_document(plan, wrong, rights.get(plan.pk, NONE))
        for plan, wrong in zip(chosen, problems, strict=True)
    ]


def plan_document(plan: Plan, problems: list[Problem], rights: Rights) -> dict[str, Any]:
    """A plan as it goes over the wire."""
    uses: list[PlanNode] = getattr(plan, "named_uses", [])
    return {
        "id": plan.pk,
        "name": plan.name,
        **plan.owner_told(),
        "rights": told(rights),
        "open_to_all": plan.open_to_all,
        "document": plan.document,
        "version": plan.version,
        "saved_by": plan.saved_by.get_username() if plan.saved_by else None,
        "saved_at": plan.saved_at.isoformat() if plan.saved_at else None,
        "running": plan.running,
        "running_version": plan.running_version,
        "placement": plan.placement,
        "updated_at": plan.updated_at.isoformat(),
        "problems": problems,
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
