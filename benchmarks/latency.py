"""`make bench-latency`: measure the delay from an event to the page, at a thousand events a second on the real product.

Another process pushes the player demo's events over REST, ten requests a second. For each placement: seconds from Run
to the first and to the last node's first result; then milliseconds from before an event is sent to the WebSocket
message with its change, for the first node and the result; then the cores in use while no events come.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import websockets

from benchmarks.ending import exit_on_sigterm
from benchmarks.live import Client, format_quantiles, measure_usage, print_progress, run
from tests.browser.product import add_user, build_rebuffering
from timeline_app.demos import load_demos
from timeline_app.simulation.actors import Event
from timeline_app.simulation.door import Door
from workers.stack import Stack, health
from workers.stack.layout import ROOT

DEMO, FRAME, SETTLE, LIMIT = "player", 0.1, 15.0, 60.0
NODES = ("played", "cirr")


def push_demo(url: str, token: str, rate: float) -> None:
    """Push the demo's events as they happen, until this process is ended."""
    stop = threading.Event()
    door = Door(url, DEMO, lambda: token, stop)
    arriving = load_demos()[DEMO].deliveries(seed=1, rate=rate, start=time.time_ns() // 1_000_000)
    batch: list[Event] = []
    due = time.monotonic() + FRAME
    for delivery in arriving:
        if delivery.at > time.time_ns() // 1_000_000:
            stop.wait(max(0.0, due - time.monotonic()))
            due = max(due + FRAME, time.monotonic())
            if batch:
                door.push(batch)
            batch = []
        batch.append(delivery.event)


@contextmanager
def run_pusher(url: str, token: str, rate: float) -> Iterator[psutil.Process]:
    """Push from another process."""
    command = [sys.executable, "-m", "benchmarks.latency", "--push", url, token, "--rate", str(rate)]
    child = psutil.Popen(command, cwd=ROOT)
    try:
        yield child
    finally:
        child.terminate()
        code = child.wait(20)
        if code not in (0, -signal.SIGTERM, 128 + signal.SIGTERM):
            raise SystemExit(f"what pushes events ended with {code}")


def build_probe(key: str) -> list[dict[str, Any]]:
    """Return two events of a new session: it plays, and a moment later it buffers."""
    now = time.time_ns() // 1_000_000
    first = {"session_id": key, "t": now - 500, "event_id": f"{key}-0", "player_state": "play", "cdn": "cdn1"}
    return [first, {**first, "t": now, "event_id": f"{key}-1", "player_state": "buffer"}]


async def measure_delays(
    url: str, client: Client, digests: dict[str, str], count: int, send: Callable[[list[Event]], object]
) -> dict[str, list[float]]:
    """Return the seconds from just before an event is sent to the message with its change, for each of these nodes."""
    delays: dict[str, list[float]] = {name: [] for name in digests}
    headers = {"Authorization": f"Token {client.login['token']}", "Origin": url.rstrip("/")}
    address = f"{url.replace('http', 'ws', 1)}ws/live/"
    async with websockets.connect(address, additional_headers=headers, max_queue=None) as socket:
        for number in range(count):
            key = f"probe-{time.time_ns()}"
            for name, digest in digests.items():
                await socket.send(
                    json.dumps({"type": "subscribe", "id": name, "node": digest, "key": key, "from": None})
                )
            started = time.monotonic()
            await asyncio.to_thread(send, build_probe(key))
            missing = set(digests)
            while missing:
                async with asyncio.timeout(LIMIT):
                    message = json.loads(await socket.recv())
                if message["type"] == "error":
                    raise SystemExit(f"a probe was refused: {message}")
                if message["type"] == "revision" and message["id"] in missing:
                    delays[message["id"]].append(time.monotonic() - started)
                    missing.remove(message["id"])
            for name in digests:
                await socket.send(json.dumps({"type": "unsubscribe", "id": name}))
            await asyncio.sleep(0.3 + 0.037 * (number % 20))
    return delays


def measure_placement(
    stack: Stack, client: Client, plan: int, placement: str, arguments: argparse.Namespace
) -> Any:
    """Measure one placement; nothing of the plan runs before or after."""
    with run_pusher(stack.url, client.login["token"], arguments.rate) as child:
        time.sleep(SETTLE)
        first, last = run(client, plan, placement)
        print_progress(f"{placement}: first result after {first:.1f} s, all after {last:.1f} s")
        time.sleep(arguments.settle)
        nodes = client.call("GET", f"nodes/?plan={plan}")
        digests = {item["name"]: item["digest"] for item in client.call("GET", f"plans/{plan}/")["nodes"]}
        digests_by_name = {name: digests[name] for name in NODES}
        child.cpu_percent()
        psutil.cpu_percent()
        send = partial(client.call, "POST", f"streams/{DEMO}/events/")
        delays = asyncio.run(measure_delays(stack.url, client, digests_by_name, arguments.probes, send))
        machine = psutil.cpu_percent() * (psutil.cpu_count() or 1) / 100
        cores = child.cpu_percent() / 100
        waits = max(node["rates"]["lag"] or 0 for node in client.call("GET", f"nodes/?plan={plan}"))
        figures = {
            "first_result_s": round(first, 1),
            "all_results_s": round(last, 1),
            **{key: value for name in NODES for key, value in format_quantiles(name, delays[name]).items()},
            "events_in_s": round(max(node["rates"]["events_per_second"] or 0 for node in nodes)),
            "waits": waits,
            "machine_cores": round(machine, 2),
            "pushing_cores": round(cores, 2),
        }
    print_progress(f"{placement}: {json.dumps(figures)}")
    time.sleep(arguments.settle)
    idle = measure_usage(stack.layout.identity)
    print_progress(f"{placement}: without events {idle['cores_used']} cores, {idle['memory_mb']} MB")
    client.call("POST", f"plans/{plan}/stop/")
    time.sleep(SETTLE)
    return {**figures, "idle": idle}


def measure(stack: Stack, arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure each placement."""
    api = add_user(stack, "ada")
    api.declare(DEMO)
    client = Client(stack.url, {"token": api.token})
    result = {}
    for placement in arguments.only:
        document = build_rebuffering(DEMO)
        plan = client.call("POST", "plans/", {"name": placement, "document": document})["id"]
        result[placement] = measure_placement(stack, client, plan, placement, arguments)
        client.call("DELETE", f"plans/{plan}/")
    return result


def main() -> None:
    exit_on_sigterm()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--push", nargs=2, metavar=("URL", "TOKEN"), help=argparse.SUPPRESS)
    parser.add_argument("--rate", type=float, default=1_000.0, help="events a second")
    parser.add_argument("--probes", type=int, default=100)
    parser.add_argument("--settle", type=float, default=30.0, help="seconds before anything is measured")
    parser.add_argument(
        "--only", nargs="+", choices=("together", "isolated"), default=["together", "isolated"]
    )
    arguments = parser.parse_args()
    if arguments.push:
        url, token = arguments.push
        push_demo(url, token, arguments.rate)
        return
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        Stack(Path(folder), demo=False, port=health.find_free_port()) as stack,
    ):
        figures = measure(stack, arguments)
    print(json.dumps({"rate": arguments.rate, **figures}))


if __name__ == "__main__":
    main()
