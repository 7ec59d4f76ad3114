"""`make bench-flood`: measure how `/healthz` answers while anonymous clients attack the web process.

The web process and Redis are real. Each attack runs for some seconds from 127.0.0.1, with up to 500 connections; a
healthy client requests `/healthz`, and another pushes events with a known token.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

from benchmarks.ending import exit_on_sigterm
from tests.browser.product import add_user
from workers.stack import Stack, health

BUDGET_MS = 200.0
CONNECTIONS = 500
HEADER_BYTES = 300 * 2**20
LOGINS_PER_S = 40
BODY_BYTES = 2_400_000
BODIES = 150


def print_progress(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


@dataclass
class FloodFigures:
    """What healthy clients saw during one attack."""

    health_ms: list[float] = field(default_factory=list)
    pushes: list[int] = field(default_factory=list)
    attack: dict[str, int] = field(default_factory=dict)

    def count(self, outcome: str) -> None:
        """Count the outcome of one more try of the attacker."""
        self.attack[outcome] = self.attack.get(outcome, 0) + 1

    def summary(self, grown: int) -> dict[str, Any]:
        """Return a summary; `grown` is the growth of the web process in bytes."""
        return {
            "healthz_p50_ms": round(float(np.median(self.health_ms)), 1),
            "healthz_max_ms": round(max(self.health_ms), 1),
            "pushes_taken": self.pushes.count(202) + self.pushes.count(200) + self.pushes.count(201),
            "pushes_refused": sum(status >= 400 for status in self.pushes),
            "memory_mib": round(grown / 2**20),
            "attack": self.attack,
        }


@dataclass(frozen=True)
class Target:
    """The web process under attack."""

    port: int
    token: str
    web: psutil.Process

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @contextlib.asynccontextmanager
    async def line(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """Open a connection of the attacker."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield reader, writer
        finally:
            writer.close()


Attack = Callable[[Target, FloodFigures], Awaitable[None]]


async def send_slow_requests(target: Target, figures: FloodFigures) -> None:
    """Send a header now and then and never the last one; reconnect when cut off."""
    with contextlib.suppress(ConnectionError):
        async with target.line() as (reader, writer):
            writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            while not reader.at_eof():
                writer.write(b"X: y\r\n")
                await writer.drain()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await reader.read(1000)
    figures.count("cut off")


async def send_endless_headers(target: Target, figures: FloodFigures) -> None:
    """Send headers of 300 MB."""
    sent = 0
    with contextlib.suppress(ConnectionError):
        async with target.line() as (_, writer):
            writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
            while sent < HEADER_BYTES:
                writer.write(b"x" * 2**18)
                await writer.drain()
                sent += 2**18
    figures.count("cut off" if sent < HEADER_BYTES else "taken")


async def send_slow_bodies(target: Target, figures: FloodFigures) -> None:
    """Send most of a body to the login page, then a byte now and then."""
    head = f"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {BODY_BYTES + 100}\r\n\r\n"
    with contextlib.suppress(ConnectionError):
        async with target.line() as (reader, writer):
            writer.write(head.encode() + b"x" * BODY_BYTES)
            await writer.drain()
            while not reader.at_eof():
                writer.write(b"x")
                await writer.drain()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        if b"413" in await reader.read(1000):
                            figures.count("too large")
    figures.count("cut off")


def log_in(address: Callable[[int], str]) -> Attack:
    """Try passwords of many names 40 times a second, from one address or from many."""

    async def attack(target: Target, figures: FloodFigures) -> None:
        async with httpx.AsyncClient(base_url=target.url, timeout=60) as client:
            page = (await client.get("/login/")).text
            token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[0]
            for number in range(10**6):
                form = {"username": f"name{number}", "password": "guess", "csrfmiddlewaretoken": token}
                headers = {"X-Forwarded-For": address(number)}
                task = asyncio.create_task(client.post("/login/", data=form, headers=headers))
                task.add_done_callback(lambda future: figures.count(_format_status(future)))
                await asyncio.sleep(1 / LOGINS_PER_S)

    return attack


