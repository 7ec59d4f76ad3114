"""Nodes and their queries: shared by the plans that use them, stopped with the last one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from timeline_app.compiler import Program, parse_program
from timeline_app.compiler.placement import merge_programs
from timeline_app.fs.layout import Places
from timeline_app.web.core.disk_space import refuse_new_nodes
from timeline_app.web.core.term_writing import write_node_terms
from timeline_app.web.models import Lease, Node, Plan, PlanNode, Query
from timeline_app.web.nodes.failures import retry_failed_nodes
from timeline_app.web.nodes.hosting import Choice, Fate, choose_queries


def join(
    programs: Mapping[str, Program], plan: Plan, user: User, placement: str, *, regroup: bool
) -> dict[str, Node]:
    """Return the node of each digest, created if new, with a running query.

    Call it in a transaction; two plans that join at once wait for each other.
    """
    decide_alone()
    nodes: dict[str, Node] = {}
    for choice in choose_queries(programs, placement, plan, regroup=regroup):
        nodes |= _apply_choice(choice, programs, user)
    return nodes


def decide_alone() -> None:
    """Lock decisions about nodes until the transaction ends."""
    Lease.objects.get_or_create(name="hosting")
    Lease.objects.select_for_update().get(name="hosting")


def _apply_choice(choice: Choice, programs: Mapping[str, Program], user: User) -> dict[str, Node]:
    """Create or reuse the query of a choice, and assign its nodes."""
    chosen = [programs[digest] for digest in choice.digests]
    if Fate.NEW in choice.fates.values():
        refuse_new_nodes()
    query = create_query(chosen) if choice.query is None else _want_query(choice.query, chosen)
    nodes = {digest: _get_or_create_node(programs[digest], query, user) for digest in choice.digests}
    retry_failed_nodes([node.pk for node in nodes.values()])
    Node.objects.filter(pk__in=[node.pk for node in nodes.values()]).update(unused_since=None)
    if choice.query is None:
        overtaken = {node.next_query_id for node in nodes.values() if node.next_query_id is not None}
        for node in nodes.values():
            node.next_query = None if node.query_id == query.pk else query
            node.save(update_fields=["next_query"])
        empty = Query.objects.filter(pk__in=overtaken, nodes=None, coming=None)
        empty.update(desired=Query.Desired.STOPPED)
    return nodes


def create_query(programs: Sequence[Program]) -> Query:
    """Create a query for the nodes of some programs; it is to run at once."""
    program = merge_programs(programs)
    digests = sorted(program.nodes)
    stem = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    name, names_used = stem, set(Query.objects.filter(name__startswith=stem).values_list("name", flat=True))
    generation, places = 0, Places(settings.TIMELINE_DATA)
    # Files may be left from a deleted database, or from another version.
    while name in names_used or places.feed(name).exists() or places.checkpoint(name).exists():
        generation += 1
        name = f"{stem}-{generation}"
    return Query.objects.create(name=name, program=program.to_document(), desired=Query.Desired.RUNNING)


def _want_query(query: Query, programs: Sequence[Program]) -> Query:
    """Start a stopped or failed query again, with a full restart budget and the current declarations."""
    query = Query.objects.select_for_update().get(pk=query.pk)
    if query.desired != Query.Desired.RUNNING or query.observed == Query.Observed.FAILED:
        query.desired = Query.Desired.RUNNING
        query.restarts, query.retry_at = 0, timezone.now()
        declared = {
            name: item for program in programs for name, item in program.to_document()["streams"].items()
        }
        query.program = query.program | {"streams": query.program["streams"] | declared}
        query.save(update_fields=["desired", "restarts", "retry_at", "program"])
    return query


def _get_or_create_node(program: Program, query: Query, user: User) -> Node:
    """Return the node of a program; create it in this query if it is new."""
    facts = {
        "operator": program.operator,
        "kind": program.kind.value,
        "owner": user,
        "query": query,
        "program": program.to_document(),
    }
    node, is_new = Node.objects.get_or_create(digest=program.digest, defaults=facts)
    if is_new:
        write_node_terms(node)
        # A removed node of the same digest may have left a chain that leads elsewhere.
        Places(settings.TIMELINE_DATA).chain(node.digest).unlink(missing_ok=True)
    return node


def restart_failed_nodes(nodes: Iterable[Node]) -> None:
    """Retry nodes that were given up. Call it in a transaction.

    A node that its query left behind moves to a separate query, which computes what was left out.
    """
    failed = [node for node in nodes if node.failure]
    if not failed:
        return
    decide_alone()
    retry_failed_nodes([node.pk for node in failed])
    for node in failed:
        if node.next_query_id is None and node.digest in node.query.program["silent"]:
            Node.objects.filter(pk=node.pk).update(next_query=create_query([parse_program(node.program)]))


def stop_unused_nodes(nodes: Iterable[int]) -> None:
    """Stop those of the nodes that no plan uses any more. Call it in a transaction.

    A query stops with its last node; before that it goes on without the unused ones.
    """
    ids = set(nodes)
    retry_failed_nodes(
        list(ids - set(PlanNode.objects.filter(node__in=ids).values_list("node_id", flat=True)))
    )
    hosts = Node.objects.filter(pk__in=ids).values_list("query_id", "next_query_id")
    queries = {query for pair in hosts for query in pair}
    for query in Query.objects.select_for_update().filter(pk__in=queries).order_by("name"):
        _silence_unused_nodes(query)


def _silence_unused_nodes(query: Query) -> None:
    uses = PlanNode.objects.filter(node__query=query) | PlanNode.objects.filter(node__next_query=query)
    used = set(uses.values_list("node__digest", flat=True))
    if not used:
        query.desired = Query.Desired.STOPPED
        query.save(update_fields=["desired"])
        return
    document = query.program
    silent = [digest for digest in document["nodes"] if digest in document["silent"] or digest not in used]
    if silent != document["silent"]:
        query.program, query.stale = document | {"silent": silent}, True
        query.save(update_fields=["program", "stale"])


def detach_nodes(plan: Plan) -> None:
    """Remove all nodes from a plan."""
    nodes = set(plan.uses.values_list("node_id", flat=True))
    plan.uses.all().delete()
    stop_unused_nodes(nodes)
