"""A batch that cannot be published is tried again, and then given up for its node alone."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from django.db import connection

from tests.workers.conftest import MakeNode, build_state, compile_programs
from tests.workers.test_publisher import SECOND, build_mark, build_number_rows, put
from timeline_app.compiler.placement import merge_programs
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.web.core import process_heartbeats
from timeline_app.web.models import Node, Plan, PlanNode, Query
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.nodes.actions import restart_node
from timeline_app.web.nodes.selectors import describe_status
from timeline_app.web.nodes.timelines import find_keys, peek
from timeline_app.web.ops import probes
from workers.engine import attempts, publisher
from workers.engine.attempts import MAX_PUBLISH_TRIES
from workers.engine.publisher_crashes import MAX_CRASHES_PER_SLICE, CrashCounts, _load_crash_counts
from workers.engine.revision_writer import write_slice
from workers.engine.slices import FeedSlice

POISON = {
    "sqlite": """CREATE TRIGGER poison BEFORE INSERT ON web_revision WHEN NEW.birth = 666
        BEGIN SELECT RAISE(ABORT, 'poison'); END""",
    "postgresql": """CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'poison'; END $$
        LANGUAGE plpgsql; CREATE TRIGGER poison BEFORE INSERT ON web_revision FOR EACH ROW WHEN (NEW.birth = 666)
        EXECUTE FUNCTION refuse()""",
}
MENDING = {
    "sqlite": "DROP TRIGGER IF EXISTS poison",
    "postgresql": "DROP TRIGGER IF EXISTS poison ON web_revision; DROP FUNCTION IF EXISTS refuse",
}


def execute_statement(statement: dict[str, str]) -> None:
    """Run a statement that each database spells in its way."""
    with connection.cursor() as cursor:
        cursor.execute(statement[connection.vendor])


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing waits before it is tried again, and nothing is left of another test."""
    monkeypatch.setattr(attempts, "MAX_WAIT_S", 0.0)
    monkeypatch.setattr(publisher, "QUERIES_CACHED_S", 0.0)
    publisher.readings.clear()
    publisher.behind.broken.clear()
    publisher.attempts = attempts.Attempts()
    process_heartbeats.clear_cache()


@pytest.fixture
def poison(transactional_db: None) -> Iterator[None]:
    """The database refuses revisions of keys that were born at 666."""
    execute_statement(POISON)
    yield
    execute_statement(MENDING)


@pytest.fixture
def nodes(make_node: MakeNode) -> list[Node]:
    """Two nodes of one query, and one of a query of its own."""
    return make_three(make_node)


def make_three(make_node: MakeNode) -> list[Node]:
    """Two nodes that one query computes, and one of a query of its own; a plan uses them."""
    numbers = {
        "c": {"op": "duration_where", "inputs": {"of": "b"}},
        "d": {"op": "duration_where", "inputs": {"of": "e"}},
    }
    for name, field in (("b", "x"), ("e", "y")):
        numbers |= {
            f"s{field}": build_state(field),
            name: {"op": "equal_to", "inputs": {"of": f"s{field}"}, "params": {"value": "1"}},
        }
    result = compile_programs(numbers)
    both = [result[name] for name in ("c", "d")]
    left, right = (make_node(program) for program in both)
    query = Query.objects.get(pk=left.query_id)
    query.program = merge_programs(both).to_document()
    query.save()
    Node.objects.filter(pk=right.pk).update(query=query)
    Query.objects.filter(name=right.digest).delete()
    alone = make_node(compile_programs({"a": build_state("z")})["a"])
    plan = Plan.objects.create(name="P", owner=left.owner, document={})
    for node in (left, right, alone):
        PlanNode.objects.create(plan=plan, node=node, name=f"n{node.pk}")
    return [Node.objects.get(pk=node.pk) for node in (left, right, alone)]


def find_places(left: Node, right: Node) -> tuple[int, int]:
    """Where two nodes stand among those of their query."""
    listed = left.query.program["nodes"]
    return listed.index(left.digest), listed.index(right.digest)


def build_value(key: str, number: float, at: int, index: int, birth: int = 0) -> pa.Table:
    """A key has a value from a second on."""
    return build_number_rows(key, (at * SECOND, number, 0.0), birth=birth, index=index)


def restart(node: Node) -> None:
    """Its owner starts it again."""
    assert node.owner is not None
    restart_node(node=node, user=node.owner)


def publish_all(rounds: int = 40) -> None:
    """Look at the feeds often enough for everything."""
    for _ in range(rounds):
        publisher.publish_once()


