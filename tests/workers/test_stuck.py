"""A query that hangs, though Spark says that it runs, is started again: real processes are really stopped."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from tests.workers.conftest import MakeNode, land, observed, programs, rounds, state
from timeline_app.web.models import Node
from workers.engine import progress_monitor

pytestmark = pytest.mark.spark

PATIENCE = 4.0


@pytest.fixture
def server(remote: str) -> psutil.Process:
    """The process that is the Spark server."""
    port = urlsplit(remote).port
    return next(
        process
        for process in psutil.process_iter()
        if any(f"binding.port={port}" in word for word in words(process)) and "java" in words(process)[0]
    )


@pytest.fixture
def node(make_node: MakeNode, data: Path, remote: str, monkeypatch: pytest.MonkeyPatch) -> Node:
    """A node that has told of an event; only from then on there is little patience: a cold server is slow at first."""
    made = make_node(programs({"a": state("x")})["a"])
    land(data, event(1))
    rounds(lambda: Node.objects.get().revisions == 1)
    monkeypatch.setattr(progress_monitor, "STALL_AFTER_S", PATIENCE)
    return made


@pytest.fixture
def stopped() -> Iterator[list[psutil.Process]]:
    """Processes that are stopped, and gone afterwards."""
    processes: list[psutil.Process] = []
    yield processes
    for process in processes:
        if process.is_running():
            process.kill()


def words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline() or [""]
    except psutil.Error:
        return [""]


def hosts(server: psutil.Process) -> list[psutil.Process]:
    """The Python processes that hold state and evaluate."""
    forked = [item for item in server.children(recursive=True) if "pyspark.worker" in words(item)]
    return [item for item in forked if item.ppid() != server.pid]


def planners(server: psutil.Process) -> list[psutil.Process]:
    """The Python processes that say what there is to read."""
    return [item for item in server.children() if any("source_runner" in word for word in words(item))]


def event(number: int) -> bytes:
    return b'{"k": "k1", "t": %d, "x": "%d"}' % (number * 1_000, number)


def test_a_query_whose_host_hangs_is_started_again_from_its_checkpoint(
    node: Node, data: Path, server: psutil.Process, stopped: list[psutil.Process]
) -> None:
    before = observed(node)
    for process in hosts(server):
        process.send_signal(signal.SIGSTOP)
        stopped.append(process)
    assert stopped
    land(data, event(2))
    rounds(lambda: observed(node).restarts == 1)
    result = observed(node)
    assert result.error.startswith("stuck: no progress for")
    assert result.error.endswith("1 events wait")
    assert result.words.startswith("retry 1 of 20 in")
    rounds(lambda: Node.objects.get().revisions == 2)
    # Idle processes hang as well: each restart ends those that it met.
    assert observed(node).spark_query_id == before.spark_query_id


def test_a_query_that_is_told_of_no_input_is_stuck_though_spark_sees_nothing_to_do(
    node: Node, data: Path, server: psutil.Process, stopped: list[psutil.Process]
) -> None:
    for process in planners(server):
        process.send_signal(signal.SIGSTOP)
        stopped.append(process)
    assert stopped
    land(data, event(2))
    rounds(lambda: observed(node).restarts == 1)
    assert "stuck" in observed(node).error
    rounds(lambda: Node.objects.get().revisions == 2)


def test_what_comes_after_a_pause_is_progress(node: Node, data: Path) -> None:
    until = time.monotonic() + 12  # Spark reports every 10 s that there is nothing to do
    rounds(lambda: time.monotonic() > until)
    before = observed(node)
    land(data, event(2))
    rounds(lambda: Node.objects.get().revisions == 2)
    rounds(lambda: observed(node).last_progress_at != before.last_progress_at)
    assert [max(map(int, query.offsets)) for query in (before, observed(node))] == [0, 1]


def test_a_query_without_input_is_never_stuck(node: Node) -> None:
    rounds(lambda: observed(node).words.startswith("idle"))
    until = time.monotonic() + 2.5 * PATIENCE
    rounds(lambda: time.monotonic() > until)
    assert observed(node).words.startswith("idle")
    assert observed(node).restarts == 0
