"""Nodes and their queries: joined by the plans that use them, stopped when the last one leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from timeline_app.compiler import Program
from timeline_app.web.models import Node, PlanNode, Query
from timeline_app.web.services import announce


def join(programs: Mapping[str, Program], user: User) -> dict[str, Node]:
    """The node of each digest, made when nobody runs it yet, and its query wanted.

    Call it in a transaction. Digests are taken in order, so that two plans that join at once never wait
    for each other in a circle.
    """
    return {digest: join_one(digest, programs[digest], user) for digest in sorted(programs)}


def join_one(digest: str, program: Program, user: User) -> Node:
    """One distinct computation has one node and, isolated, one query of the same name."""
    Query.objects.get_or_create(name=digest, defaults={"program": program.to_document()})
    query = Query.objects.select_for_update().get(name=digest)
    if query.desired != Query.Desired.RUNNING or query.observed == Query.Observed.FAILED:
        query.desired = Query.Desired.RUNNING
        # Somebody asks for it anew: it gets its whole restart budget, and no old wait.
        query.restarts, query.retry_at = 0, timezone.now()
        query.program = program.to_document()
        query.save(update_fields=["desired", "restarts", "retry_at", "program"])
    document = program.to_document()
    facts = {"operator": program.operator, "kind": program.kind.value, "owner": user, "program": document}
    return Node.objects.get_or_create(digest=digest, defaults=facts | {"query": query})[0]


def leave(queries: Iterable[int]) -> None:
    """Of these queries, stop those that no plan uses any more. Call it in a transaction."""
    for query in Query.objects.select_for_update().filter(pk__in=set(queries)).order_by("name"):
        if not PlanNode.objects.filter(node__query=query).exists():
            query.desired = Query.Desired.STOPPED
            query.save(update_fields=["desired"])


def query_restart(*, query: Query) -> None:
    """Try again now, with the whole restart budget."""
    with transaction.atomic():
        Query.objects.filter(pk=query.pk).update(restarts=0, retry_at=timezone.now())
        announce.changed()
