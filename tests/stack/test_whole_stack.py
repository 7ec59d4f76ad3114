"""The real product: it comes up, survives the death of each of its processes, and ends without a trace."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workers.stack import Stack, health
from workers.stack.layout import ROOT, derive_identity
from workers.stack.processes import end_all, list_marked

pytestmark = pytest.mark.stack

NAMES = ("redis", "spark", "web", "worker", "beat", "publisher", "intake", "delivery", "simulator")


def wait_until(true: Callable[[], object], seconds: float = 90.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "did not come true"
        time.sleep(0.2)


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with Stack(tmp_path_factory.mktemp("stack"), demo=True) as running:
        yield running
    assert list_marked(running.layout.identity) == []


def measure_demo_progress(stack: Stack) -> float:
    """When the node of the demo that is furthest behind last got on, in seconds; 0 while one has not yet."""
    statuses = health.load_statuses(stack.url, health.read_login(stack.layout.data)["token"])
    return min((status["last_progress"] or 0 for status in statuses), default=0) / 1e6


def test_everything_comes_up_and_the_demo_runs(stack: Stack) -> None:
    assert set(stack.pids()) == set(NAMES)
    assert stack.wait_for_demo()
    wait_until(lambda: measure_demo_progress(stack), 480.0)


@pytest.mark.parametrize("name", NAMES)
def test_a_killed_process_comes_back_and_the_product_with_it(stack: Stack, name: str) -> None:
    before = stack.pids()
    stack.kill(name)
    killed = time.time()
    wait_until(lambda: stack.pids().get(name, before[name]) != before[name])
    wait_until(lambda: health.is_web_up(stack.url))
    wait_until(lambda: set(stack.pids()) == set(NAMES))
    others = {other: pid for other, pid in stack.pids().items() if other != name}
    assert others == {other: pid for other, pid in before.items() if other != name}
    # Of events that came after the kill: all of them got on since, by more than what was under way.
    wait_until(lambda: measure_demo_progress(stack) > killed + 5.0, 480.0)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "workers.stack", "run", "--no-demo", "--data", str(tmp_path)]
    own_values = {
        name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "SPARK_REMOTE")
    }
    with subprocess.Popen(command, cwd=ROOT, env=own_values, stdout=subprocess.PIPE, text=True) as running:
        yield running
        running.kill()
    end_all(derive_identity(tmp_path))


def read_until(run: subprocess.Popen[str], words: str) -> str:
    assert run.stdout
    output = ""
    for line in run.stdout:
        output += line
        if words in line:
            return output
    raise AssertionError(f"ended without saying {words!r}:\n{output}")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_everything(run: subprocess.Popen[str], tmp_path: Path, number: signal.Signals) -> None:
    output = read_until(run, "end: Ctrl-C")
    assert "http://127.0.0.1:" in output
    run.send_signal(number)
    read_until(run, "stopped")
    assert run.wait(10) == 0
    assert list_marked(derive_identity(tmp_path)) == []


def test_what_a_killed_runner_leaves_can_be_stopped(run: subprocess.Popen[str], tmp_path: Path) -> None:
    read_until(run, "end: Ctrl-C")
    run.kill()
    run.wait()
    assert list_marked(derive_identity(tmp_path))
    stop = [sys.executable, "-m", "workers.stack", "stop", "--data", str(tmp_path)]
    assert "ended" in subprocess.run(stop, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert list_marked(derive_identity(tmp_path)) == []
