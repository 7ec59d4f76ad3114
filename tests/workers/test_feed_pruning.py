"""Feeds are pruned behind the publisher and behind all who read their nodes; who stopped keeps nothing."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from django.conf import LazySettings

from tests.workers.conftest import MakeNode, build_state, compile_programs, land_line
from tests.workers.test_publisher import build_mark, build_number_rows, put
from timeline_app.algebra.kinds import BEGINNING
from timeline_app.feed import pruning, segments
from timeline_app.feed.files import FileFeed
from timeline_app.feed.lineage import Chain, ChainLink
from timeline_app.feed.snapshots import list_snapshots
from timeline_app.fs.layout import Places
from timeline_app.web.core.term_writing import write_node_terms
from timeline_app.web.models import Node, Query, Stream
from timeline_app.web.nodes.feed_compaction import pack_feeds
from timeline_app.web.nodes.feed_pruning import prune_feeds
from timeline_app.web.nodes.hosting import is_complete
from timeline_app.web.nodes.removed_nodes import remove_dead_queries
from timeline_app.web.nodes.timelines import read_key_timeline
from timeline_app.web.streams.landing_compaction import compact_landings
from workers.engine import handover, publisher
from workers.spark.position import Position

NODES: dict[str, Any] = {
    "a": build_state("x"),
    "one": {"op": "equal_to", "inputs": {"of": "a"}, "params": {"value": "1"}},
    "length": {"op": "duration_where", "inputs": {"of": "one"}},
    "sum": {"op": "aggregate", "inputs": {"of": "length"}, "params": {"function": "sum"}},
}
SECOND = 1_000_000


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> None:
    settings.BATCHES_PER_SEGMENT = 2
    monkeypatch.setattr(segments, "UNCOMPACTED_BATCHES", 1)
    monkeypatch.setattr(segments, "REMOVE_AFTER_S", -1.0)
    monkeypatch.setattr(pruning, "REMOVE_AFTER_S", -1.0)


@pytest.fixture
def length_node(make_node: MakeNode, data: Path) -> Node:
    """A node of ten batches, all of which are published."""
    node = make_node(compile_programs(NODES)["length"])
    write_node_terms(node)
    for batch in range(10):
        numbers = (0.0, 0.0) if batch else (5.0, 1.0)
        rows = build_number_rows("k", (BEGINNING if batch == 0 else batch * 10 * SECOND, *numbers))
        put(data, node.digest, batch, rows, build_mark("s", batch * 10 * SECOND, events=1))
    Query.objects.update(position=9)
    return node


@pytest.fixture
def reader(make_node: MakeNode, length_node: Node) -> Query:
    """A query that reads the node, and has come to batch 4."""
    query = make_node(compile_programs(NODES)["sum"]).query
    Query.objects.filter(pk=query.pk).update(observed="running", offsets={"1": [4], "2": [7]})
    return query


def feed_of(node: Node, data: Path) -> FileFeed:
    return FileFeed(Places(data).feed(node.query.name))


def list_snapshot_ends(node: Node, data: Path) -> list[int]:
    """Where the snapshots of its feed end."""
    return [item.end for item in list_snapshots(feed_of(node, data).path)]


def run_job(times: int = 2) -> None:
    for _ in range(times):
        pack_feeds()
        prune_feeds()


def test_what_everybody_has_passed_is_replaced_by_a_snapshot(
    reader: Query, length_node: Node, data: Path
) -> None:
    run_job()
    assert list_snapshot_ends(length_node, data) == [4]
    feed = feed_of(length_node, data)
    assert [batch for batch in range(10) if feed.has(batch)] == [4, 5, 6, 7, 8, 9]
    Query.objects.filter(pk=reader.pk).update(offsets={"3": [9]})
    run_job(3)
    assert list_snapshot_ends(length_node, data) == [8]


def test_a_reader_that_has_not_begun_is_waited_for(reader: Query, length_node: Node, data: Path) -> None:
    Query.objects.filter(pk=reader.pk).update(offsets={})
    run_job()
    assert list_snapshot_ends(length_node, data) == []


@pytest.mark.parametrize(
    "state_of_it", [{"desired": "stopped", "observed": "stopped"}, {"observed": "failed"}]
)
def test_a_reader_that_stopped_or_failed_keeps_nothing(
    reader: Query, length_node: Node, data: Path, state_of_it: dict[str, str]
) -> None:
    Query.objects.filter(pk=reader.pk).update(**state_of_it)
    run_job()
    assert list_snapshot_ends(length_node, data) == [8]


def test_what_is_still_to_be_published_for_a_node_stays(length_node: Node, data: Path) -> None:
    Node.objects.update(skipped_from=3, failure="it failed")
    run_job()
    assert list_snapshot_ends(length_node, data) == [2]


def test_values_before_the_retention_are_forgotten(
    length_node: Node, data: Path, settings: LazySettings
) -> None:
    document = {"key": "k", "time": "t", "unit": "ms", "retention": "30s", "allowed_lateness": "1s"}
    Stream.objects.create(name="s", owner=length_node.owner, document=document)
    settings.LANDING = Places(data).landing
    for second in range(74, 91):
        land_line(data, b'{"k": "k", "t": %d}' % (1_000 * second))
    compact_landings()
    run_job()
    snapshot = Chain(Places(data), length_node.digest, ["s"]).snapshot()
    assert snapshot is not None
    rows = snapshot.rows(0, snapshot.pieces).to_pylist()
    points = [(row["t"], row["number"]) for row in rows if row["key"] == "k"]
    assert (points[0][0], math.isnan(points[0][1])) == (BEGINNING, True)
    assert points[1][0] == 60 * SECOND - 30 * SECOND // 8


def test_a_feed_that_is_torn_is_told_of(
    length_node: Node, data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pack_feeds()
    next((Path(str(feed_of(length_node, data).path)) / "segments").glob("*.parquet")).write_bytes(b"PAR1")
    assert prune_feeds() == 0
    assert f"the feed {length_node.digest} could not be pruned" in caplog.text


def test_a_feed_that_a_node_left_goes_when_a_snapshot_has_it(
    length_node: Node, data: Path, make_node: MakeNode
) -> None:
    old = length_node.query
    new = Query.objects.create(name="new", program=length_node.program, desired="running", position=5)
    for batch in range(6):
        put(data, "new", batch, build_number_rows("k", (batch * 10 * SECOND, 1.0, 0.0)))
    Chain(Places(data), length_node.digest).write([ChainLink(old.name, 0, 10), ChainLink("new", 0)])
    Node.objects.update(query=new)
    Query.objects.filter(pk=old.pk).update(desired="stopped", observed="stopped")
    assert remove_dead_queries() == []
    run_job(3)
    assert remove_dead_queries() == [old.name]
    snapshot = Chain(Places(data), length_node.digest, ["s"]).snapshot()
    assert snapshot is not None
    assert (snapshot.end, snapshot.link) == (14, 1)
    rows_of_key = [row for row in snapshot.rows(0, snapshot.pieces).to_pylist() if row["key"] == "k"]
    assert (rows_of_key[0]["t"], rows_of_key[0]["number"], rows_of_key[0]["slope"]) == (BEGINNING, 5.0, 1.0)


def test_a_node_that_remembers_older_values_of_its_inputs_stays_where_it_is(
    length_node: Node, data: Path
) -> None:
    above = {
        **NODES,
        "much": {"op": "greater_than", "inputs": {"of": "sum"}, "params": {"value": 1}},
        "long": {"op": "duration_where", "inputs": {"of": "much"}},
    }
    programs = compile_programs(above)
    assert is_complete(programs["sum"])
    run_job()
    assert is_complete(programs["sum"])
    assert is_complete(programs["long"])
    Chain(Places(data), programs["long"].inputs[0]).write([ChainLink(length_node.digest, 0)])
    assert not is_complete(programs["long"])


def test_a_node_that_is_computed_from_a_snapshot_keeps_its_older_results(
    reader: Query, length_node: Node, data: Path, settings: LazySettings
) -> None:
    """It is handed over when the feed below it is pruned; its new query knows nothing of what was before."""
    document = {"key": "k", "time": "t", "unit": "ms", "retention": "30s", "allowed_lateness": "1s"}
    Stream.objects.create(name="s", owner=length_node.owner, document=document)
    settings.LANDING = Places(data).landing
    for second in range(74, 91):
        land_line(data, b'{"k": "k", "t": %d}' % (1_000 * second))
    compact_landings()
    node = Node.objects.get(query=reader)
    write_node_terms(node)
    publisher.publish(reader, 0, build_number_rows("*", (BEGINNING, 1.0, 0.0)))
    run_job()
    target = Query.objects.create(name="new", program=reader.program, desired="running")
    node = Node.objects.get(query=reader)
    handover._assign_node(node, target, Position(1, {length_node.digest: (9, 9)}))
    begins = 90 * SECOND - 30 * SECOND - 30 * SECOND // 8
    assert Node.objects.get(pk=node.pk).kept_from == begins
    unknown, known = (BEGINNING, math.nan, 0.0), (begins, 5.0, 0.0)
    rows = pa.concat_tables(
        [build_number_rows("*", unknown, known), build_number_rows("new", unknown, known)]
    )
    publisher.publish(Query.objects.get(pk=target.pk), 0, rows)
    for key, points in (
        ("*", [[None, 1.0, 0.0], [begins, 5.0, 0.0]]),
        ("new", [[None, None, 0.0], [begins, 5.0, 0.0]]),
    ):
        timeline = read_key_timeline(Node.objects.get(pk=node.pk), key)
        assert timeline is not None
        assert [list(point) for point in timeline.points] == points
