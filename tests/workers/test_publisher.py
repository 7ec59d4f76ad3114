"""From the feed into the revision log: each batch once, in order, and each query's trouble its own."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from tests.feed.packets import write
from tests.workers.conftest import MakeNode, build_state, compile_programs
from timeline_app.algebra.fold import Stretch, fold
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.algebra.revisions import Revisions
from timeline_app.feed import feed_rows
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.web.models import Node, NodeKey, Query, Revision
from timeline_app.web.nodes.timelines import find_keys, load_revisions_since, peek
from workers.engine import publisher

SECOND = 1_000_000


def build_number_rows(
    key: str, *pieces: tuple[int, float, float], end: int = OPEN, birth: int = 0, index: int = 0
) -> pa.Table:
    """One revision of a number as rows of a feed."""
    time = np.array([piece[0] for piece in pieces])
    value, slope = (np.array([piece[index] for piece in pieces], dtype=float) for index in (1, 2))
    names = np.array([key], dtype=object)
    born, start, until = (np.array([item]) for item in (birth, pieces[0][0], end))
    offsets, labels = np.array([0, len(pieces)]), np.empty(0, dtype=object)
    revisions = Revisions(Kind.NUMBER, names, born, start, until, offsets, time, value, slope, labels)
    return feed_rows.select_node_rows(feed_rows.build_rows(revisions), index)


def build_mark(source: str, until: int, **counted: int) -> pa.Table:
    """A mark as it stands in a feed."""
    return feed_rows.select_node_rows(feed_rows.build_progress_row(source, until, **counted))


def put(data: Path, digest: str, batch: int, *tables: pa.Table) -> None:
    """Publish a batch the way Spark's file sink does: a file, then its manifest."""
    place = require_path(Places(data).feed(digest))
    (place / "_spark_metadata").mkdir(parents=True, exist_ok=True)
    file = place / f"part-{batch} é.parquet"
    write(pa.concat_tables(tables), file)
    line = json.dumps({"path": file.as_uri(), "action": "add"})
    (place / "_spark_metadata" / str(batch)).write_text(f"v1\n{line}")


@pytest.fixture
def number(make_node: MakeNode) -> Node:
    """A node whose timelines are numbers."""
    nodes = {
        "a": build_state("x"),
        "b": {"op": "equal_to", "inputs": {"of": "a"}, "params": {"value": "1"}},
        "c": {"op": "duration_where", "inputs": {"of": "b"}},
    }
    return make_node(compile_programs(nodes)["c"])


def test_a_batch_is_in_the_log_once_however_often_it_is_published(number: Node, data: Path) -> None:
    rows = pa.concat_tables(
        [
            build_number_rows("k1", (BEGINNING, 0.0, 0.0)),
            build_mark("s", 5 * SECOND, events=4, late=2, too_late=1),
        ]
    )
    put(data, number.digest, 0, rows)
    query = Query.objects.get()
    assert publisher.publish(query, 0, rows)
    assert not publisher.publish(query, 0, rows), "a second publisher, or the same one after a kill"
    assert publisher.publish_once() == 0
    number.refresh_from_db()
    assert (Revision.objects.count(), number.revisions) == (1, 1)
    assert (number.events, number.late, number.too_late) == (4, 2, 1)
    assert (number.final_until, number.version) == (5 * SECOND, 0)


def test_batches_are_published_in_order_and_fold_into_the_timeline(number: Node, data: Path) -> None:
    put(data, number.digest, 0, build_number_rows("k1", (BEGINNING, 0.0, 0.0), (10, 0.0, 1.0)))
    put(data, number.digest, 1, build_number_rows("k1", (20 * SECOND, 20.0, 0.0)))
    put(data, number.digest, 2, build_number_rows("k1", (5 * SECOND, 5.0, 0.0), end=8 * SECOND))
    assert [publisher.publish_once() for _ in range(4)] == [1, 1, 1, 0]
    result = peek(Node.objects.get(), "k1")
    assert result is not None
    log = [Stretch(row.start, row.end, row.pieces) for row in Revision.objects.order_by("-version")]
    points = [[point["t"], point["value"], point["slope"]] for point in result["points"]]
    assert points == fold(Kind.NUMBER, log)
    assert points[2] == [5 * SECOND, 5.0, 0.0]
    first = Revision.objects.earliest("known_at").known_at
    assert [item["version"] for item in load_revisions_since([(number, "k1", first)])[0]] == [1, 2]


def test_the_log_tells_what_was_known_earlier(number: Node, data: Path) -> None:
    put(data, number.digest, 0, build_number_rows("k1", (BEGINNING, 0.0, 0.0)))
    publisher.publish_once()
    then = Node.objects.get().as_of
    assert then is not None
    put(data, number.digest, 1, build_number_rows("k1", (SECOND, 7.0, 0.0)))
    publisher.publish_once()
    node = Node.objects.get()
    assert [
        len(result["points"]) for at in (then, node.as_of) if (result := peek(node, "k1", known_at=at))
    ] == [1, 2]
    assert peek(node, "k1", known_at=then - 1) is None
    assert Revision.objects.filter(known_at__gt=then).count() == 1, "the clock of the log only grows"


