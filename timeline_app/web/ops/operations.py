"""The operations page: parts, processes, and queries with their nodes.

It only reads what is stored anyway by the probes of `/readyz`, by heartbeats, and by the supervisor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Q
from django.utils import timezone

from timeline_app.operators import get_title
from timeline_app.web.models import Node, PlanNode, Query
from timeline_app.web.models.operations import Heartbeat
from timeline_app.web.nodes.problems import describe_failure
from timeline_app.web.nodes.selectors import compute_query_rates, describe_observed_state, to_micros
from timeline_app.web.ops import readiness
from timeline_app.web.ops.figures import measure_database_bytes

Document = dict[str, Any]
MAX_QUERIES = 500
STATE_ORDER = [
    Query.Observed.FAILED,
    Query.Observed.RETRYING,
    Query.Observed.STARTING,
    Query.Observed.STOPPING,
]
"""States that need attention come first."""


def describe_operations() -> Document:
    """Return the data of the page."""
    condition = Q(desired=Query.Desired.RUNNING) | ~Q(observed=Query.Observed.STOPPED)
    queries = list(Query.objects.filter(condition).order_by("-lag", "pk")[:MAX_QUERIES])
    nodes, names = _nodes_of(queries)
    rows = [_query(query, nodes[query.pk], names) for query in queries]
    rows.sort(key=lambda row: (_rank(row["observed"]), -row["lag"]))
    return {
        "parts": [{"name": name, **part} for name, part in readiness.check_parts().items()],
        "processes": _processes(),
        "database_bytes": measure_database_bytes(),
        "state_bytes": sum(row["state_bytes"] for row in rows),
        "queries": rows,
    }


def _rank(observed: str) -> int:
    states = [state.value for state in STATE_ORDER]
    return states.index(observed) if observed in states else len(states)


def _processes() -> list[Document]:
    now = timezone.now()
    beats = Heartbeat.objects.order_by("name")
    return [
        {"name": beat.name, "silent_seconds": max((now - beat.at).total_seconds(), 0.0)} for beat in beats
    ]


def _nodes_of(queries: Iterable[Query]) -> tuple[Mapping[int, list[Node]], Mapping[int, str]]:
    """Return the nodes of each query, and the name of each node in a plan."""
    numbers = [query.pk for query in queries]
    nodes_by_query: dict[int, list[Node]] = defaultdict(list)
    for node in Node.objects.filter(query__in=numbers).select_related("owner", "team").order_by("pk"):
        nodes_by_query[node.query_id].append(node)
    uses = PlanNode.objects.filter(node__query__in=numbers).exclude(name="").order_by("-pk")
    return nodes_by_query, dict(uses.values_list("node", "name"))


def _query(query: Query, nodes: list[Node], names: Mapping[int, str]) -> Document:
    observed, words = describe_observed_state(query)
    return {
        "name": query.name,
        "number": query.pk,
        "observed": observed,
        "words": words,
        "since": to_micros(query.observed_since),
        "owners": sorted({node.owner_name for node in nodes}),
        "nodes": [
            {
                "digest": node.digest,
                "name": names.get(node.pk, get_title(node.operator)),
                "failure": node.failure,
            }
            for node in nodes
        ],
        **compute_query_rates(query),
        "restarts": query.restarts,
        "last_progress": to_micros(query.last_progress_at),
        "error": query.error,
        **describe_failure(query),
    }
