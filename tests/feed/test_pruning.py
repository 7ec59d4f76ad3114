"""A feed is pruned: whoever begins to read afterwards knows all from the retention limit on, and nobody is robbed."""

from __future__ import annotations

import itertools
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.feed.revising import KINDS, FeedReader, RevisedFeed, chain_of, tell
from timeline_app.feed import pruning, segments, snapshot_writing
from timeline_app.feed.composing import hide_values_before
from timeline_app.feed.lineage import Chain
from timeline_app.feed.pruning import prune
from timeline_app.feed.snapshots import SnapshotOffset, list_snapshots
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from workers.spark import sources

SIZE, RETENTION = 4, 100


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "UNCOMPACTED_BATCHES", 2)
    monkeypatch.setattr(segments, "REMOVE_AFTER_S", -1.0)
    monkeypatch.setattr(pruning, "REMOVE_AFTER_S", -1.0)
    monkeypatch.setattr(snapshot_writing, "ROWS_PER_PART", 60)
    monkeypatch.setattr(sources, "MAX_ROWS_PER_BUCKET", 40)
    segments._read_batch_sizes.cache_clear()
    segments._read_fixed_size.cache_clear()


def open_feed(folder: Path, seed: int = 1) -> RevisedFeed:
    new_feed = RevisedFeed(Places(folder), seed)
    for index in range(len(KINDS)):
        chain_of(new_feed.places, f"node{index}", [(new_feed.name, index, None)])
    return new_feed


def compact(item: RevisedFeed, passed: int | None = None, limit: int | None = None) -> int:
    """As a round of the job does: compact, then prune."""
    while item.feed.compact(item.batches, SIZE):
        pass
    return prune(item.feed, item.nodes, item.batches if passed is None else passed, limit)


def read_anew(item: RevisedFeed, index: int) -> FeedReader:
    reader = FeedReader(item.places, index, f"node{index}")
    reader.read_all()
    return reader


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(4))
def test_who_begins_later_knows_all_from_the_limit_on(tmp_path: Path, seed: int) -> None:
    item = open_feed(tmp_path, seed)
    pruned = 0
    for _ in range(6):
        item.write_batches(7)
        limit = item.now - RETENTION
        pruned += bool(compact(item, limit=limit))
        for index in range(len(KINDS)):
            known = read_anew(item, index).known()
            assert tell(hide_values_before(known, limit)) == tell(hide_values_before(item.said[index], limit))
    assert pruned > 1


def test_without_a_limit_everything_stays_known(tmp_path: Path) -> None:
    item = open_feed(tmp_path)
    item.write_batches(30)
    assert compact(item)
    compact(item)
    for index in range(len(KINDS)):
        assert tell(read_anew(item, index).known()) == tell(item.said[index])


def test_a_feed_of_many_times_the_retention_is_bounded(tmp_path: Path) -> None:
    item, sizes = open_feed(tmp_path), []
    item.keys = 8
    for _ in range(12):
        item.write_batches(10)
        item.keys -= 5  # no new keys: each of them would stay
        compact(item, limit=item.now - RETENTION)
        sizes.append(
            sum(path.stat().st_size for path in require_path(item.feed.path).rglob("*") if path.is_file())
        )
    assert max(sizes[4:]) < 2 * max(sizes[:4]), sizes
    assert len(list(require_path(item.feed.path).rglob("*.parquet"))) < 40


def test_who_is_behind_is_not_robbed(tmp_path: Path) -> None:
    item = open_feed(tmp_path)
    item.write_batches(20)
    slow = FeedReader(item.places, 0, "node0")
    assert slow.step()
    behind = slow.offset
    assert 0 < behind < 20
    item.write_batches(20)
    assert compact(item, passed=behind) == behind - behind % SIZE
    assert compact(item, passed=behind) == 0
    slow.read_all()
    assert tell(slow.known()) == tell(item.said[0])


def test_who_began_before_the_snapshot_was_there_keeps_what_it_reads(tmp_path: Path) -> None:
    """It is not known yet when the snapshot is written; before the batches go it is."""
    item = open_feed(tmp_path)
    item.write_batches(40)
    reader = FeedReader(item.places, 0, "node0")
    plan = reader.open()
    end = plan.latestOffset({"next": 0}, plan.getDefaultReadLimit())["next"]
    assert compact(item) == 36
    compact(item, passed=0)
    reader.take(reader.open(), end)
    compact(item, passed=end)
    reader.read_all()
    assert tell(reader.known()) == tell(item.said[0])


def test_who_is_within_a_snapshot_goes_on_with_it(tmp_path: Path) -> None:
    item = open_feed(tmp_path)
    item.write_batches(20)
    first = compact(item, limit=0)
    reader = FeedReader(item.places, 0, "node0")
    assert reader.step()
    assert SnapshotOffset.decode(reader.offset).end == first
    item.write_batches(40)
    assert compact(item, passed=60, limit=0) > first
    compact(item, passed=reader.offset, limit=0)
    reader.read_all()
    assert reader.offset == 60
    assert tell(reader.known()) == tell(item.said[0])
    compact(item, limit=0)
    assert len(list_snapshots(item.feed.path)) == 1


