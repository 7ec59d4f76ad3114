"""A real Spark Connect server for the tests, on a free port, gone with them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workers.stack.health import free_port, port_is_open

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def spark_remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the server."""
    data, port = tmp_path_factory.mktemp("spark"), free_port()
    environment = {**os.environ, "SPARK_REMOTE": f"sc://127.0.0.1:{port}", "TIMELINE_DATA": str(data)}
    command = [sys.executable, "-m", "workers.spark.server"]
    with (data / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
        )
        try:
            _wait(server, port, data / "server.log")
            yield f"sc://127.0.0.1:{port}"
        finally:
            os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _wait(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + 120
    while not port_is_open(port):
        if server.poll() is not None or time.monotonic() > until:
            pytest.fail(f"the Spark server did not start:\n{log.read_text()[-3000:]}")
        time.sleep(0.2)


@pytest.fixture(scope="session")
def spark(spark_remote: str) -> Any:
    """A session at the server, as the workers open it."""
    from workers.spark.session import session

    return session(spark_remote, "tests")
