"""A stream that is a Kafka topic, from the broker to the page: right whoever is killed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.broker import TIMEOUT_S, Broker
from tests.browser.product import Api, Event, add_user, evaluate_truth, wait_until
from tests.stack.test_cluster import PLAN, build_events
from tests.stack.test_faults import list_differences
from workers.stack import Stack, health

pytestmark = [pytest.mark.stack, pytest.mark.long]
WRONG = (b"{", b"[]", b'{"t": 1}')
A_SECOND = 60


class Load:
    """Writes events to the topic until it is stopped; a few that are wrong among them."""

    def __init__(self, broker: Broker, topic: str) -> None:
        self.sent: list[Event] = []
        self._broker, self._topic = broker, topic
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> list[Event]:
        """All that was sent; the broker has it."""
        self._over.set()
        self._thread.join()
        return self.sent

    def _run(self) -> None:
        producer = self._broker.producer()
        while not self._over.is_set():
            [made] = build_events(len(self.sent), len(self.sent) + 1)
            producer.produce(self._topic, orjson.dumps(made), key=made["session_id"])
            if len(self.sent) % 50 == 0:
                producer.produce(self._topic, WRONG[len(self.sent) // 50 % len(WRONG)])
            self.sent.append(made)
            producer.poll(0)
            time.sleep(1 / A_SECOND)
        assert producer.flush(TIMEOUT_S) == 0


def test_a_topic_is_answered_as_evaluate_answers_it_whoever_is_killed(tmp_path: Path) -> None:
    with Broker() as broker, Stack(tmp_path / "data", demo=False, port=health.find_free_port()) as stack:
        api = kill_in_turn(stack, broker, tmp_path, ("intake", "broker", "spark"))
        assert api.get("streams/player/activity/")["totals"]["refused"] > 0
        assert api.get("streams/player/source/")["lag"] == 0


def kill_in_turn(stack: Stack, broker: Broker, tmp_path: Path, victims: Sequence[str]) -> Api:
    """Run a plan on a topic, kill one after the other, and hold the answers against `evaluate`'s."""
    topic, api = broker.topic("plays", partitions=2), add_user(stack, "ada")
    api.declare("player")
    source = {"kind": "kafka", "options": {"servers": broker.servers, "topics": topic}}
    api.call("PUT", "streams/player/source/", source)
    plan = api.add_plan(PLAN)["id"]
    api.call("POST", f"plans/{plan}/run/", {"placement": "together"})
    load = Load(broker, topic)
    try:
        check_reads_on(stack, api)
        for victim in victims:
            if victim == "broker":
                broker.kill()
                broker.start()
            else:
                stack.kill(victim)
            check_reads_on(stack, api)
    finally:
        sent = load.stop()
    (tmp_path / "truth").mkdir()
    compare(stack, api, plan, evaluate_truth(PLAN, {"player": sent}, tmp_path / "truth"))
    return api


def check_reads_on(stack: Stack, api: Api) -> None:
    """More comes to the node than was there."""
    before = count_taken(api)
    wait_for(
        stack,
        lambda: count_taken(api) > before + A_SECOND,
        lambda: api.get("streams/player/source/")["words"],
    )


def count_taken(api: Api) -> int:
    return int(api.get("streams/player/")["events"])


def compare(stack: Stack, api: Api, plan: int, expected: Any) -> None:
    digests = api.digests(plan)

    def describe_state() -> str:
        seen = [f"{node['name']}: {node['status']['words']}" for node in api.get(f"plans/{plan}/")["nodes"]]
        return "\n".join([*seen, *list_differences(api, digests, expected)[:5]])

    wait_for(stack, lambda: not list_differences(api, digests, expected), describe_state)


def wait_for(stack: Stack, is_true: Callable[[], bool], words: Callable[[], str]) -> None:
    def tend_and_look() -> bool:
        stack.tend()
        return is_true()

    wait_until(tend_and_look, 300, words=words)
