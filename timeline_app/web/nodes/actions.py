"""Actions on running nodes: restart a node, or stop everything that uses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from timeline_app.web.core import audit_context, audit_writing, notifications
from timeline_app.web.core.errors import Conflict, Missing, NotYours, Problem, describe_problem
from timeline_app.web.core.permissions import Right, compute_rights, has_role, require, select_readable_plans
from timeline_app.web.core.quotas import enforce_quotas, get_holder
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models import Node, Plan, PlanNode, Query
from timeline_app.web.models.people import Role
from timeline_app.web.nodes.selectors import PRIVATE
from timeline_app.web.nodes.services import decide_alone, restart_failed_nodes
from timeline_app.web.plans.services import stop_plan

NOT_USED_MESSAGE = "No plan uses this {kind}, so it does not run. Run a plan that uses it."


@retry_on_deadlock
def restart_node(*, node: Node, user: User, reason: str | None = None) -> Node:
    """Restart a node's query at once with a full restart budget; no results are lost.

    This interrupts everything that the query computes: the user must be allowed to operate each plan that uses any of
    it. A failed node restarts with what was left out, in a separate query that the quotas must allow.
    """
    with transaction.atomic(), enforce_quotas(get_holder(node), "running_queries", "all_queries"):
        node = _lock_node(node)
        require(user, Right.OPERATE, node)
        _refuse_to_interrupt([node.query_id, node.next_query_id], user)
        numbers = [node.query_id, *([node.next_query_id] if node.next_query_id else [])]
        hosts = Query.objects.select_for_update().filter(pk__in=numbers)
        queries = list(hosts.filter(desired=Query.Desired.RUNNING).order_by("name"))
        if not queries or not PlanNode.objects.filter(node=node).exists():
            raise Conflict(NOT_USED_MESSAGE.format(kind="node"), code="not_wanted")
        before = _describe_query(queries[0])
        restart_failed_nodes([node])
        for query in queries:
            _retry_query(query)
        audit_writing.note(user=user, act="node.restart", thing=node, before=before, reason=reason)
        notifications.notify_change()
    return node


@retry_on_deadlock
def restart_query(*, query: Query, user: User, reason: str | None = None) -> Query:
    """Restart all nodes of a query, each of which the user must be allowed to operate."""
    with transaction.atomic(), enforce_quotas(user, "all_queries"):
        query = Query.objects.select_for_update().get(pk=query.pk)
        nodes = list(query.nodes.all()) + list(query.coming.all())
        for number, value in compute_rights(user, nodes).items():
            if Right.OPERATE not in value:
                require(user, Right.OPERATE, next(node for node in nodes if node.pk == number))
        if query.desired != Query.Desired.RUNNING:
            raise Conflict(NOT_USED_MESSAGE.format(kind="query"), code="not_wanted")
        _refuse_to_interrupt([query.pk], user)
        before = _describe_query(query)
        restart_failed_nodes(nodes)
        _retry_query(query)
        audit_writing.note(user=user, act="query.restart", thing=query, before=before, reason=reason)
        notifications.notify_change()
    return query


@retry_on_deadlock
def stop_node(*, node: Node, user: User, reason: str | None = None) -> Node:
    """Stop every plan that uses the node. All must be the user's own; an operator may if all are its owner's.

    Raise `Conflict` with the owners of the other plans, and their names where the user may read them.
    """
    with audit_context.act_as(reason=reason), transaction.atomic():
        list(
            _select_using_plans(node).select_for_update(of=("self",))
        )  # running plans lock in the same order: plans, then nodes
        decide_alone()
        node = _lock_node(node)
        require(user, Right.OPERATE, node)
        plans = list(_select_using_plans(node))
        _refuse_for_others(node, plans, user)
        before = {"plans": [plan.pk for plan in plans]}
        for plan in plans:
            stop_plan(plan=plan, user=user)
        if plans:
            audit_writing.note(user=user, act="node.stop", thing=node, before=before, after={"plans": []})
    return Node.objects.get(pk=node.pk)


def _select_using_plans(node: Node) -> QuerySet[Plan]:
    """Select the plans that use a node, always in the same order."""
    used = PlanNode.objects.filter(node=node).values("plan")
    return Plan.objects.filter(pk__in=used).select_related("owner", "team").order_by("pk")


def _lock_node(node: Node) -> Node:
    """Return the current row, locked."""
    queryset = Node.objects.select_for_update(of=("self",)).filter(pk=node.pk).select_related("owner", "team")
    for item in queryset:
        return item
    raise Missing("This node was deleted in the meantime.")


def _refuse_to_interrupt(queries: Sequence[int | None], user: User) -> None:
    """Refuse to restart queries that plans use which the user may not operate; name their owners."""
    uses = PlanNode.objects.filter(Q(node__query__in=queries) | Q(node__next_query__in=queries))
    plans = list(
        Plan.objects.filter(pk__in=uses.values("plan")).select_related("owner", "team").order_by("pk")
    )
    rights = compute_rights(user, plans)
    closed_plans = [plan for plan in plans if Right.OPERATE not in rights[plan.pk]]
    if not closed_plans:
        return
    visible = select_readable_plans([other.pk for other in closed_plans], user)
    problems = [_describe_use(plan, is_visible=plan.pk in visible) for plan in closed_plans]
    words = "; ".join(problem["message"] for problem in problems[:3])
    more = f"; and {len(problems) - 3} more" if len(problems) > 3 else ""
    raise NotYours(
        f"A restart would interrupt what others run: {words}{more}. Ask them, or an operator.",
        problems=problems,
    )


def _refuse_for_others(node: Node, plans: Sequence[Plan], user: User) -> None:
    """Refuse while other people's plans keep the node running; name their owners."""
    blocking_plans = select_blocking_plans(node, plans, user)
    if not blocking_plans:
        return
    visible = select_readable_plans([other.pk for other in blocking_plans], user)
    problems = [_describe_use(plan, is_visible=plan.pk in visible) for plan in blocking_plans]
    words = "; ".join(problem["message"] for problem in problems[:3])
    more = f"; and {len(problems) - 3} more" if len(problems) > 3 else ""
    message = f"Nothing was stopped, for others use this node: {words}{more}."
    raise Conflict(
        f"{message} Stop your own plan, and the node goes on for them.", code="in_use", problems=problems
    )


