"""Each process is killed while events come in, and Spark hangs: all goes on, and nothing is lost or doubled."""

from __future__ import annotations

import itertools
import sqlite3
import threading
import time
import urllib.error
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from tests.browser.product import (
    Api,
    Event,
    Rows,
    Truth,
    add_user,
    ask_patiently,
    build_rebuffering,
    evaluate_truth,
    is_alike,
    list_spark_queries,
    wait_until,
)
from timeline_app.demos import load_demos
from workers.stack import Stack, health
from workers.stack.silence import Silences

pytestmark = [pytest.mark.stack, pytest.mark.long]

PLAN = build_rebuffering("player")
ACROSS_KEYS = "cirr_by_cdn"
RATE, BATCH_SECONDS = 6, 0.5


@dataclass
class Feeder:
    """Pushes events without end, each batch until it is taken: its ids make repeats harmless."""

    api: Api
    sent: list[Event] = field(default_factory=list)
    extra: list[Event] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def stop(self) -> None:
        """When it comes back, all that was sent was taken."""
        self.over.set()
        self.thread.join()

    def run(self) -> None:
        deliveries = load_demos()["player"].deliveries(
            seed=7, rate=RATE, start=time.time_ns() // 1_000_000 - 60_000
        )
        while not self.over.wait(BATCH_SECONDS):
            extra, self.extra = self.extra, []
            batch = [next(deliveries).event for _ in range(round(RATE * BATCH_SECONDS))] + extra
            self.sent.extend(batch)
            while not self.taken(batch):
                time.sleep(0.2)

    def taken(self, batch: list[Event]) -> bool:
        try:
            self.api.push("player", batch)
        except urllib.error.HTTPError as answer:
            if answer.code < 500:
                self.refused.append(answer.read().decode())
                return True
            return False
        except OSError:
            return False
        return True


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with Stack(tmp_path_factory.mktemp("faults"), demo=False, port=health.find_free_port()) as running:
        yield running


@pytest.fixture
def feeder(stack: Stack) -> Iterator[Feeder]:
    api = add_user(stack, "ada")
    api.declare("player")
    feeder = Feeder(api)
    yield feeder
    feeder.stop()


def is_seen_everywhere(api: Api, digests: dict[str, str], key: str) -> bool:
    """Whether every node has the key, the last one as a group."""
    return all(key in api.keys(digest) for digest in digests.values())


def wait_for_probe(stack: Stack, feeder: Feeder, digests: dict[str, str], probe: str) -> None:
    """An event of a key and a network of its own goes in, and comes out of every node."""
    event = {"session_id": probe, "event_id": probe, "player_state": "play", "cdn": probe}
    feeder.extra.append({**event, "t": time.time_ns() // 1_000_000})

    def has_arrived() -> bool:
        stack.tend()
        return ask_patiently(lambda: is_seen_everywhere(feeder.api, digests, probe))

    wait_until(has_arrived, 180, words=lambda: f"{probe} did not come out of every node")


def wait_for_recovery(stack: Stack, feeder: Feeder, digests: dict[str, str], name: str) -> float:
    """Kill a process; after how many seconds does everything run, and a new event come out of every node?"""
    before, started = stack.pids(), time.monotonic()
    stack.kill(name)
    wait_until(lambda: stack.pids().get(name, before[name]) != before[name], 60)
    wait_until(lambda: health.is_web_up(stack.url), 60)
    wait_for_probe(stack, feeder, digests, f"after-{name}")
    seconds = time.monotonic() - started
    assert {other: pid for other, pid in stack.pids().items() if other != name} == {
        other: pid for other, pid in before.items() if other != name
    }
    return seconds


def hang_spark(stack: Stack) -> None:
    """Spark stands still for good: its port stays open, and it is found out and killed all the same."""
    stack._silences = Silences(stack._questions(), longest=10)
    stack.tend()
    hung = psutil.Process(stack.pids()["spark"])
    hung.suspend()

    def is_another() -> bool:
        stack.tend()
        return stack.pids().get("spark", hung.pid) != hung.pid

    wait_until(is_another, 90)


def list_differences(api: Api, digests: dict[str, str], expected: Truth) -> list[str]:
    parts = [
        f"{name}: {sorted(api.keys(digest) ^ expected[name].keys())} are missing or too many"
        for name, digest in digests.items()
        if api.keys(digest) != expected[name].keys()
    ]
    if parts:
        return parts
    results: dict[tuple[str, str], Rows] = {
        (name, key): api.timeline(digest, key) for name, digest in digests.items() for key in expected[name]
    }
    return [
        f"{name} of {key}: {points}, not {expected[name][key]}"
        for (name, key), points in results.items()
        if not is_alike(points, expected[name][key])
    ]


def log_of(stack: Stack) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{stack.layout.data}/timelines.sqlite3?mode=ro", uri=True)


def assert_log_is_whole(stack: Stack) -> None:
    """Every batch of every feed is in the log once, and no revision says again what the one before it said."""
    with log_of(stack) as log:
        counted = log.execute(
            "select node.revisions, node.version, query.position, count(*), max(log.version)"
            " from web_node node join web_query query on query.id = node.query_id"
            " join web_nodekey key on key.node_id = node.id join web_revision log on log.node_key_id = key.id"
            " group by node.id"
        ).fetchall()
        rows = log.execute(
            "select key.node_id, key.key, log.version, start, end, pieces from web_revision log"
            " join web_nodekey key on key.id = log.node_key_id order by 1, 2, 3"
        ).fetchall()
    assert len(counted) == len(PLAN["nodes"])
    for revisions, version, position, stored, newest in counted:
        assert revisions == stored
        assert newest <= version <= position, "a batch that says nothing of a node is no version of it"
    assert len({row[:3] for row in rows}) == len(rows)
    again = [b for a, b in itertools.pairwise(rows) if (a[:2], a[3:]) == (b[:2], b[3:])]
    assert again == []


def test_killed_one_after_the_other_everything_goes_on(stack: Stack, feeder: Feeder, tmp_path: Path) -> None:
    api = feeder.api
    plan = api.add_plan(PLAN)["id"]
    api.run(plan)
    digests = api.digests(plan)
    wait_for_probe(stack, feeder, digests, "before")
    queries = list_spark_queries(stack)
    assert sorted(name for name, _, _ in queries) == sorted(digests.values())

    times = {
        name: wait_for_recovery(stack, feeder, digests, name)
        for name in ("worker", "beat", "publisher", "redis", "web")
    }
    assert list_spark_queries(stack) == queries
    times["spark"] = wait_for_recovery(stack, feeder, digests, "spark")
    print("recovered:", ", ".join(f"{name} {seconds:.1f} s" for name, seconds in times.items()))

    after = list_spark_queries(stack)
    assert [(name, query) for name, query, _ in after] == [(name, query) for name, query, _ in queries]
    assert not {run for _, _, run in after} & {run for _, _, run in queries}
    hang_spark(stack)
    wait_for_probe(stack, feeder, digests, "at-last")
    feeder.stop()
    expected = evaluate_truth(PLAN, {"player": feeder.sent}, tmp_path)
    wait_until(
        lambda: not list_differences(api, digests, expected),
        120,
        words=lambda: "\n".join(list_differences(api, digests, expected)[:5]),
    )
    assert feeder.refused == []
    assert_log_is_whole(stack)
    statuses = [api.get(f"nodes/{digest}/")["status"] for digest in digests.values()]
    assert [(status["observed"], status["error"]) for status in statuses] == [("running", "")] * len(statuses)
