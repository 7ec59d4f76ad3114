"""Retention of results: what a node's log says of times that lie too far back is removed, key by key.

Of a key's compacted rows those that end before the limit become a single row, which says that nothing is known there.
So rows tile time as before, and whoever reads them needs to know nothing of it. Transactions are small, and a pass that
is killed is done again.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from django.conf import settings
from django.db import transaction

from timeline_app.algebra.kinds import BEGINNING, Kind
from timeline_app.web.models import Node, NodeKey, Revision

PARTS = 50
"""A node is looked at again when so small a part of the time has passed for which results are kept."""
KEYS = 500
"""Keys in a transaction, at most."""
UNKNOWN = {
    Kind.BOOL: [[None, None]],
    Kind.TEXT: [[None, None]],
    Kind.NUMBER: [[None, None, 0.0]],
    Kind.RATIO: [[None, None, 0.0, None, 0.0]],
}


def remove_old_results(*, now: int | None = None, seconds: float = 120.0) -> int:
    """One round over all nodes that are due, at most for so long; how many rows were removed."""
    stop = time.monotonic() + seconds
    now = time.time_ns() // 1000 if now is None else now
    removed = 0
    for node in Node.objects.exclude(newest=None).order_by("pk"):
        limit = min(node.newest or 0, now) - settings.RESULTS_FOR
        due = node.results_from is None or limit - node.results_from >= settings.RESULTS_FOR // PARTS
        if not due or not _has_older_results(node, limit):
            continue
        for count in _remove_in_steps(node, limit):
            removed += count
            if time.monotonic() > stop:
                return removed
        Node.objects.filter(pk=node.pk).update(results_from=limit)
    return removed


def _has_older_results(node: Node, limit: int) -> bool:
    """Whether any key was born that long ago."""
    return NodeKey.objects.filter(node=node, birth__lt=limit).exists()


def _remove_in_steps(node: Node, limit: int) -> Iterator[int]:
    """Some keys in each transaction; how many rows it removed."""
    keys = NodeKey.objects.filter(node=node, birth__lt=limit).order_by("pk").values_list("pk", flat=True)
    numbers = iter(list(keys))
    while some := list(islice(numbers, KEYS)):
        with transaction.atomic():
            # A key that the publisher holds is left to the next pass, as compaction does.
            mine = NodeKey.objects.filter(pk__in=some).select_for_update(skip_locked=True).order_by("pk")
            yield _remove_rows([key.pk for key in mine], Kind(node.kind), limit)


def _remove_rows(keys: list[int], kind: Kind, limit: int) -> int:
    """Replace the old rows of keys, which are locked, by a row for each key."""
    old: dict[int, list[Revision]] = defaultdict(list)
    for row in Revision.objects.filter(node_key__in=keys, folded=True, end__lte=limit).defer("pieces"):
        old[row.node_key_id].append(row)
    chains = [rows for rows in old.values() if len(rows) > 1 and min(row.start for row in rows) == BEGINNING]
    made = [_build_unknown_row(rows, kind) for rows in chains]
    Revision.objects.filter(pk__in=[row.pk for rows in chains for row in rows]).delete()
    Revision.objects.bulk_create(made)
    return sum(map(len, chains)) - len(made)


def _build_unknown_row(rows: list[Revision], kind: Kind) -> Revision:
    """A row in the place of some that follow each other: nothing is known there; as new as the newest of them."""
    newest = max(rows, key=lambda row: row.known_at)
    return Revision(
        node_key_id=newest.node_key_id,
        version=newest.version,
        known_at=newest.known_at,
        birth=newest.birth,
        start=BEGINNING,
        end=max(row.end for row in rows),
        pieces=UNKNOWN[kind],
        folded=True,
    )
