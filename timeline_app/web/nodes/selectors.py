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

LARGE_PLAN_FIELDS = ("plan__document", "plan__running_document")
"""Large parts of a plan that say nothing about its use of a node."""
PRIVATE = "a plan that is not shared with you"
GIVEN_UP_TROUBLE = "It was given up, and the others of its query go on."
GIVEN_UP_HINT = "Mend the cause, then start the node again: what was left out is computed or published first."
UNSEEN_AFTER = timedelta(seconds=15)
INPUTS_AWAY = "waiting for its inputs"
"""The words of a query that is idle because its inputs do not run begin like this."""
RATES = (
    "events_per_second", "processed_per_second", "batch_ms", "lag", "state_rows", "state_bytes",
)  # fmt: skip


def select_nodes(user: User) -> QuerySet[Node]:
    """Select the nodes that somebody may read, with all that their documents need."""
    uses = PlanNode.objects.select_related("plan__owner", "plan__team").defer(*LARGE_PLAN_FIELDS)
    uses = uses.order_by("plan_id", "name")
    queryset = Node.objects.select_related("owner", "team", "query")
    return select_readable(queryset, user).prefetch_related(Prefetch("uses", uses))


def get_node(digest: str, user: User) -> Node:
    """Return the node of this digest, if this user may read it."""
    node = select_nodes(user).filter(digest=digest).first() if "\0" not in digest else None
    if node is None:
        raise Missing(
            "There is no node of this digest that you may look at. Nodes come to be when a plan is run.",
            code="unknown_node",
        )
    return node


def to_micros(moment: datetime | None) -> int | None:
    """Return a time in microseconds since the epoch."""
    return None if moment is None else round(moment.timestamp() * 1_000_000)


def describe_nodes(nodes: Iterable[Node], user: User) -> list[dict[str, Any]]:
    """Return nodes in their wire type, without the names of plans that the user may not read."""
    chosen = list(nodes)
    plans = {use.plan_id for node in chosen for use in node.uses.all()}
    readable_plans = select_readable_plans(plans, user)
    rights = compute_rights(user, chosen)
    return [describe_node(node, rights.get(node.pk, NONE), readable_plans) for node in chosen]


def describe_node(node: Node, rights: Rights, readable_plans: Container[int]) -> dict[str, Any]:
    """Return a node in its wire type."""
    query = node.query
    return {
        "digest": node.digest,
        "operator": node.operator,
        "operator_title": get_title(node.operator),
        "kind": node.kind,
        **node.owner_told(),
        "rights": format_rights(rights),
        "users": [describe_node_user(use, readable_plans) for use in node.uses.all()],
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


def describe_node_user(use: PlanNode, readable_plans: Container[int]) -> dict[str, Any]:
    """Return a plan that uses a node; if it may not be read, only its owner."""
    plan = use.plan
    if plan.pk not in readable_plans:
        return {"plan": None, "plan_name": PRIVATE, "name": "", **plan.owner_told()}
    return {"plan": plan.pk, "plan_name": plan.name, "name": use.name, **plan.owner_told()}


def describe_status(node: Node) -> dict[str, Any]:
    """Return the desired state, the actual state and a description of a node."""
    query = node.query
    if is_left(node):
        stopped = Query.Desired.STOPPED.value
        silent = {"desired": stopped, "observed": stopped, "words": stopped, "error": ""}
        return silent | {"trouble": "", "hint": ""}
    if node.failure:
        words = f"failed: {node.failure}"
        failed = {"desired": query.desired, "observed": Query.Observed.FAILED.value, "words": words}
        return failed | {"error": node.failure, "trouble": GIVEN_UP_TROUBLE, "hint": GIVEN_UP_HINT}
    observed, words = describe_observed_state(query)
    document = {"desired": query.desired, "observed": observed, "words": words, "error": query.error}
    return document | describe_failure(query)


def match_state(state: str, prefix: str = "") -> Q:
    """Match nodes (behind the `prefix` of a join) in a state; a node that was given up has failed on its own."""
    given_up = ~Q(**{f"{prefix}failure": ""})
    of_query = Q(**{f"{prefix}query__observed": state})
    return of_query | given_up if state == Query.Observed.FAILED else of_query & ~given_up


def is_left(node: Node) -> bool:
    """Return whether its query goes on without this unused node."""
    return (
        not node.failure
        and node.digest in node.query.program.get("silent", ())
        and node.next_query_id is None
    )


def find_stop_time(node: Node) -> int | None:
    """Return when the node stopped, in microseconds; None while it runs or should run."""
    query = node.query
    if is_left(node) or node.failure:
        return node.as_of
    stopped = query.observed == Query.Observed.STOPPED and query.desired == Query.Desired.STOPPED
    if not stopped and query.observed != Query.Observed.FAILED:
        return None
    times = [item for item in (to_micros(query.observed_since), node.as_of) if item is not None]
    return max(times, default=None)


class QuerySighting(NamedTuple):
    """The part of a query that `describe_observed_state` needs."""

    desired: str
    observed: str
    words: str
    looked_at: datetime | None


def describe_observed_state(query: Query | QuerySighting) -> tuple[str, str]:
    """Return the actual state of a query and its description; after a while without a look it is unknown."""
    should_run, at_rest = query.desired == Query.Desired.RUNNING, query.observed == Query.Observed.STOPPED
    if should_run and at_rest:
        return Query.Observed.STARTING, "starting"
    age = None if query.looked_at is None else timezone.now() - query.looked_at
    if at_rest or query.observed == Query.Observed.FAILED or age is None or age < UNSEEN_AFTER:
        waits = query.words.startswith(INPUTS_AWAY)
        return (Query.Observed.STARTING if waits else query.observed), query.words
    seconds = f"{age.total_seconds():.0f} s"
    if should_run:
        words = f"{query.observed} when last seen, the supervisor has been away for {seconds}"
        return Query.Observed.STARTING, words
    return Query.Observed.STOPPING, f"stopping, the supervisor has been away for {seconds}"


def describe_progress(node: Node) -> dict[str, Any]:
    """Return the progress, the counters and the rates of a node."""
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
    """Return the rates of a query; one that does not run reads nothing."""
    rates = {name: getattr(query, name) for name in RATES}
    return (
        rates
        if describe_observed_state(query)[0] == Query.Observed.RUNNING
        else rates | {"events_per_second": 0.0}
    )


def estimate_catch_up(query: Query, now: datetime | None = None) -> dict[str, Any] | None:
    """Return how far a query has caught up: the part done (0 to 1), and the seconds left if known."""
    if not query.backlog or query.backlog_since is None:
        return None
    caught_up = query.backlog - query.lag
    seconds = ((now or timezone.now()) - query.backlog_since).total_seconds()
    seconds_left = round(query.lag * seconds / caught_up, 1) if caught_up > 0 and seconds > 0 else None
    return {
        "events": query.backlog,
        "done": round(caught_up / query.backlog, 4),
        "seconds_left": seconds_left,
    }


def list_plan_statuses(plan: int) -> list[dict[str, Any]]:
    """Return the status of each node that a plan uses under a name."""
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
