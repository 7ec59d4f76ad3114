"""`python -m workers.spark.evaluate DATA` runs the programs of a data directory until all input is read.

`manage.py evaluate --engine spark` starts this. `DATA/programs.json` lists program documents, feeds before those that
read them. The landings exist already; the feeds exist afterwards. Progress goes to stderr.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from timeline_app.compiler import Program
from timeline_app.fs.layout import Places
from workers.spark.connect.embedded_server import NoServer, start_embedded_server
from workers.spark.connect.session import get_first_line, get_session
from workers.spark.query import start_query

MAX_CONCURRENT_STARTS = 3
"""Spark waits only ten seconds for each Python process that it starts."""


def run(spark: Any, programs: list[Program], places: Places) -> None:
    """Run every query until it has read everything; queries on one level run some at a time."""
    depths: dict[str, int] = {}
    for program in programs:
        depths[program.digest] = max((1 + depths[item] for item in program.inputs), default=0)
    done_count = 0
    for depth in range(max(depths.values(), default=-1) + 1):
        level = [program for program in programs if depths[program.digest] == depth]
        for start in range(0, len(level), MAX_CONCURRENT_STARTS):
            together = level[start : start + MAX_CONCURRENT_STARTS]
            _run_together(spark, together, places)
            done_count += len(together)
            print(f"{done_count} of {len(programs)} nodes", file=sys.stderr, flush=True)


def _run_together(spark: Any, programs: list[Program], places: Places) -> None:
    trigger = {"availableNow": True}
    for query in [start_query(spark, item.to_document(), places, trigger) for item in programs]:
        query.awaitTermination()


def main() -> None:
    """Run the programs of the named directory, at SPARK_REMOTE or an embedded server."""
    data = Path(sys.argv[1])
    programs = [Program.from_document(item) for item in json.loads((data / "programs.json").read_bytes())]
    remote = os.environ.get("SPARK_REMOTE")
    try:
        if remote:
            run(get_session(remote, str(data)), programs, Places(data))
        else:
            with start_embedded_server(data) as address:
                run(get_session(address, str(data)), programs, Places(data))
    except NoServer as problem:
        raise SystemExit(str(problem)) from None
    except Exception as problem:
        raise SystemExit(f"Spark could not run the plan: {get_first_line(problem)}") from problem


if __name__ == "__main__":
    main()
