"""The delivery: what nodes say arrives once, whoever is killed, and a dead sink holds up nobody."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.contrib.auth.models import User
from django.db import connections, transaction
from pytest_django import Settings

from tests.web.log import T, make_node, revise
from timeline_app.connectors.files.parquet_sink import Parquet
from timeline_app.web.models import Node
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.sinks import services as sink_services
from timeline_app.web.sinks.services import add_sink, pause_sink, remove_sink
from workers.connectors.delivery import SinkWriter, reconcile
from workers.connectors.runner import RunningThreads

PATIENCE = 120.0
Round = Callable[[], None]


@pytest.fixture
def node(transactional_db: None, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.setattr("workers.connectors.delivery.MAX_WAIT_S", 0.3)
    settings.TIMELINE_DATA = settings.TIMELINE_LOCAL = tmp_path
    settings.DELIVERED = tmp_path / "delivered"
    return make_node(User.objects.create_superuser("ada"))


@pytest.fixture
def round_of(node: Node) -> Iterator[Round]:
    """One round of the delivery."""
    couriers: RunningThreads = {}
    yield lambda: reconcile(couriers)
    for courier in couriers.values():
        courier.halt()
    for courier in couriers.values():
        courier.join(PATIENCE)
    connections.close_all()


def sink_to(node: Node, folder: str, **more: Any) -> NodeSink:
    assert node.owner is not None
    given = {"folder": folder, "every": 0.0}
    return add_sink(node=node, user=node.owner, kind="parquet", delivers="revisions", given=given, **more)


def keys(settings: Settings, folder: str) -> list[str]:
    """The keys of all rows that are there."""
    paths = sorted((settings.DELIVERED / folder).glob("*.parquet"))
    return sorted(key for path in paths for key in pq.read_table(path)["key"].to_pylist())


def until(said: Callable[[], bool], round_of: Round) -> None:
    end = time.monotonic() + PATIENCE
    while not said():
        round_of()
        assert time.monotonic() < end, list(NodeSink.objects.values("observed", "words", "rows", "step"))
        time.sleep(0.05)


def wanted(count: int) -> list[str]:
    return sorted(f"k{number}" for number in range(count))


def say(node: Node, numbers: range) -> None:
    """Each version in a transaction, as the publisher writes it."""
    for number in numbers:
        with transaction.atomic():
            revise(node, f"k{number}", [[T + number, True]])


def test_what_a_node_says_arrives_and_a_dead_sink_holds_up_nobody(
    node: Node, settings: Settings, round_of: Round
) -> None:
    say(node, range(20))
    good, bad = sink_to(node, "good"), sink_to(node, "bad")
    (settings.DELIVERED / "bad").mkdir(parents=True)
    (settings.DELIVERED / "bad" / "mine").touch()
    until(lambda: keys(settings, "good") == wanted(20), round_of)
    until(lambda: told(bad).observed == "retrying", round_of)
    assert "is not empty: choose another folder" in told(bad).words
    until(lambda: told(bad).lag == 20, round_of)
    say(node, range(20, 40))
    until(lambda: keys(settings, "good") == wanted(40), round_of)
    until(lambda: "all is delivered, 40 rows; no plan runs the node" in told(good).words, round_of)
    (settings.DELIVERED / "bad" / "mine").unlink()
    until(lambda: keys(settings, "bad") == wanted(40), round_of)


def test_it_is_paused_goes_on_and_is_removed(node: Node, settings: Settings, round_of: Round) -> None:
    assert node.owner is not None
    sink = sink_to(node, "here", paused=True)
    say(node, range(5))
    round_of()
    assert told(sink).observed == "paused"
    pause_sink(sink=sink, user=node.owner, paused=False)
    until(lambda: keys(settings, "here") == wanted(5), round_of)
    remove_sink(sink=told(sink), user=node.owner)
    round_of()
    say(node, range(5, 9))
    round_of()
    assert keys(settings, "here") == wanted(5)
    assert not sink_services.get_spool(sink).path.exists()


def test_the_reserve_of_the_disk_is_left_alone(node: Node, settings: Settings, round_of: Round) -> None:
    sink = sink_to(node, "here")
    settings.DISK_RESERVE = 2**60
    say(node, range(5))
    until(lambda: "there is no room on the server's disk (only" in told(sink).words, round_of)
    assert keys(settings, "here") == []
    settings.DISK_RESERVE = 0
    until(lambda: keys(settings, "here") == wanted(5), round_of)


def test_nothing_is_left_of_a_sink_that_is_removed_while_it_delivers(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its courier is told to stop in the middle of a batch that was put on disk after the sink was gone."""
    sink = sink_to(node, "here")
    say(node, range(5))
    courier, publish = SinkWriter(sink), Parquet.publish

    def publishes(target: Parquet, batch: int) -> None:
        NodeSink.objects.all().delete()
        courier.halt()
        publish(target, batch)

    monkeypatch.setattr(Parquet, "publish", publishes)
    courier.start()
    courier.join(PATIENCE)
    assert not courier.is_alive()
    assert not sink_services.get_spool(sink).path.exists()


