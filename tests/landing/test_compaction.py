"""Compaction changes nothing that a reader sees: numbers, events, receipts; it drops only what nobody needs."""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.datasource import InputPartition

from tests.feed.packets import unpack_packet_rows
from tests.landing.test_dedup import build_request, commit_requests
from tests.landing.test_log import DECLARED, FIELDS
from timeline_app.algebra.kinds import OPEN
from timeline_app.fs.folder_lock import is_alone
from timeline_app.fs.paths import require_path
from timeline_app.landing import compaction
from timeline_app.landing.compaction import Needed, compact_landing
from timeline_app.landing.key_lookup import find_events
from timeline_app.landing.log import Landing
from timeline_app.landing.segments import Index, Segment
from workers.spark.sources import LandedEvents, LogReader

ROOT = Path(__file__).parents[2]
ALL = Needed(None, 0)
NOW = time.time_ns() // 1_000


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is kept for slow readers."""
    monkeypatch.setattr(compaction, "REMOVE_AFTER_S", -1.0)


def fill_landing(root: Path, batches: int, first: int = 0) -> Landing:
    """A landing with batches of one, two and three events, an hour apart, each with a receipt."""
    landing = Landing(root, "s")
    for number in range(first, first + batches):
        new_request = build_request(f"r{number}", "c", number, events=number % 3 + 1)
        new_request.table = new_request.table.set_column(
            1, "time", pa.array([NOW + number * 3_600_000_000 + index for index in range(number % 3 + 1)])
        )
        landing.commit([new_request])
    return landing


def list_rows(landing: Landing, start: int = 0, end: int | None = None) -> list[dict[str, Any]]:
    read = landing.read(start, landing.end() if end is None else end, DECLARED, FIELDS)
    return list(read.to_pylist())


def list_names(landing: Landing) -> list[str]:
    where = require_path(landing.path)
    return sorted(str(path.relative_to(where)) for path in where.rglob("*.parquet"))


@pytest.mark.deep
def test_events_numbers_counts_and_receipts_stay(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 40)
    before, counted = list_rows(landing), [landing.count(n, n + 1).events for n in range(40)]
    compact_landing(landing, ALL)
    compact_landing(landing, ALL)
    assert list_names(landing) == [f"segments/{0:012d}-{40:012d}.parquet"]
    for item in (landing, Landing(tmp_path, "s")):
        assert list_rows(item) == before
        assert list_rows(item, 7, 23) == [row for row in before if 7 <= row["file"] < 23]
        assert [item.count(n, n + 1).events for n in range(40)] == counted
        assert (item.count(0, 40).events, item.count(0, 40).files) == (sum(counted), 1)
        assert (item.first(), item.end(), item.has(39), item.has(40)) == (0, 40, True, False)
        assert commit_requests(item, build_request("r3", "c", 3, events=1)) == [(3, True)]
        assert commit_requests(item, build_request("x", "c", 99)) == ["gap"]
    assert commit_requests(Landing(tmp_path, "s"), build_request("new")) == [(40, False)]
    assert list_rows(landing)[-1]["file"] == 40


def test_few_files_stay_as_they_are(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 15)
    compact_landing(landing, ALL)
    assert len(list_names(landing)) == 15
    compact_landing(Landing(tmp_path, "none"), ALL)
    assert not (tmp_path / "none").exists()


@pytest.mark.deep
def test_segments_grow_so_that_there_are_few(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 16)
    for step in range(1, 17):
        compact_landing(landing, ALL)
        fill_landing(tmp_path, 16, 16 * step)
    assert len(landing.index().segments) <= 6
    assert {row["file"] for row in list_rows(landing)} == set(range(272))


def test_a_large_backlog_becomes_several_segments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "MAX_SEGMENT_BYTES", 40_000)
    landing = fill_landing(tmp_path, 100)
    before = list_rows(landing)
    compact_landing(landing, ALL)
    assert len(landing.index().segments) > 1
    assert list_rows(landing) == before


def test_what_is_dropped_is_old_and_read_by_all(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 20)
    compact_landing(landing, ALL)
    fill_landing(tmp_path, 20, 20)
    horizon = NOW + 25 * 3_600_000_000
    compact_landing(landing, Needed(horizon, 0, spread=1))
    assert [(segment.start, segment.end) for segment in landing.index().segments] == [(0, 20), (20, 40)]
    compact_landing(landing, Needed(horizon, 19, spread=1))
    assert landing.first() == 0, "somebody has still to read batch 19"
    compact_landing(landing, Needed(horizon, 40, spread=1))
    assert [(segment.start, segment.end) for segment in landing.index().segments] == [(20, 40)]
    compact_landing(landing, Needed(horizon, 40, spread=1))
    assert (landing.first(), landing.end(), landing.has(3)) == (20, 40, True)
    assert {row["file"] for row in list_rows(landing)} == set(range(20, 40))
    assert landing.count(0, 40) == landing.count(20, 40)
    assert commit_requests(Landing(tmp_path, "s"), build_request("r3", "c", 3, events=1)) == [(3, True)]


def test_when_all_is_dropped_numbers_go_on(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 20)
    for _ in range(2):
        compact_landing(landing, Needed(OPEN, 20))
    assert list_names(landing) == []
    for item in (landing, Landing(tmp_path, "s")):
        assert (item.first(), item.end(), list_rows(item)) == (20, 20, [])
    assert commit_requests(Landing(tmp_path, "s"), build_request("new")) == [(20, False)]


def test_an_event_of_the_future_does_not_make_the_present_old() -> None:
    week = 7 * 24 * 3_600_000_000
    assert compaction.compute_retention_limit(OPEN, week) <= time.time_ns() // 1_000 - week
    assert compaction.compute_retention_limit(NOW - 5, week) == NOW - 5 - week


def test_a_new_query_begins_with_what_is_left(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 20)
    compact_landing(landing, Needed(OPEN, 20))
    fill_landing(tmp_path, 3, 20)
    options = {"path": str(tmp_path), "stream": "s", "place": "0", "fields": "[]"}
    log = LandedEvents(options | {"declaration": '{"key": "k", "time": "t"}'})
    reader = LogReader(log)
    assert reader.latestOffset(reader.initialOffset(), reader.getDefaultReadLimit()) == {"next": 23}
    [piece] = reader.partitions({"next": 0}, {"next": 23})
    result = read_numbers(reader, piece)
    assert set(result["file"].to_pylist()) == {20, 21, 22}
    fill_landing(tmp_path, 17, 23)
    compact_landing(landing, Needed(OPEN, 40))
    assert reader.latestOffset({"next": 23}, reader.getDefaultReadLimit()) == {"next": 40}
    assert len(read_numbers(reader, *reader.partitions({"next": 23}, {"next": 40}))) == 0


def read_numbers(reader: LogReader, piece: InputPartition) -> pa.Table:
    """The numbers of the files of the events in the packets of a slice."""
    return unpack_packet_rows(pa.Table.from_batches(reader.read(piece)), pa.schema([("file", pa.int64())]))


def test_a_reader_that_holds_old_names_looks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    landing = fill_landing(tmp_path, 40)
    before, seen = list_rows(landing), landing.index()
    others = Landing(tmp_path, "s")
    held = iter([seen, seen])  # it read the index just before compaction replaced it and removed the files
    read_index = landing._index.read
    compact_landing(others, ALL)
    compact_landing(others, ALL)
    monkeypatch.setattr(landing._index, "read", lambda: next(held, None) or read_index())
    assert list_rows(landing) == before


def test_a_writer_that_slept_does_not_give_a_number_again(tmp_path: Path) -> None:
    sleeper = Landing(tmp_path, "s")
    assert commit_requests(sleeper, build_request("first")) == [(0, False)]
    other = Landing(tmp_path, "s")
    for number in range(30):
        commit_requests(other, build_request(f"x{number}"))
    compact_landing(other, ALL)
    compact_landing(other, ALL)
    assert commit_requests(sleeper, build_request("x7"), build_request("mine")) == [(8, True), (31, False)]


def test_a_number_that_compaction_took_meanwhile_is_not_given_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeper, other = fill_landing(tmp_path, 20), Landing(tmp_path, "s")
    real, slept = os.link, iter([True])

    def link_late(source: Path, target: Path) -> None:
        if next(slept, False):
            commit_requests(other, build_request("x"))
            compact_landing(other, ALL)
            compact_landing(other, ALL)
        real(source, target)

    monkeypatch.setattr("timeline_app.fs.durable.os.link", link_late)
    assert commit_requests(sleeper, build_request("mine")) == [(21, False)]
    assert [row["key"] for row in list_rows(Landing(tmp_path, "s"), 20)] == ["x", "mine"]


def test_only_one_compacts_at_a_time(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 20)
    with is_alone(landing.path) as still:
        assert still()
        compact_landing(Landing(tmp_path, "s"), ALL)
        assert len(list_names(landing)) == 20
    compact_landing(landing, ALL)
    assert landing.index().end == 20


def test_what_dead_processes_left_is_removed_after_a_while(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 20)
    compact_landing(landing, ALL)
    (require_path(landing.path) / "segments" / f"{3:012d}-{9:012d}.parquet").write_bytes(b"never named")
    for name, age in ((".a.staged", 7_200), (".b.staged", 60)):
        remnant = require_path(landing.path / name)
        remnant.touch()
        os.utime(remnant, (time.time() - age,) * 2)
    compact_landing(landing, ALL)
    assert list_names(landing) == [f"segments/{0:012d}-{20:012d}.parquet"]
    assert [path.name for path in landing.path.glob(".*.staged")] == [".b.staged"]


def test_events_are_found_in_segments(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 40)
    instant = NOW + 17 * 3_600_000_000 + 1
    before = find_events(landing, DECLARED, "r17", [instant])
    compact_landing(landing, ALL)
    compact_landing(landing, ALL)
    assert find_events(landing, DECLARED, "r17", [instant]) == before
    assert before[instant][0]


COMPACTOR = """
import sys
from pathlib import Path
from timeline_app.landing import compaction
from timeline_app.landing.log import Landing

