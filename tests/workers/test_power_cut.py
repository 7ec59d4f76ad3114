"""The power is cut while queries run, again and again: through real Spark, on a disk that loses what was not synced.

What the door has acknowledged is in every timeline in the end, once, and what was published stays so. The database lies
on another disk: SQLite and PostgreSQL sync each commit.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pyspark.errors import PySparkException
from pytest_django.fixtures import Settings

from tests.browser.product import Rows, Truth, build_rows
from tests.power.disk import Loss, RecordedDisk
from tests.workers.conftest import STREAM, MakeNode, build_state, compile_programs, land_line
from timeline_app.evaluate.engine import iterate_answers
from timeline_app.evaluate.request import read_events, read_plan
from timeline_app.web.models import Lease, Node, NodeKey, Query
from timeline_app.web.nodes.timelines import peek
from workers.engine import launcher, publisher, supervisor
from workers.spark.connect.embedded_server import start_embedded_server
from workers.spark.connect.session import drop_session

pytestmark = [pytest.mark.spark, pytest.mark.long]
NODES: dict[str, Any] = {
    "last": build_state("x"),
    "seen": {"op": "has_existed", "stream": "s", "params": {"where": 'x == "v"'}},
    "counted": {"op": "aggregate", "inputs": {"of": "seen", "by": "last"}, "params": {"function": "count"}},
}
CUTS = int(os.environ.get("POWER_CUTS", "4"))
KEYS = 12
TIMEOUT_S = 400.0


class Machine:
    """Spark, supervisor and publisher of an installation, on a disk that loses what was not synced."""

    def __init__(self, data: Path, scratch: Path, settings: Settings, chance: random.Random) -> None:
        """Nothing runs yet."""
        self.data, self.scratch, self.settings, self.chance = data, scratch, settings, chance
        self.sent: list[dict[str, Any]] = []
        self.boots = 0

    @contextmanager
    def powered(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordedDisk]:
        """A boot of the machine, until its power is cut."""
        self.boots += 1
        own = self.scratch / f"boot-{self.boots}"
        own.mkdir()
        with monkeypatch.context() as patched:
            disk = RecordedDisk(self.data, own)
            for name, text in disk.environment.items():
                patched.setenv(name, text)
            patched.setattr(os, "fsync", disk.recording(os.fsync))
            local = own / "local"
            local.mkdir()
            with start_embedded_server(local, shared=str(self.data)) as remote:
                self.settings.SPARK_REMOTE = remote
                yield disk
        drop_session(remote)

    def work(self, batches: int, seconds: float) -> None:
        """Take events until each query has published so many batches more, and for so long after that."""
        expected = {
            name: position + batches for name, position in Query.objects.values_list("name", "position")
        }
        last = time.monotonic() + TIMEOUT_S
        while any(
            position < expected[name]
            for name, position in Query.objects.filter(name__in=expected, nodes__isnull=False).values_list(
                "name", "position"
            )
        ):
            assert time.monotonic() < last, list(Query.objects.values("name", "position", "words", "error"))
            self.go(send=True)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.go(send=True)

    def go(self, *, send: bool) -> None:
        """Supervise, publish and take events, once each."""
        with suppress(PySparkException):  # it has just been started, or its power cut
            for name in supervisor.reconcile():
                launcher.launch(name)
        publisher.publish_once()
        if send and self.chance.random() < 0.7:
            self.send()
        time.sleep(0.05)

    def send(self) -> None:
        """A few events, acknowledged."""
        number = len(self.sent)
        events = [
            {
                "k": f"k{self.chance.randrange(KEYS)}",
                "t": 1_000 * (number + index),
                "x": self.chance.choice("uvw"),
            }
            for index in range(self.chance.randrange(1, 4))
        ]
        land_line(self.data, "\n".join(map(json.dumps, events)).encode())
        self.sent += events

    def lose_power(self, disk: RecordedDisk, loss: Loss) -> None:
        """What was not synced is gone; all that ran is dead."""
        after = self.data.with_name(f"after-{self.boots}")
        disk.cut(after, loss, self.chance)
        self.data.rename(self.data.with_name(f"before-{self.boots}"))
        after.rename(self.data)
        Lease.objects.all().delete()
        Query.objects.update(claimed_until=None, retry_at=timezone.now())


def evaluate(folder: Path, events: list[dict[str, Any]]) -> Truth:
    """What `manage.py evaluate` answers, by node and key."""
    plan, file = folder / "plan.json", folder / "events.jsonl"
    plan.write_text(json.dumps({"version": 1, "streams": {"s": STREAM}, "nodes": NODES}))
    file.write_text("".join(json.dumps(event) + "\n" for event in events))
    truth: Truth = {}
    compiled = read_plan(str(plan))
    for answer in iterate_answers(compiled, read_events(compiled, [f"s={file}"]), [], [], None):
        truth.setdefault(answer["node"], {})[answer["key"]] = build_rows(answer["points"])
    return truth


def read_timelines(node: Node) -> dict[str, Rows]:
    """The timelines of a node as the log has them."""
    result: dict[str, Rows] = {}
    for key in NodeKey.objects.filter(node=node).values_list("key", flat=True):
        document = peek(node, key)
        if document is not None:
            result[key] = build_rows(document["points"])
    return result


def list_differences(nodes: dict[str, Node], expected: Truth) -> list[str]:
    """Each timeline that is not the evaluator's."""
    result = {name: read_timelines(Node.objects.get(pk=node.pk)) for name, node in nodes.items()}
    return [
        f"{name} {key}: {result[name].get(key)} is not {expected[name].get(key)}"
        for name in nodes
        for key in sorted(result[name].keys() | expected[name].keys())
        if result[name].get(key) != expected[name].get(key)
    ]


