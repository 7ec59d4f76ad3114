"""What mending does to the files of a checkpoint, for every place where a crash can have left it."""

from __future__ import annotations

import errno
import json
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.workers.conftest import build_state, compile_programs, land_line
from timeline_app.feed.feed_rows import ALL_NODES, build_progress_row, select_node_rows
from timeline_app.feed.files import FileFeed
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import place as place_of
from timeline_app.fs.paths import require_path
from workers.spark.checkpoint import Checkpoint, Unreadable, _is_json, find_newest, read_offsets

pytestmark = pytest.mark.usefixtures("db")
PROGRAM = compile_programs({"a": build_state("x")})["a"]


@pytest.fixture
def checkpoint(data: Path) -> Checkpoint:
    """Batches 0 and 1 of an event each are published; state of both, and of 2, which was planned and said nothing."""
    checkpoint = Checkpoint(Places(data), "q", PROGRAM, {}, "an-id", published=1)
    write(checkpoint, "metadata", '{"id":"an-id"}')
    for batch in (0, 1, 2):
        land_line(data, b'{"k": "k", "t": 1000}')
        write(checkpoint, f"offsets/{batch}", f'v1\n{{"batchWatermarkMs":0}}\n{{"next": {batch + 1}}}')
        write_state(checkpoint, batch + 1)
    for batch in (0, 1):
        write(checkpoint, f"commits/{batch}", 'v1\n{"nextBatchWatermarkMs":0}')
        publish(checkpoint, batch)
    return checkpoint


def get_path(checkpoint: Checkpoint, name: str) -> Path:
    return require_path(checkpoint.places.checkpoint(checkpoint.name)) / name