def test_a_key_that_was_never_born_after_all_is_gone_but_stays_in_the_past(number: Node, data: Path) -> None:
    put(
        data,
        number.digest,
        0,
        build_number_rows("k1", (BEGINNING, 0.0, 0.0)),
        build_number_rows("k2", (BEGINNING, 0.0, 0.0)),
    )
    put(data, number.digest, 1, build_number_rows("k1", (BEGINNING, 0.0, 0.0), birth=OPEN))
    publisher.publish_once()
    then = Node.objects.get().as_of
    publisher.publish_once()
    node = Node.objects.get()
    assert peek(node, "k1") is None
    assert peek(node, "k1", known_at=then) is not None
    assert [item.key for item in find_keys(node)] == ["k2"]
    assert NodeKey.objects.count() == 2


def test_nothing_is_final_before_every_source_has_come_that_far(make_node: MakeNode, data: Path) -> None:
    nodes = {
        "v": build_state("x"),
        "n": {"op": "aggregate", "inputs": {"of": "b", "by": "v"}, "params": {"function": "count"}},
    }
    nodes["b"] = {"op": "equal_to", "inputs": {"of": "v"}, "params": {"value": "1"}}
    programs = compile_programs(nodes)
    value, group, aggregate = (make_node(programs[name]) for name in ("b", "v", "n"))
    put(data, aggregate.digest, 0, build_mark(f"{value.digest}/s", 9))
    put(data, aggregate.digest, 1, build_mark(f"{group.digest}/s", 4), build_mark(f"{group.digest}/s", 3))
    finals = []
    for _ in range(2):
        publisher.publish_once()
        finals.append(Node.objects.get(digest=aggregate.digest).final_until)
    assert finals == [None, 4]


def test_a_feed_that_cannot_be_read_does_not_keep_others_waiting(make_node: MakeNode, data: Path) -> None:
    bad, good = (make_node(compile_programs({"a": build_state(field)})["a"]) for field in ("x", "y"))
    put(data, bad.digest, 0, build_mark("s", 1))
    next(require_path(Places(data).feed(bad.digest)).glob("*.parquet")).write_bytes(b"torn")
    put(data, good.digest, 0, build_mark("s", 1))
    assert publisher.publish_once() == 1
    positions = dict(Query.objects.values_list("name", "position"))
    assert positions == {bad.digest: -1, good.digest: 0}


def test_what_was_deleted_since_the_feeds_were_looked_for_is_passed_over(number: Node, data: Path) -> None:
    put(data, number.digest, 0, build_mark("s", 1))
    published_queries = publisher.list_published_queries()
    Node.objects.all().delete()
    Query.objects.all().delete()
    assert publisher.publish_once(published_queries) == 0
    assert publisher.behind.broken == set()


def test_what_was_logged_is_settled_once_there_is_nothing_more_to_publish(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not while batches come one after the other, and not again while nothing comes."""
    items, settled = [2, 1, 0, 0], list[int]()
    monkeypatch.setattr(publisher, "list_published_queries", list)
    monkeypatch.setattr(publisher, "publish_once", lambda _: items.pop(0))
    monkeypatch.setattr(publisher, "checkpoint_sqlite", lambda: settled.append(len(items)))
    rounds = publisher.Rounds()
    rests = [rounds.run_round() for _ in range(4)]
    assert settled == [1]
    assert rests == [0.0, 0.0, publisher.POLL_INTERVAL_S, publisher.POLL_INTERVAL_S]


def test_who_has_nothing_to_publish_for_long_looks_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    now, items = [100.0], [0, 1, 0, 0, 0, 1, 0]
    monkeypatch.setattr(publisher, "list_published_queries", list)
    monkeypatch.setattr(publisher, "publish_once", lambda _: items.pop(0))
    monkeypatch.setattr(publisher, "checkpoint_sqlite", lambda: None)
    monkeypatch.setattr(publisher, "time", SimpleNamespace(monotonic=lambda: now[0]))
    rounds, rests = publisher.Rounds(), list[float]()
    for seconds in (0.0, 0.0, 1.0, 8.9, 0.2, 50.0, 0.0):
        now[0] += seconds
        rests.append(rounds.run_round())
    assert rests == [
        publisher.QUIET_POLL_INTERVAL_S, 0.0, publisher.POLL_INTERVAL_S, publisher.POLL_INTERVAL_S,
        publisher.QUIET_POLL_INTERVAL_S, 0.0, publisher.POLL_INTERVAL_S,
    ]  # fmt: skip


def test_a_look_that_takes_long_is_followed_by_a_longer_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that thousands of feeds, or feeds at some distance, do not keep a core busy."""
    now = [0.0]

    def slowly(_: object) -> int:
        now[0] += 1.0
        return 0

    monkeypatch.setattr(publisher, "list_published_queries", list)
    monkeypatch.setattr(publisher, "publish_once", slowly)
    monkeypatch.setattr(publisher, "time", SimpleNamespace(monotonic=lambda: now[0]))
    assert publisher.Rounds().run_round() == publisher.POLL_REST_FACTOR
