"""The delivery and its targets are killed at random: nothing is lost, and nothing doubled where that is promised."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from pytest_django import Settings

from tests.broker import Broker
from tests.connectors.worlds import Files, OfDelta, OfKafka, OfParquet, OfPostgres, OfWebhook
from tests.environment import ON
from tests.postgres import Server
from tests.web.log import T, make_node, revise
from timeline_app.connectors.sink_kit import SinkHarness
from timeline_app.web.models import Node
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.sinks.services import add_sink

pytestmark = [
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]
ROOT = Path(__file__).parents[2]
TIMEOUT_S = 300.0
KEYS, STEP = 10, 1_000


class Delivering:
    """The delivery as a process of its own."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        strange = ("REDIS_URL", "SPARK_REMOTE", ON)
        self._log = (folder / "delivery.log").open("ab")
        self._environment = {name: value for name, value in os.environ.items() if name not in strange} | {
            "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}", "TIMELINE_DATA": str(folder),
            "TIMELINE_DELIVERY_FOLDER": str(settings.DELIVERY_FOLDER), "TIMELINE_SECRET_KEY": settings.SECRET_KEY,
        }  # fmt: skip
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "workers.connectors.delivery"]
        self._running = subprocess.Popen(
            command,
            cwd=ROOT,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )

    def kill(self) -> None:
        if self._running is not None:
            self._running.send_signal(signal.SIGKILL)
            self._running.wait()


@pytest.fixture
def node(settings: Settings, tmp_path: Path) -> Node:
    settings.TIMELINE_DATA = settings.TIMELINE_LOCAL = tmp_path
    settings.DELIVERY_FOLDER = tmp_path / "delivered"
    return make_node(User.objects.create_superuser("ada"), kind="text", operator="latest_event_to_state")


@contextmanager
def run_delivery(settings: Settings, folder: Path) -> Iterator[Delivering]:
    process = Delivering(settings, folder)
    process.start()
    try:
        yield process
    finally:
        process.kill()


def say(node: Node, first: int, many: int) -> int:
    """Each version as the publisher writes it; how many there are."""
    for number in range(first, first + many):
        with transaction.atomic():
            start = None if number < KEYS else T + number * STEP
            revise(node, f"k{number % KEYS}", [[start, f"v{number}"]], start=start)
            node.final_until = T + number * STEP
            node.save()
    return first + many


def build_final_spans(count: int) -> set[tuple[Any, ...]]:
    """Key, value and end of all spans but the last of each key."""
    return {
        (f"k{number % KEYS}", f"v{number}", T + (number + KEYS) * STEP)
        for number in range(count - KEYS)
        if T + (number + KEYS) * STEP < T + (count - 1) * STEP
    }


def wait_until(is_true: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT_S
    while not is_true():
        assert time.monotonic() < end, list(
            NodeSink.objects.values("kind", "delivers", "words", "rows", "lag")
        )
        time.sleep(0.1)


def count_rows(sink: NodeSink) -> int:
    return NodeSink.objects.values_list("rows", flat=True).get(pk=sink.pk)


def add(node: Node, kind: str, options: dict[str, Any], delivers: str = "revisions") -> NodeSink:
    assert node.owner is not None
    return add_sink(node=node, user=node.owner, kind=kind, delivers=delivers, options=options)


def count_values(world: SinkHarness) -> Counter[str]:
    return Counter(row["value"] for row in world.rows())


def has_delivered(sinks: list[NodeSink], before: list[int]) -> bool:
    return any(count_rows(sink) > rows for sink, rows in zip(sinks, before, strict=True))


def kill_while_delivering(
    node: Node, sinks: list[NodeSink], process: Delivering, kills: int, target: Callable[[], None], seed: int
) -> int:
    """Kill the delivery, and now and then a target, while it delivers; how many versions there are."""
    chance, count = random.Random(seed), say(node, 0, 3 * KEYS)
    for number in range(kills):
        before = [count_rows(sink) for sink in sinks]
        count = say(node, count, chance.randrange(5, 40))
        wait_until(partial(has_delivered, sinks, before))
        if number % 3 == 1:
            target()
        time.sleep(chance.random() * 0.5)
        process.kill()
        process.start()
    count = say(node, count, KEYS)
    assert node.version == count - 1
    wait_until(lambda: all(count_rows(item) == count for item in sinks if item.delivers == "revisions"))
    return count


@pytest.mark.parametrize(
    "kills", [pytest.param(4, id="quick"), pytest.param(50, id="long", marks=pytest.mark.long)]
)
def test_nothing_is_lost_or_doubled(node: Node, settings: Settings, tmp_path: Path, kills: int) -> None:
    with Server(("fsync=off",)) as server, run_delivery(settings, tmp_path) as process:
        table, hook, files, lake = OfPostgres(server), OfWebhook(), OfParquet(), OfDelta()
        use_base_folder(settings, files, lake)
        options = table.sink_options()
        sinks = [
            add(node, "postgres", options),
            add(node, "parquet", {"folder": files.name, "every": 0.0}),
            add(node, "delta", {"folder": lake.name, "every": 0.0}),
            add(node, "webhook", {"url": hook.url, "secret": hook.secret, "most": 3}),
            add(node, "postgres", options | {"table": f"{table.table}_final"}, "final"),
        ]

        def start_target() -> None:
            server.kill()
            hook.away()
            hook.back()
            server.start()

        count = kill_while_delivering(node, sinks, process, kills, start_target, seed=kills)
        expected = Counter({f"v{number}": 1 for number in range(count)})
        for world in (table, files, lake, hook):
            assert count_values(world) == expected, type(world).__name__
        wait_until(lambda: count_rows(sinks[-1]) == len(build_final_spans(count)))
        table.table += "_final"
        items = [(row["key"], row["value"], round(row["valid_to"].timestamp() * 1e6)) for row in table.rows()]
        assert Counter(items) == Counter(build_final_spans(count))
        assert len(hook.receiver.posted) >= len(hook.receiver.taken)
        hook.close()


@pytest.mark.parametrize(
    "kills", [pytest.param(2, id="quick"), pytest.param(50, id="long", marks=pytest.mark.long)]
)
def test_readers_of_what_is_committed_in_kafka_see_everything_once(
    node: Node, settings: Settings, tmp_path: Path, kills: int
) -> None:
    with Broker() as broker, run_delivery(settings, tmp_path) as process:
        world = OfKafka(broker)
        sink = add(node, "kafka", {"servers": broker.servers, "topic": world.topic})

        def start_target() -> None:
            broker.kill()
            broker.start()

        count = kill_while_delivering(node, [sink], process, kills, start_target, seed=kills)
        assert count_values(world) == Counter({f"v{number}": 1 for number in range(count)})


def use_base_folder(settings: Settings, *worlds: Files) -> None:
    """They look where the product delivers to."""
    for number, world in enumerate(worlds):
        world.close()
        world.base, world.name = settings.DELIVERY_FOLDER, f"here{number}"
        world.folder = world.base / world.name
