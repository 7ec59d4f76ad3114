"""Unused nodes: detected, and after a while removed with their results, state and feeds.

A node is kept while a plan uses it, or while a plan that used it would use it again, as drawn or as run last. It is
also kept while another node reads it, a sink is set at it, or the trash holds a stream that it reads. Decisions about
nodes are locked during the removal: a plan that starts at the same moment keeps the node, or computes it again. After
a crash the rows say what is left to be removed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from timeline_app.compiler import compile_plan
from timeline_app.plan import Refused, StreamDeclaration
from timeline_app.web.core import audit_writing
from timeline_app.web.models import Node, NodeKey, Plan, PlanNode, Query, Stream
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.models.terms import NodeTerm, Term
from timeline_app.web.nodes.services import decide_alone
from timeline_app.web.plans.version_services import Reason
from timeline_app.web.streams.selectors import load_declarations

log = logging.getLogger(__name__)
QUERY_BATCH_SIZE = 500
Used = Exists(PlanNode.objects.filter(node=OuterRef("pk")))


def remove_unused_nodes(now: datetime | None = None) -> list[str]:
    """Remove nodes that were unused for as long as the setting says; return their digests."""
    now = now or timezone.now()
    note_use(now)
    due = now - timedelta(microseconds=settings.UNUSED_NODE_RETENTION_MICROS)
    candidates = select_candidates(Node.objects.filter(unused_since__lte=due))
    needed = (
        find_needed_digests(candidates) if candidates else set()
    )  # outside of any lock, because it compiles plans
    unused = [node.pk for node in candidates if node.digest not in needed]
    return remove_nodes(unused, due) if unused else []


def note_use(now: datetime) -> None:
    """Record since when nodes are unused."""
    Node.objects.filter(~Used, unused_since=None).update(unused_since=now)
    Node.objects.filter(Used).exclude(unused_since=None).update(unused_since=None)


def select_candidates(nodes: QuerySet[Node]) -> list[Node]:
    """Return the nodes that no plan, sink, trash or dependent node needs, and whose query is idle."""
    sinks = Exists(NodeSink.objects.filter(node=OuterRef("pk")))
    trashed = Stream.everything.filter(trashed_at__isnull=False, purging=False)
    terms = NodeTerm.objects.filter(kind=Term.Kind.STREAM, value__in=trashed.values("name"))
    free = nodes.filter(~Used, ~sinks, next_query=None).exclude(pk__in=terms.values("thing"))
    return _without_read(list(free.select_related("query").order_by("pk")))


def _without_read(nodes: list[Node]) -> list[Node]:
    """Return the nodes whose feeds no query and no node outside of them reads."""
    unread = {node.digest: node for node in nodes}
    programs = Query.objects.filter(desired=Query.Desired.RUNNING).values_list("program", flat=True)
    for digest in {feed for program in programs for feed in _feeds_of(program)}:
        unread.pop(digest, None)
    readers = {node.digest: _feeds_of(node.program) for node in _nodes_above(unread)}
    while (
        read := {feed for digest in readers.keys() - unread.keys() for feed in readers[digest]}
        & unread.keys()
    ):
        for digest in read:
            del unread[digest]
    return list(unread.values())


def _nodes_above(digests: Iterable[str]) -> Iterator[Node]:
    """Yield the nodes that are computed from any of these."""
    programs = list(digests)
    for start in range(0, len(programs), QUERY_BATCH_SIZE):
        terms = NodeTerm.objects.filter(
            kind=Term.Kind.NODE, value__in=programs[start : start + QUERY_BATCH_SIZE]
        )
        yield from Node.objects.filter(pk__in=terms.values("thing")).only("digest", "program")


def _feeds_of(program: Mapping[str, Any]) -> set[str]:
    """Return the digests of the nodes whose feeds a program reads."""
    return {feed["digest"] for feed in program.get("feeds", ())}


def find_needed_digests(nodes: Iterable[Node]) -> set[str]:
    """Return the digests that former plans of these nodes would use again, as drawn or as run last."""
    readers = Node.readers.through._default_manager.filter(node__in=[node.pk for node in nodes])
    declarations = load_declarations(None)
    needed: set[str] = set()
    for plan in Plan.objects.filter(pk__in=readers.values("plan")).iterator(chunk_size=20):
        for document in _documents(plan):
            needed |= _digests_of(document, declarations)
    return needed


def _documents(plan: Plan) -> Iterator[Any]:
    yield plan.document
    last = plan.versions.filter(reason=Reason.RUN).order_by("-number").first()
    if last is not None:
        yield last.document


def _digests_of(document: Any, declarations: Mapping[str, StreamDeclaration]) -> set[str]:
    """Return the digests that a plan computes; none if it has problems."""
    try:
        return set(compile_plan(document, declarations).programs)
    except Refused:
        return set()


def remove_nodes(numbers: Iterable[int], due: datetime) -> list[str]:
    """Remove those of the nodes that are still unused; their log rows are removed gradually."""
    with transaction.atomic():
        decide_alone()
        unused = Node.objects.filter(pk__in=list(numbers), unused_since__lte=due)
        nodes = [node for node in select_candidates(unused) if _at_rest(node.query)]
        nodes = _without_read(nodes)
        for node in nodes:
            audit_writing.note(
                user=None,
                act="node.remove",
                thing=node,
                reason="no plan uses it any more",
                before=_build_audit_details(node),
            )
        chosen = [node.pk for node in nodes]
        NodeKey.objects.filter(node__in=chosen).update(node=None)
        Node.objects.filter(pk__in=chosen).delete()
    return [node.digest for node in nodes]


def _build_audit_details(node: Node) -> dict[str, Any]:
    since = node.unused_since
    return {"operator": node.operator, "unused_since": since.isoformat() if since else None}


def _at_rest(query: Query) -> bool:
    """Return whether a query publishes nothing more for the node, because it stopped or goes on without it."""
    stopped = query.desired == Query.Desired.STOPPED and query.observed == Query.Observed.STOPPED
    return stopped or (query.desired == Query.Desired.RUNNING and not query.stale)