def test_a_poisoned_batch_is_given_up_for_its_node_alone_and_published_when_that_is_started_again(
    nodes: list[Node], data: Path, poison: None
) -> None:
    left, right, alone = nodes
    bad, good = find_places(left, right)
    feed = left.query.name
    put(
        data,
        feed,
        0,
        build_value("k", 1, 1, bad),
        build_value("k", 1, 1, good),
        build_mark("s", SECOND, events=1),
    )
    put(
        data,
        feed,
        1,
        build_value("p", 2, 2, bad, 666),
        build_value("k", 2, 2, good),
        build_mark("s", 2 * SECOND, events=1),
    )
    put(
        data,
        feed,
        2,
        build_value("k", 3, 3, bad),
        build_value("k", 3, 3, good),
        build_mark("s", 3 * SECOND, events=1),
    )
    put(data, alone.digest, 0, build_mark("s", 1))
    assert publisher.publish_once() == 2
    for tries in range(1, MAX_PUBLISH_TRIES):
        assert publisher.publish_once() == 0
        assert publisher.attempts.times(feed, 1) == tries
        assert not Node.objects.exclude(failure="").exists()
    assert publisher.publish_once() == 1
    assert publisher.publish_once() == 1
    left, right = (Node.objects.get(pk=node.pk) for node in (left, right))
    assert (left.version, left.events, left.skipped_from) == (0, 1, 1)
    assert (right.version, right.events, right.failure) == (2, 3, "")
    status = describe_status(left)
    assert status["observed"] == "failed"
    assert f"batch 1 of its feed could not be published, tried {MAX_PUBLISH_TRIES} times" in status["words"]
    assert "poison" in status["error"]
    assert status["hint"]
    assert describe_status(right)["observed"] != "failed"
    assert AuditEntry.objects.filter(act="node.give_up", thing=left.pk).count() == 1

    execute_statement(MENDING)
    restart(left)
    publish_all(8)
    left.refresh_from_db()
    assert (left.failure, left.skipped_from, left.version, left.events) == ("", None, 2, 3)
    assert {key.key for key in find_keys(left)} == {"k", "p"}
    assert [point["value"] for point in peek(left, "k")["points"]] == [1.0, 3.0]  # type: ignore[index]
    put(data, feed, 3, build_value("k", 4, 4, bad), build_value("k", 4, 4, good))
    assert publisher.publish_once() == 1
    assert set(Node.objects.filter(query=left.query).values_list("version", flat=True)) == {3}


def test_what_is_still_poisoned_is_given_up_again(nodes: list[Node], data: Path, poison: None) -> None:
    left, right, _ = nodes
    bad, good = find_places(left, right)
    put(data, left.query.name, 0, build_value("p", 2, 2, bad, 666), build_value("k", 2, 2, good))
    publish_all()
    Node.objects.update(failure="")
    publish_all()
    left, right = (Node.objects.get(pk=node.pk) for node in (left, right))
    assert (left.skipped_from, bool(left.failure), right.failure, right.version) == (0, True, "", 0)


def test_a_batch_that_cannot_be_read_fails_the_nodes_of_its_feed_and_no_others(
    nodes: list[Node], data: Path
) -> None:
    left, right, alone = nodes
    bad, good = find_places(left, right)
    feed = left.query.name
    put(data, feed, 0, build_value("k", 1, 1, bad), build_value("k", 1, 1, good))
    put(data, alone.digest, 0, build_mark("s", 1))
    file = next(require_path(Places(data).feed(feed)).glob("*.parquet"))
    content = file.read_bytes()
    file.write_bytes(b"torn")
    publish_all()
    assert Query.objects.get(name=feed).position == 0, "the position passes it"
    assert set(Node.objects.exclude(failure="").values_list("pk", flat=True)) == {left.pk, right.pk}
    assert Query.objects.get(name=alone.digest).position == 0
    assert publisher.behind.broken == set()
    file.write_bytes(content)
    for node in (left, right):
        restart(node)
    publish_all(5)
    for node in (left, right):
        node.refresh_from_db()
        assert (node.version, node.failure, node.skipped_from) == (0, "", None)


def test_the_installation_is_degraded_and_not_unready(nodes: list[Node], data: Path, poison: None) -> None:
    left, right, _ = nodes
    bad, _ = find_places(left, right)
    process_heartbeats.record_heartbeat("supervisor")
    put(data, left.query.name, 0, build_value("p", 2, 2, bad, 666))
    publisher.publish_once()
    process_heartbeats.clear_cache()
    publisher.publish_once()
    with pytest.raises(probes.Degraded) as tried:
        probes.probe_publisher()
    assert (tried.value.word, left.query.name in tried.value.detail) == ("cannot publish", True)
    publish_all()
    process_heartbeats.clear_cache()
    publisher.publish_once()
    assert "behind the feeds" in probes.probe_publisher()
    with pytest.raises(probes.Degraded) as given_up:
        probes.probe_queries()
    assert given_up.value.word == "1 nodes given up"
    assert left.digest[:12] in given_up.value.detail
    assert right.digest[:12] not in given_up.value.detail


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("written", "ready"), [({"a": 400.0, "b": 0.5}, True), ({"a": 400.0, "b": 90.0}, False)]
)
def test_one_feed_that_is_far_behind_keeps_the_publisher_ready(
    written: dict[str, float], ready: bool
) -> None:
    for feed, seconds in written.items():
        publisher.behind.note(feed, time.time() - seconds)
    publisher.behind.report(set(written))
    with pytest.raises(probes.NotReady) as result:
        probes.probe_publisher()
    assert result.value.word == "behind"
    assert isinstance(result.value, probes.Degraded) == ready


