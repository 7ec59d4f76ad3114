"""Prunes a feed: a snapshot replaces batches that all readers have passed, and they are removed.

Each step can be repeated after a kill. The snapshot appears whole, and new readers begin there. The batches are
removed in a later round, after a while, and only if all readers are beyond the snapshot.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from timeline_app.feed.files import FileFeed
from timeline_app.feed.segments import (
    REMOVE_AFTER_S,
    FeedSegment,
    list_manifests,
    list_segments,
    remove_own_files,
)
from timeline_app.feed.snapshot_writing import SnapshotNode, write_snapshot
from timeline_app.feed.snapshots import FOLDER, Snapshot, list_snapshots
from timeline_app.fs import durable


def prune(feed: FileFeed, nodes: Sequence[SnapshotNode], passed: int, limit: int | None) -> int:
    """Run one round over a feed whose batches before `passed` all readers have passed.

    Returns the end of the written snapshot, or 0. `limit` is the nodes' retention limit in microseconds (None:
    unlimited). A snapshot is written when the batches that it replaces have as many rows as the previous one. So a
    row is rewritten only as often as the number of rows doubles, and a feed has at most twice the rows of its
    snapshot and its unpassed batches.
    """
    snapshots = list_snapshots(feed.path)
    newest = snapshots[-1] if snapshots else None
    if newest is not None:
        remove_replaced(feed, newest, passed)
    passable = _list_passed_segments(feed, 0 if newest is None else newest.end, passed)
    rows = sum(item.count_rows() for item in passable)
    snapshot_bytes = 0 if newest is None else int(newest.facts.sizes.sum())
    if not nodes or not passable or rows < snapshot_bytes:
        return 0
    return write_snapshot(feed, passable[-1].end, nodes, limit, rows + snapshot_bytes).end


def remove_replaced(feed: FileFeed, newest: Snapshot, passed: int) -> None:
    """Remove what the newest snapshot replaces, if no reader can still be about to read it."""
    folder = feed.path / FOLDER
    durable.remove_abandoned(folder)
    if passed < newest.end or durable.measure_age(newest.path) <= REMOVE_AFTER_S:
        return
    replaced = [batch for batch in list_manifests(feed.path) if batch < newest.end]
    remove_own_files(feed.path, replaced, feed.files)
    for segment in list_segments(feed.path):
        if segment.end <= newest.end:
            segment.path.unlink(missing_ok=True)
    for snapshot in list_snapshots(feed.path):
        if snapshot.end < newest.end:
            snapshot.path.unlink(missing_ok=True)


def _list_passed_segments(feed: FileFeed, start: int, passed: int) -> list[FeedSegment]:
    """Return the consecutive segments from a batch on that all readers have passed."""
    later = (item for item in list_segments(feed.path) if item.start >= start)
    return list(takewhile(lambda item: item.end <= passed, later))
