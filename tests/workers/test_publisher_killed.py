"""A real publisher with little memory and one huge batch: killed again and again, it publishes each row once."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.workers.publishing_alone import BATCHES, POINTS

MODULE = "tests.workers.publishing_alone"


def build_environment(data: Path) -> dict[str, str]:
    """Settings of an installation of its own, on SQLite, whose pages nobody looks at."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TIMELINE_")}
    return {
        **environment,
        "TIMELINE_DATA": str(data),
        "DATABASE_URL": "",
        "REDIS_URL": "redis://127.0.0.1:1/0",
    }


@contextmanager
def run_publisher(data: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A publisher, killed at the end."""
    command = [sys.executable, "-m", MODULE, "publish", str(data)]
    with (data / "publisher.log").open("ab") as log:
        process = subprocess.Popen(command, env=build_environment(data), stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()


def query_database(data: Path, statement: str) -> list[Any]:
    """The first row of an answer of the database."""
    with closing(sqlite3.connect(data / "timelines.sqlite3", timeout=30)) as database:
        return list(database.execute(statement).fetchone())


def wait_for(data: Path, process: subprocess.Popen[bytes], statement: str, least: int) -> int:
    """Wait until a number is at least so great."""
    until = time.monotonic() + 240
    while (number := int(query_database(data, statement)[0])) < least:
        assert process.poll() is None, (data / "publisher.log").read_text()[-3_000:]
        assert time.monotonic() < until, (number, least, (data / "publisher.log").read_text()[-3_000:])
        time.sleep(0.05)
    return number


def test_a_huge_batch_is_published_once_by_a_publisher_that_has_little_memory_and_is_killed(
    tmp_path: Path,
) -> None:
    subprocess.run(
        [sys.executable, "-m", MODULE, "make", str(tmp_path)], env=build_environment(tmp_path), check=True
    )
    of_huge = "FROM web_query q JOIN web_node n ON n.query_id = q.id WHERE operator = 'huge'"
    written = f"SELECT slice_rows + (position + 1) * 10000000 {of_huge}"
    rows = 0
    for _ in range(3):
        with run_publisher(tmp_path) as process:
            rows = wait_for(tmp_path, process, written, rows + 1)
    others = "SELECT version FROM web_node WHERE operator = 'small'"
    assert query_database(tmp_path, "SELECT version FROM web_node WHERE operator = 'huge'") == [-1], (
        "it is not whole yet"
    )
    with run_publisher(tmp_path) as process:
        wait_for(tmp_path, process, others, BATCHES - 1)
        wait_for(tmp_path, process, written, 10_000_000)
    assert query_database(
        tmp_path, "SELECT version, events, failure FROM web_node WHERE operator = 'huge'"
    ) == [
        0,
        2,
        "",
    ]
    with closing(sqlite3.connect(tmp_path / "timelines.sqlite3")) as database:
        result = database.execute(
            "SELECT pieces, r.known_at FROM web_revision r JOIN web_nodekey k ON k.id = r.node_key_id"
            " JOIN web_node n ON n.id = k.node_id WHERE operator = 'huge' ORDER BY start"
        ).fetchall()
    times = [point[0] for pieces, _ in result for point in json.loads(pieces)]
    assert len(result) > 10
    assert times == list(range(POINTS))
    assert len({known_at for _, known_at in result}) == 1
    assert query_database(tmp_path, "SELECT events FROM web_node WHERE operator = 'small'") == [BATCHES]
