"""`make bench-log`: measure how fast the revision log is written, peeked at and compacted, on SQLite and PostgreSQL.

`python -m benchmarks.log [REVISIONS]`; the default is five million.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from tests.postgres import run_server

Result = dict[str, Any]


def run_measurement(module: str, arguments: tuple[str, ...], url: str) -> Result:
    """Measure an empty database in a process of its own, by a module of this folder."""
    with tempfile.TemporaryDirectory(prefix="timelines-bench-") as folder:
        environment = os.environ | {"TIMELINE_DATA": folder, "DATABASE_URL": url}
        command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
        answer = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, check=True, text=True
        ).stdout
        result: Result = json.loads(answer.splitlines()[-1])
        return result


def measure_databases(module: str, *arguments: str) -> Iterator[tuple[str, Result]]:
    """Measure both databases, configured as in production."""
    print("SQLite", file=sys.stderr, flush=True)
    yield "sqlite", run_measurement(module, arguments, "")
    print("PostgreSQL", file=sys.stderr, flush=True)
    with run_server(options=()) as url:
        yield "postgresql", run_measurement(module, arguments, url)


def main(revisions: str = "5000000") -> None:
    print(json.dumps({"revisions": int(revisions), **dict(measure_databases("revision_log", revisions))}))


if __name__ == "__main__":
    main(*sys.argv[1:])