def test_a_node_that_nobody_uses_any_more_is_not_tried_again(
    nodes: list[Node], data: Path, poison: None
) -> None:
    left, right, _ = nodes
    bad, _ = find_places(left, right)
    put(data, left.query.name, 0, build_value("p", 2, 2, bad, 666))
    publish_all()
    PlanNode.objects.filter(node=left).delete()
    Node.objects.update(failure="")
    publish_all(3)
    left.refresh_from_db()
    assert (left.failure, left.skipped_from) == ("", 0)


class KilledError(BaseException):
    """What a killed process leaves undone."""


def test_a_batch_that_kills_the_publisher_is_given_up_across_its_restarts(
    nodes: list[Node], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right, alone = nodes
    bad, good = find_places(left, right)
    feed = left.query.name
    put(data, feed, 0, build_value("k", 1, 1, bad), build_value("k", 1, 1, good))
    put(data, alone.digest, 0, build_mark("s", 1))

    def kill(query: Query, piece: FeedSlice, giving_up: str = "") -> bool:
        if query.name == feed:
            raise KilledError
        return write_slice(query, piece, giving_up)

    with monkeypatch.context() as patched:
        patched.setattr(publisher, "write_slice", kill)
        for _ in range(MAX_CRASHES_PER_SLICE):
            _load_crash_counts.cache_clear()
            publisher.attempts = attempts.Attempts()
            with pytest.raises(KilledError):
                publish_all(9)
        assert Query.objects.get(name=feed).position == -1
        _load_crash_counts.cache_clear()
        publish_all(2)
    assert dict(Query.objects.values_list("name", "position")) == {feed: 0, alone.digest: 0}
    words = Node.objects.get(pk=left.pk).failure
    assert f"the publisher died {MAX_CRASHES_PER_SLICE} times" in words
    assert "memory" in words
    assert set(Node.objects.exclude(failure="").values_list("pk", flat=True)) == {left.pk, right.pk}
    for node in (left, right):
        restart(node)
    publish_all(5)
    assert set(Node.objects.values_list("version", "failure")) >= {(0, "")}


def test_a_publisher_that_is_killed_at_many_batches_gives_up_none(tmp_path: Path) -> None:
    file = tmp_path / "publisher.json"
    for batch in range(3 * MAX_CRASHES_PER_SLICE):
        crash_counts = CrashCounts(file)
        crash_counts.begin("feed", batch // 3)
        assert crash_counts.times("feed", batch // 3) == batch % 3
    crash_counts.remove("feed")
    crash_counts.end()
    assert CrashCounts(file).times("feed", batch // 3) == 0
    file.write_text('{"tried"')
    assert CrashCounts(file).times("feed", 0) == 0


def test_a_disk_that_does_not_sync_lets_no_batch_be_given_up(
    nodes: list[Node], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = nodes[0]
    feed = item.query.name
    put(data, feed, 0, build_value("k", 1, 1, 0))
    next(require_path(Places(data).feed(feed)).glob("*.parquet")).write_bytes(b"torn")

    def fail(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fail)
        publish_all()
    assert Query.objects.get(name=feed).position == -1
    assert not Node.objects.exclude(failure="").exists()
    assert feed in publisher.behind.broken
    time.sleep(1.1)  # so long a disk that is in trouble is waited for
    publish_all()
    assert Query.objects.get(name=feed).position == 0
    assert Node.objects.exclude(failure="").exists()


def test_a_batch_whose_manifest_makes_no_sense_is_given_up(nodes: list[Node], data: Path) -> None:
    item, _, alone = nodes
    feed = item.query.name
    put(data, feed, 0, build_value("k", 1, 1, 0))
    put(data, alone.digest, 0, build_mark("s", 1))
    (require_path(Places(data).feed(feed)) / "_spark_metadata" / "0").write_bytes(b"torn")
    publish_all()
    assert dict(Query.objects.values_list("name", "position")) == {feed: 0, alone.digest: 0}