@pytest.mark.parametrize("planned", [4, 20])
def test_who_was_away_goes_on_with_the_snapshot(tmp_path: Path, planned: int) -> None:
    """It stopped, perhaps with a batch planned that was not done; meanwhile all of that was removed."""
    item = open_feed(tmp_path)
    item.write_batches(20)
    reader = FeedReader(item.places, 0, "node0")
    assert reader.step()
    item.write_batches(20)
    assert compact(item, limit=0) == 36
    compact(item, limit=0)
    reader.take(reader.open(), planned)
    reader.read_all()
    assert reader.offset == 40
    assert tell(reader.known()) == tell(item.said[0])


def test_who_was_away_within_a_snapshot_goes_on_with_the_newest(tmp_path: Path) -> None:
    item = open_feed(tmp_path)
    item.write_batches(20)
    compact(item, limit=0)
    reader = FeedReader(item.places, 0, "node0")
    assert reader.step()
    assert reader.offset < 0
    item.write_batches(40)
    for _ in range(2):
        compact(item, limit=0)
    reader.read_all()
    assert reader.offset == 60
    assert tell(reader.known()) == tell(item.said[0])


def test_a_batch_that_is_read_again_reads_the_same_snapshot(tmp_path: Path) -> None:
    item = open_feed(tmp_path)
    item.write_batches(20)
    compact(item, limit=0)
    once, again = (FeedReader(item.places, 0, "node0") for _ in range(2))
    once.step()
    item.write_batches(40)
    compact(item, passed=60, limit=0)
    again.take(again.open(), once.offset)
    assert again.tables[0].equals(once.tables[0])


def test_marks_come_with_the_last_piece(tmp_path: Path) -> None:
    item = open_feed(tmp_path)
    item.write_batches(20)
    end = compact(item)
    snapshot = Chain(item.places, "node1", ["player"]).snapshot()
    assert snapshot is not None
    assert snapshot.end == end
    assert snapshot.pieces > 1
    marks = [row for row in snapshot.rows(0, snapshot.pieces).to_pylist() if row["key"] is None]
    assert not [row for row in snapshot.rows(0, snapshot.pieces - 1).to_pylist() if row["key"] is None]
    assert [(row["bucket"], row["t"], row["horizon"], row["events"]) for row in marks] == [
        (bucket, 10 * end, 10 * end - 50, 0) for bucket in (0, 1)
    ]


def test_a_node_that_moved_is_known_from_both_feeds(tmp_path: Path) -> None:
    old = open_feed(tmp_path)
    old.write_batches(18)
    new = RevisedFeed(old.places, 5, "new", now=old.now, said=old.said)
    for index in range(len(KINDS)):
        chain_of(old.places, f"node{index}", [("query", index, 18), ("new", index, None)])
    new.write_batches(22)
    nodes = [
        snapshot_writing.SnapshotNode(
            node.place, node.kind, node.sources,
            lambda place=node.place: Chain(old.places, f"node{place}", ["player"]).tables(18),  # type: ignore[misc]
            18,
        )
        for node in new.nodes
    ]  # fmt: skip
    while new.feed.compact(new.batches, SIZE):
        pass
    assert prune(new.feed, nodes, 22, None) == 20
    shutil.rmtree(require_path(old.feed.path))
    prune(new.feed, nodes, 22, None)
    for index in range(len(KINDS)):
        assert tell(read_anew(new, index).known()) == tell(new.said[index])


def test_offsets_within_snapshots_are_told_apart() -> None:
    for numbers in itertools.product((0, 1, 99), (4, 256, 1 << 38), (0, 1, 300)):
        offset = SnapshotOffset(*numbers)
        assert SnapshotOffset.decode(offset.encode()) == offset
        assert offset.encode() < 0


class Killed(BaseException):
    """The process is no more."""


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Dies before the n-th change of a name on disk, n being the list's only item."""
    left = [0]

    def dying(does: Any) -> Any:
        def dies(*arguments: object, **named: object) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise Killed
            if left[0] > 0:
                does(*arguments, **named)

        return dies

    for name in ("unlink", "rename", "replace", "mkdir"):
        monkeypatch.setattr(Path, name, dying(getattr(Path, name)))
    monkeypatch.setattr(os, "link", dying(os.link))
    return left


@pytest.mark.deep
def test_a_kill_at_any_step_loses_nothing_and_the_next_round_ends_it(
    tmp_path: Path, killed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_writing, "ROWS_PER_PART", 1_000_000)
    never, expected, kills = 1_000_000, 1, 0
    killed[0] = never
    item = open_feed(tmp_path / "data")
    item.write_batches(6)
    assert compact(item, limit=0) == 4
    item.write_batches(4)
    shutil.copytree(tmp_path / "data", tmp_path / "whole")
    while True:
        killed[0] = never
        shutil.rmtree(tmp_path / "data")
        shutil.copytree(tmp_path / "whole", tmp_path / "data")
        killed[0] = expected
        try:
            for _ in range(3):
                compact(item, limit=0)
        except Killed:
            kills += 1
            killed[0] = never
            assert tell(read_anew(item, 0).known()) == tell(item.said[0]), expected
            for _ in range(3):
                compact(item, limit=0)
        else:
            break
        assert tell(read_anew(item, 0).known()) == tell(item.said[0]), expected
        (snapshot,) = list_snapshots(item.feed.path)
        assert snapshot.end == 8
        assert segments.list_manifests(item.feed.path) == [8, 9]
        assert not segments.list_segments(item.feed.path)
        expected += 1
    assert kills > 20
