"""What is wanted comes to be, through real Spark: started, watched, retried, stopped, adopted."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from tests.workers.conftest import (
    MakeNode,
    build_state,
    compile_programs,
    land_line,
    read_query,
    run_rounds_until,
)
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.web.models import Node, Query
from timeline_app.web.nodes.timelines import peek
from workers.engine import launcher, status, supervisor
from workers.spark.connect.session import drop_session

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("remote")]


def test_a_wanted_query_runs_answers_and_stops_when_it_is_no_longer_wanted(
    make_node: MakeNode, data: Path
) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    run_rounds_until(lambda: read_query(node).observed == "running")
    run_rounds_until(lambda: read_query(node).words.startswith("idle, no input"))
    land_line(data, b'{"k": "k1", "t": 1000, "x": "hello"}')
    run_rounds_until(lambda: Node.objects.get().revisions == 1)
    result = peek(Node.objects.get(), "k1")
    assert result is not None
    assert [point["value"] for point in result["points"]] == [None, "hello"]
    Query.objects.update(desired="stopped")
    run_rounds_until(lambda: read_query(node).observed == "stopped")
    assert supervisor.reconcile() == []


def test_a_worker_that_takes_over_adopts_what_runs(make_node: MakeNode, settings: Settings) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    run_rounds_until(lambda: read_query(node).observed == "running")
    before = read_query(node).spark_run_id
    drop_session(settings.SPARK_REMOTE)  # a new process knows no session
    Query.objects.update(observed="stopped", words="stopped")
    assert supervisor.reconcile() == []
    after = read_query(node)
    assert (after.observed, after.spark_run_id) == ("running", before)
    drop_session(settings.SPARK_REMOTE)
    Query.objects.update(observed="starting", claimed_until=timezone.now() + timedelta(minutes=1))
    launcher.launch(node.digest)
    assert read_query(node).spark_run_id == before


def test_a_query_that_cannot_start_says_why_and_waits_longer_each_time_while_others_go_on(
    make_node: MakeNode, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = compile_programs({"bad": build_state("x"), "good": build_state("y")})
    bad, good = make_node(programs["bad"]), make_node(programs["good"])
    place = require_path(Places(data).checkpoint(bad.digest))
    place.parent.mkdir(parents=True)
    place.write_text("a file where the checkpoint should be")
    monkeypatch.setattr(status, "MAX_RESTARTS", 2)
    run_rounds_until(lambda: read_query(bad).restarts == 1)
    first = read_query(bad)
    assert first.words.startswith("retry 1 of 2")
    assert str(place) in first.error
    run_rounds_until(lambda: read_query(good).observed == "running")
    run_rounds_until(lambda: read_query(bad).observed == "failed")
    last = read_query(bad)
    assert last.words.startswith("failed: ")
    assert read_query(good).observed == "running"
    place.unlink()
    assert supervisor.reconcile() == [], "after the last retry only a person starts it again"
    Query.objects.filter(pk=last.pk).update(restarts=0, retry_at=timezone.now())
    run_rounds_until(lambda: read_query(bad).observed == "running")


def test_a_poison_event_fails_its_readers_in_words_until_it_is_gone(make_node: MakeNode, data: Path) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    land_line(data, b'{"k": "k1", "t": 1000, "x": "1"}')
    run_rounds_until(lambda: Node.objects.get().revisions == 1)
    poison = require_path(Places(data).landing) / "s" / f"{1:012d}.parquet"
    poison.write_bytes(b"not Parquet")
    run_rounds_until(lambda: read_query(node).restarts > 0)
    assert "Parquet" in read_query(node).error
    poison.unlink()
    land_line(data, b'{"k": "k1", "t": 2000, "x": "2"}')
    Query.objects.update(retry_at=timezone.now())
    run_rounds_until(lambda: Node.objects.get().revisions == 2)
    result = peek(Node.objects.get(), "k1")
    assert result is not None
    assert [point["value"] for point in result["points"]] == [None, "1", "2"]


def test_a_healthy_query_gets_its_budget_back(make_node: MakeNode) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"], restarts=3)
    run_rounds_until(lambda: read_query(node).observed == "running")
    run_rounds_until(lambda: read_query(node).healthy_since is not None)
    assert read_query(node).restarts == 3
    Query.objects.update(healthy_since=timezone.now() - timedelta(minutes=3))
    run_rounds_until(lambda: read_query(node).restarts == 0)


def test_without_a_spark_server_everything_waits_and_no_budget_is_spent(
    make_node: MakeNode, settings: Settings, spark_remote: str
) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    settings.SPARK_REMOTE = "sc://127.0.0.1:1"
    try:
        assert supervisor.reconcile() == []
    finally:
        settings.SPARK_REMOTE = spark_remote
    waiting = read_query(node)
    assert (waiting.observed, waiting.words, waiting.restarts) == (
        "starting",
        "starting, waiting for the Spark server",
        0,
    )
    run_rounds_until(lambda: read_query(node).observed == "running")


def test_no_two_start_a_query_and_a_dead_ones_claim_expires(make_node: MakeNode) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    assert supervisor.reconcile() == [node.digest]
    assert supervisor.reconcile() == [], "it is claimed, and the claimant may be slow"
    Query.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert supervisor.reconcile() == [node.digest], "the claimant died"
    Query.objects.update(desired="stopped")
    launcher.launch(node.digest)
    run_rounds_until(lambda: read_query(node).observed == "stopped")
    assert read_query(node).spark_run_id == "", "what a user has stopped meanwhile is not started"


def test_reports_tell_rates_state_and_what_waits(make_node: MakeNode, data: Path) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    for index in range(3):
        land_line(data, b"\n".join(b'{"k": "k%d", "t": %d, "x": "1"}' % (key, index) for key in range(50)))
    run_rounds_until(lambda: read_query(node).state_rows > 0)
    result = read_query(node)
    assert result.lag == 0
    assert result.batch_ms == 0, (
        "the first batch starts processes, and tells nothing of the length of the others"
    )
    assert result.processed_per_second * 1.000_001 >= result.events_per_second > 0
    assert result.state_bytes > 0
    assert result.offsets["0"] == [3]
    land_line(data, b'{"k": "k0", "t": 9, "x": "1"}')
    run_rounds_until(lambda: read_query(node).batch_ms > 0)


def test_a_query_that_runs_an_older_program_is_started_again_and_it_costs_no_budget(
    make_node: MakeNode,
) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    run_rounds_until(lambda: read_query(node).observed == "running")
    before = read_query(node)
    Query.objects.update(stale=True)
    run_rounds_until(lambda: read_query(node).observed == "running" and not read_query(node).stale)
    after = read_query(node)
    assert after.spark_query_id == before.spark_query_id
    assert after.spark_run_id != before.spark_run_id
    assert after.restarts == 0
