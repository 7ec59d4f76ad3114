"""Who is started again when several stand still, and which time counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.utils import timezone

from tests.workers.conftest import MakeNode, build_state, compile_programs, land_line
from timeline_app.compiler import compile_plan
from timeline_app.web.models import Query
from timeline_app.web.nodes.selectors import describe_observed_state
from workers.engine import progress_monitor, supervisor
from workers.engine.progress_monitor import OBSERVATION_GAP_S, Stall
from workers.spark.progress import Report

PLAN = {
    "version": 1,
    "nodes": {"a": {"op": "latest_event_to_state", "stream": "s", "params": {"field": "x"}}},
    "streams": {"s": {"key": "k", "time": "t", "unit": "ms", "fields": {"x": "text"}}},
}


class Running:
    """What is used of an active query to end it."""

    def __init__(self) -> None:
        self.stopped = False

    def stop(self) -> None:
        self.stopped = True


def test_of_those_at_work_only_the_longest_is_started_again(db: None) -> None:
    stood = {
        "asleep": (30.0, False),
        "long": (90.0, True),
        "longest": (95.0, True),
        "asleep too": (25.0, False),
    }
    running = {name: Running() for name in stood}
    queries = {name: Query.objects.create(name=name, program={}, desired="running") for name in stood}
    supervisor._restart_stalled(
        [
            (Stall(seconds, "stuck", busy), queries[name], running[name])
            for name, (seconds, busy) in stood.items()
        ]
    )
    assert [name for name, value in running.items() if value.stopped] == ["asleep", "longest", "asleep too"]
    counted = {name: Query.objects.get(name=name).restarts for name in stood}
    assert counted == {"asleep": 1, "long": 0, "longest": 1, "asleep too": 1}


def test_a_query_that_sleeps_since_the_clock_went_back_is_started_again_at_no_cost(db: None) -> None:
    query, running = Query.objects.create(name="q", program={}, desired="running"), Running()
    supervisor._restart_stalled([(Stall(1.0, "asleep", busy=False, excused=True), query, running)])
    query.refresh_from_db()
    assert running.stopped
    assert (query.restarts, query.retry_at, query.observed) == (0, None, "starting")


@pytest.mark.parametrize(
    ("ahead", "lag", "busy", "excused"),
    [(3_600, 5, False, True), (6, 5, False, True), (3_600, 0, False, False), (3_600, 5, True, False)],
)
def test_what_waits_for_a_time_that_was_already_is_asleep(
    monkeypatch: pytest.MonkeyPatch, db: None, ahead: int, lag: int, *, busy: bool, excused: bool
) -> None:
    program = compile_plan(PLAN, {}).programs.values()
    query = Query.objects.create(name="q", program=next(iter(program)).to_document(), desired="running")
    last = Report(timezone.now() + timedelta(seconds=ahead), 1, 10, 100, (3,), 0, 0)
    monkeypatch.setattr(progress_monitor, "list_reports", lambda _: [last])
    monkeypatch.setattr(progress_monitor, "count_waiting", lambda *_: lag)
    running = SimpleNamespace(id="i", runId="r", status={"isTriggerActive": busy})
    assert progress_monitor.observe_progress(query, running) is None, "it may just have begun"
    result = progress_monitor.observe_progress(query, running)
    assert (result is not None and result.excused) is excused


def test_a_query_whose_inputs_do_not_run_is_not_idle_in_green(
    monkeypatch: pytest.MonkeyPatch, make_node: MakeNode
) -> None:
    count = {"op": "aggregate", "inputs": {"of": "seen", "by": "a"}, "params": {"function": "sum"}}
    programs = compile_programs(
        {"a": build_state("x"), "seen": {"op": "event_count", "stream": "s"}, "count": count}
    )
    above, other, below = (make_node(programs[name]) for name in ("a", "seen", "count"))
    Query.objects.filter(pk=other.query_id).update(observed="running")
    long_ago = timezone.now() - timedelta(seconds=62)
    monkeypatch.setattr(
        progress_monitor, "list_reports", lambda _: [Report(long_ago, 1, 10, 100, (3,), 0, 0)]
    )
    monkeypatch.setattr(progress_monitor, "count_waiting", lambda *_: 0)
    running = SimpleNamespace(id="i", runId="r", status={"isTriggerActive": False})
    items = []
    for observed in ("starting", "running"):
        Query.objects.filter(pk=above.query_id).update(observed=observed)
        query = Query.objects.get(pk=below.query_id)
        progress_monitor.observe_progress(query, running)
        items.append((*describe_observed_state(query), query.observed))
    assert items[0] == ("starting", "waiting for its inputs: 1 of 2 do not run", "running")
    assert items[1][:2] == ("running", "idle, no input for 1 min")


def test_a_long_batch_whose_report_is_not_there_yet_is_no_sleep(
    monkeypatch: pytest.MonkeyPatch, db: None
) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    for name in ("_last_moves", "_last_awake"):
        monkeypatch.setattr(progress_monitor, name, {})
    program = compile_plan(PLAN, {}).programs.values()
    query = Query.objects.create(name="q", program=next(iter(program)).to_document(), desired="running")
    last = Report(timezone.now(), 1, 10, 100, (3,), 0, 0)
    monkeypatch.setattr(progress_monitor, "list_reports", lambda _: [last])
    monkeypatch.setattr(progress_monitor, "count_waiting", lambda *_: 5)
    running = SimpleNamespace(id="i", runId="r", status={"isTriggerActive": True})

    def looked(seconds: int, *, busy: bool) -> Stall | None:
        """Every two seconds; what the last look found."""
        running.status["isTriggerActive"] = busy
        stall = None
        for _ in range(0, seconds, 2):
            now[0] += 2
            stall = progress_monitor.observe_progress(query, running)
        return stall

    assert looked(40, busy=True) is None, "it may be slow"
    assert looked(18, busy=False) is None, "its report may come late"
    asleep = looked(6, busy=False)
    assert asleep is not None
    assert not asleep.busy


def test_only_time_in_which_somebody_looked_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr(progress_monitor, "_last_moves", {})
    query = Query(name="q", spark_run_id="r")
    report = Report(datetime(2026, 1, 1, tzinfo=UTC), 1, 10, 100, (3,), 0, 0)

    def after(seconds: float, last: Report | None = report) -> float:
        now[0] += seconds
        return progress_monitor._measure_seconds_stalled(query, last)

    assert [after(0), after(2), after(2)] == [0, 2, 4]
    assert after(OBSERVATION_GAP_S + 30) == 4, "Spark, or this process, was away"
    assert after(2) == 6
    assert after(2, None) == 0, "it moved"
    progress_monitor.reset_clocks()
    assert after(2, None) == 0


def test_spark_is_asked_seldom_while_there_is_nothing_to_do_and_at_once_when_there_is(
    monkeypatch: pytest.MonkeyPatch, make_node: MakeNode, data: Path
) -> None:
    node, now, requests = make_node(compile_programs({"a": build_state("x")})["a"]), [100.0], []

    def reports(_: object) -> list[Report]:
        requests.append(now[0])
        return [Report(timezone.now(), 0, 1, 100, (len(requests[:1]),), 0, 0)]

    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr(progress_monitor, "list_reports", reports)
    for name in ("_idle_queries", "_last_moves"):
        monkeypatch.setattr(progress_monitor, name, {})
    running = SimpleNamespace(id="i", runId="r", status={"isTriggerActive": False})

    def looks(seconds: int) -> list[float]:
        """Every two seconds; when Spark was asked."""
        requests.clear()
        for _ in range(0, seconds, 2):
            now[0] += 2
            progress_monitor.observe_progress(Query.objects.get(pk=node.query_id), running)
        return requests

    land_line(data, b'{"k": "k1", "t": 1000, "x": "1"}')
    assert looks(20) == [102, 112]
    assert Query.objects.get().words == "running"
    land_line(data, b'{"k": "k1", "t": 2000, "x": "2"}')
    assert looks(6) == [122, 124, 126], "it has not read that yet"
    assert Query.objects.get().lag == 1
    running.runId = "another"
    assert looks(2) == [128]
