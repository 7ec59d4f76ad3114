"""`python -m benchmarks.scale_child EVENTS LAST WORK WAY`: run like `benchmarks.peers.child`, then recover from a kill.

Once all events are read, the Spark server is killed and more events of known keys come. The recovery time is that until
a new server has processed them. `WORK/kept.json` has it, and the sizes of everything.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.batches import select_made_reports
from benchmarks.events import Events, build_landed_table
from benchmarks.peers import child, product
from benchmarks.peers.evaluated import build_document
from timeline_app.compiler import compile_plan
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.landing.log import Landing
from workers.spark.connect.embedded_server import start_embedded_server
from workers.spark.connect.session import get_session
from workers.spark.query import start_query

REPEATED_EVENTS = 1_000
PROGRAMS = {"together": product.place_together, "isolated": product.place_apart}


def measure_size(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def land_one_more_batch(places: Places, events: Events) -> None:
    """Add a batch to the landing: events of the first file again, with other ids."""
    require_path(places.landing).unlink()
    folder = require_path(places.landing) / "player"
    folder.mkdir(parents=True)
    for path in (events.landing / "player").glob("*.parquet"):
        (folder / path.name).symlink_to(path)
    table = pq.read_table(sorted(events.parts.iterdir())[0]).slice(0, REPEATED_EVENTS)
    ids = [f"again-{number}" for number in range(len(table))]
    column = table.column_names.index("event_id")
    Landing(places.landing, "player").append_table(
        build_landed_table(table.set_column(column, "event_id", [ids]))
    )


def measure_recovery(name: str, places: Places) -> dict[str, Any]:
    """Return the seconds until a new server's queries have processed the batch, and the sizes of their states."""
    started = time.time()
    with start_embedded_server(require_path(places.data)) as address:
        spark = get_session(address, "bench")
        up = time.time()
        programs = PROGRAMS[name](compile_plan(build_document(), {}))
        running = [
            start_query(spark, program.to_document(), places, {"availableNow": True}, f"query-{number}")
            for number, program in enumerate(programs)
        ]
        for query in running:
            query.awaitTermination()
        ended = time.time()
        states = [
            state["customMetrics"].get("rocksdbSstFileSize", 0)
            for query in running
            for state in select_made_reports(query.recentProgress)[-1]["stateOperators"]
        ]
    return {"recovery": ended - started, "server": up - started, "state": sum(states)}


def main(folder: str, last: str, work: str, name: str) -> None:
    """Run the peer; then kill and recover."""
    child.main(folder, last, work, name)
    if name not in PROGRAMS:
        return  # the reference
    places = Places(Path(work))
    sizes_kept = {
        "checkpoint": measure_size(require_path(places.data) / "checkpoints"),
        "feed": measure_size(require_path(places.data) / "feeds"),
    }
    sizes_kept["landing"] = measure_size(Events(Path(folder)).landing)
    land_one_more_batch(places, Events(Path(folder)))
    (require_path(places.data) / "kept.json").write_text(
        json.dumps({**sizes_kept, **measure_recovery(name, places)})
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
