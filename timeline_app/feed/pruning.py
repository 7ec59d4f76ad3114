"""Pruning of a feed: a snapshot takes the place of batches that everybody has passed, and they are removed.

Each step can be repeated after a kill. The snapshot appears whole, and whoever begins to read begins there. What it
stands for is removed in a later round, when it has been there for a while, and only if everybody is beyond it: so
nobody who began before it appeared misses anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from timeline_app.feed.files import FileFeed
from timeline_app.feed.segments import GRACE, Pack, list_manifests, list_packs, remove_own_files
from timeline_app.feed.snapshot_writing import SnapshotNode, write_snapshot
from timeline_app.feed.snapshots import FOLDER, Snapshot, list_snapshots
from timeline_app.fs import durable


def prune(feed: FileFeed, nodes: Sequence[SnapshotNode], passed: int, limit: int | None) -> int:
    """One round over a feed of which everybody has passed so many batches; the end of the snapshot that it wrote, or 0.

    `limit` is the retention limit of what the nodes say, in microseconds (None: it has none). A snapshot is written
    when what it takes the place of has as many rows as the one before: so a row is written again only as often as the
    number of rows has doubled, and a feed has at most twice the rows of its snapshot and what is not passed yet.
    """
    snapshots = list_snapshots(feed.path)
    newest = snapshots[-1] if snapshots else None
    if newest is not None:
        remove_replaced(feed, newest, passed)
    passable = _list_passed_packs(feed, 0 if newest is None else newest.end, passed)
    rows = sum(item.count_rows() for item in passable)
    known = 0 if newest is None else int(newest.facts.sizes.sum())
    if not nodes or not passable or rows < known:
        return 0
    return write_snapshot(feed, passable[-1].end, nodes, limit, rows + known).end


def remove_replaced(feed: FileFeed, newest: Snapshot, passed: int) -> None:
    """Remove what the newest snapshot stands for, if nobody can still be about to read it."""
    folder = feed.path / FOLDER
    durable.remove_abandoned(folder)
    if passed < newest.end or durable.measure_age(newest.path) <= GRACE:
        return
    replaced = [batch for batch in list_manifests(feed.path) if batch < newest.end]
    remove_own_files(feed.path, replaced, feed.files)
    for pack in list_packs(feed.path):
        if pack.end <= newest.end:
            pack.path.unlink(missing_ok=True)
    for snapshot in list_snapshots(feed.path):
        if snapshot.end < newest.end:
            snapshot.path.unlink(missing_ok=True)


def _list_passed_packs(feed: FileFeed, start: int, passed: int) -> list[Pack]:
    """The packs from a batch on, one after the other without a gap, that everybody has passed."""
    later = (item for item in list_packs(feed.path) if item.start >= start)
    return list(takewhile(lambda item: item.end <= passed, later))
