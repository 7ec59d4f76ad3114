"""Heartbeats stand in the log among the events: read back by number, also from segments, and never as events."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feed.packets import unpack_packet_rows
from tests.landing.test_compaction import ALL, fill_landing, list_names, list_rows
from tests.landing.test_dedup import build_request
from tests.landing.test_log import DECLARED
from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.fs.paths import require_path
from timeline_app.landing import compaction
from timeline_app.landing.compaction import Needed, compact_landing
from timeline_app.landing.heartbeats import Beat, merge_heartbeats, merge_into_batch, thin_heartbeats
from timeline_app.landing.log import Landing
from timeline_app.landing.recording import load_last_rows, load_next_rows
from timeline_app.landing.requests import Request
from timeline_app.landing.segments import FILE, HOLDS
from workers.spark.hosts.stream_progress import StreamProgress, read_heartbeats
from workers.spark.sources import LandedEvents, LogReader, Slice


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is kept for slow readers."""
    monkeypatch.setattr(compaction, "REMOVE_AFTER_S", -1.0)


def test_a_heartbeat_has_a_number_like_a_batch_and_no_events(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 3)
    right = Landing(tmp_path, "s")
    assert [landing.beat(10), right.beat(20)] == [3, 4]
    fill_landing(tmp_path, 1, 3)
    for left in (landing, right, Landing(tmp_path, "s")):
        assert left.end() == 6
        assert left.beats(0, 6) == [Beat(3, 10), Beat(4, 20)]
        assert left.beats(4, 5) == [Beat(4, 20)]
        assert left.count(3, 5).events == 0
        assert {row["file"] for row in list_rows(left)} == {0, 1, 2, 5}
    assert (
        len(load_last_rows(landing, 100)[0])
        == len(load_next_rows(landing, 0, 100)[0])
        == len(list_rows(landing))
    )


def test_a_client_that_sends_in_order_is_not_disturbed(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 2)
    Landing(tmp_path, "s").beat(10)
    fill_landing(tmp_path, 2, 2)
    landing.beat(11)
    assert [beat.number for beat in landing.beats(0, 6)] == [2, 5]


def test_of_heartbeats_without_events_in_between_a_segment_keeps_the_last(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 5)
    for moment in (1, 2, 3):
        landing.beat(moment)
    fill_landing(tmp_path, 5, 5)
    for moment in (4, 5, 6):
        landing.beat(moment)
    before = list_rows(landing)
    for _ in range(2):
        compact_landing(landing, ALL)
    assert list_names(landing) == [f"segments/{0:012d}-{16:012d}.parquet"]
    assert list_rows(landing) == before
    assert landing.beats(0, 16) == [Beat(7, 3), Beat(15, 6)]
    assert landing.beats(8, 15) == []


def test_nothing_but_heartbeats_is_compacted_too_and_what_they_say_outlives_the_events(
    tmp_path: Path,
) -> None:
    landing = fill_landing(tmp_path, 16)
    compact_landing(landing, ALL)
    for moment in range(40):
        landing.beat(moment)
    compact_landing(landing, ALL)
    compact_landing(Landing(tmp_path, "s"), ALL)
    assert (landing.end(), landing.beats(0, 56)[-1]) == (56, Beat(55, 39))
    assert len(list_rows(landing)) == landing.count(0, 56).events
    for _ in range(2):
        compact_landing(landing, Needed(OPEN, 56))
    assert list_names(landing) == [f"segments/{55:012d}-{56:012d}.parquet"]
    assert (landing.count(0, 56).events, landing.end()) == (0, 56)
    assert landing.beats(0, 56) == [Beat(55, 39)]
    for _ in range(16):
        landing.beat(20)
    compact_landing(landing, ALL)
    for _ in range(2):
        compact_landing(landing, Needed(OPEN, 72))
    assert list_names(landing) == [f"segments/{55:012d}-{72:012d}.parquet"]
    assert landing.beats(55, 72) == [Beat(71, 39)]
    assert landing.beat(99) == 72


def test_a_watermark_lands_with_its_events_and_a_segment_begins_with_what_was_said_before(
    tmp_path: Path,
) -> None:
    landing = fill_landing(tmp_path, 1)
    landing.beat(7)
    for number in range(2, 20):
        landing.commit([build_watermark_request(number)])
    landing.beat(50, holds=True)
    assert landing.beats(0, 3) == [Beat(1, 7), Beat(2, 2, True)]
    compact_landing(landing, ALL)
    assert landing.beats(0, 21) == [Beat(1, 7), Beat(2, 2, True), Beat(20, 50, True)]
    for number in range(21, 80):
        landing.commit([build_watermark_request(100 + number)])
    index = landing.index()
    index.with_segment(compaction._merge(landing, index.end, landing.end())).save(landing.path)
    assert landing.beats(21, 22) == [Beat(21, 7), Beat(21, 50, True)]
    assert landing.beats(22, 80) == [Beat(63, 163, True), Beat(79, 179, True)]


