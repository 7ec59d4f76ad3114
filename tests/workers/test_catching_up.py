"""A query on a stream with a past reads it in batches that leave room for others, and says how far it has come."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pyarrow.compute as pc
import pytest
from django.utils import timezone

from tests.workers.conftest import (
    STREAM,
    MakeNode,
    build_state,
    compile_programs,
    land_line,
    read_query,
    run_rounds_until,
)
from timeline_app.fs.layout import Places
from timeline_app.web.models import Node, Query
from workers.engine import progress_monitor
from workers.engine.formatting import format_duration, format_number
from workers.engine.progress_monitor import describe_catch_up
from workers.spark import sources


def build_lines(first: int, count: int) -> bytes:
    return b"\n".join(b'{"k": "k%d", "t": %d, "x": "1"}' % (n % 97, n) for n in range(first, first + count))


def open_reader(data: Path, buckets: int = 2) -> sources.LogReader:
    options = {"path": str(Places(data).landing), "stream": "s", "place": "0", "fields": "[]"}
    landed = sources.LandedEvents({**options, "declaration": json.dumps(STREAM)})
    return sources.LogReader(landed, buckets=buckets)


def test_a_batch_ends_with_the_file_that_reaches_the_bound(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_ROWS_PER_BUCKET", 125)
    for size in (100, 100, 100, 1_000, 10):
        land_line(data, build_lines(0, size))
    offsets, limit = [0], open_reader(data).getDefaultReadLimit()
    for _ in range(4):
        offsets.append(open_reader(data).latestOffset({"next": offsets[-1]}, limit)["next"])
    assert offsets == [0, 3, 4, 5, 5]


def test_a_large_batch_is_read_in_two_slices_of_about_half(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_ROWS_PER_BUCKET", 250)
    monkeypatch.setattr(sources, "ROWS_PER_SLICE", 100)
    for size in (50, 50, 300, 20, 100, 400, 7):
        land_line(data, build_lines(0, size))
    reader, items, begin = open_reader(data), [], 0
    while (end := reader.latestOffset({"next": begin}, reader.getDefaultReadLimit())["next"]) > begin:
        parts = reader.partitions({"next": begin}, {"next": end})
        items.append([(part.start, part.end) for part in parts if isinstance(part, sources.Slice)])
        begin = end
    assert items == [[(0, 3), (3, 5)], [(5, 6), (6, 7)]]
    assert [len(open_reader(data).partitions({"next": 0}, {"next": 5}))] == [1], "planned by another process"


@pytest.mark.parametrize(("buckets", "slices"), [(1, [2]), (3, [2, 2, 1]), (8, [1, 1, 1, 1, 1])])
def test_more_buckets_take_more_at_once_in_as_many_slices(
    data: Path, monkeypatch: pytest.MonkeyPatch, buckets: int, slices: list[int]
) -> None:
    monkeypatch.setattr(sources, "MAX_ROWS_PER_BUCKET", 200)
    monkeypatch.setattr(sources, "ROWS_PER_SLICE", 50)
    for _ in range(5):
        land_line(data, build_lines(0, 100))
    reader = open_reader(data, buckets)
    end = reader.latestOffset({"next": 0}, reader.getDefaultReadLimit())
    parts = [part for part in reader.partitions({"next": 0}, end) if isinstance(part, sources.Slice)]
    assert [part.end - part.start for part in parts] == slices


@pytest.mark.parametrize("buckets", [1, 2])
def test_a_small_batch_is_read_where_it_is_planned(
    data: Path, monkeypatch: pytest.MonkeyPatch, buckets: int
) -> None:
    monkeypatch.setattr(sources, "ROWS_PER_SLICE", 150)
    for size in (100, 50, 100):
        land_line(data, build_lines(0, size))
    reader = open_reader(data, buckets)
    read = reader.read_small({"next": 0}, {"next": 2})
    assert read is not None
    assert sum(pc.sum(batch["rows"]).as_py() for batch in read) == 150
    assert reader.read_small({"next": 1}, {"next": 3}) is not None, "planned by another process"
    assert reader.read_small({"next": 0}, {"next": 3}) is None, "too many"
    assert reader.read_small({"next": 3}, {"next": 3}) is None, "nothing"
    monkeypatch.setattr(sources, "MAX_BYTES_READ_BY_PLANNER", 100)
    assert reader.read_small({"next": 0}, {"next": 2}) is None, "too large"


def test_words_say_how_far_how_fast_and_how_long(db: None) -> None:
    now = timezone.now()
    facts = {"events_per_second": 18_234.0, "backlog_since": now - timedelta(seconds=30)}
    query = Query(name="q", lag=580_000, backlog=1_000_000, **facts)
    assert describe_catch_up(query, now) == "catching up, 42 %, 18,000 events/s, 41 s left"
    query.lag = 1_000_000
    assert describe_catch_up(query, now) == "catching up, 0 %, 18,000 events/s"


def test_figures_are_coarse() -> None:
    assert [format_duration(seconds) for seconds in (0.4, 59.9, 61, 7_300)] == ["0 s", "59 s", "1 min", "2 h"]
    assert [format_number(value) for value in (0.2, 42, 1_234, 18_999, 1_234_567)] == [
        "0", "42", "1,200", "18,000", "1,200,000",
    ]  # fmt: skip


@pytest.mark.spark
def test_progress_is_told_until_it_has_caught_up(
    make_node: MakeNode, data: Path, remote: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        progress_monitor, "CATCH_UP_AFTER_S", 0.5
    )  # however fast the machine is, so much is much
    events = 6 * sources.MAX_ROWS_PER_BUCKET  # three batches
    for first in range(0, events, 20_000):
        land_line(data, build_lines(first, 20_000))
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    lines: list[str] = []

    def caught_up() -> bool:
        lines.append(read_query(node).words)
        return Node.objects.get().events == events and read_query(node).lag == 0

    run_rounds_until(caught_up)
    run_rounds_until(lambda: read_query(node).words in ("running", "idle, no input for 10 s"))
    answer = [
        match for words in lines if (match := re.match(r"catching up, (\d+) %, [\d,]+ events/s", words))
    ]
    assert answer, lines
    percents = [int(match[1]) for match in answer]
    assert percents == sorted(percents)
    assert read_query(node).backlog == 0
