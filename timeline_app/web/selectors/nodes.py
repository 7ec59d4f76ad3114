"""Reading nodes and their status."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet

from timeline_app.web.errors import Missing
from timeline_app.web.models import Node, PlanNode


def nodes() -> QuerySet[Node]:
    """All nodes, with all that their documents need."""
    uses = PlanNode.objects.select_related("plan__owner").order_by("plan_id", "name")
    return Node.objects.select_related("owner", "query").prefetch_related(Prefetch("uses", uses))


def node_of(digest: str) -> Node:
    """The node of this digest."""
    node = nodes().filter(digest=digest).first() if "\0" not in digest else None
    if node is None:
        raise Missing(
            "There is no node of this digest. Nodes come to be when a plan is run.", code="unknown_node"
        )
    return node


def micros(moment: datetime | None) -> int | None:
    """A moment as microseconds since the epoch."""
    return None if moment is None else round(moment.timestamp() * 1_000_000)


def node_document(node: Node) -> dict[str, Any]:
    """A node as it goes over the wire."""
    query = node.query
    return {
        "digest": node.digest,
        "operator": node.operator,
        "kind": node.kind,
        "owner": node.owner.get_username(),
        "users": [user_document(use) for use in node.uses.all()],
        "status": status_words(node)
        | {
            "query_id": query.spark_query_id,
            "restarts": query.restarts,
            "since": micros(query.observed_since),
            "last_progress": micros(query.last_progress_at),
        },
        **progress(node),
    }


def user_document(use: PlanNode) -> dict[str, Any]:
    """A plan that uses a node."""
    plan = use.plan
    return {"plan": plan.pk, "plan_name": plan.name, "name": use.name, "owner": plan.owner.get_username()}


def status_words(node: Node) -> dict[str, Any]:
    """What is wanted of a node's query, what was seen, and what is going on."""
    query = node.query
    return {"desired": query.desired, "observed": query.observed, "words": query.words, "error": query.error}


def progress(node: Node) -> dict[str, Any]:
    """How far a node has come, and how fast."""
    counted = ("events", "late", "too_late", "duplicates", "conflicts", "revisions")
    return {
        "final_until": node.final_until,
        "as_of": node.as_of,
        "counters": {name: getattr(node, name) for name in counted},
        "rates": {"events_per_second": node.query.events_per_second, "batch_ms": node.query.batch_ms},
    }


def plan_statuses(plan: int) -> list[dict[str, Any]]:
    """The status of each node that a plan uses under a name."""
    uses = (
        PlanNode.objects.filter(plan_id=plan).exclude(name="").select_related("node__query").order_by("name")
    )
    return [
        {"name": use.name, "digest": use.node.digest, **status_words(use.node), **progress(use.node)}
        for use in uses
    ]
