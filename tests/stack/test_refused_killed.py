"""What sources bring and streams refuse is kept once, though the intake is killed after each of its steps."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.broker import Broker
from tests.connectors.api_server import Api
from tests.connectors.mosquitto import Mosquitto, Sender
from tests.connectors.redis_server import Server
from tests.stack.declared import DECLARED, build_event
from tests.stack.killed_at import STEPS
from tests.stack.killing import MADE, ROOT, Killed, list_ids

PLAN = [
    "read", "rows written", "staged", "compared", "landed", "compared", "landed", "counted", "confirmed",
    "kept", "passed by", "staged", "counted", "passed by",
]  # fmt: skip
"""What a killed process left is met by the next one, which may be killed while it decides about that."""
AT_ONCE, REFUSED = 72, 1_000
"""So many refused messages of each stream a step; together they are as many as are kept."""
KINDS = ("files", "redis", "mqtt", "http", "kafka")
TIMEOUT_S = 240.0
Send = Callable[[str, bytes], object]


@contextmanager
def run_sources(path: Path) -> Iterator[tuple[dict[str, tuple[str, dict[str, Any]]], dict[str, Send]]]:
    """Two streams of each kind: `mixed`, in which events land between what is refused, and `wrong`."""
    with ExitStack() as after:
        for name in ("redis", "mqtt", "files", "files/mixed", "files/wrong"):
            (path / name).mkdir()
        redis, mqtt = Server(path / "redis"), Mosquitto(path / "mqtt")
        after.callback(redis.kill)
        after.callback(mqtt.stop)
        client, sender = redis.client(), after.enter_context(Sender(mqtt.port))
        kafka = after.enter_context(Broker())
        apis = {name: after.enter_context(Api()) for name in ("mixed", "wrong")}
        producer = kafka.producer()

        def write(name: str, body: bytes) -> None:
            with (path / "files" / name / "app.log").open("ab", buffering=0) as file:
                file.write(body + b"\n")

        def produce(name: str, body: bytes) -> None:
            producer.produce(name, body)
            producer.flush()

        options: dict[str, tuple[str, dict[str, Any]]] = {}
        for name, api in apis.items():
            kafka.topic(name)
            options |= {
                f"files_{name}": ("growing_files", {"path": str(path / "files" / name), "pattern": "*.log"}),
                f"redis_{name}": ("redis_streams", {"url": redis.url, "streams": name, "field": "e"}),
                f"mqtt_{name}": ("mqtt", {"broker": mqtt.address, "topics": name, "session": name}),
                f"http_{name}": (
                    "http", {"url": api.url, "events": "data.items", "next": "next", "every": 0.5},
                ),
                f"kafka_{name}": ("kafka", {"servers": kafka.servers, "topics": name}),
            }  # fmt: skip
        yield (
            options,
            {
                "files": write,
                "redis": lambda name, body: client.xadd(name, {"e": body}),
                "mqtt": sender.publish,
                "http": lambda name, body: apis[name].events.append(json.loads(body)),
                "kafka": produce,
            },
        )


def run_until_killed(product: Killed, step: str) -> None:
    """The intake; it must have made the step."""
    with (product.path / "log").open("ab") as log:
        command = [sys.executable, "-m", "tests.stack.killed_at", step]
        process = subprocess.Popen(command, cwd=ROOT, env=product.environment, stdout=log, stderr=log)
        try:
            assert process.wait(TIMEOUT_S) == -signal.SIGKILL, (product.path / "log").read_text()[-2_000:]
        finally:
            process.kill()


def list_rows(product: Killed, question: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(product.data / "timelines.sqlite3", timeout=30)) as database:
        return database.execute(question).fetchall()


def list_counts(product: Killed) -> dict[str, int]:
    return dict(list_rows(product, "SELECT name, refused FROM web_stream"))


def build_wrong(number: int) -> bytes:
    return json.dumps({"k": "k", "t": "noon", "id": f"w{number}"}).encode()


@pytest.mark.stack
def test_refused_messages_are_kept_once_whenever_the_intake_is_killed(tmp_path: Path) -> None:
    assert set(PLAN) == set(STEPS)
    product = Killed(tmp_path)
    sent, right = 0, 0
    with run_sources(tmp_path) as (kinds, sends):
        product.run("manage.py", "migrate", "--verbosity=0")
        product.run("-c", MADE, json.dumps(kinds), json.dumps(DECLARED))
        product.start()
        log = tmp_path / "mqtt" / "log"
        product.wait_until(
            lambda: all(f" as {name} ".encode() in log.read_bytes() for name in ("mixed", "wrong"))
        )
        # A session that is connected and not subscribed yet gets nothing of what is sent meanwhile.
        reading = "SELECT count(*) FROM web_streamsource WHERE observed = 'reading'"
        product.wait_until(lambda: list_rows(product, reading) == [(len(kinds),)])
        product.kill()
        for step in PLAN:
            for _ in range(min(AT_ONCE, REFUSED - sent)):
                for send in sends.values():
                    send("mixed", build_event(right))
                    send("mixed", build_wrong(sent))
                    send("wrong", build_wrong(sent))
                sent, right = sent + 1, right + 1
            run_until_killed(product, step)
        assert sent == REFUSED
        product.start()
        try:
            end = time.monotonic() + TIMEOUT_S
            while min(list_counts(product).values()) < REFUSED and time.monotonic() < end:
                time.sleep(0.5)
            time.sleep(2.0)  # what would come twice
        finally:
            product.kill()
    assert list_counts(product) == dict.fromkeys(kinds, REFUSED)
    kept = list_rows(
        product, "SELECT name, text FROM web_rejectedevent JOIN web_stream ON web_stream.id = stream_id"
    )
    expected = Counter((name, build_wrong(number).decode()) for name in kinds for number in range(REFUSED))
    counter = Counter((name, json.dumps(json.loads(text))) for name, text in kept)
    assert (expected - counter, counter - expected) == (Counter(), Counter())
    for name in kinds:
        landed = [f"e{number}" for number in range(right)] if name.endswith("mixed") else []
        assert sorted(list_ids(product.data, name)) == sorted(landed)
