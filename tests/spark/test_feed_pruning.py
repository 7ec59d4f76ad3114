"""Through real Spark: an aggregate that is started when the feeds below it are pruned answers as the evaluator does."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.spark.feeds import Folded, fold_batches, fold_timelines, list_batches
from tests.spark.test_queries import read_events, run_all
from timeline_app.algebra.fold import Point
from timeline_app.compiler import Compiled, compile_plan
from timeline_app.evaluate.engine import evaluate
from timeline_app.feed import pruning, segments
from timeline_app.feed.files import FileFeed
from timeline_app.feed.lineage import Chain
from timeline_app.feed.pruning import prune
from timeline_app.feed.snapshot_writing import SnapshotNode
from timeline_app.fs.layout import Places
from timeline_app.landing.log import Landing

pytestmark = pytest.mark.spark
HOUR, BEGIN, SECOND = 3_600, 1_789_257_600, 1_000_000
PLAN: dict[str, Any] = {
    "version": 1,
    "streams": {
        "player": {
            "key": "k", "time": "t", "unit": "s", "retention": "1h", "allowed_lateness": "10min",
            "fields": {"v": "number"},
        }
    },
    "nodes": {
        "value": {"op": "latest_event_to_state", "stream": "player", "params": {"field": "v"}},
        "room": {"op": "latest_event_to_state", "stream": "player", "params": {"field": "room"}},
        "sum": {"op": "aggregate", "inputs": {"of": "value", "by": "room"}, "params": {"function": "sum"}},
        "max": {"op": "aggregate", "inputs": {"of": "value"}, "params": {"function": "max"}},
        "many": {"op": "greater_than", "inputs": {"of": "max"}, "params": {"value": 7}},
    },
}  # fmt: skip


def events(chance: random.Random, hour: int) -> list[dict[str, Any]]:
    """Of some machines that go on, and of some that were heard of in this hour only."""
    keys = [
        *(f"k{number}" for number in range(12)),
        *(f"only in hour {hour}: {number}" for number in range(4)),
    ]
    return [
        {"k": chance.choice(keys), "t": BEGIN + hour * HOUR + chance.randrange(HOUR), "v": chance.randrange(9)}
        | ({"room": chance.choice("ab")} if chance.random() < 0.5 else {})
        for _ in range(120)
    ]  # fmt: skip


def only(compiled: Compiled, *names: str) -> Compiled:
    return replace(
        compiled, programs={compiled.names[name]: compiled.programs[compiled.names[name]] for name in names}
    )


def compact(compiled: Compiled, places: Places, name: str, limit: int) -> int:
    """As two rounds of the job do: packs of one batch, a snapshot of all but the newest, the files removed."""
    program = compiled.programs[compiled.names[name]]
    feed = FileFeed(places.feed(program.digest))
    published = feed.last() + 1
    while feed.compact(published, 1):
        pass
    node = SnapshotNode(0, program.kind, frozenset(program.sources), lambda: iter(()))
    written = prune(feed, [node], published, limit)
    prune(feed, [node], published, limit)
    return written


def from_limit(timelines: Folded, limit: int) -> dict[str, list[Point]]:
    """What they say from the limit on; nothing of a key that says nothing there."""
    values = {}
    for key, (_, points) in timelines.items():
        before = [point for point in points if point[0] is None or point[0] <= limit]
        after = [point for point in points if point[0] is not None and point[0] > limit]
        values[key] = [[limit, *before[-1][1:]], *after]
    return values


def test_an_aggregate_that_is_started_later_answers_as_the_evaluator(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "UNCOMPACTED_BATCHES", 1)
    monkeypatch.setattr(segments, "REMOVE_AFTER_S", -1.0)
    monkeypatch.setattr(pruning, "REMOVE_AFTER_S", -1.0)
    compiled, places = compile_plan(PLAN, {}), Places(tmp_path)
    landing, chance, everything = Landing(places.landing, "player"), random.Random(7), list[dict[str, Any]]()
    for hour in range(3):
        new = events(chance, hour)
        everything += new
        landing.append(read_events(compiled, new))
        run_all(spark, only(compiled, "value", "room"), places)
    limit = (max(event["t"] for event in everything) - HOUR) * SECOND
    for name in ("value", "room"):
        assert compact(compiled, places, name, limit - HOUR * SECOND // 8) == 2
        feed = FileFeed(places.feed(compiled.names[name]))
        assert not any(feed.has(batch) for batch in range(2))
        assert Chain(places, compiled.names[name]).snapshot() is not None
    run_all(spark, compiled, places)
    new = events(chance, 3)
    landing.append(read_events(compiled, new))
    run_all(spark, compiled, places)
    truth = evaluate(compiled, {"player": read_events(compiled, everything + new)})
    for name in ("sum", "max", "many"):
        digest = compiled.names[name]
        published = fold_batches(compiled.programs[digest].kind, list_batches(FileFeed(places.feed(digest))))
        assert from_limit(published, limit) == from_limit(fold_timelines(truth[digest]), limit), name
