"""A query that falls behind gets more buckets; its nodes go on without a gap or a copy. With a real Spark."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from tests.workers.conftest import (
    MakeNode,
    build_state,
    compile_programs,
    land_line,
    read_query,
    run_rounds_until,
)
from tests.workers.test_mending import build_event, read_values
from timeline_app.fs.layout import Places
from timeline_app.web.models import Node, Query
from workers.engine import growth
from workers.engine.growth import Sample, choose_more_buckets

CAPACITY = 1_000.0


def build_behind(name: str = "q", run: str = "r", lag: int = 10_000, buckets: int = 1) -> Query:
    """A query that works without a pause and is behind."""
    return Query(
        name=name,
        observed=Query.Observed.RUNNING,
        spark_run_id=run,
        lag=lag,
        backlog=lag,
        buckets=buckets,
        events_per_second=CAPACITY,
        processed_per_second=CAPACITY,
    )


class Clock:
    """The monotonic clock of the module, which the test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(growth, "time", clock)
    for table in (growth._behind, growth._needed):
        table.clear()
    return clock


def watch(clock: Clock, monkeypatch: pytest.MonkeyPatch, lags: list[int], **query: Any) -> list[int]:
    """The seconds after which a query with these lags, one every ten seconds, is asked to grow."""
    grown: list[int] = []
    monkeypatch.setattr(growth, "count_cores", lambda _spark: 8)

    def grow(_query: Query, _buckets: int) -> bool:
        grown.append(int(clock.now - 1_000))
        return True

    monkeypatch.setattr(growth, "_grow", grow)
    for lag in lags:
        growth.grow_saturated([build_behind(lag=lag, **query)], None, ())
        clock.now += 10
    return grown


def test_a_query_grows_when_it_gets_no_nearer_for_a_minute(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert watch(clock, monkeypatch, [10_000 + 500 * step for step in range(8)]) == [60]


@pytest.mark.parametrize(
    "lags",
    [
        [100_000 - 1_000 * step for step in range(20)],  # it catches up
        [10_000, 20_000, 30_000, 9_000, 20_000, 30_000, 40_000, 8_000, 20_000],  # it does, in large batches
        [10_000, 20_000, 30_000, 0, 10_000, 20_000, 30_000, 40_000, 0],  # it is behind now and then
    ],
)
def test_a_query_that_gets_nearer_keeps_its_buckets(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, lags: list[int]
) -> None:
    assert watch(clock, monkeypatch, lags) == []


def test_a_setting_decides_alone(clock: Clock, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    settings.BUCKETS = 1
    assert watch(clock, monkeypatch, [10_000] * 20) == []


def test_nothing_grows_while_nodes_move(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    grown: list[object] = []
    monkeypatch.setattr(growth, "_grow", lambda *asked: grown.append(asked))
    for _ in range(20):
        growth.grow_saturated([build_behind()], None, {7})
        clock.now += 10
    assert not grown


@pytest.mark.parametrize(
    ("lag", "buckets", "free", "wanted"),
    [
        (10_000, 1, 8.0, 2),  # as much arrives as it can do: half as much again is its reserve
        (70_000, 1, 8.0, 3),  # twice as much arrives
        (70_000, 4, 8.0, 12),
        (70_000, 1, 1.0, 2),  # no more than there are cores
        (70_000, 1, 0.3, 1),  # all cores are busy: more buckets would only cost more
    ],
)
def test_as_many_buckets_as_the_events_need(
    clock: Clock, lag: int, buckets: int, free: float, wanted: int
) -> None:
    query, before = build_behind(lag=lag, buckets=buckets), Sample("r", clock.now - 60, 10_000)
    assert choose_more_buckets(query, before, free) == wanted


def test_busy_neighbours_leave_no_core(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "count_cores", lambda _spark: 2)
    grown: list[object] = []
    monkeypatch.setattr(growth, "_grow", lambda *asked: grown.append(asked))
    for _ in range(20):
        growth.grow_saturated([build_behind("a"), build_behind("b")], None, ())
        clock.now += 10
    assert not grown


@pytest.mark.spark
def test_its_nodes_go_on_in_more_buckets(
    make_node: MakeNode, data: Path, remote: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "_is_saturated", partial(report_saturation_of, buckets=1))
    monkeypatch.setattr(growth, "_measure_busy_cores", lambda _query: 1.0)
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    for number in (1, 2, 3):
        land_line(data, build_event(number))
        run_rounds_until(partial(lambda wanted: Node.objects.get().events == wanted, number))
    first = Query.objects.get(name=node.digest)
    assert first.buckets == 1
    run_rounds_until(lambda: Query.objects.get(nodes=node).name != node.digest)
    land_line(data, build_event(4))
    run_rounds_until(lambda: Node.objects.get().revisions == 4)
    grown = Query.objects.get(nodes=node)
    assert (grown.buckets, (Places(data).checkpoint(grown.name) / "buckets").read_text()) == (2, "2")
    assert (read_values("k1"), read_values("k0")) == ([None, "1", "3"], [None, "2", "4"])
    assert "fell behind with 1 bucket" in grown.mended
    run_rounds_until(lambda: read_query(node).desired == "stopped")


def report_saturation_of(query: Query, buckets: int) -> bool:
    """Whether it has so many buckets, and has done something."""
    growth._behind[query.name] = Sample(query.spark_run_id, 0.0, query.lag)
    return query.buckets == buckets and query.processed_per_second > 0


@pytest.mark.spark
def test_events_that_take_long_to_compute_again_keep_their_query(
    make_node: MakeNode, data: Path, remote: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growth, "_is_saturated", partial(report_saturation_of, buckets=1))
    monkeypatch.setattr(growth, "_measure_busy_cores", lambda _query: 1.0)
    monkeypatch.setattr(growth, "MAX_RECOMPUTE_S", 0.0)
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    land_line(data, build_event(1))
    run_rounds_until(lambda: Query.objects.get().processed_per_second > 0 and node.digest in growth._needed)
    assert Query.objects.get().name == node.digest
    query = Query.objects.get()
    growth._needed[query.name] = 2
    assert growth.describe_shortage(query) == "needs 2 buckets and has 1"