compaction.REMOVE_AFTER_S = -1.0
print("ready", flush=True)
while True:
    compaction.compact_landing(Landing(Path(sys.argv[1]), "s"), compaction.Needed(None, 0))
"""


@pytest.mark.deep
def test_killed_compactors_lose_nothing_while_others_write_and_read(tmp_path: Path) -> None:
    dice, numbers = random.Random(), itertools.count()
    writer, reader = Landing(tmp_path, "s"), Landing(tmp_path, "s")
    for _ in range(5):
        command = [sys.executable, "-c", COMPACTOR, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as compactor:
            assert compactor.stdout is not None
            assert compactor.stdout.readline() == "ready\n"
            until = time.monotonic() + dice.uniform(0.1, 0.8)
            while time.monotonic() < until:
                number = next(numbers)
                assert commit_requests(writer, build_request(f"r{number}", "c", number)) == [(number, False)]
                if number % 20 == 0:
                    assert [row["file"] for row in list_rows(reader)] == list(range(number + 1))
            compactor.send_signal(signal.SIGKILL)
    last = next(numbers)
    for landing in (reader, Landing(tmp_path, "s")):
        assert [row["key"] for row in list_rows(landing)] == [f"r{number}" for number in range(last)]
        assert landing.count(0, last).events == last
    compact_landing(reader, ALL)
    compact_landing(reader, ALL)
    assert len(list_names(reader)) < 40
    assert commit_requests(Landing(tmp_path, "s"), build_request(f"r{last - 1}", "c", last - 1)) == [
        (last - 1, True)
    ]


def test_a_disk_that_is_too_full_to_merge_gets_room_from_what_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing = fill_landing(tmp_path, 20)
    compact_landing(landing, ALL)
    fill_landing(tmp_path, 20, 20)

    def raise_full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("timeline_app.landing.compaction.pq.ParquetWriter", raise_full)
    with pytest.raises(OSError, match="No space"):
        compact_landing(landing, Needed(OPEN, 20))
    monkeypatch.undo()
    assert (landing.first(), landing.index().end) == (20, 20)
    assert {row["file"] for row in list_rows(landing)} == set(range(20, 40))
    assert not list(landing.path.rglob("*.staged"))


@pytest.mark.parametrize(
    ("held", "whole"),
    [((), True), (((0, 2), (2, 8)), True), (((2, 8),), False), (((0, 2), (4, 8)), False), (((0, 2),), False)],
)
def test_a_landing_is_whole_only_while_nothing_was_dropped_anywhere(
    held: tuple[tuple[int, int], ...], whole: bool
) -> None:
    """One event of the future keeps the first file; what lies behind it may be gone all the same."""
    segments = tuple(Segment(start, end, 1, 1, 0, 0) for start, end in held)
    assert Index(segments, 8 if held else 0).whole is whole


def test_a_torn_file_counts_no_events_and_stops_no_door(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 2)
    require_path(landing.file(1)).write_bytes(b"torn")
    assert Landing(tmp_path, "s").count(0, 2).events == 1


def test_lost_receipts_keep_nobody_from_writing_or_compacting(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    landing = fill_landing(tmp_path, 20)
    compact_landing(landing, Needed(None, 0))
    for path in (landing.path / "deduplication.json", *landing.loose()):
        path.unlink(missing_ok=True)
    repeated = fill_landing(tmp_path, 20, first=20)
    assert "the deduplication records of the batches 0 to 19 are lost" in caplog.text
    assert compact_landing(repeated, Needed(None, 0)).end == repeated.end() == 40
    assert len(list_rows(Landing(tmp_path, "s"))) == len(list_rows(repeated))


def test_a_missing_batch_is_an_error_and_no_endless_search(tmp_path: Path) -> None:
    fill_landing(tmp_path, 4).file(2).unlink()
    with pytest.raises(FileNotFoundError, match="000000000002"):
        fill_landing(tmp_path, 1, first=4)
