"""The watermark of what a stream accepted stands in its log: whoever writes or reads it next comes to the same."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from timeline_app.algebra.kinds import BEGINNING
from timeline_app.landing import compaction
from timeline_app.landing.compaction import Needed, compact_landing
from timeline_app.landing.dedup import Receipt
from timeline_app.landing.log import Landing
from timeline_app.landing.request_body import read_events
from timeline_app.landing.requests import Request
from timeline_app.landing.segments import ACCEPTED
from timeline_app.landing.watermarks import AcceptedWatermark, select_too_late
from timeline_app.operators.parameters import MAX_DURATION_MICROS
from timeline_app.plan import StreamDeclaration

NOW = time.time_ns() // 1_000
DECLARED = StreamDeclaration.from_document("s", {"key": "k", "time": "t", "unit": "us"})


def commit_times(landing: Landing, *times: int, **watermark: Any) -> Receipt:
    """One request of events at these times; its receipt."""
    body = "\n".join(f'{{"k": "a", "t": {at}}}' for at in times).encode()
    bounds = {"allowed_lateness": 10, "retention": 100, **watermark}
    request = Request(read_events(body, DECLARED), Receipt("", "", -1, "", len(times)), **bounds)
    landing.commit([request])
    assert request.receipt is not None
    return request.receipt


def list_watermarks(landing: Landing) -> list[int | None]:
    """The watermark before each event."""
    return list(landing.rows(0, landing.end(), [ACCEPTED])[ACCEPTED].to_pylist())


def test_each_batch_carries_the_watermark_from_before_it(tmp_path: Path) -> None:
    for index, at in enumerate((500, 300, 900)):
        commit_times(Landing(tmp_path, "s"), at, at + 1)  # each by a process of its own
        assert len(list_watermarks(Landing(tmp_path, "s"))) == 2 * (index + 1)
    assert list_watermarks(Landing(tmp_path, "s")) == [BEGINNING, BEGINNING, 501, 501, 501, 501]


def test_compaction_keeps_it_of_every_event_and_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "MIN_BATCHES_PER_SEGMENT", 2)
    landing = Landing(tmp_path, "s")
    for at in (500, 300, 900):
        commit_times(landing, at)
    before = list_watermarks(landing)
    compact_landing(landing, Needed(None, 3))
    assert landing.index().end == 3
    assert list_watermarks(Landing(tmp_path, "s")) == before == [BEGINNING, 500, 500]
    commit_times(Landing(tmp_path, "s"), 1)
    assert list_watermarks(Landing(tmp_path, "s")) == [*before, 900]


def test_an_event_of_the_future_moves_it_once_its_time_has_come() -> None:
    mark = AcceptedWatermark()
    mark.take(500, (), 100)
    assert mark.until == 100
    mark.take(BEGINNING, (), 700)
    assert mark.until == 500


def test_what_a_source_says_holds_it_back_until_a_heartbeat_comes(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    commit_times(landing, 1_000, watermark=BEGINNING)
    commit_times(landing, 20, watermark=40)
    assert commit_times(landing, 1_001).too_late == 0
    landing.beat(BEGINNING)
    commit_times(landing, 1_002)
    assert list_watermarks(landing) == [BEGINNING, BEGINNING, 40, 1_001]


def test_a_receipt_says_how_many_were_late_and_how_many_too_late(tmp_path: Path) -> None:
    landing = Landing(tmp_path, "s")
    first = commit_times(landing, 2_000, 5)
    assert (first.late, first.too_late) == (0, 0), "nothing stood before it"
    second = commit_times(Landing(tmp_path, "s"), 1_990, 1_989, 1_900, 1_899, 3_000, 5)
    assert (second.taken, second.late, second.too_late) == (6, 2, 2)
    landing.beat(2_500)
    assert commit_times(landing, 2_995, 2_989).late == 1
    landing.beat(5_000)
    third = commit_times(landing, 4_980, 2_899)
    assert (third.late, third.too_late) == (1, 1), "a heartbeat makes late, and nothing too old"


def test_the_longest_retention_has_no_end() -> None:
    times = np.array([-NOW, 0, NOW], dtype=np.int64)
    assert select_too_late(times, NOW, MAX_DURATION_MICROS).tolist() == [False, False, False]
    assert select_too_late(times, NOW, NOW).tolist() == [True, False, False]
    assert select_too_late(times, BEGINNING, 1).tolist() == [False, False, False]