def build_watermark_request(watermark: int) -> Request:
    new_request = build_request("", "", -1, events=1)
    new_request.watermark = watermark
    return new_request


def test_a_watermark_that_goes_back_is_not_thinned_out() -> None:
    """What came between it and the next one is not final for whoever reads the log again, either."""
    beats = [Beat(0, 7, True), Beat(1, 3, True), Beat(3, 4, True)]
    files, times = np.array([2], dtype=np.int64), np.array([9], dtype=np.int64)
    whole, part = StreamProgress(), StreamProgress()
    for far, heard in ((whole, beats), (part, thin_heartbeats(beats, files))):
        far.advance(files, times, heard, 2)
    assert part == whole == StreamProgress(max_event_time=9, source_watermark=4, final_until=5)


@given(st.lists(st.tuples(st.sampled_from("ebw"), st.integers(0, 9)), max_size=20), st.data())
def test_who_reads_what_was_thinned_comes_to_the_same_and_is_never_further(
    log: list[tuple[str, int]], data: st.DataObject
) -> None:
    """Wherever the log is cut, and whatever of it was compacted."""
    beats = [Beat(n, until, kind == "w") for n, (kind, until) in enumerate(log) if kind != "e"]
    files = np.array([n for n, (kind, _) in enumerate(log) if kind == "e"], dtype=np.int64)
    times = np.array([time for kind, time in log if kind == "e"], dtype=np.int64)
    whole, part = StreamProgress(), StreamProgress()
    kept, last = thin_heartbeats(beats, files), 0
    for end in sorted({*data.draw(st.lists(st.integers(0, len(log)))), len(log)}):
        for far, heard in ((whole, beats), (part, kept)):
            chosen = (files >= last) & (files < end)
            far.advance(
                files[chosen], times[chosen], [item for item in heard if last <= item.number < end], 2
            )
        assert part.final_until <= whole.final_until
        last = end
    assert (part.final_until, part.source_watermark, part.last_heartbeat) == (
        whole.final_until,
        whole.source_watermark,
        whole.last_heartbeat,
    )
    at_once = StreamProgress()
    at_once.advance(files, times, beats, 2)
    assert at_once == whole
    again, start = StreamProgress(), merge_into_batch(beats, 0)
    again.advance(np.array([], dtype=np.int64), np.array([], dtype=np.int64), start, 2)
    assert (again.source_watermark, again.last_heartbeat) == (whole.source_watermark, whole.last_heartbeat)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([BEGINNING, 1, 5, 9]), st.booleans()), max_size=9),
    st.randoms(use_true_random=False),
)
def test_those_of_one_batch_are_in_order_however_their_rows_come(
    log: list[tuple[int, int, bool]], random: Random
) -> None:
    """A segment begins with what all before it come to, beside what its first batch says itself."""
    beats = [Beat(*item) for item in sorted(log, key=lambda item: item[0])]
    files, times = np.array([0, 1, 3], dtype=np.int64), np.array([4, 8, 6], dtype=np.int64)
    rows = merge_heartbeats(beats)
    random.shuffle(rows)
    columns = {"key": [None for _ in rows], "time": [row.until for row in rows]}
    columns |= {FILE: [row.number for row in rows], HOLDS: [row.holds or None for row in rows]}
    whole, sorted_again = StreamProgress(), StreamProgress()
    whole.advance(files, times, beats, 2)
    sorted_again.advance(files, times, read_heartbeats(pa.table(columns)), 2)
    assert sorted_again == whole


def test_a_killed_writer_leaves_no_half_heartbeat(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 1)
    half = require_path(landing.path / ".half.staged")
    half.write_bytes(b"PAR1")
    os.utime(half, (0, 0))
    assert landing.beat(5) == 1
    assert Landing(tmp_path, "s").beats(0, 2) == [Beat(1, 5)]


def test_the_reader_of_a_query_gives_them_to_every_bucket(tmp_path: Path) -> None:
    fill_landing(tmp_path, 2)
    landing = Landing(tmp_path, "s")
    landing.beat(77)
    options = {"path": str(tmp_path), "stream": "s", "place": "0", "fields": "[]"}
    options["declaration"] = json.dumps(DECLARED.to_document())
    reader = LogReader(LandedEvents(options), buckets=3)
    (part,) = reader.partitions({"next": 2}, {"next": 3})
    assert isinstance(part, Slice)
    batches = list(reader.read(part))
    assert len(batches) == 3
    schema = pa.schema([("key", pa.string()), *((name, pa.int64()) for name in ("time", "file", "stream"))])
    for batch in batches:
        (row,) = unpack_packet_rows(pa.table(batch), schema).to_pylist()
        assert (row["time"], row["file"], row["stream"]) == (77, 2, 0)
        assert row["key"] is None
