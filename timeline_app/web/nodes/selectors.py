"""Reading nodes and their status."""

from __future__ import annotations

from collections.abc import Container, Iterable
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db.models import Prefetch, Q, QuerySet
from django.utils import timezone

from timeline_app.operators import get_title
from timeline_app.web.core.errors import Missing
from timeline_app.web.core.permissions import (
    NONE,
    Rights,
    compute_rights,
    format_rights,
    select_readable,
    select_readable_plans,
)
from timeline_app.web.models import Node, PlanNode, Query
from timeline_app.web.nodes.problems import describe_failure

DRAWN = ("plan__document", "plan__running_document")
"""What is large of a plan, and says nothing of who uses a node."""
PRIVATE = "a plan that is not shared with you"
GIVEN_UP = "It was given up, and the others of its query go on."
GIVEN_UP_CURE = "Mend the cause, then start the node again: what was left out is computed or published first."
UNSEEN = timedelta(seconds=15)
INPUTS_AWAY = "waiting for its inputs"
"""So the words of a query begin that has nothing to do because what it reads from does not run."""
RATES = (
    "events_per_second", "processed_per_second", "batch_ms", "lag", "state_rows", "state_bytes",
)  # fmt: skip


def select_nodes(user: User) -> QuerySet[Node]:
    """All nodes that somebody may look at, with all that their documents need."""
    uses = PlanNode.objects.select_related("plan__owner", "plan__team").defer(*DRAWN)
    uses = uses.order_by("plan_id", "name")
    queryset = Node.objects.select_related("owner", "team", "query")
    return select_readable(queryset, user).prefetch_related(Prefetch("uses", uses))


def get_node(digest: str, user: User) -> Node:
    """The node of this digest, if this user may look at it."""
    node = select_nodes(user).filter(digest=digest).first() if "\0" not in digest else None
    if node is None:
        raise Missing(
            "There is no node of this digest that you may look at. Nodes come to be when a plan is run.",
            code="unknown_node",
        )
    return node


def to_micros(moment: datetime | None) -> int | None:
    """A moment as microseconds since the epoch."""
    return None if moment is None else round(moment.timestamp() * 1_000_000)


def describe_nodes(nodes: Iterable[Node], user: User) -> list[dict[str, Any]]:
    """Nodes as they go over the wire to somebody, who is not told the names of plans that are not open to him."""
    chosen = list(nodes)
    plans = {use.plan_id for node in chosen for use in node.uses.all()}
    shown = select_readable_plans(plans, user)
    rights = compute_rights(user, chosen)
    return [describe_node(node, rights.get(node.pk, NONE), shown) for node in chosen]


def describe_node(node: Node, rights: Rights, shown: Container[int]) -> dict[str, Any]:
    """A node as it goes over the wire."""
    query = node.query
    return {
        "digest": node.digest,
        "operator": node.operator,
        "operator_title": get_title(node.operator),
        "kind": node.kind,
        **node.owner_told(),
        "rights": format_rights(rights),
        "users": [describe_node_user(use, shown) for use in node.uses.all()],
        "status": describe_status(node)
        | {
            "query_id": query.spark_query_id,
            "restarts": query.restarts,
            "mended": query.mended,
            "since": to_micros(query.observed_since),
            "last_progress": to_micros(query.last_progress_at),
        },
        **describe_progress(node),
    }


def describe_node_user(use: PlanNode, shown: Container[int]) -> dict[str, Any]:
    """A plan that uses a node; of one that may not be looked at no more than whose it is."""
    plan = use.plan
    if plan.pk not in shown:
        return {"plan": None, "plan_name": PRIVATE, "name": "", **plan.owner_told()}
    return {"plan": plan.pk, "plan_name": plan.name, "name": use.name, **plan.owner_told()}


def describe_status(node: Node) -> dict[str, Any]:
    """What is wanted of a node's query, what was seen, and what is going on."""
    query = node.query
    if is_left(node):
        stopped = Query.Desired.STOPPED.value
        silent = {"desired": stopped, "observed": stopped, "words": stopped, "error": ""}
        return silent | {"trouble": "", "cure": ""}
    if node.failure:
        words = f"failed: {node.failure}"
        failed = {"desired": query.desired, "observed": Query.Observed.FAILED.value, "words": words}
        return failed | {"error": node.failure, "trouble": GIVEN_UP, "cure": GIVEN_UP_CURE}
    observed, words = describe_observed_state(query)
    document = {"desired": query.desired, "observed": observed, "words": words, "error": query.error}
    return document | describe_failure(query)


