"""Writes slices of feeds into the revision log, each with its position in one transaction.

All slices of a batch become known at one instant, later than everything known before. Readers see nothing that became
known after a node's `as_of`, which moves with the last slice, so nobody sees part of a batch.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F

from timeline_app.algebra.kinds import BEGINNING, Kind
from timeline_app.algebra.revisions import Revisions, cut_before
from timeline_app.compiler import parse_program
from timeline_app.feed.feed_rows import read_revisions, select_node_revisions, select_progress_rows
from timeline_app.web.alerts.incidents import select_followed
from timeline_app.web.core.log_context import log_facts
from timeline_app.web.models import Node, NodeKey, Query
from timeline_app.web.nodes.failures import fail_node
from timeline_app.web.nodes.revision_log import append, compute_next_known_at
from workers.engine.alert_writer import write_alerts
from workers.engine.slices import FeedSlice
from workers.notify import notify_nodes, notify_statuses

COUNTERS = ("events", "late", "too_late", "duplicates", "conflicts")
PROGRAM_LIMIT = "54"
"""PostgreSQL's error class for exceeded program limits, which Django reports as operational errors."""
Advanced = tuple[str, int]
"""The digest of a node, and its new version."""


def write_slice(query: Query, piece: FeedSlice, giving_up: str = "") -> bool:
    """Write the next slice of a feed and its position. Return False where it was written before.

    With a message in `giving_up`, a node whose part cannot be written fails with it, and the others go on.
    """
    advanced: list[Advanced | None] = []
    failed: list[str] = []
    with transaction.atomic():
        if not _move_on(query, piece):
            return False
        nodes = _lock_nodes(query, piece.batch)
        known_at, followed = _compute_known_at(query, piece, nodes), select_followed(nodes)
        for node in nodes:
            try:
                with transaction.atomic() if giving_up else nullcontext():
                    alerts = node.pk in followed
                    advanced.append(_write_node(node, _place(query, node), piece, known_at, alerts=alerts))
            except Exception as why:
                if not giving_up or is_of_database(why):
                    raise
                failed.append(node.digest)
                fail_node(node, f"{giving_up}: {describe_error(why)}", skipped_from=piece.batch)
    _announce(advanced, failed=bool(failed))
    return True


def skip_batch(query: Query, batch: int, words: str) -> None:
    """Skip a batch that cannot be read: its nodes fail, and later batches are published for other nodes."""
    with transaction.atomic():
        here = Query.objects.filter(pk=query.pk, position=batch - 1)
        if here.update(position=batch, slice_rows=0, slice_known_at=None):
            for node in _lock_nodes(query, batch):
                fail_node(node, words, skipped_from=batch)
    notify_statuses()


def write_skipped(node: Node, piece: FeedSlice, known_at: int | None) -> int | None:
    """Write a slice that a node had skipped. Return when it becomes known, or None where it is not the next one."""
    with transaction.atomic():
        query = Query.objects.select_for_update().get(pk=node.query_id)
        nodes = Node.objects.select_for_update(of=("self",), no_key=True)
        for skipped_node in nodes.filter(pk=node.pk, failure="", skipped_from=piece.batch):
            new_known_at = known_at or compute_next_known_at(skipped_node)
            advanced = _write_node(skipped_node, _place(query, skipped_node), piece, new_known_at)
            if piece.last:
                Node.objects.filter(pk=skipped_node.pk).update(skipped_from=piece.batch + 1)
            break
        else:
            return None
    _announce([advanced], failed=False)
    return new_known_at


def join_feed(node: Node) -> None:
    """Let a node that has caught up rejoin its feed, between two batches."""
    with transaction.atomic():
        query = Query.objects.select_for_update().get(pk=node.query_id)
        if not query.slice_rows:
            reached = Node.objects.filter(pk=node.pk, skipped_from__gt=query.position)
            reached.update(skipped_from=None)


def is_of_database(why: Exception) -> bool:
    """Return whether the database is away or locked. A value that it refuses does not count."""
    state = str(getattr(why.__cause__, "sqlstate", "") or "")
    return isinstance(why, OperationalError | InterfaceError) and not state.startswith(PROGRAM_LIMIT)


def describe_error(why: Exception) -> str:
    """Describe an error in one line."""
    if isinstance(why, MemoryError):
        return "the memory of the publisher does not suffice"
    lines = str(why).replace("\0", " ").splitlines() or [""]
    return f"{type(why).__name__}: {lines[0]}"[:300]


