"""The handover of nodes from one query to another, in small steps that may be repeated after any crash.

The old queries stop first. Once all their output is in the revision log, the node's lineage continues in the new
query, which starts after the offsets that each old query had read. Nothing is published twice, and nothing is lost.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from timeline_app.compiler import parse_program
from timeline_app.feed.lineage import Chain, ChainLink
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.web.models import Node, PlanNode, Query
from timeline_app.web.nodes.feed_pruning import FeedNeeds
from timeline_app.web.nodes.hosting import is_complete
from timeline_app.web.nodes.services import decide_alone
from workers.engine import status
from workers.engine.checkpoint_repair import repair_checkpoint
from workers.engine.status import is_claimed
from workers.spark.checkpoint import Unreadable
from workers.spark.hosts.emit import NO_LIMITS
from workers.spark.position import Position, find_position

log = logging.getLogger(__name__)


def select_queries_being_left() -> set[int]:
    """Return the queries that must stop because a node leaves them."""
    return set(Node.objects.exclude(next_query=None).values_list("query_id", flat=True))


def select_waiting_queries() -> set[int]:
    """Return the queries that cannot start yet because a node is still to be handed over to them."""
    return set(Node.objects.exclude(next_query=None).values_list("next_query_id", flat=True))


def advance_handovers(active: Mapping[str, Any]) -> None:
    """Take one step of every handover: stop the old queries, or, once they are done, hand over.

    `active` maps names to Spark's queries.
    """
    for target in Query.objects.filter(pk__in=select_waiting_queries()).order_by("name"):
        olds = list(Query.objects.filter(nodes__next_query=target).distinct().order_by("name"))
        try:
            resting = [_has_stopped(query, active.get(query.name)) for query in olds]
            if all(resting):
                _hand_over(target, [query.name for query in olds])
        except Exception:
            log.exception("the nodes of query %s cannot move yet", target.name)


def _has_stopped(query: Query, running: Any | None) -> bool:
    """Stop the query. Return whether it has stopped and all its output is in the revision log."""
    if running is not None:
        running.stop()
        status.observe(query, Query.Observed.STOPPING, "stopping, its nodes move to another query")
        return False
    if is_claimed(query, timezone.now()):
        return False
    begin_lineages(query)  # it may never have been launched
    with suppress(Unreadable):  # then the node is rebuilt from the retained events
        repair_checkpoint(query)
    has_stopped = (
        find_position(_get_layout(), query.name, parse_program(query.program), query.position + 1).batches
        == query.position + 1
    )
    waits = "stopped, its nodes move when all it said is in the log"
    status.observe(query, Query.Observed.STOPPING, "stopped, its nodes move" if has_stopped else waits)
    return has_stopped


def _hand_over(target: Query, names: Iterable[str]) -> None:
    """Let the target compute the nodes from now on; the old queries have stopped."""
    with transaction.atomic():
        decide_alone()
        target = Query.objects.select_for_update().get(pk=target.pk)
        for query in Query.objects.select_for_update().filter(name__in=names).order_by("name"):
            reached = find_position(
                _get_layout(), query.name, parse_program(query.program), query.position + 1
            )
            for node in Node.objects.select_for_update().filter(query=query, next_query=target):
                _assign_node(node, target, Position(**node.left) if node.left else reached)
            _release_query(query)
        target.save(update_fields=["taken_over"])


def _assign_node(node: Node, target: Query, position: Position) -> None:
    """Assign a node to the target, from where its query left it."""
    node_program = parse_program(node.program)
    segment = ChainLink(target.name, parse_program(target.program).nodes.index(node.digest))
    _continue_lineage(_get_layout(), node, position.batches, segment)
    if (
        is_complete(node_program) and node.skipped_from is None
    ):  # else the node starts over from the retained events
        limits = {
            name: list(position.sources.get(name, NO_LIMITS))
            for name in node_program.inputs or node_program.streams
        }
        target.taken_over[node.digest] = limits
    if any(Chain(_get_layout(), digest).snapshot() for digest in node_program.inputs):
        node.kept_from = FeedNeeds(_get_layout()).find_limit([node.digest])
    node.query, node.next_query, node.left = target, None, None
    node.skipped_from = 0 if node.failure else None
    node.save(update_fields=["query", "next_query", "left", "skipped_from", "kept_from"])


def _continue_lineage(places: Places, node: Node, batches: int, segment: ChainLink) -> None:
    chain = Chain(places, node.digest)
    segments = chain.segments()
    here = [item.query for item in segments].index(node.query.name)
    # Links after it belong to a handover that a crash or a later decision replaced.
    links = [*segments[:here], ChainLink(node.query.name, segments[here].place, batches), segment]
    if links != segments:
        chain.write(links)


def _release_query(query: Query) -> None:
    """Restart the query with its remaining nodes; a query without nodes ends."""
    hosted = Node.objects.filter(Q(query=query, next_query=None) | Q(next_query=query))
    remaining = [node.digest for node in Node.objects.filter(Q(query=query) | Q(next_query=query))]
    used = PlanNode.objects.filter(node__in=hosted).exists()
    document = query.program
    silent = [name for name in document["nodes"] if name not in remaining or name in document["silent"]]
    query.program = document | {"silent": silent}
    query.desired = Query.Desired.RUNNING if used else Query.Desired.STOPPED
    query.retry_at = timezone.now()
    query.save(update_fields=["program", "desired", "retry_at"])
    if not remaining:
        transaction.on_commit(lambda: durable.remove_all(_get_layout().checkpoint(query.name)))


def record_positions(query: Query) -> None:
    """Record where a query left nodes that it no longer computes, before it starts again."""
    reached = None
    for node in Node.objects.filter(query=query, left__isnull=True, digest__in=query.program["silent"]):
        reached = reached or find_position(
            _get_layout(), query.name, parse_program(query.program), query.position + 1
        )
        node.left = {"batches": reached.batches, "sources": dict(reached.sources)}
        node.save(update_fields=["left"])


def begin_lineages(query: Query) -> None:
    """Begin the lineages of nodes that start in this query, before it does."""
    program = parse_program(query.program)
    for node in Node.objects.filter(query=query):
        segment = ChainLink(query.name, program.nodes.index(node.digest))
        chain = Chain(_get_layout(), node.digest)
        if chain.segments() == [ChainLink(node.digest, 0)] != [segment]:
            chain.write([segment])


def _get_layout() -> Places:
    return Places(settings.TIMELINE_DATA)
