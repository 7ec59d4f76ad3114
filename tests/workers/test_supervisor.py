"""What is wanted comes to be, through real Spark: started, watched, retried, stopped, adopted."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from tests.workers.conftest import MakeNode, land, observed, programs, rounds, state
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.web.models import Node, Query
from timeline_app.web.nodes.timelines import peek
from workers.engine import launcher, status, supervisor
from workers.spark.connect.session import forget

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("remote")]


def test_a_wanted_query_runs_answers_and_stops_when_it_is_no_longer_wanted(
    make_node: MakeNode, data: Path
) -> None:
    node = make_node(programs({"a": state("x")})["a"])
    rounds(lambda: observed(node).observed == "running")
    rounds(lambda: observed(node).words.startswith("idle, no input"))
    land(data, b'{"k": "k1", "t": 1000, "x": "hello"}')
    rounds(lambda: Node.objects.get().revisions == 1)
    result = peek(Node.objects.get(), "k1")
    assert result is not None
    assert [point["value"] for point in result["points"]] == [None, "hello"]
    Query.objects.update(desired="stopped")
    rounds(lambda: observed(node).observed == "stopped")
    assert supervisor.reconcile() == []


def test_a_worker_that_takes_over_adopts_what_runs(make_node: MakeNode, settings: Settings) -> None:
    node = make_node(programs({"a": state("x")})["a"])
    rounds(lambda: observed(node).observed == "running")
    before = observed(node).spark_run_id
    forget(settings.SPARK_REMOTE)  # a new process knows no session
    Query.objects.update(observed="stopped", words="stopped")
    assert supervisor.reconcile() == []
    after = observed(node)
    assert (after.observed, after.spark_run_id) == ("running", before)
    forget(settings.SPARK_REMOTE)
    Query.objects.update(observed="starting", claimed_until=timezone.now() + timedelta(minutes=1))
    launcher.launch(node.digest)
    assert observed(node).spark_run_id == before


def test_a_query_that_cannot_start_says_why_and_waits_longer_each_time_while_others_go_on(
    make_node: MakeNode, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = programs({"bad": state("x"), "good": state("y")})
    bad, good = make_node(made["bad"]), make_node(made["good"])
    place = require_path(Places(data).checkpoint(bad.digest))
    place.parent.mkdir(parents=True)
    place.write_text("a file where the checkpoint should be")
    monkeypatch.setattr(status, "MAX_RESTARTS", 2)
    rounds(lambda: observed(bad).restarts == 1)
    first = observed(bad)
    assert first.words.startswith("retry 1 of 2")
    assert str(place) in first.error
    rounds(lambda: observed(good).observed == "running")
    rounds(lambda: observed(bad).observed == "failed")
    last = observed(bad)
    assert last.words.startswith("failed: ")
    assert observed(good).observed == "running"
    place.unlink()
    assert supervisor.reconcile() == [], "after the last retry only a person starts it again"
    Query.objects.filter(pk=last.pk).update(restarts=0, retry_at=timezone.now())
    rounds(lambda: observed(bad).observed == "running")


def test_a_poison_event_fails_its_readers_in_words_until_it_is_gone(make_node: MakeNode, data: Path) -> None:
    node = make_node(programs({"a": state("x")})["a"])
    land(data, b'{"k": "k1", "t": 1000, "x": "1"}')
    rounds(lambda: Node.objects.get().revisions == 1)
    poison = require_path(Places(data).landing) / "s" / f"{1:012d}.parquet"
    poison.write_bytes(b"not Parquet")
    rounds(lambda: observed(node).restarts > 0)
    assert "Parquet" in observed(node).error
    poison.unlink()
    land(data, b'{"k": "k1", "t": 2000, "x": "2"}')
    Query.objects.update(retry_at=timezone.now())
    rounds(lambda: Node.objects.get().revisions == 2)
    result = peek(Node.objects.get(), "k1")
    assert result is not None
    assert [point["value"] for point in result["points"]] == [None, "1", "2"]


def test_a_healthy_query_gets_its_budget_back(make_node: MakeNode) -> None:
    node = make_node(programs({"a": state("x")})["a"], restarts=3)
    rounds(lambda: observed(node).observed == "running")
    rounds(lambda: observed(node).healthy_since is not None)
    assert observed(node).restarts == 3
    Query.objects.update(healthy_since=timezone.now() - timedelta(minutes=3))
    rounds(lambda: observed(node).restarts == 0)


def test_without_a_spark_server_everything_waits_and_no_budget_is_spent(
    make_node: MakeNode, settings: Settings, spark_remote: str
) -> None:
    node = make_node(programs({"a": state("x")})["a"])
    settings.SPARK_REMOTE = "sc://127.0.0.1:1"
    try:
        assert supervisor.reconcile() == []
    finally:
        settings.SPARK_REMOTE = spark_remote
    waiting = observed(node)
    assert (waiting.observed, waiting.words, waiting.restarts) == (
        "starting",
        "starting, waiting for the Spark server",
        0,
    )
    rounds(lambda: observed(node).observed == "running")


def test_no_two_start_a_query_and_a_dead_ones_claim_expires(make_node: MakeNode) -> None:
    node = make_node(programs({"a": state("x")})["a"])
    assert supervisor.reconcile() == [node.digest]
    assert supervisor.reconcile() == [], "it is claimed, and the claimant may be slow"
    Query.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert supervisor.reconcile() == [node.digest], "the claimant died"
    Query.objects.update(desired="stopped")
    launcher.launch(node.digest)
    rounds(lambda: observed(node).observed == "stopped")
    assert observed(node).spark_run_id == "", "what a user has stopped meanwhile is not started"


def test_reports_tell_rates_state_and_what_waits(make_node: MakeNode, data: Path) -> None:
    node = make_node(programs({"a": state("x")})["a"])
    for place in range(3):
        land(data, b"\n".join(b'{"k": "k%d", "t": %d, "x": "1"}' % (key, place) for key in range(50)))
    rounds(lambda: observed(node).state_rows > 0)
    result = observed(node)
    assert result.lag == 0
    assert result.batch_ms == 0, (
        "the first batch starts processes, and tells nothing of the length of the others"
    )
    assert result.processed_per_second * 1.000_001 >= result.events_per_second > 0
    assert result.state_bytes > 0
    assert result.offsets["0"] == [3]
    land(data, b'{"k": "k0", "t": 9, "x": "1"}')
    rounds(lambda: observed(node).batch_ms > 0)


def test_a_query_that_runs_an_older_program_is_started_again_and_it_costs_no_budget(
    make_node: MakeNode,
) -> None:
    node = make_node(programs({"a": state("x")})["a"])
    rounds(lambda: observed(node).observed == "running")
    before = observed(node)
    Query.objects.update(stale=True)
    rounds(lambda: observed(node).observed == "running" and not observed(node).stale)
    after = observed(node)
    assert after.spark_query_id == before.spark_query_id
    assert after.spark_run_id != before.spark_run_id
    assert after.restarts == 0
