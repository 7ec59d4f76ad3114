"""Heartbeats stand in the log among the events: read back by number, also from segments, and never as events."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.storage.packets import rows_in
from tests.storage.test_compaction import ALL, filled, names, rows
from tests.storage.test_landing import DECLARED
from timeline_app.algebra.kinds import OPEN
from timeline_app.storage import compaction
from timeline_app.storage.beats import Beat, thinned
from timeline_app.storage.compaction import Needed, compact
from timeline_app.storage.landing import Landing
from timeline_app.storage.recorded import last_rows, next_rows
from workers.spark.sources import LandedEvents, LogReader, Slice


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is kept for slow readers."""
    monkeypatch.setattr(compaction, "GRACE", -1.0)


def test_a_heartbeat_has_a_number_like_a_batch_and_no_events(tmp_path: Path) -> None:
    landing = filled(tmp_path, 3)
    other = Landing(tmp_path, "s")
    assert [landing.beat(10), other.beat(20)] == [3, 4]
    filled(tmp_path, 1, 3)
    for one in (landing, other, Landing(tmp_path, "s")):
        assert one.end() == 6
        assert one.beats(0, 6) == [Beat(3, 10), Beat(4, 20)]
        assert one.beats(4, 5) == [Beat(4, 20)]
        assert one.count(3, 5).events == 0
        assert {row["file"] for row in rows(one)} == {0, 1, 2, 5}
    assert len(last_rows(landing, 100)[0]) == len(next_rows(landing, 0, 100)[0]) == len(rows(landing))


def test_a_client_that_sends_in_order_is_not_disturbed(tmp_path: Path) -> None:
    landing = filled(tmp_path, 2)
    Landing(tmp_path, "s").beat(10)
    filled(tmp_path, 2, 2)
    landing.beat(11)
    assert [one.number for one in landing.beats(0, 6)] == [2, 5]


def test_of_heartbeats_without_events_in_between_a_segment_keeps_the_last(tmp_path: Path) -> None:
    landing = filled(tmp_path, 5)
    for moment in (1, 2, 3):
        landing.beat(moment)
    filled(tmp_path, 5, 5)
    for moment in (4, 5, 6):
        landing.beat(moment)
    before = rows(landing)
    for _ in range(2):
        compact(landing, ALL)
    assert names(landing) == [f"segments/{0:012d}-{16:012d}.parquet"]
    assert rows(landing) == before
    assert landing.beats(0, 16) == [Beat(7, 3), Beat(15, 6)]
    assert landing.beats(8, 15) == []


def test_nothing_but_heartbeats_is_compacted_too_and_dropped_when_nobody_needs_it(tmp_path: Path) -> None:
    landing = filled(tmp_path, 16)
    compact(landing, ALL)
    for moment in range(40):
        landing.beat(moment)
    compact(landing, ALL)
    compact(Landing(tmp_path, "s"), ALL)
    assert (landing.end(), landing.beats(0, 56)[-1]) == (56, Beat(55, 39))
    assert len(rows(landing)) == landing.count(0, 56).events
    for _ in range(2):
        compact(landing, Needed(OPEN, 56))
    assert (names(landing), landing.beats(0, 56), landing.end()) == ([], [], 56)
    assert landing.beat(99) == 56


@given(st.lists(st.booleans(), max_size=12))
def test_thinning_leaves_out_only_what_a_later_one_says_before_the_next_event(kinds: list[bool]) -> None:
    beats = [Beat(number, 100 + number % 5) for number, beat in enumerate(kinds) if beat]
    filled = np.array([number for number, beat in enumerate(kinds) if not beat], dtype=np.int64)
    kept = thinned(beats, filled)

    def standing(some: list[Beat], at: int) -> int:
        return max((one.until for one in some if one.number < at), default=-1)

    for number in [*filled.tolist(), len(kinds)]:
        assert standing(kept, number) == standing(beats, number)
    numbers = {one.number for one in kept}
    assert not any({number, number + 1} <= numbers for number in numbers)


def test_a_killed_writer_leaves_no_half_heartbeat(tmp_path: Path) -> None:
    landing = filled(tmp_path, 1)
    (landing.path / ".half.staged").write_bytes(b"PAR1")
    os.utime(landing.path / ".half.staged", (0, 0))
    assert landing.beat(5) == 1
    assert Landing(tmp_path, "s").beats(0, 2) == [Beat(1, 5)]


def test_the_reader_of_a_query_gives_them_to_every_bucket(tmp_path: Path) -> None:
    filled(tmp_path, 2)
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
        (row,) = rows_in(pa.table(batch), schema).to_pylist()
        assert (row["time"], row["file"], row["stream"]) == (77, 2, 0)
        assert row["key"] is None
