"""A real worker whose threads all hang ends, says where, and lets another one take over; one at rest does not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workers.pulse import ENDED
from workers.stack import Stack, health
from workers.stack.layout import ROOT

pytestmark = pytest.mark.stack
WORKER = (sys.executable, "-m", "celery", "-A", "tests.stack.hanging")
WORK = ("worker", "--pool", "threads", "--concurrency", "1", "--without-gossip", "--without-mingle")


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    with Stack(tmp_path, demo=False, port=health.free_port(), engine=False) as running:
        yield running


def test_a_worker_whose_threads_hang_ends(stack: Stack) -> None:
    environment = stack.layout.environment()
    with subprocess.Popen(
        [*WORKER, *WORK], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True
    ) as worker:
        try:
            with pytest.raises(subprocess.TimeoutExpired):  # it asks for something to do, and is given it
                worker.wait(15)
            subprocess.run(
                [*WORKER, "call", "hang"], cwd=ROOT, env=environment, check=True, capture_output=True
            )
            _, said = worker.communicate(timeout=60)
        finally:
            worker.kill()
    assert worker.returncode == ENDED
    assert "the worker has done nothing for" in said
    assert "in hang" in said
