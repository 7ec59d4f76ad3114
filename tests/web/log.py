"""A node with a revision log, as the publisher writes it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.web.models import Node, NodeKey, Query, Revision

T = 1_719_820_800_000_000
SECOND = 1_000_000


def make_node(owner: User, digest: str = "d1", kind: str = "bool", operator: str = "has_existed") -> Node:
    """A node without any key."""
    query = Query.objects.create(name=digest, program={})
    return Node.objects.create(digest=digest, operator=operator, kind=kind, owner=owner, query=query)


def revise(
    node: Node, key: str, pieces: list[list[Any]], *, start: int | None = None, end: int | None = None
) -> Revision:
    """The next version of the node: from start to end the key's timeline is these pieces; all at once, as published."""
    with transaction.atomic():
        return _revise(node, key, pieces, start, end)


def _revise(node: Node, key: str, pieces: list[list[Any]], start: int | None, end: int | None) -> Revision:
    node.version += 1
    node.as_of = T + node.version
    node.final_until = T
    node.save()
    known_values = {"version": node.version, "known_at": T + node.version, "birth": T}
    row, _ = NodeKey.objects.update_or_create(
        node=node, digest=NodeKey.digest_of(key), defaults={"key": key, **known_values}
    )
    row.unfolded, row.unfolded_since = row.unfolded + 1, row.unfolded_since or T + node.version
    row.save()
    bounds = {"start": BEGINNING if start is None else start, "end": OPEN if end is None else end}
    return Revision.objects.create(node_key=row, pieces=pieces, **bounds, **known_values)
