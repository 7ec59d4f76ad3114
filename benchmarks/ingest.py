"""`make bench-ingest`: measure events per second over HTTP into the real web server, with SQLite and Redis.

Clients in a process of their own keep some connections and send requests of JSON lines; both share this machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import psutil

from workers.stack import health
from workers.stack.layout import ROOT, Layout

STREAM = {
    "name": "bench",
    "key": "session_id",
    "time": "t",
    "id": "event_id",
    "fields": {
        "player_state": "text",
        "cdn": "text",
        "user_action": "text",
        "bitrate": "number",
        "live": "bool",
    },
}
BODIES = 40
"""The number of requests that are prepared before the clock starts, and sent in turn."""


def print_progress(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def build_body(dice: random.Random, events: int, start: int) -> bytes:
    """Return a request with all fields of the stream."""
    events_made = (
        {
            "session_id": f"sfxt00-{dice.randrange(5_000)}",
            "event_id": f"sfxt00-{start + number}",
            "t": 1_719_824_400_000 + start + number,
            "player_state": dice.choice(("init", "play", "buffer", "pause", "stopped")),
            "cdn": dice.choice(("CDN1", "CDN2", "CDN3")),
            "user_action": dice.choice(("seek", "pause", "stop")),
            "bitrate": dice.randrange(1, 9_000) / 10,
            "live": dice.random() < 0.5,
        }
        for number in range(events)
    )
    return "\n".join(map(json.dumps, events_made)).encode()


@dataclass
class Client:
    """Send over several connections, as fast as they are answered."""

    address: str
    token: str
    bodies: list[bytes]
    seconds: float
    taken: list[float] = field(default_factory=list)
    waited: int = 0

    def run(self, connections: int) -> None:
        senders = [threading.Thread(target=self._send, args=(number,)) for number in range(connections)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()

    def _send(self, sender: int) -> None:
        line = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=60)
        until, number = time.monotonic() + self.seconds, 0
        while (started := time.monotonic()) < until:
            headers = {
                "Authorization": f"Token {self.token}",
                "Content-Type": "application/x-ndjson",
                "Client-Id": f"bench-{sender}",
                "Client-Sequence": str(number),
            }
            body = self.bodies[(number * 7 + sender) % len(self.bodies)]
            line.request("POST", "/api/streams/bench/events/", body, headers)
            answer = line.getresponse()
            answer_body = answer.read()
            if answer.status in (429, 503):
                self.waited += 1
                time.sleep(float(answer.headers["Retry-After"]))
                continue
            if answer.status != 202:
                raise SystemExit(f"{answer.status} {answer_body.decode()[:500]}")
            self.taken.append(time.monotonic() - started)
            number += 1


def run_clients(address: str, token: str, arguments: argparse.Namespace, report: Any) -> None:
    """Run the clients in this process; report when they start, and their figures."""
    dice = random.Random(1)
    bodies = [build_body(dice, arguments.events, number * arguments.events) for number in range(BODIES)]
    Client(address, token, bodies, 2.0).run(1)
    client = Client(address, token, bodies, arguments.seconds)
    report.send(sum(map(len, bodies)) / BODIES)
    before, started = time.process_time(), time.monotonic()
    client.run(arguments.connections)
    spent = time.monotonic() - started
    report.send((client.taken, client.waited, spent, (time.process_time() - before) / spent))


@contextmanager
def run_server(data: Path) -> Iterator[tuple[Layout, psutil.Process]]:
    """Start Redis and the web server as the stack does."""
    layout = Layout(data, health.find_free_port(), health.find_free_port(), demo=False)
    layout.write()
    commands = {program.name: program.command for program in layout.programs()}
    environment = layout.environment()
    prepare = [sys.executable, "-m", "workers.stack.prepare", "--demo"]
    with (layout.logs / "bench.log").open("wb") as log:
        running = []

        def start(name: str) -> psutil.Popen:
            process = psutil.Popen(commands[name], cwd=ROOT, env=environment, stdout=log, stderr=log)
            running.append(process)
            return process

        try:
            start("redis")
            subprocess.run(prepare, cwd=ROOT, env=environment, stdout=log, stderr=log, check=True)
            web = start("web")
            while not health.is_web_up(layout.url):
                time.sleep(0.1)
            yield layout, web
        finally:
            for process in reversed(running):
                process.terminate()
                process.wait(20)


def declare_stream(url: str, token: str) -> None:
    line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    line.request("POST", "/api/streams/", json.dumps(STREAM), {"Authorization": f"Token {token}"})
    answer = line.getresponse()
    if answer.status != 201:
        raise SystemExit(answer.read().decode())


def measure(arguments: argparse.Namespace, data: Path) -> dict[str, Any]:
    with run_server(data) as (layout, web):
        token = health.read_login(data)["token"]
        declare_stream(layout.url, token)
        own_end, child_end = multiprocessing.get_context("spawn").Pipe()
        process = multiprocessing.get_context("spawn").Process(
            target=run_clients, args=(layout.url, token, arguments, child_end)
        )
        process.start()
        size = own_end.recv()
        print_progress(
            f"{arguments.connections} connections, {arguments.events} events a request, {size:,.0f} bytes each"
        )
        before = sum(web.cpu_times()[:2])
        delays, waited, spent, client_cores = own_end.recv()
        cores = (sum(web.cpu_times()[:2]) - before) / spent
        process.join()
        memory = web.memory_full_info().pss / 1e6
    files = list((data / "landing" / "bench").glob("*.parquet"))
    landed = arguments.events * len(delays)
    figures = {
        "events_s": round(landed / spent),
        "requests": len(delays),
        "p50_ms": round(float(np.percentile(delays, 50)) * 1000, 1),
        "p95_ms": round(float(np.percentile(delays, 95)) * 1000, 1),
        "waited": waited,
        "web_cores": round(cores, 2),
        "client_cores": round(client_cores, 2),
        "web_mb": round(memory),
        "files": len(files),
        "bytes_in_an_event": round(size / arguments.events, 1),
        "bytes_on_disk_an_event": round(sum(file.stat().st_size for file in files) / landed, 1),
    }
    print_progress(str(figures))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ingest", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--events", type=int, default=1_000, help="in one request")
    parser.add_argument("--connections", type=int, default=4)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-ingest-") as folder:
        print(json.dumps(measure(arguments, Path(folder))))


if __name__ == "__main__":
    main()
