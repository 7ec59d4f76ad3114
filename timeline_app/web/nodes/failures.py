"""Failed nodes: given up individually, while the other nodes of their query go on; and their restart."""

from __future__ import annotations

import logging

from timeline_app.web.models import Node
from timeline_app.web.nodes import system_audit

MAX_FAILURE_CHARS = 1_000
log = logging.getLogger(__name__)


def fail_node(node: Node, words: str, *, skipped_from: int | None = None) -> None:
    """Give a node up until somebody restarts it. Call it in a transaction.

    `skipped_from` is the first batch of its feed that is not published for it.
    """
    log.error("node %s is given up: %s", node.digest, words)
    queryset = Node.objects.filter(pk=node.pk)
    queryset.update(failure=words[:MAX_FAILURE_CHARS], skipped_from=skipped_from)
    system_audit.note_given_up(node, words)


def retry_failed_nodes(nodes: list[int]) -> None:
    """Retry nodes of these numbers; first what was not published for them is published."""
    Node.objects.filter(pk__in=nodes).exclude(failure="").update(failure="")
