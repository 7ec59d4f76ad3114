"""`python -m benchmarks.algebra.child EVENTS LAST WORK GROUP`: run a group of operators as one query in Spark."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.algebra.plans import list_operators, make_plan
from benchmarks.events import Events
from benchmarks.peers.product import place_together, run_queries
from benchmarks.peers.question import WARM
from timeline_app.compiler import compile_plan
from workers.spark.connect.embedded_server import start_embedded_server
from workers.spark.connect.server import end_with_parent
from workers.spark.connect.session import get_session


def main(folder: str, _last: str, work: str, group: str) -> None:
    """Answer once for a few events, then for all; print the batches of the query."""
    end_with_parent()
    events, work_folder = Events(Path(folder)), Path(work)
    programs = place_together(compile_plan(make_plan(*list_operators(group)), {}))
    with start_embedded_server(work_folder) as address:
        spark = get_session(address, "bench")
        run_queries(spark, programs, events.beginning(work_folder / WARM), work_folder / WARM / "work")
        shutil.rmtree(work_folder / WARM)
        (batches,) = run_queries(spark, programs, events, work_folder).values()
    print(json.dumps({"queries": [[asdict(batch) for batch in batches]], "cpu": None, "peak": 0}))


if __name__ == "__main__":
    main(*sys.argv[1:])
