"""Retention of results: old parts of a node's log are removed, key by key.

Of a key's compacted rows, those that end before the limit become a single row, which says that nothing is known
there. So rows still tile time, and readers need no special case. Transactions are small, and an interrupted pass is
repeated.
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

PASSES_PER_RETENTION = 50
"""A node is checked again when this fraction of its retention has passed."""
MAX_KEYS_PER_TRANSACTION = 500
UNKNOWN_PIECES = {
    Kind.BOOL: [[None, None]],
    Kind.TEXT: [[None, None]],
    Kind.NUMBER: [[None, None, 0.0]],
    Kind.RATIO: [[None, None, 0.0, None, 0.0]],
}


def remove_old_results(*, now: int | None = None, seconds: float = 120.0) -> int:
    """Remove old results of all due nodes, for at most `seconds`; return how many rows were removed."""
    stop = time.monotonic() + seconds
    now = time.time_ns() // 1000 if now is None else now
    removed = 0
    for node in Node.objects.exclude(newest=None).order_by("pk"):
        limit = min(node.newest or 0, now) - settings.RESULT_RETENTION_MICROS
        due = (
            node.results_from is None
            or limit - node.results_from >= settings.RESULT_RETENTION_MICROS // PASSES_PER_RETENTION
        )
        if not due or not _has_older_results(node, limit):
            continue
        for count in _remove_in_steps(node, limit):
            removed += count
            if time.monotonic() > stop:
                return removed
        Node.objects.filter(pk=node.pk).update(results_from=limit)
    return removed


def _has_older_results(node: Node, limit: int) -> bool:
    """Return whether any key was born before the limit."""
    return NodeKey.objects.filter(node=node, birth__lt=limit).exists()


def _remove_in_steps(node: Node, limit: int) -> Iterator[int]:
    """Remove old rows in small transactions; yield how many rows each removed."""
    keys = NodeKey.objects.filter(node=node, birth__lt=limit).order_by("pk").values_list("pk", flat=True)
    numbers = iter(list(keys))
    while chunk := list(islice(numbers, MAX_KEYS_PER_TRANSACTION)):
        with transaction.atomic():
            # Leave keys that the publisher has locked to the next pass, as compaction does.
            locked = NodeKey.objects.filter(pk__in=chunk).select_for_update(skip_locked=True).order_by("pk")
            yield _remove_rows([key.pk for key in locked], Kind(node.kind), limit)


def _remove_rows(keys: list[int], kind: Kind, limit: int) -> int:
    """Replace the old rows of locked keys by one row per key."""
    old: dict[int, list[Revision]] = defaultdict(list)
    for row in Revision.objects.filter(node_key__in=keys, folded=True, end__lte=limit).defer("pieces"):
        old[row.node_key_id].append(row)
    chains = [rows for rows in old.values() if len(rows) > 1 and min(row.start for row in rows) == BEGINNING]
    unknown_rows = [_build_unknown_row(rows, kind) for rows in chains]
    Revision.objects.filter(pk__in=[row.pk for rows in chains for row in rows]).delete()
    Revision.objects.bulk_create(unknown_rows)
    return sum(map(len, chains)) - len(unknown_rows)


def _build_unknown_row(rows: list[Revision], kind: Kind) -> Revision:
    """Return a row of unknown values in place of consecutive rows; it is as new as the newest of them."""
    newest = max(rows, key=lambda row: row.known_at)
    return Revision(
        node_key_id=newest.node_key_id,
        version=newest.version,
        known_at=newest.known_at,
        birth=newest.birth,
        start=BEGINNING,
        end=max(row.end for row in rows),
        pieces=UNKNOWN_PIECES[kind],
        folded=True,
    )