def select_blocking_plans(node: Node, plans: Sequence[Plan], user: User) -> list[Plan]:
    """Return the plans that forbid stopping a node: not the user's, and not of the node's owner either."""
    if not plans:
        return []
    teams = set(user.groups.values_list("pk", flat=True))
    own_plans = [plan for plan in plans if plan.owner_id == user.pk or plan.team_id in teams]
    other_plans = [plan for plan in plans if plan not in own_plans]
    if not has_role(user, Role.OPERATOR):
        return other_plans
    return [
        other for other in other_plans if (other.owner_id, other.team_id) != (node.owner_id, node.team_id)
    ]


def _describe_use(plan: Plan, *, is_visible: bool) -> Problem:
    """Return a plan that uses a node, by its name only if the user may read it."""
    name = f"“{plan.name}”" if is_visible else PRIVATE
    return describe_problem(
        f"{plan.owner_name} uses it in {name}", code="in_use", hint=f"Ask {plan.owner_name}."
    )


def _describe_query(query: Query) -> dict[str, Any]:
    return {"observed": query.observed, "words": query.words, "restarts": query.restarts}


def _retry_query(query: Query) -> None:
    """Retry a waiting or failed query now; let the supervisor restart a running one."""
    query.restarts, query.retry_at, query.server_losses = 0, timezone.now(), 0
    query.stale = query.stale or bool(query.spark_run_id and query.observed == Query.Observed.RUNNING)
    query.save(update_fields=["restarts", "retry_at", "server_losses", "stale"])
