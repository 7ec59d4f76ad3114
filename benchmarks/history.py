"""`make bench-history`: measure how a new node on a stream with a long past catches up beside the running demo."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.ending import exit_on_sigterm
from benchmarks.live import Client, print_progress
from timeline_app.landing.log import Landing
from timeline_app.landing.segments import SCHEMA
from workers.stack.stack import Stack

A_FILE, KEYS, SECOND = 1_000, 5_000, 1_000_000
WARM_UP, SAMPLE, LIMIT = 40.0, 40.0, 480.0
STREAM = {
    "name": "archive",
    "key": "session",
    "time": "t",
    "unit": "us",
    "fields": {"player_state": "text"},
    "allowed_lateness": "30s",
    "retention": "7d",
}
NODE = {"op": "latest_event_to_state", "stream": "archive", "params": {"field": "player_state"}}


def land(landing: Landing, events: int) -> None:
    """Land events of the last hours, in batches of a thousand, as requests would have brought them."""
    rng = np.random.default_rng(1)
    start = time.time_ns() // 1_000 - 2 * 3600 * SECOND
    states = np.array(["play", "buffer", "pause", "stop"])
    for number in range(events // A_FILE):
        times = start + (number * A_FILE + np.arange(A_FILE)) * (3600 * SECOND // events)
        keys = [f"session-{key}" for key in rng.integers(KEYS, size=A_FILE)]
        fields = [[("player_state", state)] for state in states[rng.integers(len(states), size=A_FILE)]]
        nothing = pa.nulls(A_FILE, pa.string())
        landing.append_table(pa.table([keys, times, nothing, nothing, fields], schema=SCHEMA))


def list_batch_lengths(client: Client, plan: int, seconds: float, over: Any = lambda: False) -> list[int]:
    """Return the durations in ms of the batches of a plan's nodes, polled every second."""
    result: dict[tuple[str, int], int] = {}
    until = time.monotonic() + seconds
    while time.monotonic() < until and not over():
        for node in client.call("GET", f"nodes/?plan={plan}"):
            result[node["digest"], node["status"]["last_progress"]] = node["rates"]["batch_ms"]
        time.sleep(1.0)
    return list(result.values())


class CatchUp:
    """How much the new node still has to read."""

    def __init__(self, client: Client, digest: str) -> None:
        self.client, self.digest, self.began = client, digest, time.monotonic()
        self.first = self.last = 0.0

    def over(self) -> bool:
        """Return whether it has read everything."""
        node = self.client.call("GET", f"nodes/{self.digest}/")
        now = time.monotonic() - self.began
        if node["counters"]["events"] and not self.first:
            self.first = now
        print_progress(f"{now:.0f} s: {node['status']['words']}, {node['rates']['batch_ms']} ms a batch")
        has_caught_up = bool(self.first) and not node["rates"]["lag"]
        self.last = now if has_caught_up else self.last
        return has_caught_up


def measure(stack: Stack, data: Path, events: int) -> dict[str, float]:
    client = Client(stack.url, json.loads((data / "demo-login").read_text()))
    demo = client.call("GET", "plans/")[0]["id"]
    while any(not node["counters"]["revisions"] for node in client.call("GET", f"nodes/?plan={demo}")):
        time.sleep(0.5)
    client.call("POST", "streams/", STREAM)
    print_progress(f"landing {events} events")
    land(Landing(data / "landing", "archive"), events)
    print_progress("warming up")
    time.sleep(WARM_UP)
    before = list_batch_lengths(client, demo, SAMPLE)
    print_progress(f"the others: {median(before):.0f} ms a batch")
    document = {"version": 1, "name": "history", "nodes": {"state": NODE}, "results": ["state"]}
    plan = client.call("POST", "plans/", {"name": "history", "document": document})["id"]
    digest = client.call("POST", f"plans/{plan}/run/", {"placement": "isolated"})["nodes"][0]["digest"]
    new = CatchUp(client, digest)
    during = list_batch_lengths(client, demo, LIMIT, new.over)
    if not new.last:
        raise SystemExit("it did not catch up in time")
    return {
        "retained_events": events,
        "first_result_s": round(new.first, 1),
        "catch_up_s": round(new.last, 1),
        "catch_up_eps": round(events / new.last),
        "others_batch_ms_before": round(median(before)),
        "others_batch_ms_during": round(median(during)),
        "ratio": round(median(during) / median(before), 2),
    }


def main() -> None:
    exit_on_sigterm()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        data = Path(folder)
        stack = Stack(data, demo=True, tell=lambda line: print(line, file=sys.stderr))
        stack.start()
        try:
            figures = measure(stack, data, arguments.events)
        finally:
            stack.stop()
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
