"""Through real Spark, with feeds that are topics of a real broker: the evaluator's answer, also when Spark was killed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.broker import PASSWORD, USER
from tests.broker import Broker as Running
from tests.spark.feeds import batches, expected, folded
from tests.spark.test_queries import LONG, batch_of, make_events
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.local.engine import evaluate
from timeline_app.storage import feeds
from timeline_app.storage.broker import Broker, keep, kept
from timeline_app.storage.landing import Landing
from timeline_app.storage.places import Places
from timeline_app.storage.topic_feed import TopicFeed
from workers.spark.own import own_server
from workers.spark.query import start_query
from workers.spark.session import forget, session

pytestmark = [pytest.mark.spark, pytest.mark.stack]


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with Running() as made:
        yield made


@pytest.fixture
def places(running: Running, tmp_path: Path) -> Places:
    """A data directory whose feeds are topics of a broker that asks for a login."""
    found = Places(tmp_path)
    keep(tmp_path / "feeds", Broker(running.closed, "tests", "sasl_plaintext", user=USER, password=PASSWORD))
    return found


def run_all(spark: Any, compiled: Compiled, places: Places) -> None:
    """Every query until it has read everything; those that are read before those that read."""
    for digest, program in sorted(compiled.programs.items(), key=lambda item: len(item[1].inputs)):
        feeds.begin(places.feed(digest), kept(places.data / "feeds"))
        query = start_query(spark, program.to_document(), places, {"availableNow": True})
        query.awaitTermination()
        assert query.exception() is None


def test_probe(spark: Any, places: Places) -> None:
    compiled = compile_plan(LONG, {})
    events = make_events(3, 600)
    landing = Landing(places.landing, "player")
    for start in range(0, 720, 240):
        landing.append(batch_of(compiled, events[start : start + 240]))
        run_all(spark, compiled, places)
    truth = evaluate(compiled, {"player": batch_of(compiled, events)})
    for name, digest in compiled.names.items():
        feed = feeds.feed_of(places.feed(digest))
        assert isinstance(feed, TopicFeed)
        published = folded(compiled.programs[digest].kind, batches(feed))
        assert published == expected(truth[digest]), name