class Dies(Exception):
    """The process is killed."""


@pytest.mark.parametrize("point", ["stage", "publish", "publish, and it was published", "record_step"])
def test_a_batch_is_the_same_batch_after_a_kill(
    node: Node, settings: Settings, monkeypatch: pytest.MonkeyPatch, point: str, round_of: Round
) -> None:
    """More comes between the kill and the next try: the batch stays what it was."""
    sink = sink_to(node, "here")
    say(node, range(5))
    courier = SinkWriter(sink)
    with monkeypatch.context() as patched:
        kill(patched, point)
        with pytest.raises(Dies):
            courier._once()
    say(node, range(5, 9))
    until(lambda: keys(settings, "here") == wanted(9), round_of)
    until(lambda: told(sink).rows == 9, round_of)
    files = sorted((settings.DELIVERED / "here").glob("*.parquet"))
    first = sorted(pq.read_table(files[0])["key"].to_pylist())
    assert first == wanted(5)


def kill(patched: pytest.MonkeyPatch, point: str) -> None:
    """Die at a point."""
    publish = Parquet.publish

    def dies(*arguments: Any) -> None:
        if point.endswith("published"):
            publish(*arguments)
        raise Dies

    if point == "record_step":
        patched.setattr("workers.connectors.delivery.deliveries.record_step", dies)
    else:
        patched.setattr(Parquet, point.partition(",")[0], dies)


def test_a_target_that_knows_more_than_we_do_is_left_alone(
    node: Node, settings: Settings, round_of: Round
) -> None:
    sink = sink_to(node, "here")
    say(node, range(3))
    until(lambda: told(sink).rows == 3, round_of)
    pause_sink(sink=told(sink), user=node.owner, paused=True)  # type: ignore[arg-type]
    round_of()
    NodeSink.objects.update(batch=-1, place={}, rows=0)  # as a backup from before has it
    pause_sink(sink=told(sink), user=node.owner, paused=False)  # type: ignore[arg-type]
    until(lambda: "as after a restored backup: remove the sink" in told(sink).words, round_of)
    assert keys(settings, "here") == wanted(3)


def test_a_target_that_lost_something_is_said(node: Node, settings: Settings, round_of: Round) -> None:
    sink = sink_to(node, "here")
    say(node, range(3))
    until(lambda: told(sink).rows == 3, round_of)
    assert node.owner is not None
    pause_sink(sink=told(sink), user=node.owner, paused=True)
    round_of()
    shutil.rmtree(settings.DELIVERED / "here")
    pause_sink(sink=told(sink), user=node.owner, paused=False)
    until(lambda: "bring back what was taken away, or remove the sink" in told(sink).words, round_of)


def told(sink: NodeSink) -> NodeSink:
    """How it is now."""
    return NodeSink.objects.select_related("node").get(pk=sink.pk)
