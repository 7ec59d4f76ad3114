"""`make bench-subscribers`: measure two hundred pages that follow fifty keys, each key revised ten times a second.

Every message of every socket is read: at the end the merged messages must equal the server's timelines. The delay of a
revision is from when it became known to the arrival of the first message that has it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import websockets

from benchmarks.ending import exit_on_sigterm
from tests.browser.filling import Filler
from tests.browser.product import Api, add_user, build_rebuffering
from timeline_app.algebra.fold import Point
from workers.stack import Stack, health

SECOND = 1_000_000
KEYS = [f"s{number}" for number in range(50)]
FRAME_S = 0.1
SETTLE_S = 3.0


def print_progress(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


@dataclass
class Follower:
    """A chart of a page: what it knows of its key, and since when."""

    key: str
    points: list[Point] = field(default_factory=list)
    seq: int = 0
    newest: int = -1
    came: list[tuple[int, int]] = field(default_factory=list)
    """Version and arrival in microseconds."""
    wrong: list[str] = field(default_factory=list)

    def take(self, message: dict[str, Any], now: int) -> None:
        """Apply a message."""
        if message["type"] == "snapshot":
            self.points, self.seq, self.newest = message["points"], 0, message["version"]
        elif message["type"] == "revision":
            if message["seq"] != self.seq + 1:
                self.wrong.append(f"{self.key}: message {message['seq']} after {self.seq}")
            if message["version"] <= self.newest:
                self.wrong.append(f"{self.key}: version {message['version']} after {self.newest}")
            self.seq, self.newest = message["seq"], message["version"]
            self.came.append((self.newest, now))
            before = [item for item in self.points if item[0] is None or item[0] < message["start"]]
            for point in message["pieces"]:
                if not before or point[1] != before[-1][1]:
                    before.append(point)
            self.points = before
        elif message["type"] == "error":
            self.wrong.append(f"{self.key}: {message['message']}")


async def run_page(url: str, token: str, digest: str, charts: list[Follower], over: asyncio.Event) -> None:
    """Follow these charts on one socket until stopped."""
    headers = {"Authorization": f"Token {token}", "Origin": url.rstrip("/")}
    address = url.replace("http", "ws", 1) + "ws/live/"
    async with websockets.connect(address, additional_headers=headers, max_queue=None) as socket:
        for number, chart in enumerate(charts):
            subscription = {"type": "subscribe", "id": str(number), "node": digest, "key": chart.key}
            await socket.send(json.dumps(subscription))
        ended = asyncio.create_task(over.wait())
        while not ended.done():
            heard = asyncio.ensure_future(socket.recv())
            await asyncio.wait({heard, ended}, return_when=asyncio.FIRST_COMPLETED)
            if heard.done():
                message = json.loads(heard.result())
                if message.get("id") is not None:
                    charts[int(message["id"])].take(message, time.time_ns() // 1000)
            else:
                heard.cancel()


class Writing(threading.Thread):
    """Write a revision of every key ten times a second, as one batch of the node."""

    def __init__(self, filler: Filler, digest: str) -> None:
        super().__init__(daemon=True)
        self.filler, self.digest, self.over, self.frames = filler, digest, threading.Event(), 0
        self.begun = time.time_ns() // 1000
        self.took: list[float] = []

    def run(self) -> None:
        due = time.monotonic()
        while not self.over.is_set():
            started, now = time.monotonic(), time.time_ns() // 1000
            revisions = [
                [key, self.begun, now, None, [[now, (self.frames + offset) % 2 == 0]]]
                for offset, key in enumerate(KEYS)
            ]
            self.filler.say(self.digest, revisions, now - 30 * SECOND)
            self.frames += 1
            self.took.append(time.monotonic() - started)
            due = max(due + FRAME_S, time.monotonic())
            self.over.wait(due - time.monotonic())


def read_known_at(digest: str, key: str, api: Api) -> dict[int, int]:
    """Return when each version of a key became known."""
    answer = api.get(f"nodes/{digest}/revisions/", key=key, limit=1000)
    return {item["version"]: item["known_at"] for item in answer}


def compute_delays(charts: list[Follower], when: dict[str, dict[int, int]]) -> Iterator[float]:
    """Return the delay in ms of each revision that a chart had to learn."""
    for chart in charts:
        versions = np.array([version for version, _ in chart.came])
        times = np.array([at for _, at in chart.came])
        first = chart.came[0][0] if chart.came else 0
        for version, at in when[chart.key].items():
            positions = np.searchsorted(versions, version)
            if version >= first and positions < len(times):
                yield (times[positions] - at) / 1000


async def follow(
    stack: Stack, api: Api, digest: str, writing: Writing, pages: int, charts: int, seconds: float
) -> list[Follower]:
    """Follow with all pages while revisions are written."""
    over = asyncio.Event()
    followers = [
        [Follower(KEYS[(number + offset) % len(KEYS)]) for offset in range(charts)] for number in range(pages)
    ]
    tasks = [
        asyncio.create_task(run_page(stack.url, api.token, digest, page_followers, over))
        for page_followers in followers
    ]
    await asyncio.sleep(SETTLE_S)
    print_progress(f"{pages} pages are there; writing")
    writing.start()
    await asyncio.sleep(seconds)
    writing.over.set()
    await asyncio.sleep(SETTLE_S)
    over.set()
    await asyncio.gather(*tasks)
    return [item for page_followers in followers for item in page_followers]


def measure_processor_time(stack: Stack) -> float:
    """Return the CPU seconds of the web process."""
    process = psutil.Process(stack.pids()["web"])
    return sum(process.cpu_times()[:2])


def measure(stack: Stack, pages: int, charts: int, seconds: float) -> dict[str, Any]:
    api = add_user(stack, "ada")
    api.declare("player")
    plan = int(api.add_plan(build_rebuffering("player"))["id"])
    api.run(plan)
    digest = next(node["digest"] for node in api.get(f"plans/{plan}/")["nodes"] if node["kind"] == "bool")
    with Filler(stack) as filler:
        writing = Writing(filler, digest)
        filler.say(digest, [[key, writing.begun, None, None, [[None, False]]] for key in KEYS])
        before, started = measure_processor_time(stack), time.monotonic()
        followers = asyncio.run(follow(stack, api, digest, writing, pages, charts, seconds))
        used = (measure_processor_time(stack) - before) / (time.monotonic() - started)
        writing.join(10)
    problems = [words for follower in followers for words in follower.wrong]
    for follower in followers:
        true = api.get(f"nodes/{digest}/timeline/", key=follower.key)["points"]
        if [[p["t"], p["value"]] for p in true] != follower.points:
            problems.append(f"{follower.key}: what was folded is not what the server says")
    result = np.array(list(compute_delays(followers, {key: read_known_at(digest, key, api) for key in KEYS})))
    print_progress("; ".join(problems[:5]) or "nothing lost, nothing doubled")
    return {
        "pages": pages,
        "charts": len(followers),
        "revisions_per_s": round(writing.frames * len(KEYS) / seconds),
        "messages_per_s": round(sum(len(follower.came) for follower in followers) / seconds),
        "delay_ms_p50": round(float(np.percentile(result, 50))),
        "delay_ms_p95": round(float(np.percentile(result, 95))),
        "delay_ms_longest": round(float(result.max())),
        "wrong": len(problems),
        "web_cores": round(used, 2),
    }


def main() -> None:
    exit_on_sigterm()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--charts", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    os.environ["TIMELINE_QUOTAS"] = (
        f"sockets={arguments.pages},subscriptions={arguments.pages * arguments.charts}"
    )
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        Stack(Path(folder), demo=False, port=health.find_free_port(), engine=False) as stack,
    ):
        figures = measure(stack, arguments.pages, arguments.charts, arguments.seconds)
    print(json.dumps(figures))
    os._exit(1 if figures["wrong"] else 0)


if __name__ == "__main__":
    main()