def _move_on(query: Query, piece: FeedSlice) -> bool:
    """Record the position after a slice. Return whether it was the next one."""
    here = Query.objects.filter(pk=query.pk, position=piece.batch - 1, slice_rows=piece.start)
    if piece.last:
        return bool(here.update(position=piece.batch, slice_rows=0))
    return bool(here.update(slice_rows=piece.end))


def _lock_nodes(query: Query, batch: int) -> list[Node]:
    """Lock and return the nodes for which a batch is published."""
    locked = Node.objects.select_for_update(of=("self",), no_key=True)
    return [
        node
        for node in locked.filter(query=query).order_by("digest")
        if not node.failure
        and node.skipped_from is None
        and (node.left is None or batch < node.left["batches"])
    ]


def _compute_known_at(query: Query, piece: FeedSlice, nodes: list[Node]) -> int | None:
    """Return when a batch of several slices becomes known; None for a single slice, where each node has its own."""
    if piece.start == 0:
        if piece.is_whole:
            return None
        known_at = max(map(compute_next_known_at, nodes), default=None)
    else:
        known_at = Query.objects.values_list("slice_known_at", flat=True).get(pk=query.pk)
    slice_known_at = None if piece.last else known_at
    Query.objects.filter(pk=query.pk).update(slice_known_at=slice_known_at)
    return known_at


def _write_node(
    node: Node, node_index: int, piece: FeedSlice, known_at: int | None, *, alerts: bool = True
) -> Advanced | None:
    """Write a node's part of a slice; without `alerts` none follows it.

    Return its digest and new version, if the slice ends a batch with output of the node.
    """
    sources = parse_program(node.program).sources
    with log_facts(node=node.digest):
        version, new_known_at = node.version + 1, known_at or compute_next_known_at(node)
        rows = select_node_revisions(piece.rows, node_index, sources)
        if piece.is_whole and not len(rows):
            return None
        revisions = _leave_older_results(node, read_revisions(rows, Kind(node.kind)))
        append(node, version, new_known_at, revisions)
        revised: dict[str, Any] = {"revisions": F("revisions") + revisions.size}
        if piece.last:
            marks = (
                select_progress_rows(rows)
                if piece.is_whole
                else select_node_revisions(piece.marks, node_index, sources)
            )
            if not len(marks) and not revisions.size and node_index not in piece.nodes:
                return None
            revised |= _compute_advances(node, marks, sources) | {"as_of": new_known_at, "version": version}
        if piece.last or revisions.size:
            Node.objects.filter(pk=node.pk).update(**revised)
            if alerts:
                write_alerts(node, revisions, revised.get("newest", node.newest), new_known_at)
    return (node.digest, version) if piece.last else None


def _leave_older_results(node: Node, revisions: Revisions) -> Revisions:
    """Leave out what revisions of known keys say before `kept_from`: the log has what the former query said."""
    if node.kept_from is None:
        return revisions
    old = np.flatnonzero((revisions.start < node.kept_from) & (revisions.birth < node.kept_from))
    digests = [NodeKey.digest_of(name) for name in revisions.names[old].tolist()]
    existing = NodeKey.objects.filter(node=node, digest__in=digests).values_list("digest", flat=True)
    known_keys = set(map(bytes, existing))
    at = np.full(revisions.size, BEGINNING)
    at[old[[digest in known_keys for digest in digests]]] = node.kept_from
    return cut_before(revisions, at)


def _compute_advances(node: Node, marks: pa.Table, expected: tuple[str, ...]) -> dict[str, Any]:
    """Compute from a batch's progress rows the node's watermarks and counters."""
    horizons = dict(node.horizons)
    for source, until in zip(marks["source"].to_pylist(), marks["t"].to_pylist(), strict=True):
        horizons[source] = max(until, horizons.get(source, until))
    complete = expected and all(source in horizons for source in expected)
    return {
        "horizons": horizons,
        "newest": _newest(node, marks),
        "final_until": min(horizons[source] for source in expected) if complete else None,
        **{name: F(name) + (pc.sum(marks[name]).as_py() or 0) for name in COUNTERS},
    }


def _newest(node: Node, marks: pa.Table) -> int | None:
    """Return the greatest time of an event or heartbeat that the node has seen."""
    times = [node.newest, *(pc.max(marks[name]).as_py() for name in ("start", "end"))]
    return max((time for time in times if time is not None and time != BEGINNING), default=None)


def _place(query: Query, node: Node) -> int:
    """Return the index of the node in its query."""
    return parse_program(query.program).nodes.index(node.digest)


def _announce(advanced: list[Advanced | None], *, failed: bool) -> None:
    notify_nodes(dict(filter(None, advanced)))
    if failed:
        notify_statuses()
