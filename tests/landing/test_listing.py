"""A folder is listed while others rename and remove files in it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from timeline_app.feed.files import FileFeed
from timeline_app.fs import durable
from workers.spark.checkpoint import find_newest

ROUNDS = 300


@pytest.fixture
def feed(tmp_path: Path) -> Iterator[FileFeed]:
    """A feed whose newest batch is 9; beside it files are made and renamed all the time, as Spark does in a batch."""
    file_feed, over = FileFeed(tmp_path / "q"), threading.Event()
    folder = tmp_path / "q" / "_spark_metadata"
    folder.mkdir(parents=True)
    for batch in range(10):
        (folder / str(batch)).write_text("v1")

    def change_restlessly() -> None:
        while not over.is_set():
            for number in range(20):
                (folder / f".{number}.tmp").write_text("v1")
            for number in range(20):
                (folder / f".{number}.tmp").rename(folder / f".{number}.crc")

    others = threading.Thread(target=change_restlessly)
    others.start()
    yield file_feed
    over.set()
    others.join()


def test_a_file_that_is_renamed_meanwhile_hides_no_other(feed: FileFeed) -> None:
    folder = feed.manifest(0).parent
    for _ in range(ROUNDS):
        files = durable.list_files(folder)
        assert {str(batch) for batch in range(10)} <= files.keys()
        assert {str(batch) for batch in range(10)} <= set(durable.list_names(folder))


def test_the_newest_batch_is_told_while_files_are_renamed(feed: FileFeed) -> None:
    assert {feed.last() for _ in range(ROUNDS)} == {9}
    assert {find_newest(feed.manifest(0).parent) for _ in range(ROUNDS)} == {9}


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert (durable.list_files(tmp_path / "none"), durable.list_names(tmp_path / "none")) == ({}, [])
