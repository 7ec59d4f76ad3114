"""Through real Spark, with feeds that are topics of a real broker: the evaluator's answer, though Spark was killed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

from tests.broker import PASSWORD, USER
from tests.broker import Broker as Running
from tests.spark.feeds import batches, expected, folded
from tests.spark.test_queries import LONG, batch_of, make_events
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.local.engine import evaluate
from timeline_app.storage import feeds
from timeline_app.storage.broker import Broker, keep, kept
from timeline_app.storage.feed import marks_of
from timeline_app.storage.landing import Landing
from timeline_app.storage.places import Places
from timeline_app.storage.topic_feed import TopicFeed
from workers.spark.own import own_server
from workers.spark.query import start_query
from workers.spark.session import session

pytestmark = [pytest.mark.spark, pytest.mark.long]
SIZE, STEP = 600, 30
PATIENCE = 240.0


def start(spark: Any, compiled: Compiled, places: Places, trigger: dict[str, Any]) -> list[Any]:
    """All queries, their feeds as topics."""
    for digest in compiled.programs:
        feeds.begin(places.feed(digest), kept(places.data))
    return [start_query(spark, item.to_document(), places, trigger) for item in compiled.programs.values()]


def run_all(spark: Any, compiled: Compiled, places: Places) -> None:
    """Every query until it has read everything, as often as it takes for what reads what others say."""
    for _ in range(2):
        for query in start(spark, compiled, places, {"availableNow": True}):
            query.awaitTermination()
            assert query.exception() is None


def feed_of(places: Places, digest: str) -> TopicFeed:
    found = feeds.feed_of(places.feed(digest))
    assert isinstance(found, TopicFeed)
    found.look()
    return found


def test_spark_is_killed_and_every_node_ends_with_the_evaluators_answer(tmp_path: Path) -> None:
    compiled, places, events = compile_plan(LONG, {}), Places(tmp_path / "data"), make_events(3, SIZE)
    landing = Landing(places.landing, "player")
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    with Running() as running:
        login = Broker(running.closed, "tests", "sasl_plaintext", user=USER, password=PASSWORD)
        keep(places.data, login)
        with own_server(tmp_path / "first") as address:  # ends with SIGKILL
            start(session(address, "tests"), compiled, places, {"processingTime": "200 milliseconds"})
            sent, until = 0, time.monotonic() + PATIENCE
            while sent < SIZE // 2 or not feed_of(places, compiled.names["by_state"]).has(2):
                assert time.monotonic() < until
                landing.append(batch_of(compiled, events[sent : sent + STEP]))
                sent = min(sent + STEP, SIZE)
                time.sleep(0.3)
        with own_server(tmp_path / "second") as address:
            landing.append(batch_of(compiled, events[sent:]))
            run_all(session(address, "tests"), compiled, places)
        truth = evaluate(compiled, {"player": batch_of(compiled, events)})
        for name, digest in compiled.names.items():
            published = folded(compiled.programs[digest].kind, batches(feed_of(places, digest)))
            assert published == expected(truth[digest]), name
        told = [marks_of(rows) for rows in batches(feed_of(places, compiled.names["state"]))]
        taken = sum(pc.sum(marks["events"]).as_py() or 0 for marks in told)
        assert taken == landing.count(0, landing.end()).events, "each was taken once"
