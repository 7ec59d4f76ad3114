"""A batch is published in slices: others get their turn in between, and no reader sees a part of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.workers.conftest import MakeNode, build_state, compile_programs
from tests.workers.test_publisher import SECOND, build_mark, build_number_rows, put
from timeline_app.algebra.kinds import BEGINNING, Kind
from timeline_app.feed.files import FileFeed
from timeline_app.fs.layout import Places
from timeline_app.web.models import Node, NodeKey, Query, Revision
from timeline_app.web.nodes.key_states import StatesQuestion, describe_key_states
from timeline_app.web.nodes.log_compaction import compact_log
from timeline_app.web.nodes.ranking import Ranking
from timeline_app.web.nodes.timelines import load_revisions_since, peek
from workers.engine import publisher, slices
from workers.engine.revision_writer import write_slice
from workers.engine.slices import FeedSlice, SlicedBatch

ROWS = 100


@pytest.fixture(autouse=True)
def slices_of_a_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of a hundred rows, and nothing left of another test."""
    monkeypatch.setattr(slices, "MAX_ROWS_PER_SLICE", ROWS)
    publisher.readings.clear()


@pytest.fixture
def number_nodes(make_node: MakeNode) -> list[Node]:
    """Two nodes whose timelines are numbers, each in a query of its own."""
    nodes = {"c": {"op": "duration_where", "inputs": {"of": "b"}}}
    items = []
    for field in ("x", "y"):
        nodes |= {
            "a": build_state(field),
            "b": {"op": "equal_to", "inputs": {"of": "a"}, "params": {"value": "1"}},
        }
        items.append(make_node(compile_programs(nodes)["c"]))
    return items


def build_climbing_rows(key: str, pieces: int, first: int = 0) -> pa.Table:
    """One revision of so many pieces, a second apart."""
    return build_number_rows(
        key, (BEGINNING, 0.0, 0.0), *((index * SECOND, float(index), 0.5) for index in range(first, pieces))
    )


def read_log(node: Node) -> dict[str, object]:
    """What the log says of each key."""
    node.refresh_from_db()
    return {
        key: result["points"] if (result := peek(node, key)) else None
        for key in NodeKey.objects.filter(node=node).values_list("key", flat=True)
    }


