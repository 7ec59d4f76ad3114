"""Starts a Spark Connect server on a free port, for as long as a context lasts."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from timeline_app.private_files import SPARK_TOKEN
from workers.spark.connect.server import CLASSES_TO, END_WITH_PARENT
from workers.stack.health import find_free_port, is_port_open

ROOT = Path(__file__).resolve().parents[3]
_TIMEOUT_S = 120.0


class NoServer(RuntimeError):
    """The server does not start; the message says why, and what to do."""


@contextmanager
def start_embedded_server(data: Path, classes_to: Path | None = None, shared: str = "") -> Iterator[str]:
    """Start a server that keeps its files below `data`, and yield its address; end it and its processes afterwards.

    `shared` is the data directory or address of streams and queries, where that differs. The address contains the
    server's token. With `classes_to`, the server writes its loaded classes there when it ends.
    """
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        raise NoServer(
            "Spark needs Java 17 or newer, and none was found; install it (Debian: openjdk-17-jre-headless)"
        )
    port = find_free_port()
    address, token = f"sc://127.0.0.1:{port}", secrets.token_urlsafe(32)
    where = {"TIMELINE_DATA": shared or str(data), "TIMELINE_LOCAL": str(data)}
    environment = {**os.environ, **where, "SPARK_REMOTE": address, SPARK_TOKEN: token, END_WITH_PARENT: "1"}
    if classes_to is not None:
        environment[CLASSES_TO] = str(classes_to)
    log = data / "server.log"
    with log.open("wb") as sink:
        server = subprocess.Popen(  # nosec B603
            [sys.executable, "-m", "workers.spark.connect.server"],
            cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, start_new_session=True,
        )  # fmt: skip
        try:
            _wait(server, port, log)
            yield f"{address}/;token={token}"
            if classes_to is not None:
                os.killpg(server.pid, signal.SIGTERM)
                server.wait(_TIMEOUT_S)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _wait(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + _TIMEOUT_S
    while not is_port_open(port):
        if server.poll() is not None or time.monotonic() > until:
            raise NoServer(f"the Spark server did not start:\n{log.read_text(errors='replace')[-3000:]}")
        time.sleep(0.2)
