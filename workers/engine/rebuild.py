"""Rebuilds a query whose state or checkpoint cannot be read: its nodes are handed over to a new one.

The new query computes from the retained events and stays silent until it reaches the old one's position. What the old
one published stays in the log, so nothing is guessed and nothing is published twice.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from timeline_app.compiler import parse_program
from timeline_app.web.models import Node, Query
from timeline_app.web.nodes.hosting import is_complete
from timeline_app.web.nodes.services import create_query, decide_alone
from workers.engine import status

log = logging.getLogger(__name__)
MIN_FAILURES_BEFORE_REBUILD = 3
"""A disk that is full or away for a moment causes the same errors."""


def rebuild(query: Query) -> None:
    """Move the nodes of a query to a new one, if it has failed often enough and all their events are retained."""
    if query.restarts < MIN_FAILURES_BEFORE_REBUILD or query.observed == Query.Observed.FAILED:
        return
    with transaction.atomic():
        decide_alone()
        nodes = select_nodes_to_move(query)
        if not nodes:
            return
        if not can_recompute(nodes):
            _give_up(query)
            return
        words = "its state could not be read, and was built anew from the retained events"
        target = move_nodes(nodes, words, restarts=query.restarts)
        log.warning(
            "the state of query %s cannot be read (%s); %s builds it anew",
            query.name,
            query.error,
            target.name,
        )
        status.observe(
            query, Query.Observed.RETRYING, "its state cannot be read; it is built anew", query.error
        )


def select_nodes_to_move(query: Query) -> list[Node]:
    """Return the nodes that a query publishes and that move nowhere yet, locked."""
    here = Node.objects.select_for_update().filter(query=query, next_query=None)
    return list(here.exclude(digest__in=query.program["silent"]))


def can_recompute(nodes: Sequence[Node]) -> bool:
    """Return whether everything that the nodes were computed from is retained."""
    return all(is_complete(parse_program(node.program)) for node in nodes)


def move_nodes(nodes: Sequence[Node], words: str, **fields: int) -> Query:
    """Let a new query with these `fields` take the nodes over, and compute them from the retained events.

    `words` say why, for people.
    """
    target = create_query([parse_program(node.program) for node in nodes])
    changes = {"mended": f"{timezone.now():%Y-%m-%d %H:%M:%S} UTC: {words}", **fields}
    Query.objects.filter(pk=target.pk).update(**changes)
    Node.objects.filter(pk__in=[node.pk for node in nodes]).update(next_query=target)
    return target


def _give_up(query: Query) -> None:
    """Give up: some events are gone, so a rebuild would change the answers."""
    query.restarts, query.retry_at = status.MAX_RESTARTS, None
    words = "its state cannot be read, and not all the events are kept any more that it was made of"
    Query.objects.filter(pk=query.pk).update(restarts=query.restarts, retry_at=None)
    status.observe(query, Query.Observed.FAILED, f"failed: {words}", query.error)
