"""Through real Spark, with the data in HDFS or in an S3 bucket: the evaluator's answer, also after a kill."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.spark.feeds import Folded, fold_batches, fold_timelines, list_batches
from tests.stores import KINDS, Served
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.demos import load_demos
from timeline_app.evaluate.engine import evaluate
from timeline_app.feed.files import FileFeed
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import format_url
from timeline_app.landing.log import Landing
from timeline_app.landing.request_body import read_batch
from timeline_app.plan import EventBatch
from workers.spark.connect.embedded_server import start_embedded_server
from workers.spark.connect.session import get_session
from workers.spark.query import start_query

pytestmark = [pytest.mark.spark, pytest.mark.long]
STREAM, EVENTS, PARTS = "player", 400, 4
TIMEOUT_S = 240.0


@pytest.fixture(params=sorted(KINDS))
def served(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Served]:
    """One that runs, and the variables that lead there."""
    (tmp_path / "store").mkdir()
    with KINDS[request.param](tmp_path / "store") as result:
        for name, value in result.environment.items():
            monkeypatch.setenv(name, value)
        yield result


def start_programs(spark: Any, compiled: Compiled, places: Places) -> None:
    for program in compiled.programs.values():
        start_query(spark, program.to_document(), places, {"processingTime": "500 milliseconds"})


def read_published(compiled: Compiled, places: Places) -> dict[str, Folded]:
    return {
        name: fold_batches(compiled.programs[digest].kind, list_batches(FileFeed(places.feed(digest))))
        for name, digest in compiled.names.items()
    }


def compute_truth(compiled: Compiled, events: list[dict[str, Any]]) -> dict[str, Folded]:
    result = evaluate(compiled, {STREAM: read_events(compiled, events)})
    return {name: fold_timelines(result[digest]) for name, digest in compiled.names.items()}


def read_events(compiled: Compiled, events: list[dict[str, Any]]) -> EventBatch:
    return read_batch("\n".join(map(json.dumps, events)).encode(), compiled.streams[STREAM])


def wait_for(compiled: Compiled, places: Places, expected: dict[str, Folded], spark: Any) -> None:
    """Until the feeds say that; each query is there, and none has failed."""
    until = time.monotonic() + TIMEOUT_S
    while read_published(compiled, places) != expected:
        assert len(spark.streams.active) == len(compiled.programs), "a query ended"
        assert time.monotonic() < until
        time.sleep(0.5)


def test_every_node_ends_with_the_evaluators_answer_also_after_spark_was_killed(
    served: Served, tmp_path: Path
) -> None:
    demo = load_demos()[STREAM]
    compiled = compile_plan(next(iter(demo.examples().values())), {})
    assert any(program.feeds for program in compiled.programs.values()), "an aggregate is among them"
    events = [delivery.event for delivery in islice(demo.deliveries(seed=7), EVENTS)]
    data = served.place
    places = Places(data)
    landing, size = Landing(places.landing, STREAM), EVENTS // PARTS
    parts = [events[start : start + size] for start in range(0, EVENTS, size)]
    for number in (0, 2):
        (tmp_path / f"{number}").mkdir()
        with start_embedded_server(tmp_path / f"{number}", shared=str(data)) as address:
            spark = get_session(address, format_url(data))
            landing.append(read_events(compiled, parts[number]))
            start_programs(spark, compiled, places)
            wait_for(compiled, places, compute_truth(compiled, events[: (number + 1) * size]), spark)
            landing.append(read_events(compiled, parts[number + 1]))
            if number:
                wait_for(compiled, places, compute_truth(compiled, events), spark)
    assert list(data.glob("checkpoints*"))
