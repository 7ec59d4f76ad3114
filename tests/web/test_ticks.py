"""When the events of a key happened and how late each came, as far as the files of the stream still tell it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from rest_framework.test import APIClient

from tests.landing.test_key_lookup import build_event as landed_event
from tests.landing.test_key_lookup import fill_landing
from tests.web.test_arrivals import DAY, NOW, build_event, push_events
from timeline_app.landing import compaction
from timeline_app.landing.arrivals import Arrived, load_arrivals
from timeline_app.web.models import Stream
from timeline_app.web.nodes.ticks_api import TicksSerializer

PLACE = "/api/streams/player/ticks/"
FROM, TO = (NOW - 10 * DAY) * 1000, (NOW + DAY) * 1000
ASKED: dict[str, Any] = {"key": "s1", "from": FROM, "to": TO}


def get_ticks(client: APIClient, **query: Any) -> dict[str, Any]:
    answer = client.get(PLACE, ASKED | query)
    assert answer.status_code == 200, answer.content
    document: dict[str, Any] = answer.json()
    assert TicksSerializer(document).data == document
    return document


def test_the_events_of_a_key_by_time_and_how_late_they_came(api: APIClient, player: Stream) -> None:
    push_events(api, build_event(1), build_event(2, NOW + 1000, session_id="s2"))
    push_events(api, build_event(3, NOW - 40_000), build_event(4, NOW - 8 * DAY))
    result = get_ticks(api)
    assert [(item["t"] // 1000 - NOW, item["late"]) for item in result["events"]] == [
        (-8 * DAY, (8 * DAY + 1000) * 1000),
        (-40_000, 41_000_000),
        (0, 0),
    ]
    assert (result["complete"], result["allowed_lateness"]) == (True, 30_000_000)
    assert result["events"][0]["late"] > result["retention"] == 7 * DAY * 1000 > result["events"][1]["late"]


def test_what_is_told_of_an_event_stays_as_time_goes_on(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    push_events(api, build_event(1), build_event(2, NOW - 40_000))
    before = get_ticks(api)
    monkeypatch.setattr(time, "time_ns", lambda: (NOW + 30 * DAY) * 1_000_000)
    assert get_ticks(api) == before


def test_only_the_stretch_that_is_asked_for(api: APIClient, player: Stream) -> None:
    push_events(api, *(build_event(n, NOW + 1000 * n) for n in range(5)))
    result = get_ticks(api, **{"from": (NOW + 1000) * 1000, "to": (NOW + 3000) * 1000})
    assert [item["t"] // 1000 - NOW for item in result["events"]] == [1000, 2000]
    assert get_ticks(api, key="nobody")["events"] == []


@pytest.mark.parametrize(
    "query",
    [{"from": ""}, {"to": "soon"}, {"key": "a\0"}, {"key": "k" * 2000}, {"from": "1e99"}, {"to": "-"}],
)
def test_what_cannot_be_asked_is_refused(api: APIClient, player: Stream, query: dict[str, Any]) -> None:
    answer = api.get(PLACE, ASKED | query)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


@pytest.mark.parametrize("missing", ["key", "from", "to"])
def test_what_is_needed_is_named(api: APIClient, player: Stream, missing: str) -> None:
    query: dict[str, Any] = {name: value for name, value in ASKED.items() if name != missing}
    answer = api.get(PLACE, query)
    assert answer.status_code == 400
    assert answer.json()["problems"][0]["field"] == missing


def test_a_stream_that_is_not_there_is_missing(api: APIClient) -> None:
    assert api.get("/api/streams/none/ticks/", ASKED).status_code == 404


def test_more_than_are_told_are_the_newest_to_come_and_it_is_said(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, *([landed_event(time)] for time in range(20)))
    assert load_arrivals(landing, "x", 0, 100) == ([Arrived(time, 0) for time in range(20)], True)
    assert load_arrivals(landing, "x", 0, 100, most=3) == (
        [Arrived(time, 0) for time in (17, 18, 19)],
        False,
    )
    assert load_arrivals(landing, "x", 0, 100, seconds=-1) == ([], False)


def test_lateness_is_counted_over_files_that_hold_nothing_of_the_stretch(tmp_path: Path) -> None:
    landing = fill_landing(
        tmp_path, [landed_event(500, "y")], [landed_event(40), landed_event(600, "y"), landed_event(50)]
    )
    assert load_arrivals(landing, "x", 0, 100) == ([Arrived(40, 460), Arrived(50, 550)], True)


def make_ticking_clock() -> Callable[[], float]:
    """A clock that goes on by one at each look."""
    looks = iter(range(1_000_000))
    return lambda: float(next(looks))


def test_where_time_is_up_before_all_statistics_the_newest_are_told_without_their_lateness(
    tmp_path: Path,
) -> None:
    landing = fill_landing(tmp_path, *([landed_event(time)] for time in range(20)))
    result, complete = load_arrivals(landing, "x", 0, 100, seconds=14, clock=make_ticking_clock())
    assert ([item.time for item in result][-1], complete) == (19, False)
    assert result
    assert all(item.late is None for item in result)


def test_of_a_large_file_only_the_parts_are_read_that_reach_into_the_stretch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    landing = fill_landing(tmp_path, *([landed_event(time)] for time in (10, 500, 20, 600, 30)))
    monkeypatch.setattr(compaction, "MIN_BATCHES_PER_SEGMENT", 1)
    monkeypatch.setattr(compaction, "ROWS_PER_GROUP", 1)
    compaction.compact_landing(landing, compaction.Needed(None, 5))
    assert len(landing.index().segments) == 1
    read: list[int] = []
    whole = pq.ParquetFile.read_row_group

    def note_group(file: pq.ParquetFile, group: int, **more: Any) -> Any:
        read.append(group)
        return whole(file, group, **more)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", note_group)
    arrivals = load_arrivals(landing, "x", 0, 100)
    assert arrivals == ([Arrived(10, 0), Arrived(20, 480), Arrived(30, 570)], True)
    assert read == [4, 2, 0]
    assert load_arrivals(landing, "x", 0, 100, seconds=3, clock=make_ticking_clock()) == (
        [Arrived(20, 480), Arrived(30, 570)],
        False,
    )


def test_a_file_that_is_gone_makes_the_answer_incomplete(tmp_path: Path) -> None:
    landing = fill_landing(tmp_path, *([landed_event(time)] for time in (10, 20, 30)))
    landing.file(1).unlink()
    assert load_arrivals(landing, "x", 0, 100) == ([Arrived(10, 0), Arrived(30, None)], False)
    landing.file(2).unlink()
    assert load_arrivals(landing, "x", 0, 100) == ([Arrived(10, 0)], False)
