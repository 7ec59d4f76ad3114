"""A node that says more in a batch than it may, keeps too much, or takes the Spark server down, fails alone."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import numpy as np
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
from tests.workers.test_given_up import make_three, restart
from timeline_app.algebra.kinds import Kind
from timeline_app.algebra.revisions import Revisions
from timeline_app.compiler import Program, parse_program
from timeline_app.web.models import Node, Query
from timeline_app.web.nodes.selectors import describe_status
from workers.engine import budgets, progress_monitor, server_losses, supervisor
from workers.engine.server_losses import MAX_SERVER_LOSSES, QUARANTINE_AFTER_LOSSES
from workers.spark.budget import MAX_POINTS_PER_BATCH, MAX_POINTS_PER_KEY, OverBudget, check_budget
from workers.spark.connect.session import Failure, get_session, list_active_queries

SECOND = 1_000_000
CLIMBING = {
    "a": build_state("x"),
    "b": {"op": "equal_to", "inputs": {"of": "a"}, "params": {"value": "1"}},
    "c": {"op": "duration_where", "inputs": {"of": "b"}},
}


@pytest.fixture
def nodes(make_node: MakeNode) -> list[Node]:
    """Two nodes of one query, and one of a query of its own."""
    return make_three(make_node)


def build_unchecked_programs() -> tuple[Program, Program]:
    """A climbing number, and its median at every microsecond, which the check of plans refuses."""
    middle = {"op": "aggregate", "inputs": {"of": "c"}, "params": {"function": "p50", "every": "1s"}}
    programs = compile_programs({**CLIMBING, "m": middle})
    steps = [replace(step, params={**step.params, "every": "1us"}) for step in programs["m"].steps]
    return programs["c"], replace(programs["m"], steps=tuple(steps))


def build_revisions(*counts: int) -> Revisions:
    """One revision of so many points of each key."""
    offsets = np.concatenate(([0], np.cumsum(counts)))
    names = np.array([f"k{index}" for index in range(len(counts))], dtype=object)
    ends, times = np.zeros(len(counts), dtype=np.int64), np.zeros(int(offsets[-1]), dtype=np.int64)
    value, labels = times.astype(float), np.empty(0, dtype=object)
    return Revisions(Kind.NUMBER, names, ends, ends, ends, offsets, times, value, value, labels)


@pytest.mark.parametrize(
    ("counts", "figures"),
    [
        ((MAX_POINTS_PER_KEY + 1,), (MAX_POINTS_PER_KEY + 1, MAX_POINTS_PER_KEY)),
        ((MAX_POINTS_PER_KEY,) * 5, (5 * MAX_POINTS_PER_KEY, MAX_POINTS_PER_BATCH)),
    ],
)
def test_the_refusal_tells_node_figure_limit_and_cure_and_is_read_out_of_what_spark_says(
    counts: tuple[int, ...], figures: tuple[int, int]
) -> None:
    digest = "ab" * 32
    with pytest.raises(OverBudget) as refused:
        check_budget(digest, build_revisions(*counts))
    raised = f"{OverBudget.__name__}: {refused.value}"
    message = f"[STREAM_FAILED] x\nTraceback (most recent call last):\n  File x\n{raised}\nat java"
    why = Failure.from_exception(RuntimeError(message))
    assert why.of_budget == digest
    assert all(f"{figure:,}" in why.words for figure in figures)
    assert "choose" in why.words
    assert "\n" not in why.words


@pytest.mark.parametrize("counts", [(), (0,), (MAX_POINTS_PER_KEY,), (MAX_POINTS_PER_KEY // 2,) * 8])
def test_what_a_batch_may_say_passes(counts: tuple[int, ...]) -> None:
    result = build_revisions(*counts)
    assert check_budget("ab" * 32, result) is result


@pytest.mark.parametrize("text", ["OverBudget: node 12: x", "node is over budget", "ValueError: OverBudget"])
def test_other_errors_are_no_matter_of_budgets(text: str) -> None:
    assert Failure.from_exception(RuntimeError(text)).of_budget == ""


def test_one_that_is_alone_is_not_tried_again_until_somebody_says_so(nodes: list[Node]) -> None:
    alone = nodes[2]
    query = Query.objects.get(pk=alone.query_id)
    supervisor._handle_end(query, Failure("too many points", of_budget=alone.digest))
    query = read_query(alone)
    assert (query.observed, query.retry_at) == ("failed", None)
    assert f"{alone}: too many points" in query.words
    assert alone.query_id not in [
        item.pk for item in Query.objects.filter(name__in=supervisor._round([query], None, {}))
    ]
    restart(alone)
    assert supervisor._round([read_query(alone)], None, {}) == [query.name]


def test_in_a_query_of_several_the_others_go_on_and_the_node_begins_again_by_itself(
    nodes: list[Node],
) -> None:
    left, right, _ = nodes
    query = Query.objects.get(pk=left.query_id)
    supervisor._handle_end(query, Failure("too many points", of_budget=left.digest))
    query.refresh_from_db()
    assert (query.observed, query.restarts) == ("starting", 0)
    assert parse_program(query.program).published == (right.digest,)
    left, right = (Node.objects.get(pk=node.pk) for node in (left, right))
    assert describe_status(left)["observed"] == "failed"
    assert f"{left}: too many points" in describe_status(left)["words"]
    assert describe_status(right)["observed"] == "starting"
    restart(left)
    left.refresh_from_db()
    assert left.failure == ""
    assert left.next_query is not None
    assert parse_program(left.next_query.program).nodes == (left.digest,)


def test_what_reads_a_failed_node_fails_with_words_that_name_it_and_goes_on_by_itself(
    make_node: MakeNode,
) -> None:
    below, above = (make_node(program) for program in build_unchecked_programs())
    query = Query.objects.get(pk=above.query_id)
    program = parse_program(query.program)
    assert progress_monitor._describe_failed_input(program) == ""
    Query.objects.filter(pk=below.query_id).update(observed="failed", error="the disk is full")
    progress_monitor._observe_failed_input(query, progress_monitor._describe_failed_input(program))
    query.refresh_from_db()
    assert query.observed == "failed"
    assert str(below) in query.words
    assert "the disk is full" in query.words
    assert not supervisor._is_given_up(query), "it is launched again with its input"
    Query.objects.filter(pk=below.query_id).update(observed="running", error="")
    assert progress_monitor._describe_failed_input(program) == ""
    Node.objects.filter(pk=below.pk).update(failure="poison")
    assert "poison" in progress_monitor._describe_failed_input(program)


def test_too_large_a_state_is_told_with_figures_and_hint(make_node: MakeNode, settings: Settings) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    query = Query.objects.get(pk=node.query_id)
    settings.MAX_STATE_BYTES = 2**30
    query.state_bytes = 2**30
    assert budgets.describe_state(query) == ""
    query.state_bytes = 3 * 2**30
    words = budgets.describe_state(query)
    assert "3.00 GiB" in words
    assert "1.00 GiB" in words
    assert "shorter retention" in words


def make_running(query: Query, **fields: object) -> Query:
    """A query that runs, and has something to do."""
    answer = {"observed": "running", "spark_run_id": str(uuid.uuid4()), "lag": 5, "retry_at": None, **fields}
    Query.objects.filter(pk=query.pk).update(**answer)
    return Query.objects.get(pk=query.pk)


def lose_server(queries: list[Query]) -> list[Query]:
    """The server goes, and another one comes that knows of none of them."""
    queries = [Query.objects.get(pk=query.pk) for query in queries]
    supervisor._note_spark_away(queries, "away")
    server_losses.begin_round(queries, {})
    return [Query.objects.get(pk=query.pk) for query in queries]


@pytest.fixture
def three_queries(make_node: MakeNode) -> list[Query]:
    """Three queries."""
    items = [make_node(compile_programs({"a": build_state(field)})["a"]) for field in "xyz"]
    server_losses._absent.clear()
    return [Query.objects.get(pk=node.query_id) for node in items]


def test_the_query_that_takes_the_server_down_is_found_and_fails_alone(three_queries: list[Query]) -> None:
    guilty = three_queries[1].pk
    for _ in range(60):
        queries = [Query.objects.get(pk=item.pk) for item in three_queries]
        ready = [item for item in queries if not item.spark_run_id and item.observed != "failed"]
        for query in server_losses.select_ready(ready, queries):
            make_running(query, observed="starting", observed_since=timezone.now())
        queries = [Query.objects.get(pk=item.pk) for item in three_queries]
        if any(item.pk == guilty and item.spark_run_id for item in queries):
            lose_server(queries)
            continue
        for query in queries:  # the others get through their batch
            if query.spark_run_id:
                long_ago = timezone.now() - 2 * server_losses.CLEARED_AFTER
                query.healthy_since = long_ago
                assert server_losses.is_cleared(query, made_batches=True)
                server_losses.clear(query)
    result = {item.pk: Query.objects.get(pk=item.pk) for item in three_queries}
    assert [pk for pk, value in result.items() if value.observed == "failed"] == [guilty]
    words = result[guilty].words
    assert f"lost {MAX_SERVER_LOSSES} times" in words
    assert "memory" in words
    assert {value.server_losses for pk, value in result.items() if pk != guilty} == {0}


def test_the_losses_that_a_guilty_query_caused_are_counted_against_nobody_else(
    three_queries: list[Query],
) -> None:
    """The server is killed a few times more, right after the guilty query was found: nobody else is given up."""
    beside, guilty = make_running(three_queries[0]), make_running(three_queries[1])
    for _ in range(QUARANTINE_AFTER_LOSSES):
        beside, guilty = lose_server([make_running(beside), make_running(guilty)])
    for _ in range(MAX_SERVER_LOSSES - QUARANTINE_AFTER_LOSSES):
        [guilty] = lose_server([make_running(guilty)])
    assert guilty.observed == "failed"
    for _ in range(MAX_SERVER_LOSSES - QUARANTINE_AFTER_LOSSES):
        [beside] = lose_server([make_running(beside)])
    assert beside.observed != "failed"
    assert beside.server_losses == MAX_SERVER_LOSSES - QUARANTINE_AFTER_LOSSES


def test_a_server_that_is_lost_now_and_then_is_nobodys_fault(three_queries: list[Query]) -> None:
    queries = [make_running(item) for item in three_queries]
    queries = lose_server(queries)
    assert [query.server_losses for query in queries] == [1, 1, 1]
    assert server_losses.select_ready(queries, queries) == queries, "they start together"
    idle = [make_running(query, lag=0) for query in queries]
    assert [item.server_losses for item in lose_server(idle)] == [1, 1, 1], (
        "who has nothing to do is not to blame"
    )


def test_a_run_is_lost_once_however_long_its_query_waits(three_queries: list[Query]) -> None:
    """Another server came before anybody noticed: suspects that waited for their turn were given up in a few rounds."""
    for item in three_queries:
        make_running(item, server_losses=QUARANTINE_AFTER_LOSSES - 1)
    for _ in range(2 * MAX_SERVER_LOSSES):
        queries = [Query.objects.get(pk=item.pk) for item in three_queries]
        server_losses.begin_round(queries, {})
        ready = [query for query in queries if supervisor._take_step(query, None, lambda: None)]
        assert server_losses.select_ready(ready, queries) == [queries[0]]
    queries = [Query.objects.get(pk=item.pk) for item in three_queries]
    assert [item.server_losses for item in queries] == [QUARANTINE_AFTER_LOSSES] * 3
    assert "failed" not in {item.observed for item in queries}


def test_a_suspect_with_nothing_to_do_keeps_nobody_waiting(three_queries: list[Query]) -> None:
    since = timezone.now() - 2 * server_losses.CLEARED_AFTER
    waits, idle = (make_running(three_queries[0], lag=lag, healthy_since=since) for lag in (5, 0))
    assert not server_losses.is_cleared(waits, made_batches=False)
    assert server_losses.is_cleared(idle, made_batches=False)


def test_a_server_that_did_not_answer_for_a_moment_charges_nobody(three_queries: list[Query]) -> None:
    queries = [make_running(item) for item in three_queries]
    runs = {query.name: SimpleNamespace(runId=query.spark_run_id) for query in queries}
    supervisor._note_spark_away(queries, "away")
    server_losses.begin_round(queries, runs)
    assert [Query.objects.get(pk=item.pk).server_losses for item in three_queries] == [0, 0, 0]


def test_suspects_start_one_after_the_other_and_say_so_and_others_at_once(three_queries: list[Query]) -> None:
    Query.objects.filter(pk__in=[item.pk for item in three_queries[:2]]).update(
        server_losses=QUARANTINE_AFTER_LOSSES
    )
    queries = [Query.objects.get(pk=item.pk) for item in three_queries]
    assert server_losses.select_ready(queries, queries) == [queries[2], queries[0]]
    assert server_losses.IN_QUARANTINE in Query.objects.get(pk=queries[1].pk).words
    queries[0] = make_running(queries[0])
    assert server_losses.select_ready(queries[1:], queries) == [queries[2]]
    queries[2] = make_running(queries[2])
    queries = lose_server(queries)
    assert [query.server_losses for query in queries] == [
        QUARANTINE_AFTER_LOSSES + 1,
        QUARANTINE_AFTER_LOSSES,
        0,
    ]


@pytest.mark.spark
@pytest.mark.usefixtures("remote")
def test_a_median_of_every_microsecond_fails_alone_and_a_neighbour_goes_on(
    make_node: MakeNode, data: Path
) -> None:
    below, above = (make_node(program) for program in build_unchecked_programs())
    neighbour = make_node(compile_programs({"a": build_state("y")})["a"])
    for number, at in enumerate((1_000, 1_003), 1):
        land_line(data, json.dumps({"k": "k1", "t": at * 1_000, "x": "1", "y": f"v{number}"}).encode())
    run_rounds_until(lambda: read_query(above).observed == "failed")
    query = read_query(above)
    assert query.retry_at is None
    assert "points" in query.words
    assert str(above) in query.words
    assert supervisor.reconcile() == []
    land_line(data, b'{"k": "k1", "t": 1004000, "x": "1", "y": "after"}')
    run_rounds_until(lambda: Node.objects.get(pk=neighbour.pk).events == 3)
    assert read_query(below).observed == read_query(neighbour).observed == "running"
    assert Node.objects.get(pk=above.pk).version == -1


@pytest.mark.spark
@pytest.mark.usefixtures("remote")
def test_a_query_of_too_large_a_state_is_stopped_for_good(
    make_node: MakeNode, data: Path, settings: Settings
) -> None:
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    lines = [json.dumps({"t": 1_000, "x": "1", "k": f"k{number}"}) for number in range(2_000)]
    land_line(data, "\n".join(lines).encode())
    run_rounds_until(
        lambda: read_query(node).state_bytes > 0 and Node.objects.get(pk=node.pk).events == 2_000
    )
    settings.MAX_STATE_BYTES = read_query(node).state_bytes // 2
    run_rounds_until(lambda: read_query(node).observed == "failed")
    query = read_query(node)
    assert query.retry_at is None
    assert query.words.startswith("failed: its state is ")
    assert "shorter retention" in query.words
    assert query.name not in list_active_queries(get_session(settings.SPARK_REMOTE, str(data)))
    assert supervisor.reconcile() == []


def test_the_suspect_that_has_finished_no_batch_for_the_longest_time_starts_first(
    three_queries: list[Query],
) -> None:
    """One by one, many queries would wait for minutes until it is the culprit's turn."""
    now = timezone.now()
    progress = (now, now - timedelta(seconds=40), None)
    queries = [
        make_running(query, spark_run_id="", server_losses=QUARANTINE_AFTER_LOSSES, last_progress_at=moment)
        for query, moment in zip(three_queries, progress, strict=True)
    ]
    assert server_losses.select_ready(queries, queries) == [queries[2]]
    assert server_losses.select_ready(queries[:2], queries) == [queries[1]]
