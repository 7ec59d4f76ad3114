"""Moving a node in small steps: each waits for the one before, and may be repeated after a crash."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from tests.workers.conftest import STREAM, MakeNode, build_state, compile_programs
from tests.workers.test_checkpoint import write_state
from tests.workers.test_publisher import build_mark, put
from timeline_app.compiler.placement import merge_programs
from timeline_app.feed.lineage import Chain, ChainLink
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import require_path
from timeline_app.landing.log import Landing
from timeline_app.landing.request_body import read_batch
from timeline_app.plan import StreamDeclaration
from timeline_app.web.models import Node, Plan, PlanNode, Query
from timeline_app.web.nodes.services import stop_unused_nodes
from workers.engine import handover, publisher
from workers.spark.checkpoint import Checkpoint


class Running:
    """A query as Spark knows it."""

    def __init__(self) -> None:
        self.stopped = 0

    def stop(self) -> None:
        self.stopped += 1


def read(data: Path, query: str, batch: int, until: int) -> None:
    """Write down how far a batch read, and the state behind it, as Spark does."""
    folder = require_path(Places(data).checkpoint(query)) / "offsets"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / str(batch)).write_text("\n".join(["v1", "{}", json.dumps({"next": until})]))
    write_state(
        Checkpoint(Places(data), query, compile_programs({"a": build_state("x")})["a"], {}, ""), batch + 1
    )


@pytest.fixture
def moving_node(make_node: MakeNode, data: Path) -> tuple[Node, Query]:
    """A node that published two batches and moves to a query of two nodes."""
    programs = compile_programs({"a": build_state("x"), "b": build_state("y")})
    node = make_node(programs["a"])
    for batch, until in enumerate((3, 7)):
        put(data, node.digest, batch, build_mark("s", batch))
        read(data, node.digest, batch, until)
    program = merge_programs([programs["b"], programs["a"]]).to_document()
    target = Query.objects.create(name="both", program=program, desired="running")
    Node.objects.filter(pk=node.pk).update(next_query=target)
    return node, target


def read_chain(data: Path, node: Node) -> list[ChainLink]:
    return Chain(Places(data), node.digest).segments()


def test_the_old_query_is_stopped_first(moving_node: tuple[Node, Query], data: Path) -> None:
    node, target = moving_node
    running = Running()
    handover.advance_handovers({node.digest: running})
    assert running.stopped == 1
    assert handover.select_waiting_queries() == {target.pk}
    assert handover.select_queries_being_left() == {node.query_id}
    assert read_chain(data, node) == [ChainLink(node.digest, 0)]


def test_it_waits_until_all_that_was_said_is_in_the_log(moving_node: tuple[Node, Query], data: Path) -> None:
    node, target = moving_node
    handover.advance_handovers({})
    assert handover.select_waiting_queries() == {target.pk}
    publisher.publish_once()
    handover.advance_handovers({})
    assert handover.select_waiting_queries() == {target.pk}, "one batch is still to come"
    publisher.publish_once()
    handover.advance_handovers({})
    assert handover.select_waiting_queries() == set()
    node.refresh_from_db()
    target.refresh_from_db()
    assert (node.query, node.next_query) == (target, None)
    assert target.taken_over == {node.digest: {"s": [7, 7]}}
    assert read_chain(data, node) == [ChainLink(node.digest, 0, 2), ChainLink("both", 1)]
    old = Query.objects.get(name=node.digest)
    assert old.desired == "stopped"
    assert not Places(data).checkpoint(node.digest).exists(), "nobody needs its state any more"


def test_a_crash_between_the_chain_and_the_database_is_repeated_without_harm(
    moving_node: tuple[Node, Query], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, target = moving_node
    while publisher.publish_once():
        pass

    def crash(_query: Any) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as broken:
        broken.setattr(handover, "_release_query", crash)
        handover.advance_handovers({})
    assert handover.select_waiting_queries() == {target.pk}
    expected = [ChainLink(node.digest, 0, 2), ChainLink("both", 1)]
    assert read_chain(data, node) == expected
    handover.advance_handovers({})
    assert (handover.select_waiting_queries(), read_chain(data, node)) == (set(), expected)


def test_another_choice_in_between_takes_the_place_of_the_first(
    moving_node: tuple[Node, Query], data: Path
) -> None:
    node, _target = moving_node
    while publisher.publish_once():
        pass
    Chain(Places(data), node.digest).write([ChainLink(node.digest, 0, 2), ChainLink("overtaken", 0)])
    handover.advance_handovers({})
    assert read_chain(data, node) == [ChainLink(node.digest, 0, 2), ChainLink("both", 1)]


def test_a_node_that_was_left_out_before_moves_from_where_it_was_left(
    moving_node: tuple[Node, Query], data: Path
) -> None:
    node, target = moving_node
    while publisher.publish_once():
        pass
    Node.objects.filter(pk=node.pk).update(left={"batches": 1, "sources": {"s": [3, 3]}})
    handover.advance_handovers({})
    target.refresh_from_db()
    assert target.taken_over == {node.digest: {"s": [3, 3]}}
    assert read_chain(data, node) == [ChainLink(node.digest, 0, 1), ChainLink("both", 1)]


def test_offsets_that_cannot_be_read_leave_a_stretch_that_is_told_whole(
    moving_node: tuple[Node, Query], data: Path
) -> None:
    node, target = moving_node
    while publisher.publish_once():
        pass
    declaration = StreamDeclaration.from_document("s", STREAM)
    for _ in range(9):
        Landing(Places(data).landing, "s").append(read_batch(b'{"k": "x", "t": 1}', declaration))
    for batch in "01":  # one of them alone is mended
        (require_path(Places(data).checkpoint(node.digest)) / "offsets" / batch).write_text("torn")
    handover.advance_handovers({})
    target.refresh_from_db()
    assert target.taken_over == {node.digest: {"s": [0, 9]}}


def test_a_plan_that_stops_meanwhile_leaves_both_queries_stopped(
    moving_node: tuple[Node, Query], data: Path
) -> None:
    node, _target = moving_node
    with transaction.atomic():
        stop_unused_nodes({node.pk})
    assert set(Query.objects.values_list("desired", flat=True)) == {"stopped"}
    while publisher.publish_once():
        pass
    handover.advance_handovers({})
    assert set(Query.objects.values_list("desired", flat=True)) == {"stopped"}


def test_what_was_said_before_a_node_was_left_out_reaches_the_log(
    moving_node: tuple[Node, Query], data: Path
) -> None:
    node, _target = moving_node
    Node.objects.filter(pk=node.pk).update(next_query=None)
    query = Query.objects.get(name=node.digest)
    query.program["silent"] = [node.digest]
    query.save()
    assert publisher.publish_once() == 1
    handover.record_positions(query)
    assert publisher.publish_once() == 1
    node.refresh_from_db()
    assert (node.left or {})["batches"] == 2
    assert node.version == 1, "the publisher was behind the feed when the node was left out"


def test_what_a_stopped_query_said_last_is_still_published(
    moving_node: tuple[Node, Query], data: Path
) -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    Query.objects.update(desired="stopped", observed="stopped", observed_since=long_ago)
    assert [publisher.publish_once() for _ in range(3)] == [1, 1, 0]
    handover.advance_handovers({})
    assert handover.select_waiting_queries() == set()


def test_a_query_that_was_never_launched_can_be_left(make_node: MakeNode, data: Path) -> None:
    """The placement was changed twice before the supervisor looked."""
    programs = compile_programs({"a": build_state("x"), "b": build_state("y")})
    node = make_node(programs["a"])
    both = {"program": merge_programs([programs["b"], programs["a"]]).to_document(), "desired": "running"}
    first = Query.objects.create(name="together", **both)
    target = Query.objects.create(name="alone", program=programs["a"].to_document(), desired="running")
    Node.objects.filter(pk=node.pk).update(query=first, next_query=target)
    handover.advance_handovers({})
    assert handover.select_waiting_queries() == set()
    assert read_chain(data, node) == [ChainLink("together", 1, 0), ChainLink("alone", 0)]


def test_a_query_that_is_left_keeps_the_nodes_that_are_on_their_way_to_it(
    moving_node: tuple[Node, Query], make_node: MakeNode, data: Path
) -> None:
    """Nodes move from one query to a second while others move from the second to a third."""
    node, target = moving_node
    other = make_node(compile_programs({"b": build_state("y")})["b"])
    third = Query.objects.create(name="aaa", program=other.query.program, desired="running")
    Node.objects.filter(pk=other.pk).update(query=target, next_query=third)
    plan = Plan.objects.create(name="p", owner=other.owner, document={})
    PlanNode.objects.create(plan=plan, node=node, name="a")
    handover.advance_handovers({})  # the third's turn comes first
    target.refresh_from_db()
    assert (target.desired, target.program["silent"]) == ("running", [other.digest])
