"""When a batch landed is written down with it, kept by compaction, and read where somebody asks when events arrived."""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.landing.test_compaction import ALL, fill_landing
from tests.landing.test_log import DECLARED, build_batch
from timeline_app.algebra.events import ARRIVAL
from timeline_app.landing import compaction
from timeline_app.landing.compaction import compact_landing
from timeline_app.landing.log import Landing
from timeline_app.landing.segments import ARRIVED, LANDED, SCHEMA


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is kept for slow readers."""
    monkeypatch.setattr(compaction, "REMOVE_AFTER_S", -1.0)


def list_arrivals(landing: Landing, start: int = 0) -> list[float | None]:
    """When each event arrived, as a host is told."""
    numbers: list[float | None] = landing.read(start, landing.end(), DECLARED, [ARRIVAL])["v0"].to_pylist()
    return numbers


def test_events_of_a_batch_arrived_when_it_landed_also_after_compaction(tmp_path: Path) -> None:
    started = time.time_ns() // 1_000
    landing = fill_landing(tmp_path, 20)
    before = list_arrivals(landing)
    assert all(item is not None and started <= item <= time.time_ns() // 1_000 for item in before)
    assert before == sorted(before, key=lambda item: item or 0)
    assert len(set(before)) == 20
    for _ in range(2):
        compact_landing(landing, ALL)
    assert list_arrivals(landing) == before
    assert list_arrivals(Landing(tmp_path, "s"), 7) == before[-len(list_arrivals(landing, 7)) :]
    fill_landing(tmp_path, 20, 20)
    compact_landing(landing, ALL)
    assert list_arrivals(landing)[: len(before)] == before


def test_an_event_that_brings_its_arrival_is_believed(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    landing.append(build_batch({"k": "a", "t": 1, ARRIVAL: 5}, {"k": "a", "t": 2}))
    own, ours = list_arrivals(landing)
    assert own == 5.0
    assert (ours or 0) > 1e15


def test_who_does_not_ask_reads_the_columns_as_before(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, 3)
    assert landing.read(0, 3, DECLARED, ["n"]).column_names == [
        "key",
        "time",
        "id",
        "text",
        "v0",
        "file",
        "accepted",
    ]
    assert landing.rows(0, 3).column_names == [*SCHEMA.names, "file"]
    assert landing.rows(0, 3, ["time", ARRIVED]).column_names == ["time", ARRIVED, "file"]


def test_of_what_landed_before_that_was_written_down_nobody_knows_it(tmp_path: Path) -> None:
    """A batch and a segment as they were written until then."""
    landing = fill_landing(tmp_path, 20)
    for number in range(20):
        table = pq.read_table(landing.file(number), schema=SCHEMA)
        pq.write_table(table.replace_schema_metadata(None), landing.file(number))
    assert set(list_arrivals(landing)) == {None}
    compact_landing(landing, ALL)
    (segment,) = (landing.path / item.name for item in landing.index().segments)
    old = pq.read_table(segment, schema=LANDED).drop_columns([ARRIVED])
    pq.write_table(old, segment)
    reopened = Landing(tmp_path, "s")
    assert set(list_arrivals(reopened)) == {None}
    fill_landing(tmp_path, 20, 20)
    compact_landing(reopened, ALL)
    result = list_arrivals(reopened)
    assert result[: old.num_rows] == [None] * old.num_rows
    assert None not in result[old.num_rows :]