def match_state(state: str, prefix: str = "") -> Q:
    """Nodes (behind the `prefix` of a join) that are seen in a state: one that was given up is so by itself."""
    given_up = ~Q(**{f"{prefix}failure": ""})
    of_query = Q(**{f"{prefix}query__observed": state})
    return of_query | given_up if state == Query.Observed.FAILED else of_query & ~given_up


def is_left(node: Node) -> bool:
    """Whether its query goes on without it, and nobody wants it any more."""
    return (
        not node.failure
        and node.digest in node.query.program.get("silent", ())
        and node.next_query_id is None
    )


def find_stop_time(node: Node) -> int | None:
    """When it ceased to be computed, microseconds of the wall clock; null while it goes on, or is to go on."""
    query = node.query
    if is_left(node) or node.failure:
        return node.as_of
    stopped = query.observed == Query.Observed.STOPPED and query.desired == Query.Desired.STOPPED
    if not stopped and query.observed != Query.Observed.FAILED:
        return None
    times = [item for item in (to_micros(query.observed_since), node.as_of) if item is not None]
    return max(times, default=None)


class Looked(NamedTuple):
    """What of a query is told by `seen`."""

    desired: str
    observed: str
    words: str
    looked_at: datetime | None


def describe_observed_state(query: Query | Looked) -> tuple[str, str]:
    """What was seen of a query, and words for it; what nobody has looked at for long is not known any more."""
    wanted, at_rest = query.desired == Query.Desired.RUNNING, query.observed == Query.Observed.STOPPED
    if wanted and at_rest:
        return Query.Observed.STARTING, "starting"
    away = None if query.looked_at is None else timezone.now() - query.looked_at
    if at_rest or query.observed == Query.Observed.FAILED or away is None or away < UNSEEN:
        waits = query.words.startswith(INPUTS_AWAY)
        return (Query.Observed.STARTING if waits else query.observed), query.words
    seconds = f"{away.total_seconds():.0f} s"
    if wanted:
        words = f"{query.observed} when last seen, the supervisor has been away for {seconds}"
        return Query.Observed.STARTING, words
    return Query.Observed.STOPPING, f"stopping, the supervisor has been away for {seconds}"


def describe_progress(node: Node) -> dict[str, Any]:
    """How far a node has come, and how fast."""
    counted = ("events", "late", "too_late", "duplicates", "conflicts", "revisions")
    return {
        "final_until": node.final_until,
        "as_of": node.as_of,
        "counters": {name: getattr(node, name) for name in counted},
        "rates": compute_query_rates(node.query)
        | {"lag_of": "batches" if node.query.program.get("feeds") else "events"},
        "backlog": estimate_catch_up(node.query),
    }


def compute_query_rates(query: Query) -> dict[str, float]:
    """How fast a query is; one that is not known to run reads nothing, however fast it was."""
    rates = {name: getattr(query, name) for name in RATES}
    return (
        rates
        if describe_observed_state(query)[0] == Query.Observed.RUNNING
        else rates | {"events_per_second": 0.0}
    )


def estimate_catch_up(query: Query, now: datetime | None = None) -> dict[str, Any] | None:
    """How far a query that catches up has come: part done (0 to 1), seconds left where they can be told."""
    if not query.backlog or query.backlog_since is None:
        return None
    done = query.backlog - query.lag
    seconds = ((now or timezone.now()) - query.backlog_since).total_seconds()
    left = round(query.lag * seconds / done, 1) if done > 0 and seconds > 0 else None
    return {"events": query.backlog, "done": round(done / query.backlog, 4), "seconds_left": left}


def plan_statuses(plan: int) -> list[dict[str, Any]]:
    """The status of each node that a plan uses under a name."""
    uses = PlanNode.objects.filter(plan_id=plan).exclude(name="")
    return [
        {
            "name": use.name,
            "digest": use.node.digest,
            **use.node.owner_told(),
            **describe_status(use.node),
            **describe_progress(use.node),
        }
        for use in uses.select_related("node__query", "node__owner", "node__team").order_by("name")
    ]
