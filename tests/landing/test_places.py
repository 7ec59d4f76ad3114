"""Landing, feed, segments and chain keep their laws in every kind of place: a directory, HDFS, an S3 bucket."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.landing.conftest import Serve
from tests.landing.test_dedup import build_request, commit_requests
from tests.landing.test_log import DECLARED, FIELDS, build_batch
from tests.stores import Served
from tests.stores.losing import run_losing
from timeline_app.feed import segments
from timeline_app.feed.feed_rows import ALL_NODES, build_progress_row
from timeline_app.feed.feed_rows import select_node_rows as rows_told
from timeline_app.feed.files import FileFeed
from timeline_app.feed.lineage import Chain, ChainLink
from timeline_app.fs import durable, folder_lock
from timeline_app.fs.folder_lock import is_alone as alone_in
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import Address, Place, Seen, Store, format_url
from timeline_app.fs.s3 import Objects
from timeline_app.landing import compaction
from timeline_app.landing.compaction import Needed, compact_landing
from timeline_app.landing.log import Landing
from workers.spark.checkpoint import find_newest

pytestmark = pytest.mark.deep
ROOT = Path(__file__).parents[2]
WRITERS, EACH = 3, 12
WRITER = """
import sys
from tests.landing.test_log import build_batch
from timeline_app.fs.paths import place
from timeline_app.landing.log import Landing
from timeline_app.fs.s3 import Objects

landing = Landing(place(sys.argv[1]), "s")
for number in range(int(sys.argv[3])):
    landing.append(build_batch({"k": sys.argv[2], "t": number}))
    print(number, flush=True)
"""


def fill_landing(place: Place, size: int) -> Landing:
    landing = Landing(place, "s")
    for number in range(size):
        landing.append(build_batch({"k": f"k{number}", "t": 1_000_000 * number, "id": number}))
    return landing


def list_keys(landing: Landing, start: int = 0) -> list[str]:
    names: list[str] = landing.read(start, landing.end(), DECLARED, FIELDS)["key"].to_pylist()
    return names


def test_what_is_appended_is_read_back_and_writers_never_share_a_number(place: Place) -> None:
    run = [sys.executable, "-c", WRITER, format_url(place)]
    writers = [
        subprocess.Popen([*run, f"w{who}", str(EACH)], cwd=ROOT, stdout=subprocess.DEVNULL)
        for who in range(WRITERS)
    ]
    assert [writer.wait() for writer in writers] == [0] * WRITERS
    landing = Landing(place, "s")
    assert landing.end() == WRITERS * EACH
    assert Counter(list_keys(landing)) == {f"w{who}": EACH for who in range(WRITERS)}


def test_a_writer_that_is_killed_leaves_nothing_half_and_what_it_was_told_is_there(place: Place) -> None:
    told_of, chance = 0, random.Random(1)
    for round_ in range(3):
        run = [sys.executable, "-c", WRITER, format_url(place), f"r{round_}", "1000"]
        with subprocess.Popen(run, cwd=ROOT, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            told_of += len([writer.stdout.readline() for _ in range(5)])
            time.sleep(chance.random() / 5)
            writer.send_signal(signal.SIGKILL)
            told_of += len(writer.stdout.readlines())
    landing = Landing(place, "s")
    assert told_of <= landing.end() <= told_of + 3
    assert len(list_keys(landing)) == landing.end()
    landing.append(build_batch({"k": "after", "t": 1}))
    assert list_keys(Landing(place, "s"))[-1] == "after"


def test_compaction_changes_nothing_that_a_reader_sees(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "REMOVE_AFTER_S", -1.0)
    landing = fill_landing(place, 20)
    commit_requests(landing, build_request("once"))
    before, ends = list_keys(landing), landing.count(0, 99).events
    compact_landing(Landing(place, "s"), Needed(None, 0))
    compact_landing(Landing(place, "s"), Needed(None, 0))
    monkeypatch.setattr("timeline_app.landing.segments.INDEX_CACHED_S", 0.0)
    assert [path.name for path in landing.path.glob("*.parquet")] == []
    for reader in (landing, Landing(place, "s")):
        assert list_keys(reader) == before
        assert (reader.end(), reader.first(), reader.count(0, 99).events) == (21, 0, ends)
        assert list_keys(reader, 7) == before[7:]
        assert commit_requests(reader, build_request("once")) == [(20, True)]
    assert landing.append(build_batch({"k": "next", "t": 5})) == 21


def test_one_compacts_at_a_time_and_what_a_dead_one_left_ends(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing = fill_landing(place, 20)
    with alone_in(landing.path) as still:
        assert still()
        compact_landing(Landing(place, "s"), Needed(None, 0))
        assert landing.index().end == 0
        if isinstance(place, Address):  # it stood still for too long, and another one went on
            time.sleep(1.1)
            monkeypatch.setattr(folder_lock, "NOTE_VALID_S", 0.5)
            compact_landing(Landing(place, "s"), Needed(None, 0))
            assert landing.index().end == 20
            assert not still()
    compact_landing(Landing(place, "s"), Needed(None, 0))
    assert landing.index().end == 20


def publish(feed: FileFeed, batch_: int) -> None:
    """A batch as Spark's sink writes it."""
    for path in (feed.path, feed.path / "_spark_metadata"):
        path.mkdir(parents=True, exist_ok=True)
    with durable.open_draft_file(feed.path / f"part é {batch_}.parquet") as draft:
        rows = rows_told(build_progress_row("s", batch_, events=batch_), ALL_NODES)
        pa.parquet.write_table(rows, draft.sink)
        draft.replace()
    spelled = f"{feed.path}/part%20%C3%A9%20{batch_}.parquet"
    durable.replace(feed.manifest(batch_), f"v1\n{json.dumps({'path': spelled})}".encode())


