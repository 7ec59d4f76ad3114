"""A query that hangs, though Spark says that it runs, is started again: real processes are really stopped."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from tests.workers.conftest import (
    MakeNode,
    build_state,
    compile_programs,
    land_line,
    read_query,
    run_rounds_until,
)
from timeline_app.web.models import Node
from workers.engine import progress_monitor

pytestmark = pytest.mark.spark

TIMEOUT_S = 4.0


@pytest.fixture
def server(remote: str) -> psutil.Process:
    """The process that is the Spark server."""
    port = urlsplit(remote).port
    return next(
        process
        for process in psutil.process_iter()
        if any(f"binding.port={port}" in word for word in read_command_line(process))
        and "java" in read_command_line(process)[0]
    )


@pytest.fixture
def node(make_node: MakeNode, data: Path, remote: str, monkeypatch: pytest.MonkeyPatch) -> Node:
    """A node that has told of an event; only from then on there is little patience: a cold server is slow at first."""
    new_node = make_node(compile_programs({"a": build_state("x")})["a"])
    land_line(data, build_event(1))
    run_rounds_until(lambda: Node.objects.get().revisions == 1)
    monkeypatch.setattr(progress_monitor, "STALL_AFTER_S", TIMEOUT_S)
    return new_node


@pytest.fixture
def stopped_processes() -> Iterator[list[psutil.Process]]:
    """Processes that are stopped, and gone afterwards."""
    processes: list[psutil.Process] = []
    yield processes
    for process in processes:
        if process.is_running():
            process.kill()


def read_command_line(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline() or [""]
    except psutil.Error:
        return [""]


def list_hosts(server: psutil.Process) -> list[psutil.Process]:
    """The Python processes that hold state and evaluate."""
    forked = [item for item in server.children(recursive=True) if "pyspark.worker" in read_command_line(item)]
    return [item for item in forked if item.ppid() != server.pid]


def list_planners(server: psutil.Process) -> list[psutil.Process]:
    """The Python processes that say what there is to read."""
    return [
        item for item in server.children() if any("source_runner" in word for word in read_command_line(item))
    ]


def build_event(number: int) -> bytes:
    return b'{"k": "k1", "t": %d, "x": "%d"}' % (number * 1_000, number)


def test_a_query_whose_host_hangs_is_started_again_from_its_checkpoint(
    node: Node, data: Path, server: psutil.Process, stopped_processes: list[psutil.Process]
) -> None:
    before = read_query(node)
    for process in list_hosts(server):
        process.send_signal(signal.SIGSTOP)
        stopped_processes.append(process)
    assert stopped_processes
    land_line(data, build_event(2))
    run_rounds_until(lambda: read_query(node).restarts == 1)
    result = read_query(node)
    assert result.error.startswith("stalled: no progress for")
    assert result.error.endswith("1 events wait")
    assert result.words.startswith("retry 1 of 20 in")
    run_rounds_until(lambda: Node.objects.get().revisions == 2)
    # Idle processes hang as well: each restart ends those that it met.
    assert read_query(node).spark_query_id == before.spark_query_id


def test_a_query_that_is_told_of_no_input_is_stuck_though_spark_sees_nothing_to_do(
    node: Node, data: Path, server: psutil.Process, stopped_processes: list[psutil.Process]
) -> None:
    for process in list_planners(server):
        process.send_signal(signal.SIGSTOP)
        stopped_processes.append(process)
    assert stopped_processes
    land_line(data, build_event(2))
    run_rounds_until(lambda: read_query(node).restarts == 1)
    assert "stalled" in read_query(node).error
    run_rounds_until(lambda: Node.objects.get().revisions == 2)


def test_what_comes_after_a_pause_is_progress(node: Node, data: Path) -> None:
    until = time.monotonic() + 12  # Spark reports every 10 s that there is nothing to do
    run_rounds_until(lambda: time.monotonic() > until)
    before = read_query(node)
    land_line(data, build_event(2))
    run_rounds_until(lambda: Node.objects.get().revisions == 2)
    run_rounds_until(lambda: read_query(node).last_progress_at != before.last_progress_at)
    assert [max(map(int, query.offsets)) for query in (before, read_query(node))] == [0, 1]


def test_a_query_without_input_is_never_stuck(node: Node) -> None:
    run_rounds_until(lambda: read_query(node).words.startswith("idle"))
    until = time.monotonic() + 2.5 * TIMEOUT_S
    run_rounds_until(lambda: time.monotonic() > until)
    assert read_query(node).words.startswith("idle")
    assert read_query(node).restarts == 0
