"""Through real Spark: what is judged by arrival follows from the arrivals that the landing wrote down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.spark.feeds import fold_batches, fold_timelines, list_batches
from tests.spark.test_queries import BEGIN, make_events, read_events, run_all
from timeline_app.algebra.events import ARRIVAL
from timeline_app.compiler import compile_plan
from timeline_app.evaluate.engine import evaluate
from timeline_app.evaluate.tables import EventTable
from timeline_app.feed.files import FileFeed
from timeline_app.fs.layout import Places
from timeline_app.landing.log import Landing, build_host_table
from timeline_app.landing.segments import ARRIVED, SCHEMA

pytestmark = pytest.mark.spark
NODES: dict[str, Any] = {
    "lag": {"op": "event_lag", "stream": "player"},
    "heard": {
        "op": "processing_time_within",
        "stream": "player",
        "params": {"where": 'player_state == "play"', "duration": "5s"},
    },
    "worst": {"op": "aggregate", "inputs": {"of": "lag"}, "params": {"function": "max", "every": "10min"}},
}
STREAM = {"key": "session_id", "time": "t", "id": "event_id", "allowed_lateness": "30s"}


def test_queries_say_what_follows_from_the_landing_whenever_they_read_it(spark: Any, tmp_path: Path) -> None:
    compiled = compile_plan({"version": 1, "streams": {"player": STREAM}, "nodes": NODES}, {})
    places, events = Places(tmp_path), make_events(11, 120)
    landing = Landing(places.landing, "player")
    for index in range(0, len(events), 60):
        landing.append(read_events(compiled, events[index : index + 60]))
        if index == 0:
            run_all(spark, compiled, places)
    run_all(spark, compiled, places)
    declared, fields = compiled.streams["player"], (ARRIVAL, "player_state")
    rows = landing.rows(0, landing.end(), [*SCHEMA.names, ARRIVED])
    texts = np.array(rows["text"].to_pylist(), dtype=object)
    table = EventTable(
        declared, fields, build_host_table(rows, declared, fields), lambda wanted: texts[wanted]
    )
    truth = evaluate(compiled, {"player": table})
    for name, digest in compiled.names.items():
        published = fold_batches(compiled.programs[digest].kind, list_batches(FileFeed(places.feed(digest))))
        assert published == fold_timelines(truth[digest]), name
    (_, points), *_ = fold_timelines(truth[compiled.names["lag"]]).values()
    assert points[-1][1] > 0, f"made-up events of {BEGIN} arrive long after their time"
