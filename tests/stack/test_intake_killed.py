"""The process that reads sources is killed at random under load: nothing is lost and nothing doubled, of any kind."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.broker import Broker
from tests.sources.api_server import Api
from tests.sources.mosquitto import Mosquitto, Sender
from tests.sources.redis_server import Server
from tests.stack.feeding import DECLARED, event
from timeline_app.storage.landing import Landing

pytestmark = [pytest.mark.stack, pytest.mark.long]
ROOT = Path(__file__).resolve().parents[2]
KILLS, PATIENCE = 50, 180.0
MADE = """
import django, json, sys
django.setup()
from django.contrib.auth.models import User
from timeline_app.web.services.sources import source_set
from timeline_app.web.services.streams import stream_create
ada = User.objects.create_superuser("ada")
for name, (kind, given) in json.loads(sys.argv[1]).items():
    stream = stream_create(user=ada, name=name, document=json.loads(sys.argv[2]))
    source_set(stream=stream, user=ada, kind=kind, given=given)
"""
Send = Callable[[int], object]


class Load:
    """Sends events to every source until it is stopped."""

    def __init__(self, sends: dict[str, Send]) -> None:
        self.sends, self.sent, self.over = sends, 0, threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        while not self.over.wait(0.01):
            for send in self.sends.values():
                send(self.sent)
            self.sent += 1

    def stop(self) -> int:
        self.over.set()
        self.thread.join()
        return self.sent


@contextmanager
def sources(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Send]]]:
    """What the streams are fed from, and how that gets events."""
    for name in ("redis", "mqtt", "files", "data"):
        (path / name).mkdir()
    with ExitStack() as after:
        redis, mqtt = Server(path / "redis"), Mosquitto(path / "mqtt")
        after.callback(redis.kill)
        after.callback(mqtt.stop)
        client, sender = redis.client(), after.enter_context(Sender(mqtt.port))
        kafka, api = after.enter_context(Broker()), after.enter_context(Api())
        producer, topic = kafka.producer(), kafka.topic("plays", partitions=2)
        growing = after.enter_context((path / "files" / "app.log").open("ab", buffering=0))

        def write(number: int) -> None:
            draft = path / "files" / ".draft"
            draft.write_bytes(event(number))
            draft.rename(path / "files" / f"{number:08d}.json")

        def produce(number: int) -> None:
            producer.produce(topic, event(number))
            producer.poll(0)

        given = {
            "redis": ("redis_streams", {"url": redis.url, "streams": "plays", "field": "e"}),
            "mqtt": ("mqtt", {"broker": mqtt.address, "topics": "plays", "session": "it"}),
            "kafka": ("kafka", {"servers": kafka.servers, "topics": topic}),
            "http": ("http", {"url": api.url, "events": "data.items", "next": "next", "every": 0.5}),
            "growing": ("growing_files", {"path": str(path / "files"), "pattern": "*.log"}),
            "files": ("json_lines", {"path": str(path / "files"), "pattern": "*.json", "quiet": 0.1}),
        }
        yield (
            given,
            {
                "redis": lambda number: client.xadd("plays", {"e": event(number)}),
                "mqtt": lambda number: sender.publish("plays", event(number)),
                "kafka": produce,
                "http": lambda number: api.events.append(json.loads(event(number))),
                "growing": lambda number: growing.write(event(number) + b"\n"),
                "files": write,
            },
        )


def landed(data: Path, stream: str) -> int:
    found = Landing(data / "landing", stream)
    return found.count(0, found.end()).events


def ids(data: Path, stream: str) -> list[str]:
    found = Landing(data / "landing", stream)
    return [str(one) for one in found.rows(0, found.end(), ("id",))["id"].to_pylist()]


def test_nothing_is_lost_or_doubled_by_an_intake_that_is_killed_again_and_again(tmp_path: Path) -> None:
    chance, data = random.Random(5), tmp_path / "data"
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "SPARK_REMOTE")},
        "DJANGO_SETTINGS_MODULE": "timeline_app.settings",
        "TIMELINE_DATA": str(data),
        "TIMELINE_SOURCE_FOLDERS": str(tmp_path / "files"),
    }

    def run(*command: str) -> None:
        subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, check=True)

    def started() -> subprocess.Popen[bytes]:
        with (tmp_path / "log").open("ab") as log:
            command = [sys.executable, "-m", "workers.intake"]
            return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)

    def until(said: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not said():
            assert time.monotonic() < end, (tmp_path / "log").read_text()[-3_000:]
            time.sleep(0.1)

    with sources(tmp_path) as (given, sends):
        run("manage.py", "migrate", "--verbosity=0")
        run("-c", MADE, json.dumps(given), json.dumps(DECLARED))
        intake = started()
        until(lambda: b" as it " in (tmp_path / "mqtt" / "log").read_bytes())  # the session has begun
        load = Load(sends)
        try:
            for _ in range(KILLS):
                before = {name: landed(data, name) for name in given}
                until(lambda: all(landed(data, name) > before[name] for name in given))  # noqa: B023
                time.sleep(chance.uniform(0.0, 1.0))
                intake.kill()
                intake.wait()
                intake = started()
            count = load.stop()
            assert count > 500
            until(lambda: all(landed(data, name) >= count for name in given))
            time.sleep(2.0)
        finally:
            load.stop()
            intake.terminate()
            intake.wait()
        wanted = Counter(f"e{number}" for number in range(count))
        for name in given:
            found = Counter(ids(data, name))
            lost, doubled = (wanted - found).total(), (found - wanted).total()
            print(f"{name}: {count} sent, {KILLS} kills, {lost} lost, {doubled} doubled")
            assert (name, wanted - found, found - wanted) == (name, Counter(), Counter())
