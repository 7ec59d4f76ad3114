"""Old batches of a feed lie in few files, and no reader can tell, not even while that is done or after a kill."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feed.packets import write
from timeline_app.feed import segments
from timeline_app.feed.feed_rows import SCHEMA, build_progress_row, select_node_rows
from timeline_app.feed.files import FileFeed
from timeline_app.feed.lineage import Chain, ChainLink
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.fs.table_parts import number_rows

SIZE, NEWEST = 4, 2


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "UNCOMPACTED_BATCHES", NEWEST)
    monkeypatch.setattr(segments, "ROWS_PER_GROUP", 5)
    monkeypatch.setattr(segments, "REMOVE_AFTER_S", -1.0)
    segments._read_batch_sizes.cache_clear()
    segments._read_fixed_size.cache_clear()


def publish(feed: FileFeed, batch: int, rows: int) -> None:
    """As Spark's file sink does: files of a name each, then the manifest, with checksums beside."""
    feed.manifest(batch).parent.mkdir(parents=True, exist_ok=True)
    lines = ["v1"]
    for part, own in enumerate((rows - rows // 2, rows // 2)):
        if own:
            path = require_path(feed.path) / f"part-{part}-{batch}.parquet"
            tables = [
                select_node_rows(build_progress_row(f"{batch}/{part}/{row}", row, events=batch))
                for row in range(own)
            ]
            write(pa.concat_tables(tables), path, rows=bool(batch % 2))
            path.with_name(f".{path.name}.crc").touch()
            lines.append(json.dumps({"path": f"file://{path}", "size": 1}))
    require_path(feed.manifest(batch)).write_text("\n".join(lines))
    require_path(feed.manifest(batch)).with_name(f".{batch}.crc").touch()


def read_batches(feed: FileFeed, batches: int) -> list[list[dict[str, object]]]:
    assert not feed.has(batches)
    assert all(feed.has(batch) for batch in range(batches))
    items = [feed.read(batch) for batch in range(batches)]
    assert all(table.schema.equals(SCHEMA) for table in items)
    assert [feed.size(batch) for batch in range(batches)] == [len(table) for table in items]
    return [table.to_pylist() for table in items]


def compact(feed: FileFeed, published: int, size: int = SIZE) -> int:
    """Rounds until there is nothing to do; how many batches were compacted."""
    compacted = 0
    while result := feed.compact(published, size):
        compacted += result
    return compacted


def add_numbers(batches: list[list[dict[str, object]]], start: int, end: int) -> list[dict[str, object]]:
    return [{**row, "batch": batch} for batch in range(start, end) for row in batches[batch]]


@pytest.fixture
def feed(tmp_path: Path) -> FileFeed:
    new_feed = FileFeed(tmp_path)
    for batch, rows in enumerate((3, 0, 1, 7, 2, 2, 0, 0, 5, 1, 1)):
        publish(new_feed, batch, rows)
    return new_feed


def list_files(feed: FileFeed) -> list[Path]:
    return [path for path in require_path(feed.path).rglob("*") if path.is_file()]


@pytest.mark.deep
@given(sizes=st.lists(st.integers(0, 9), max_size=20), unpublished=st.integers(0, 6), data=st.data())
def test_what_is_read_is_what_was_published(sizes: list[int], unpublished: int, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        feed = FileFeed(Path(folder))
        for batch, rows in enumerate(sizes):
            publish(feed, batch, rows)
        before, published = read_batches(feed, len(sizes)), max(len(sizes) - unpublished, 0)
        compacted = compact(feed, published)
        assert compacted == max((published - NEWEST) // SIZE, 0) * SIZE
        assert read_batches(feed, len(sizes)) == before
        assert compact(feed, published) == 0
        assert read_batches(feed, len(sizes)) == before
        start = data.draw(st.integers(0, len(sizes)))
        end = data.draw(st.integers(start, len(sizes)))
        assert feed.rows(start, end).to_pylist() == add_numbers(before, start, end)
        assert not any(feed.manifest(batch).exists() for batch in range(compacted))


def test_few_files_are_left(feed: FileFeed) -> None:
    compact(feed, 11)
    assert {path.name for path in list_files(feed) if path.parent.name == "segments"} == {
        "size",
        "000000000000.parquet",
        "000000000004.parquet",
    }
    assert {path.name for path in list_files(feed) if path.parent.name == "_spark_metadata"} == {
        name for batch in (8, 9, 10) for name in (str(batch), f".{batch}.crc")
    }
    assert len(list(feed.path.glob("part-*.parquet"))) == 4
    assert len(list(feed.path.glob(".part-*.crc"))) == 4


def test_the_newest_stay_as_they_are(feed: FileFeed) -> None:
    assert compact(feed, SIZE + NEWEST - 1) == 0
    assert compact(feed, SIZE + NEWEST) == SIZE


def test_another_size_counts_for_new_feeds_only(feed: FileFeed) -> None:
    before = read_batches(feed, 11)
    compact(feed, SIZE + NEWEST)
    compact(feed, 11, 2)
    assert read_batches(feed, 11) == before
    assert [segments.find_segment(feed.path, batch) is not None for batch in (0, 4, 7, 8)] == [
        True,
        True,
        True,
        False,
    ]


def test_files_stay_for_those_who_are_about_to_read_them(
    feed: FileFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "REMOVE_AFTER_S", 60.0)
    before = len(list_files(feed))
    compact(feed, 11)
    assert len(list_files(feed)) == before + 3


def test_who_found_a_manifest_and_no_file_reads_the_pack(
    feed: FileFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = read_batches(feed, 11)
    named = {batch: feed.files(batch) for batch in range(8)}
    compact(feed, 11)
    monkeypatch.setattr(FileFeed, "files", lambda _, batch: named[batch])
    assert [feed.read(batch).to_pylist() for batch in range(8)] == before[:8]
    assert [feed.size(batch) for batch in range(8)] == [len(rows) for rows in before[:8]]


class Killed(BaseException):
    """The process is no more."""


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Dies before the n-th change of a name on disk, n being the list's only item; what is dead changes nothing."""
    left = [0]
    for name in ("unlink", "rename", "replace", "mkdir"):
        does = getattr(Path, name)

        def die_when_due(path: Path, *arguments: object, plain: Any = does, **named: object) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise Killed
            if left[0] > 0:
                plain(path, *arguments, **named)

        monkeypatch.setattr(Path, name, die_when_due)
    return left


@pytest.mark.deep
def test_a_kill_at_any_step_loses_nothing_and_the_next_round_ends_it(
    feed: FileFeed, killed: list[int]
) -> None:
    whole, kills, never = require_path(feed.path).with_name("whole"), 0, 1_000_000
    killed[0] = never
    shutil.copytree(require_path(feed.path), whole)
    before, expected = read_batches(feed, 11), 1
    while True:
        killed[0] = never
        shutil.rmtree(require_path(feed.path))
        shutil.copytree(whole, require_path(feed.path))
        segments._read_batch_sizes.cache_clear()
        segments._read_fixed_size.cache_clear()
        killed[0] = expected
        try:
            compact(feed, 11)
        except Killed:
            kills += 1
            killed[0] = never
            assert read_batches(feed, 11) == before
            compact(feed, 11)
        else:
            break
        assert read_batches(feed, 11) == before
        assert not any(feed.manifest(batch).exists() for batch in range(8))
        assert len(list(feed.path.glob("*.parquet"))) == 4
        expected += 1
    assert kills > 20


def test_a_batch_that_cannot_be_read_is_not_compacted_and_nothing_goes(feed: FileFeed) -> None:
    torn = require_path(feed.files(5)[0])
    torn.write_bytes(torn.read_bytes()[:100])
    with pytest.raises((OSError, pa.ArrowInvalid)):
        compact(feed, 11)
    assert feed.manifest(4).exists()
    assert segments.find_segment(feed.path, 5) is None


def test_a_feed_that_is_not_there_yet_has_nothing_to_compact(tmp_path: Path) -> None:
    assert compact(FileFeed(tmp_path / "none"), 0) == 0


def test_what_a_dead_process_left_goes_and_what_another_is_writing_stays(feed: FileFeed) -> None:
    compact(feed, 11)
    left, young = (require_path(feed.path) / "segments" / name for name in (".left.staged", ".young.staged"))
    left.touch()
    young.touch()
    os.utime(left, (0, time.time() - 2 * durable.ABANDONED_AFTER_S))
    compact(feed, 11)
    assert (left.exists(), young.exists()) == (False, True)


def test_a_chain_reads_through_segments_and_counts_on(tmp_path: Path) -> None:
    places = Places(tmp_path)
    for query in ("a", "b"):
        feed = FileFeed(places.feed(query))
        feed.path.mkdir(parents=True)
        for batch in range(11):
            publish(feed, batch, batch % 3)
    sources = [f"{batch}/{part}/{row}" for batch in range(11) for part in range(2) for row in range(3)]
    chain = Chain(places, "node", sources)
    chain.write([ChainLink("a", 0, 7), ChainLink("b", 0)])
    before = [chain.read(number) for number in range(18)]
    for query in ("a", "b"):
        assert compact(FileFeed(places.feed(query)), 11) == 8
    for start, end in ((0, 18), (3, 9), (6, 7), (7, 18)):
        numbers = range(start, end)
        expected = pa.concat_tables(
            [number_rows(before[number], segments.BATCH, number) for number in numbers]
        )
        assert chain.rows(start, end).equals(expected)
    assert np.array_equal([chain.size(number) for number in range(18)], [len(rows) for rows in before])
