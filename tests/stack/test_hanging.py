"""A real worker whose threads all hang ends, says where, and lets another one take over; one at rest does not.

Nor does one whose broker is killed while it holds messages that it has not begun.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from workers.stack import Stack, health
from workers.stack.layout import ROOT
from workers.watchdog import EXIT_SOFTWARE

pytestmark = pytest.mark.stack
WORKER = (sys.executable, "-m", "celery", "-A", "tests.stack.hanging")
WORK = ("worker", "--pool", "threads", "--concurrency", "1", "--without-gossip", "--without-mingle")


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    with Stack(tmp_path, demo=False, port=health.find_free_port(), engine=False) as running:
        yield running


def call_task(stack: Stack, *words: str) -> None:
    """Ask the worker for a task."""
    command = [*WORKER, "call", *words]
    subprocess.run(command, cwd=ROOT, env=stack.layout.environment(), check=True, capture_output=True)


def kill_redis(stack: Stack) -> None:
    """While the worker holds a message, and until there is another Redis."""
    call_task(stack, "hang", "--countdown", "3600")
    with redis.Redis.from_url(stack.layout.environment()["REDIS_URL"]) as client:
        wait_until(lambda: client.hlen("unacked") > 0)
    before = stack.pids()["redis"]
    stack.kill("redis")
    wait_until(lambda: stack.pids().get("redis", before) != before)
    wait_until(lambda: health.is_redis_up(stack.layout.redis_socket))


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for it."""
    ends = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.1)


def test_a_worker_outlives_its_broker_and_ends_when_its_threads_hang(stack: Stack) -> None:
    environment = stack.layout.environment()
    with subprocess.Popen(
        [*WORKER, *WORK], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
    ) as worker:
        try:
            with pytest.raises(subprocess.TimeoutExpired):  # it asks for something to do, and is given it
                worker.wait(20)
            kill_redis(stack)
            call_task(stack, "hang")
            _, output = worker.communicate(timeout=120)
        finally:
            worker.kill()
    assert worker.returncode == EXIT_SOFTWARE
    assert "the worker has done nothing for" in output
    assert "in hang" in output
