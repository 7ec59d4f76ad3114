"""The intake, killed at random while it reads sources of every kind under load: what was lost, and what came twice."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

from tests.broker import Broker
from tests.connectors.api_server import Api
from tests.connectors.mosquitto import Mosquitto, Sender
from tests.connectors.redis_server import Server
from tests.stack.declared import DECLARED, build_event
from timeline_app.landing.log import Landing

ROOT = Path(__file__).resolve().parents[2]
PATIENCE, LEAST = 180.0, 500
MADE = """
import django, json, sys
django.setup()
from django.contrib.auth.models import User
from timeline_app.web.streams.source_services import set_source
from timeline_app.web.streams.services import create_stream
ada = User.objects.create_superuser("ada")
for name, (kind, given) in json.loads(sys.argv[1]).items():
    stream = create_stream(user=ada, name=name, document=json.loads(sys.argv[2]))
    set_source(stream=stream, user=ada, kind=kind, options=given)
"""
Send = Callable[[int], object]


class Load:
    """Sends events to every source, until its end."""

    def __init__(self, sends: dict[str, Send]) -> None:
        self.sends, self.sent, self.over = sends, 0, threading.Event()
        self.problem: Exception | None = None
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        while not self.over.wait(0.01):
            try:
                for send in self.sends.values():
                    send(self.sent)
            except Exception as problem:
                self.problem = problem
                return
            self.sent += 1

    def check(self) -> None:
        """Raise what went wrong while sending."""
        if self.problem is not None:
            raise self.problem

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


@contextmanager
def run_sources(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Send]]]:
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
            draft.write_bytes(build_event(number))
            draft.rename(path / "files" / f"{number:08d}.json")

        def produce(number: int) -> None:
            producer.produce(topic, build_event(number))
            producer.poll(0)

        options = {
            "redis": ("redis_streams", {"url": redis.url, "streams": "plays", "field": "e"}),
            "mqtt": ("mqtt", {"broker": mqtt.address, "topics": "plays", "session": "it"}),
            "kafka": ("kafka", {"servers": kafka.servers, "topics": topic}),
            "http": ("http", {"url": api.url, "events": "data.items", "next": "next", "every": 0.5}),
            "growing": ("growing_files", {"path": str(path / "files"), "pattern": "*.log"}),
            "files": ("json_lines", {"path": str(path / "files"), "pattern": "*.json", "quiet": 0.1}),
        }
        yield (
            options,
            {
                "redis": lambda number: client.xadd("plays", {"e": build_event(number)}),
                "mqtt": lambda number: sender.publish("plays", build_event(number)),
                "kafka": produce,
                "http": lambda number: api.events.append(json.loads(build_event(number))),
                "growing": lambda number: growing.write(build_event(number) + b"\n"),
                "files": write,
            },
        )


def count_landed(data: Path, stream: str) -> int:
    landing = Landing(data / "landing", stream)
    return landing.count(0, landing.end()).events


def list_ids(data: Path, stream: str) -> list[str]:
    landing = Landing(data / "landing", stream)
    return [str(item) for item in landing.rows(0, landing.end(), ("id",))["id"].to_pylist()]


class Killed:
    """An intake of a product of its own, in a directory."""

    def __init__(self, path: Path) -> None:
        self.path, self.data = path, path / "data"
        environment = {
            name: value for name, value in os.environ.items() if name not in ("REDIS_URL", "SPARK_REMOTE")
        }
        self.environment = environment | {
            "DJANGO_SETTINGS_MODULE": "timeline_app.settings",
            "DATABASE_URL": "",
            "TIMELINE_DATA": str(self.data),
            "TIMELINE_SOURCE_FOLDERS": str(path / "files"),
        }

    def run(self, *command: str) -> None:
        subprocess.run([sys.executable, *command], cwd=ROOT, env=self.environment, check=True)

    def start(self) -> None:
        with (self.path / "log").open("ab") as log:
            command = [sys.executable, "-m", "workers.connectors.intake"]
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def wait_until(self, is_true: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not is_true():
            if time.monotonic() > end:
                raise TimeoutError((self.path / "log").read_text()[-3_000:])
            time.sleep(0.1)

    def wait_until_settled(self, names: Iterable[str], count: int) -> None:
        """Until so many have landed of each, or for long nothing more has."""
        before, since = dict[str, int](), time.monotonic()
        while time.monotonic() - since < PATIENCE:
            now = {name: count_landed(self.data, name) for name in names}
            if min(now.values()) >= count:
                time.sleep(2.0)  # what would come twice
                return
            if now != before:
                before, since = now, time.monotonic()
            time.sleep(0.2)


def has_landed_more(data: Path, before: dict[str, int]) -> bool:
    return all(count_landed(data, name) > events for name, events in before.items())


def count_lost_and_doubled(
    path: Path, kills: int, say: Callable[[str], object], seed: int = 5
) -> dict[str, dict[str, int]]:
    """Of each kind, after so many kills at random moments: how many events were sent, how many never landed or twice.

    Between two kills something lands of every kind. `path` is an empty directory; raises `TimeoutError` with the end of
    the intake's log where nothing lands for three minutes after a kill.
    """
    chance, intake = random.Random(seed), Killed(path)
    with run_sources(path) as (kinds, sends):
        intake.run("manage.py", "migrate", "--verbosity=0")
        intake.run("-c", MADE, json.dumps(kinds), json.dumps(DECLARED))
        intake.start()
        try:
            intake.wait_until(
                lambda: b" as it " in (path / "mqtt" / "log").read_bytes()
            )  # the session has begun
            with Load(sends) as load:
                for number in range(kills):
                    before = {name: count_landed(intake.data, name) for name in kinds}
                    intake.wait_until(partial(has_landed_more, intake.data, before))
                    time.sleep(chance.uniform(0.0, 1.0))
                    intake.kill()
                    intake.start()
                    load.check()
                    say(f"killed {number + 1} times, {load.sent} events sent to each")
                intake.wait_until(lambda: load.sent > LEAST)
            load.check()
            intake.wait_until_settled(kinds, load.sent)
        finally:
            intake.kill()
    expected = Counter(f"e{number}" for number in range(load.sent))
    result = {name: Counter(list_ids(intake.data, name)) for name in kinds}
    return {
        name: {"events": load.sent, "lost": (expected - value).total(), "doubled": (value - expected).total()}
        for name, value in result.items()
    }