def list_miscounts(nodes: dict[str, Node], sent: int) -> list[str]:
    """Each node that has not taken every event once; what it says may be right before that."""
    taken = dict(Node.objects.values_list("digest", "events"))
    numbers = {name: taken[nodes[name].digest] for name in ("last", "seen")}
    return [f"{name} has taken {number} of {sent}" for name, number in numbers.items() if number != sent]


@pytest.mark.parametrize("loss", list(Loss))
def test_what_was_acknowledged_is_there_after_every_power_cut(
    make_node: MakeNode, data: Path, settings: Settings, tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch, loss: Loss,
) -> None:  # fmt: skip
    seed = int(os.environ.get("POWER_SEED") or random.randrange(1_000_000))
    print(f"seed {seed}")  # shown when the test fails
    chance = random.Random(seed)
    place = data / "data"
    place.mkdir()
    settings.TIMELINE_DATA = settings.TIMELINE_LOCAL = place
    settings.TRIGGER_INTERVAL = "300 milliseconds"
    machine = Machine(place, tmp_path_factory.mktemp("power"), settings, chance)
    programs = compile_programs(NODES)
    nodes = {name: make_node(programs[name]) for name in NODES}
    for _ in range(CUTS):
        with machine.powered(monkeypatch) as disk:
            machine.work(chance.randrange(2, 6), chance.random())
        machine.lose_power(disk, loss)
        print(
            f"cut {machine.boots} after {len(machine.sent)} events",
            list(Query.objects.values("position", "mended")),
        )
    with machine.powered(monkeypatch):
        expected = evaluate(machine.scratch, machine.sent)
        last = time.monotonic() + TIMEOUT_S
        sent = len(machine.sent)
        while (
            problems := list_differences(nodes, expected) or list_miscounts(nodes, sent)
        ) and time.monotonic() < last:
            machine.go(send=False)
    assert problems == [], "0 wrong, 0 lost, 0 doubled"
    hosts = dict(Node.objects.values_list("digest", "query__name"))
    assert all(digest == query for digest, query in hosts.items()), "nothing had to be built anew"
