"""Fails a node that exceeds a budget, alone, until somebody restarts it."""

from __future__ import annotations

import logging

from django.conf import settings
from django.db import transaction

from timeline_app.compiler import parse_program
from timeline_app.web.models import Node, Query
from timeline_app.web.nodes.failures import fail_node
from timeline_app.web.nodes.services import decide_alone
from workers.engine import status

log = logging.getLogger(__name__)


def drop_node(query: Query, digest: str, words: str) -> bool:
    """Fail the node of a query whose output is too large. Return whether the query goes on with other nodes.

    Nothing of the batch was published: the remaining nodes compute it again.
    """
    with transaction.atomic():
        decide_alone()
        locked = Query.objects.select_for_update().get(pk=query.pk)
        here = Node.objects.filter(query=locked, next_query=None).exclude(digest__in=locked.program["silent"])
        node = here.filter(digest=digest).first()
        words = f"{node or 'a node'}: {words}"
        if node is not None and here.exclude(pk=node.pk).exists():
            fail_node(node, words)
            locked.program |= {"silent": [*locked.program["silent"], digest]}
            locked.save(update_fields=["program"])
            query.program = locked.program
            return True
    status.give_up(query, words)
    return False


def describe_state(query: Query) -> str:
    """Say why the state of a query is too large; empty where it is not."""
    if query.state_bytes <= settings.MAX_STATE_BYTES:
        return ""
    nodes = max(len(parse_program(query.program).published), 1)
    limit = settings.MAX_STATE_BYTES * nodes
    if query.state_bytes <= limit:
        return ""
    size_text, most = (f"{size / 2**30:,.2f} GiB" for size in (query.state_bytes, limit))
    return (
        f"its state is {size_text}, and at most {most} are kept ({nodes} nodes, TIMELINE_MAX_STATE_MIB);"
        " choose a shorter retention of its streams, or fewer keys"
    )
