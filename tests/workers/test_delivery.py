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

TIMEOUT_S = 120.0
Round = Callable[[], None]


@pytest.fixture
def node(transactional_db: None, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    monkeypatch.setattr("workers.connectors.delivery.MAX_WAIT_S", 0.3)
    settings.TIMELINE_DATA = settings.TIMELINE_LOCAL = tmp_path
    settings.DELIVERY_FOLDER = tmp_path / "delivered"
    return make_node(User.objects.create_superuser("ada"))


@pytest.fixture
def run_round(node: Node) -> Iterator[Round]:
    """One round of the delivery."""
    couriers: RunningThreads = {}
    yield lambda: reconcile(couriers)
    for courier in couriers.values():
        courier.halt()
    for courier in couriers.values():
        courier.join(TIMEOUT_S)
    connections.close_all()


def create_sink(node: Node, folder: str, **more: Any) -> NodeSink:
    assert node.owner is not None
    options = {"folder": folder, "every": 0.0}
    return add_sink(node=node, user=node.owner, kind="parquet", delivers="revisions", options=options, **more)


def read_keys(settings: Settings, folder: str) -> list[str]:
    """The keys of all rows that are there."""
    paths = sorted((settings.DELIVERY_FOLDER / folder).glob("*.parquet"))
    return sorted(key for path in paths for key in pq.read_table(path)["key"].to_pylist())


def run_rounds_until(is_true: Callable[[], bool], round_of: Round) -> None:
    end = time.monotonic() + TIMEOUT_S
    while not is_true():
        round_of()
        assert time.monotonic() < end, list(NodeSink.objects.values("observed", "words", "rows", "step"))
        time.sleep(0.05)


def list_expected_keys(count: int) -> list[str]:
    return sorted(f"k{number}" for number in range(count))


def write_versions(node: Node, numbers: range) -> None:
    """Each version in a transaction, as the publisher writes it."""
    for number in numbers:
        with transaction.atomic():
            revise(node, f"k{number}", [[T + number, True]])


def test_what_a_node_says_arrives_and_a_dead_sink_holds_up_nobody(
    node: Node, settings: Settings, run_round: Round
) -> None:
    write_versions(node, range(20))
    good, bad = create_sink(node, "good"), create_sink(node, "bad")
    (settings.DELIVERY_FOLDER / "bad").mkdir(parents=True)
    (settings.DELIVERY_FOLDER / "bad" / "mine").touch()
    run_rounds_until(lambda: read_keys(settings, "good") == list_expected_keys(20), run_round)
    run_rounds_until(lambda: read_sink(bad).observed == "retrying", run_round)
    assert "is not empty: choose another folder" in read_sink(bad).words
    run_rounds_until(lambda: read_sink(bad).lag == 20, run_round)
    write_versions(node, range(20, 40))
    run_rounds_until(lambda: read_keys(settings, "good") == list_expected_keys(40), run_round)
    run_rounds_until(
        lambda: "all is delivered, 40 rows; no plan runs the node" in read_sink(good).words, run_round
    )
    (settings.DELIVERY_FOLDER / "bad" / "mine").unlink()
    run_rounds_until(lambda: read_keys(settings, "bad") == list_expected_keys(40), run_round)


def test_it_is_paused_goes_on_and_is_removed(node: Node, settings: Settings, run_round: Round) -> None:
    assert node.owner is not None
    sink = create_sink(node, "here", paused=True)
    write_versions(node, range(5))
    run_round()
    assert read_sink(sink).observed == "paused"
    pause_sink(sink=sink, user=node.owner, paused=False)
    run_rounds_until(lambda: read_keys(settings, "here") == list_expected_keys(5), run_round)
    remove_sink(sink=read_sink(sink), user=node.owner)
    run_round()
    write_versions(node, range(5, 9))
    run_round()
    assert read_keys(settings, "here") == list_expected_keys(5)
    assert not sink_services.get_spool(sink).path.exists()


def test_the_reserve_of_the_disk_is_left_alone(node: Node, settings: Settings, run_round: Round) -> None:
    sink = create_sink(node, "here")
    settings.DISK_RESERVE_BYTES = 2**60
    write_versions(node, range(5))
    run_rounds_until(
        lambda: "there is no room on the server's disk (only" in read_sink(sink).words, run_round
    )
    assert read_keys(settings, "here") == []
    settings.DISK_RESERVE_BYTES = 0
    run_rounds_until(lambda: read_keys(settings, "here") == list_expected_keys(5), run_round)


def test_nothing_is_left_of_a_sink_that_is_removed_while_it_delivers(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its courier is told to stop in the middle of a batch that was put on disk after the sink was gone."""
    sink = create_sink(node, "here")
    write_versions(node, range(5))
    courier, publish = SinkWriter(sink), Parquet.publish

    def publishes(target: Parquet, batch: int) -> None:
        NodeSink.objects.all().delete()
        courier.halt()
        publish(target, batch)

    monkeypatch.setattr(Parquet, "publish", publishes)
    courier.start()
    courier.join(TIMEOUT_S)
    assert not courier.is_alive()
    assert not sink_services.get_spool(sink).path.exists()


class Dies(Exception):
    """The process is killed."""


@pytest.mark.parametrize("point", ["stage", "publish", "publish, and it was published", "record_step"])
def test_a_batch_is_the_same_batch_after_a_kill(
    node: Node, settings: Settings, monkeypatch: pytest.MonkeyPatch, point: str, run_round: Round
) -> None:
    """More comes between the kill and the next try: the batch stays what it was."""
    sink = create_sink(node, "here")
    write_versions(node, range(5))
    courier = SinkWriter(sink)
    with monkeypatch.context() as patched:
        kill(patched, point)
        with pytest.raises(Dies):
            courier._once()
    write_versions(node, range(5, 9))
    run_rounds_until(lambda: read_keys(settings, "here") == list_expected_keys(9), run_round)
    run_rounds_until(lambda: read_sink(sink).rows == 9, run_round)
    files = sorted((settings.DELIVERY_FOLDER / "here").glob("*.parquet"))
    first = sorted(pq.read_table(files[0])["key"].to_pylist())
    assert first == list_expected_keys(5)


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
    node: Node, settings: Settings, run_round: Round
) -> None:
    sink = create_sink(node, "here")
    write_versions(node, range(3))
    run_rounds_until(lambda: read_sink(sink).rows == 3, run_round)
    pause_sink(sink=read_sink(sink), user=node.owner, paused=True)  # type: ignore[arg-type]
    run_round()
    NodeSink.objects.update(batch=-1, place={}, rows=0)  # as a backup from before has it
    pause_sink(sink=read_sink(sink), user=node.owner, paused=False)  # type: ignore[arg-type]
    run_rounds_until(
        lambda: "as after a restored backup: remove the sink" in read_sink(sink).words, run_round
    )
    assert read_keys(settings, "here") == list_expected_keys(3)


def test_a_target_that_lost_something_is_said(node: Node, settings: Settings, run_round: Round) -> None:
    sink = create_sink(node, "here")
    write_versions(node, range(3))
    run_rounds_until(lambda: read_sink(sink).rows == 3, run_round)
    assert node.owner is not None
    pause_sink(sink=read_sink(sink), user=node.owner, paused=True)
    run_round()
    shutil.rmtree(settings.DELIVERY_FOLDER / "here")
    pause_sink(sink=read_sink(sink), user=node.owner, paused=False)
    run_rounds_until(
        lambda: "bring back what was taken away, or remove the sink" in read_sink(sink).words, run_round
    )


def read_sink(sink: NodeSink) -> NodeSink:
    """How it is now."""
    return NodeSink.objects.select_related("node").get(pk=sink.pk)