def test_a_feed_reads_the_same_when_it_is_compacted(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "REMOVE_AFTER_S", -1.0)
    monkeypatch.setattr(segments, "UNCOMPACTED_BATCHES", 2)
    monkeypatch.setattr(segments, "ABSENCE_CACHED_S", 0.0)
    feed = FileFeed(Places(place).feed("q"))
    assert not feed.has(0)
    for number in range(7):
        publish(feed, number)
    before = feed.rows(0, 7).to_pylist()
    assert [feed.compact(7, 4), feed.compact(7, 4)] == [4, 0]
    assert sorted(durable.list_files(feed.path / "_spark_metadata")) == ["4", "5", "6"]
    assert [feed.has(number) for number in range(8)] == [True] * 7 + [False]
    assert feed.rows(0, 7).to_pylist() == before
    assert (feed.size(2), feed.size(5)) == (1, 1)


@pytest.mark.parametrize("kind", ["hdfs", "s3"])
def test_how_old_a_file_is_tells_the_clock_of_the_storage(
    kinds: Callable[[str], Served], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    ours, place = time.time, kinds(kind).place / tmp_path.name
    monkeypatch.setattr(time, "time", lambda: ours() + 3_600)
    landing, feed = fill_landing(place, 20), FileFeed(Places(place).feed("q"))
    for _ in range(2):
        compact_landing(Landing(place, "s"), Needed(None, 0))
    assert landing.index().end == len(list(landing.path.glob("*.parquet"))) == 20
    monkeypatch.setattr(segments, "UNCOMPACTED_BATCHES", 2)
    for number in range(7):
        publish(feed, number)
    assert [feed.compact(7, 4), feed.compact(7, 4)] == [4, 0]
    assert len(durable.list_names(feed.path / "_spark_metadata")) == 7


def test_that_a_batch_is_not_there_costs_one_request_each_time_it_is_asked(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing, feed = fill_landing(place, 3), FileFeed(Places(place).feed("q"))
    publish(feed, 0)
    assert (landing.has(3), feed.has(1)) == (
        False,
        False,
    )  # now it is known what is compacted
    requests: list[str] = []
    if isinstance(place, Address):
        store = type(place.store)
        stat_file = store.stat

        def count_stat(own: Store, path: str) -> Seen | None:
            requests.append(path)
            return stat_file(own, path)

        monkeypatch.setattr(store, "stat", count_stat)
        for name in ("holds", "children", "tail", "part"):
            monkeypatch.setattr(store, name, None)
    assert not any(landing.has(3) or feed.has(1) for _ in range(5))
    assert len(requests) == (10 if isinstance(place, Address) else 0)


def test_a_chain_is_read_anew_when_it_is_written(place: Place) -> None:
    chain = Chain(Places(place), "d")
    assert chain.segments() == [ChainLink("d", 0)]
    links = [ChainLink("q", 1, 3), ChainLink("p", 0)]
    chain.write(links[:1])
    assert chain.segments() == links[:1]
    Chain(Places(place), "d").write(links)
    assert chain.segments() == links
    assert chain.begun(3) is None
    durable.make_folder(Places(place).checkpoint("p").parent) if isinstance(place, Path) else None
    offsets = Places(place).checkpoint("p") / "offsets"
    offsets.mkdir(parents=True, exist_ok=True)
    durable.replace(offsets / "0", b"v1")
    started = chain.begun(3)
    assert started is not None
    assert abs(time.time() - started) < 60
    assert find_newest(offsets) == 0


def test_a_store_that_lets_two_make_one_object_gets_no_event(kinds: Serve, tmp_path: Path) -> None:
    place = kinds("s3").place / tmp_path.name
    careless = replace(place, server=place.server.replace("127.0.0.1", "localhost"))
    assert isinstance(careless.store, Objects)

    def drop_condition(request: Any, **_: Any) -> None:
        del request.headers["If-None-Match"]

    careless.store._s3.meta.events.register("before-sign.s3.PutObject", drop_condition)
    with pytest.raises(OSError, match="ignores `If-None-Match"):
        Landing(careless, "s").append(build_batch({"k": "a", "t": 1}))
    assert durable.list_files(place / "s") == {}


@pytest.mark.parametrize(("kind", "needle"), [("hdfs", b"op=RENAME"), ("s3", b"01.parquet HTTP")])
def test_events_whose_answer_is_lost_on_the_way_land_once(
    kinds: Callable[[str], Served], tmp_path: Path, kind: str, needle: bytes
) -> None:
    place = kinds(kind).place / tmp_path.name
    with run_losing(place.server, needle) as way:
        landing = Landing(replace(place, server=way.address), "s")
        assert [landing.append(build_batch({"k": f"k{number}", "t": number})) for number in range(3)] == [
            0,
            1,
            2,
        ]
        assert way.lost.is_set()
    assert list_keys(Landing(place, "s")) == ["k0", "k1", "k2"]
