"""Redis is killed and started again under load, and so is whoever reads: nothing is lost, nothing doubled."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis

from tests.connectors.redis_server import Server
from tests.connectors.test_redis_streams import RedisWorld
from timeline_app.connectors.source_kit.memory import POINTS, Killed
from timeline_app.connectors.source_kit.query import Query

KILLS, RESTARTS, EVENTS = 50, 4, 1_000
"""How much happens at least: on a fast machine the kills come before the others."""


class Sender(threading.Thread):
    """Sends numbers until it is told to stop; what gets no answer is sent again, and is there once."""

    def __init__(self, world: RedisWorld) -> None:
        super().__init__()
        self.world, self.sent, self.stopped = world, 0, False

    def run(self) -> None:
        client = self.world.server.client()
        while not self.stopped:
            while not self.is_there(client):
                time.sleep(0.01)
            self.sent += 1

    def is_there(self, client: Any) -> bool:
        event = {"event": json.dumps({"n": self.sent})}
        try:
            client.xadd(self.world.names[self.sent % 2], event, id=f"{self.sent + 1}-1")
        except redis.ConnectionError:
            return False
        except redis.ResponseError as why:
            return "equal or smaller" in str(why)
        return True


class Reader:
    """A query that is killed at random points, at random times, and tried again."""

    def __init__(self, world: RedisWorld, chance: random.Random) -> None:
        self.query, self.chance, self.kills = Query(world, most=100), chance, 0

    def try_on(self) -> bool:
        """A process of it; whether nothing came any more."""
        try:
            self.query.start()
            return not any(self.query.trigger() for _ in range(10))
        except Killed:
            self.kills += 1
            return False
        except (OSError, redis.ConnectionError, redis.TimeoutError):
            return (
                False  # Redis is away in the middle of a batch: Spark ends the query, and it is started again
            )
        finally:
            self.query.clock.now += 60

    def try_on_until(self, are_enough: Callable[[], bool]) -> None:
        while not are_enough():
            if not self.query.faults.left:
                self.query.faults.arm(self.chance.choice(list(POINTS)), self.chance.randrange(1, 5))
            self.try_on()

    def end(self, events: int) -> None:
        self.query.faults.arm("", 0)
        until = time.monotonic() + 120
        while not self.try_on() or len(self.query.numbers()) < events:
            assert time.monotonic() < until, self.query.planner.status()


@pytest.mark.deep
def test_a_redis_and_readers_that_are_killed_under_load_lose_and_double_nothing(tmp_path: Path) -> None:
    server, chance = Server(tmp_path), random.Random(7)
    world = RedisWorld(server)
    sender, reader = Sender(world), Reader(world, chance)
    restarts, ended = [], threading.Event()

    def restart() -> None:
        while not ended.wait(chance.uniform(0.2, 1.0)):
            server.kill()
            server.start()
            restarts.append(1)

    threads = [sender, threading.Thread(target=restart)]
    for thread in threads:
        thread.start()
    try:
        reader.try_on_until(
            lambda: reader.kills >= KILLS and len(restarts) >= RESTARTS and sender.sent > EVENTS
        )
    finally:
        sender.stopped = True
        ended.set()
        for thread in threads:
            thread.join()
    reader.end(sender.sent)
    unacknowledged = world.unacknowledged()
    server.kill()
    assert Counter(reader.query.numbers()) == Counter(range(sender.sent))
    assert unacknowledged == 0