def write(checkpoint: Checkpoint, name: str, text: str) -> None:
    path = get_path(checkpoint, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_state(checkpoint: Checkpoint, version: int) -> None:
    """A file of the state before a batch, with the sum that Hadoop keeps of it."""
    path = get_path(checkpoint, f"state/0/0/{version}.changelog")
    write(checkpoint, f"state/0/0/{version}.changelog", f"some state {version}")
    sums = b"crc\0" + (512).to_bytes(4) + zlib.crc32(path.read_bytes()).to_bytes(4)
    path.with_name(f".{path.name}.crc").write_bytes(sums)


def publish(checkpoint: Checkpoint, batch: int, node: int = ALL_NODES) -> None:
    feed = FileFeed(checkpoint.places.feed("q"))
    feed.manifest(batch).parent.mkdir(parents=True, exist_ok=True)
    rows = feed.path / f"{batch}.parquet"
    pq.write_table(select_node_rows(build_progress_row("s", 0, events=1), node), rows)
    require_path(feed.manifest(batch)).write_text("v1\n" + json.dumps({"path": f"file://{rows}"}))


def find_newest_batches(checkpoint: Checkpoint) -> tuple[int | None, int | None]:
    """The newest batch that is planned, and the newest that is done."""
    return find_newest(get_path(checkpoint, "offsets")), find_newest(get_path(checkpoint, "commits"))


def test_what_is_whole_is_left_alone(checkpoint: Checkpoint) -> None:
    assert checkpoint.mend() == []
    assert find_newest_batches(checkpoint) == (2, 1)


def test_a_planned_batch_that_is_torn_is_forgotten_with_its_state(checkpoint: Checkpoint) -> None:
    write(checkpoint, "offsets/2", "")
    [words] = checkpoint.mend()
    assert "planned anew" in words
    assert find_newest_batches(checkpoint) == (1, 1)
    assert not get_path(checkpoint, "state/0/0/3.changelog").exists()
    assert get_path(checkpoint, "state/0/0/2.changelog").exists()


def test_a_torn_commit_of_the_batch_before_is_written_again(checkpoint: Checkpoint) -> None:
    write(checkpoint, "commits/1", 'v1\n{"nextB')
    [words] = checkpoint.mend()
    assert "since the next one was planned" in words
    assert get_path(checkpoint, "commits/1").read_text() == get_path(checkpoint, "commits/0").read_text()
    assert find_newest_batches(checkpoint) == (2, 1)


def test_a_torn_manifest_of_the_batch_before_is_computed_again(checkpoint: Checkpoint) -> None:
    require_path(FileFeed(checkpoint.places.feed("q")).manifest(1)).write_text("v1\n{")
    assert len(checkpoint.mend()) == 1
    assert find_newest_batches(checkpoint) == (1, 0)
    assert not FileFeed(checkpoint.places.feed("q")).has(1)
    assert checkpoint.mend() == []


def test_a_batch_that_is_gone_from_the_feed_is_computed_again(checkpoint: Checkpoint) -> None:
    FileFeed(checkpoint.places.feed("q")).remove_manifest(1)
    assert len(checkpoint.mend()) == 1
    assert find_newest_batches(checkpoint) == (1, 0)
    assert checkpoint.mend() == []


def test_a_feed_of_which_much_is_gone_is_not_gone_on_with(checkpoint: Checkpoint) -> None:
    for batch in range(3, 14):
        write(checkpoint, f"offsets/{batch}", f'v1\n{{"batchWatermarkMs":0}}\n{{"next": {batch + 1}}}')
    with pytest.raises(Unreadable, match="is gone"):
        replace(checkpoint, published=13).mend()


@pytest.fixture
def checkpoint_ahead(checkpoint: Checkpoint) -> Checkpoint:
    """Batches 2 and 3 are done as well, which the log does not have yet; 4 is planned."""
    for batch in (2, 3, 4):
        land_line(require_path(checkpoint.places.data), b'{"k": "k", "t": 1000}')
        write(checkpoint, f"offsets/{batch}", f'v1\n{{"batchWatermarkMs":0}}\n{{"next": {batch + 1}}}')
        write_state(checkpoint, batch + 1)
    for batch in (2, 3):
        write(checkpoint, f"commits/{batch}", 'v1\n{"nextBatchWatermarkMs":0}')
        publish(checkpoint, batch)
    return checkpoint


def locate_part(batch: int) -> Callable[[Checkpoint], Path]:
    return lambda checkpoint: require_path(FileFeed(checkpoint.places.feed("q")).path) / f"{batch}.parquet"


def locate_manifest(batch: int) -> Callable[[Checkpoint], Path]:
    return lambda checkpoint: require_path(FileFeed(checkpoint.places.feed("q")).manifest(batch))


def locate_file(name: str) -> Callable[[Checkpoint], Path]:
    return lambda checkpoint: get_path(checkpoint, name)


def test_batches_that_are_not_published_yet_are_left_alone_where_they_are_whole(
    checkpoint_ahead: Checkpoint,
) -> None:
    assert checkpoint_ahead.mend() == []
    assert find_newest_batches(checkpoint_ahead) == (4, 3)


@pytest.mark.parametrize("lost", ["emptied", "zeroed", "gone"])
@pytest.mark.parametrize(
    ("torn", "planned", "committed"),
    [
        (locate_file("offsets/2"), 1, 1),
        (locate_file("offsets/3"), 2, 2),
        (locate_part(2), 2, 1),
        (locate_part(3), 3, 2),
        (locate_manifest(2), 2, 1),
        (locate_file("state/0/0/2.changelog"), 1, 0),
        (locate_file("state/0/0/3.changelog"), 2, 1),
        (locate_file("state/0/0/4.changelog"), 3, 2),
    ],
)
def test_a_power_cut_tears_what_is_not_published_yet_anywhere(
    checkpoint_ahead: Checkpoint, torn: Callable[[Checkpoint], Path], planned: int, committed: int, lost: str
) -> None:
    """From there on all is computed again: of what came after it nothing is left, be it whole or not."""
    file = torn(checkpoint_ahead)
    if lost == "gone":
        file.unlink()
    else:
        file.write_bytes(b"\0" * file.stat().st_size if lost == "zeroed" else b"")
    assert checkpoint_ahead.mend() != []
    assert find_newest_batches(checkpoint_ahead) == (planned, committed)
    assert checkpoint_ahead.mend() == []
    feed = FileFeed(checkpoint_ahead.places.feed("q"))
    assert [feed.has(batch) for batch in range(5)] == [batch <= max(committed, 1) for batch in range(5)]
    versions = [
        int(path.name.split(".")[0])
        for path in get_path(checkpoint_ahead, "state/0/0").glob("[0-9]*.changelog")
    ]
    assert max(versions) <= committed + 1


def test_a_checkpoint_that_ends_before_what_is_published_is_not_gone_on_with(checkpoint: Checkpoint) -> None:
    """What it reads next would count as published already, and would be left out."""
    with pytest.raises(Unreadable, match="batch 7 was published"):
        replace(checkpoint, published=7).mend()


def test_before_the_first_batch_is_done_nothing_torn_of_the_state_stays(data: Path) -> None:
    checkpoint = Checkpoint(Places(data), "q", PROGRAM, {}, "an-id")
    write(checkpoint, "metadata", '{"id":"an-id"}')
    write(checkpoint, "offsets/0", 'v1\n{"batchWatermarkMs":0}\n{"next": 1}')
    write(checkpoint, "state/0/_metadata/v2/0", "")
    assert len(checkpoint.mend()) == 1
    assert list(get_path(checkpoint, "state").iterdir()) == []
    assert find_newest_batches(checkpoint) == (0, None)
    assert checkpoint.mend() == []


def test_a_snapshot_that_is_torn_is_removed_and_its_changes_stay(checkpoint: Checkpoint) -> None:
    """And one of which a part is torn: Spark goes on from the one before."""
    for name in ("2.zip", "SSTs/a.sst"):
        write(checkpoint, f"state/0/0/{name}", "")
    with zipfile.ZipFile(get_path(checkpoint, "state/0/0/1.zip"), "w") as snapshot:
        snapshot.writestr("metadata", 'v1\n{"sstFiles":[{"dfsSstFileName":"a.sst"}]}')
    [words] = checkpoint.mend()
    assert "snapshot" in words
    assert not list(get_path(checkpoint, "state").rglob("*.zip"))
    assert get_path(checkpoint, "state/0/0/2.changelog").exists()
    assert find_newest_batches(checkpoint) == (2, 1)


def test_storage_that_does_not_answer_has_torn_nothing(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a query would be rebuilt because its feed could not be read for a moment."""

    def read(*_: object) -> object:
        raise ConnectionError("S3 does not answer: connection refused")

    publish(checkpoint, 2)
    write(checkpoint, "offsets/2", "")
    monkeypatch.setattr(FileFeed, "read", read)
    with pytest.raises(ConnectionError):
        replace(checkpoint, known={}).mend()


def test_several_torn_files_are_mended_one_after_the_other(checkpoint: Checkpoint) -> None:
    for name in ("offsets/2", "offsets/1", "commits/1", "metadata"):
        write(checkpoint, name, "\0\0\0")
    assert len(checkpoint.mend()) == 4
    assert find_newest_batches(checkpoint) == (1, 0)
    assert read_offsets(get_path(checkpoint, "offsets/1")) == (2,)
    assert json.loads(get_path(checkpoint, "metadata").read_text()) == {"id": "an-id"}


def test_nothing_is_guessed(checkpoint: Checkpoint) -> None:
    for name in ("offsets/2", "offsets/1", "offsets/0"):
        write(checkpoint, name, "")
    with pytest.raises(Unreadable, match="offsets/1"):
        checkpoint.mend()


def test_marks_of_nodes_that_moved_here_do_not_tell_what_was_read(checkpoint: Checkpoint) -> None:
    publish(checkpoint, 2, node=0)
    write(checkpoint, "offsets/2", "")
    with pytest.raises(Unreadable):
        checkpoint.mend()
    known = Checkpoint(checkpoint.places, "q", PROGRAM, {2: [3]}, "an-id")
    assert len(known.mend()) == 1
    assert read_offsets(get_path(checkpoint, "offsets/2")) == (3,)


def test_what_is_at_a_storage_that_does_not_answer_is_not_taken_for_torn() -> None:
    away = place_of("hdfs://127.0.0.1:1/x#http://127.0.0.1:1")
    with pytest.raises(ConnectionError, match="does not answer"):
        read_offsets(away / "0")
    with pytest.raises(ConnectionError, match="does not answer"):
        _is_json(away / "0", 0)
    with pytest.raises(ConnectionError, match="does not answer"):
        FileFeed(away).is_whole(0)


@pytest.mark.parametrize(
    ("why", "on_a_disk", "elsewhere"),
    [
        (FileNotFoundError(errno.ENOENT, "gone"), True, True),
        (OSError(errno.EIO, "a part is lost, or the servers are in trouble"), True, False),
        (OSError("Couldn't deserialize thrift"), True, True),
        (ValueError("no JSON"), True, True),
        (PermissionError(errno.EACCES, "not for you"), False, False),
        (OSError(errno.EMFILE, "too many open files"), False, False),
        (BlockingIOError(errno.EAGAIN, "it stands by"), False, False),
        (TimeoutError("too slow"), False, False),
    ],
)
def test_only_what_is_gone_or_makes_no_sense_is_torn(
    tmp_path: Path, why: Exception, *, on_a_disk: bool, elsewhere: bool
) -> None:
    assert durable.is_torn(why, tmp_path) is on_a_disk
    assert durable.is_torn(why, place_of("s3a://bucket/x")) is elsewhere


def test_a_file_of_rows_that_is_torn_is_found_out(checkpoint: Checkpoint) -> None:
    feed = FileFeed(checkpoint.places.feed("q"))
    rows = require_path(feed.path) / "1.parquet"
    content = rows.read_bytes()
    for torn in (content[:-20], b"", b"PAR1" + bytes(len(content) - 12) + content[-8:]):
        rows.write_bytes(torn)
        assert not feed.is_whole(1)
    rows.unlink()
    assert not feed.is_whole(1)