def publish_whole(node: Node, batch: int, rows: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Publish a batch as one slice."""
    with monkeypatch.context() as patched:
        patched.setattr(slices, "MAX_ROWS_PER_SLICE", len(rows))
        assert publisher.publish(Query.objects.get(pk=node.query_id), batch, rows)


def test_a_batch_in_slices_says_what_it_says_whole(
    number_nodes: list[Node], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sliced, whole = number_nodes
    tables = [
        build_mark("s", 7 * SECOND, events=3),
        *(build_climbing_rows(f"k{n}", 30) for n in range(12)),
        build_climbing_rows("long", 450),
    ]
    rows = pa.concat_tables([*tables, build_mark("s", 9 * SECOND, events=4)])
    put(data, sliced.digest, 0, rows)
    publish_whole(whole, 0, rows, monkeypatch)
    rounds = 0
    while publisher.publish_once():
        rounds += 1
    assert rounds == -(-len(rows) // ROWS)
    assert read_log(sliced) == read_log(whole)
    for node in number_nodes:
        node.refresh_from_db()
        assert (node.version, node.events, node.final_until) == (0, 7, 9 * SECOND)
    assert sliced.revisions > whole.revisions, "a revision that is longer than a slice is written in parts"
    assert Query.objects.get(pk=sliced.query_id).slice_rows == 0


STATED = ("keys", "looked_at", "distribution")


def test_nobody_sees_a_part_of_a_batch(number_nodes: list[Node], data: Path) -> None:
    node = number_nodes[0]
    put(data, node.digest, 0, build_climbing_rows("k", 10), build_mark("s", 10 * SECOND))
    put(
        data,
        node.digest,
        1,
        build_climbing_rows("k", 450),
        build_climbing_rows("new", 20),
        build_mark("s", 450 * SECOND),
    )
    publisher.publish_once()
    before = read_log(node)
    question = StatesQuestion(at=400 * SECOND, lookback=390 * SECOND, value=None, chosen=False)
    stated = describe_key_states(node, question)
    as_of = node.as_of
    assert as_of is not None
    ranking = Ranking(node.digest, Kind(node.kind))
    ranking.read(node)
    for _ in range(4):
        assert publisher.publish_once() == 1
        assert read_log(node) | {"new": None} == before | {"new": None}
        assert (node.as_of, node.version, node.final_until) == (as_of, 0, 10 * SECOND)
        assert load_revisions_since([(node, "k", as_of)]) == [[]]
        assert peek(node, "new") is None
        assert [describe_key_states(node, question)[name] for name in STATED] == [
            stated[name] for name in STATED
        ]
        ranking.read(node)
        assert set(ranking.tails) == {"k"}
    assert Revision.objects.filter(known_at__gt=as_of).count() > 1, "a part is there"
    assert publisher.publish_once() == 1
    after = read_log(node)
    assert {key["key"] for key in describe_key_states(node, question)["keys"]} == {"k", "new"}
    assert len(after["k"]) == 451  # type: ignore[arg-type]
    assert len({row.known_at for row in Revision.objects.filter(known_at__gt=as_of)}) == 1
    assert len(load_revisions_since([(node, "k", as_of)])[0]) > 1
    assert peek(node, "k", known_at=as_of)["points"] == before["k"]  # type: ignore[index]
    ranking.read(node)
    assert set(ranking.tails) == {"k", "new"}


def test_others_have_their_turn_between_two_slices(number_nodes: list[Node], data: Path) -> None:
    large, small = number_nodes
    put(data, large.digest, 0, build_climbing_rows("k", 1_000))
    for batch in range(3):
        put(data, small.digest, batch, build_number_rows("k", (batch * SECOND, 1.0, 0.0)))
    versions = []
    for _ in range(3):
        assert publisher.publish_once() == 2
        versions.append([Node.objects.get(pk=node.pk).version for node in (large, small)])
    assert versions == [[-1, 0], [-1, 1], [-1, 2]]


@pytest.mark.parametrize("slices_before", range(5))
def test_who_is_killed_between_two_slices_publishes_each_row_once(
    number_nodes: list[Node], data: Path, slices_before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, whole = number_nodes
    rows = pa.concat_tables(
        [
            build_mark("s", 1, events=5),
            build_climbing_rows("a", 130),
            build_climbing_rows("b", 260),
            build_mark("s", 2),
        ]
    )
    put(data, node.digest, 0, rows)
    publish_whole(whole, 0, rows, monkeypatch)
    for _ in range(slices_before):
        publisher.publish_once()
    publisher.readings.clear()  # what a new process does not know
    while publisher.publish_once():
        pass
    assert read_log(node) == read_log(whole)
    parts = Revision.objects.filter(node_key__node=node)
    assert parts.count() == node.revisions == 5
    assert len(set(parts.values_list("known_at", flat=True))) == 1
    assert (node.events, node.version) == (5, 0)


def test_two_publishers_write_each_slice_once(number_nodes: list[Node], data: Path) -> None:
    node = number_nodes[0]
    put(data, node.digest, 0, build_climbing_rows("a", 450))
    feed = FileFeed(Places(data).feed(node.digest))
    query = Query.objects.get(pk=node.query_id)
    left, right = SlicedBatch(feed, 0), SlicedBatch(feed, 0)
    written = list[tuple[FeedSlice, bool]]()
    while not written or not written[-1][0].last:
        pieces = left.take(), right.take()
        assert pieces[0].rows.equals(pieces[1].rows)
        written += [(piece, write_slice(query, piece)) for piece in pieces]
    assert [done for _, done in written] == [True, False] * 5
    assert len(read_log(node)["a"]) == 451  # type: ignore[arg-type]


def test_a_batch_that_is_computed_again_in_another_order_is_published_anew(
    number_nodes: list[Node], data: Path
) -> None:
    node = number_nodes[0]
    put(data, node.digest, 0, build_climbing_rows("a", 130), build_climbing_rows("b", 130))
    publisher.publish_once()
    put(data, node.digest, 0, build_climbing_rows("b", 130), build_climbing_rows("a", 130))
    Query.objects.filter(pk=node.query_id).update(slice_rows=0, slice_known_at=None)  # as mending does
    while publisher.publish_once():
        pass
    assert {key: len(points) for key, points in read_log(node).items()} == {"a": 131, "b": 131}  # type: ignore[arg-type]


def test_what_was_written_in_parts_is_compacted(number_nodes: list[Node], data: Path) -> None:
    node = number_nodes[0]
    put(data, node.digest, 0, build_climbing_rows("k", 450))
    for batch in range(1, 20):
        put(data, node.digest, batch, build_number_rows("k", ((500 + batch) * SECOND, 1.0 + batch, 0.0)))
    while publisher.publish_once():
        pass
    before = read_log(node)
    assert compact_log(now=(node.as_of or 0) * 2) > 19
    assert read_log(node) == before
    assert not Revision.objects.filter(folded=False).exists()


def test_large_values_make_smaller_slices(
    make_node: MakeNode, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "MAX_BYTES_PER_SLICE", 1 << 16)
    node = make_node(compile_programs({"a": build_state("x")})["a"])
    rows = build_number_rows("k", *((index * SECOND, 0.0, 0.0) for index in range(90)))
    texts = pa.array([f"{index:01000d}" for index in range(90)])
    rows = rows.set_column(rows.schema.get_field_index("text"), "text", texts)
    put(data, node.digest, 0, rows)
    reader = SlicedBatch(FileFeed(Places(data).feed(node.digest)), 0)
    items = [reader.take()]
    while not items[-1].last:
        items.append(reader.take())
    assert len(items) > 1
    assert max(piece.rows.nbytes for piece in items) <= 1 << 17
    assert np.concatenate([piece.rows["t"].to_numpy() for piece in items]).tolist() == rows["t"].to_pylist()