def _format_status(task: asyncio.Task[httpx.Response]) -> str:
    if task.cancelled() or task.exception() is not None:
        return "no answer"
    return str(task.result().status_code)


async def do_nothing(_target: Target, _figures: FloodFigures) -> None:
    await asyncio.sleep(3600)


ATTACKS: dict[str, tuple[Attack, int]] = {
    "nothing": (do_nothing, 1),
    "500 slow connections": (send_slow_requests, CONNECTIONS),
    "headers of 300 MB": (send_endless_headers, 4),
    "150 slow bodies of 2.4 MB": (send_slow_bodies, BODIES),
    "40 logins/s from one address": (log_in(lambda _: "192.0.2.1"), 1),
    "40 logins/s from many addresses": (
        log_in(lambda number: f"198.18.{number // 250 % 250}.{number % 250}"),
        1,
    ),
}


async def ask_health(target: Target, figures: FloodFigures) -> None:
    """Request `/healthz` ten times a second, each time on a new connection."""
    while True:
        started = time.perf_counter()
        async with httpx.AsyncClient(base_url=target.url, timeout=60) as client:
            (await client.get("/healthz")).raise_for_status()
        figures.health_ms.append((time.perf_counter() - started) * 1_000)
        await asyncio.sleep(0.1)


async def push_events(target: Target, figures: FloodFigures) -> None:
    """Push an event four times a second."""
    headers = {"Authorization": f"Token {target.token}"}
    async with httpx.AsyncClient(base_url=target.url, timeout=60, headers=headers) as client:
        while True:
            now = int(time.time() * 1_000)
            event = {"session_id": "s", "t": now, "event_id": str(now), "player_state": "play"}
            figures.pushes.append(
                (await client.post("/api/streams/player/events/", json=[event])).status_code
            )
            await asyncio.sleep(0.25)


async def repeat_attack(attack: Attack, target: Target, figures: FloodFigures) -> None:
    """Repeat the attack whenever it ends."""
    while True:
        await attack(target, figures)
        await asyncio.sleep(0.05)


async def measure(target: Target, attack: Attack, times: int, seconds: float) -> dict[str, Any]:
    """Attack for some seconds with many clients."""
    figures, before = FloodFigures(), target.web.memory_info().rss
    healthy = [asyncio.create_task(work(target, figures)) for work in (ask_health, push_events)]
    attackers = [asyncio.create_task(repeat_attack(attack, target, figures)) for _ in range(times)]
    await asyncio.sleep(seconds)
    grown = target.web.memory_info().rss - before
    for task in attackers + healthy:
        task.cancel()
    ended = await asyncio.gather(*healthy, *attackers, return_exceptions=True)
    for problem in ended[:2]:
        if not isinstance(problem, asyncio.CancelledError):
            raise RuntimeError("a healthy client got no answer") from (
                problem if isinstance(problem, BaseException) else None
            )
    return figures.summary(grown)


def main() -> int:
    """Start, attack and report; fail if `/healthz` took longer than 200 ms."""
    exit_on_sigterm()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--only", choices=ATTACKS)
    chosen = parser.parse_args()
    os.environ["TIMELINE_PROXIES"] = "1"
    figures = {}
    with (
        tempfile.TemporaryDirectory(prefix="timelines-bench-") as folder,
        Stack(Path(folder), demo=False, port=health.find_free_port(), engine=False) as stack,
    ):
        ada = add_user(stack, "ada", streams=["player"])
        target = Target(stack.layout.web_port, ada.token, psutil.Process(stack.pids()["web"]))
        for name, (attack, times) in ATTACKS.items():
            if chosen.only in (None, name):
                figures[name] = asyncio.run(measure(target, attack, times, chosen.seconds))
                print_progress(f"{name}: {figures[name]}")
    print(json.dumps({"budget_ms": BUDGET_MS, **figures}))
    return int(any(row["healthz_max_ms"] > BUDGET_MS for row in figures.values()))


if __name__ == "__main__":
    sys.exit(main())
