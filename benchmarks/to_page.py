"""Measure from a broker to the page: events added to a Redis Stream at a low rate, on the real product."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import orjson

from benchmarks.latency import DEMO, NODES, build_probe, measure_delays
from benchmarks.live import Client, format_quantiles, print_progress, run
from tests.browser.product import add_user, build_rebuffering
from tests.connectors.redis_server import Server
from timeline_app.simulation.actors import Event
from workers.stack import Stack, health

SETTLE, LIMIT = 15.0, 120.0


def measure(count: int) -> dict[str, Any]:
    """Start the product, feed a stream from a Redis server, run the demo plan; return milliseconds to the WebSocket."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        redis = Path(name) / "redis"
        redis.mkdir()
        server = Server(redis)
        try:
            with Stack(Path(name) / "data", demo=False, port=health.find_free_port()) as stack:
                return _measure_delays(stack, server, count)
        finally:
            server.kill()


def _measure_delays(stack: Stack, server: Server, count: int) -> dict[str, Any]:
    api, stream = add_user(stack, "ada"), server.client()
    client = Client(stack.url, {"token": api.token})

    def send(events: list[Event]) -> None:
        pipe = stream.pipeline()
        for event in events:
            pipe.xadd("plays", {"event": orjson.dumps(event)})
        pipe.execute()

    api.declare(DEMO)
    options = {"url": server.url, "streams": "plays", "field": "event"}
    client.call("PUT", f"streams/{DEMO}/source/", {"kind": "redis_streams", "options": options})
    send(build_probe("first"))
    _wait_for_events(client)
    plan = client.call("POST", "plans/", {"name": "to the page", "document": build_rebuffering(DEMO)})["id"]
    first, last = run(client, plan, "together")
    print_progress(f"first result after {first:.1f} s, all after {last:.1f} s")
    time.sleep(SETTLE)
    digests = {item["name"]: item["digest"] for item in client.call("GET", f"plans/{plan}/")["nodes"]}
    before, started = os.getloadavg()[0], time.monotonic()
    delays = asyncio.run(
        measure_delays(stack.url, client, {name: digests[name] for name in NODES}, count, send)
    )
    figures = {key: value for name in NODES for key, value in format_quantiles(name, delays[name]).items()}
    seconds = time.monotonic() - started
    document = {
        "source": "redis_streams", "probes": count, "probes_a_second": round(count / seconds, 2), **figures,
        "load_before": round(before, 1), "load_after": round(os.getloadavg()[0], 1), "cores": os.cpu_count(),
    }  # fmt: skip
    print_progress(json.dumps(document))
    return document


def _wait_for_events(client: Client) -> None:
    """Wait until events of the source have landed."""
    until = time.monotonic() + LIMIT
    while not client.call("GET", f"streams/{DEMO}/")["events"]:
        if time.monotonic() > until:
            answer = client.call("GET", f"streams/{DEMO}/source/")
            raise SystemExit(f"nothing landed in {LIMIT:.0f} s; the source says: {answer['words']}")
        time.sleep(0.2)
