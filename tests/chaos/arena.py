"""The product under test: the stack, a plan that runs on it, a client that pushes, a small disk, a clock."""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from tests.browser.product import Api, add_user, patiently, rebuffering
from tests.chaos.client import Pusher
from tests.chaos.places import Clock, Disk, say
from workers.stack import Stack, health

PLAN = rebuffering("player")
PATIENCE = 300.0
PACK = "32"
"""Batches that a pack has: few, so that feeds are packed while it lasts."""
LOCKER = (
    "import sqlite3, sys, time\n"
    "link = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)\n"
    "link.execute('BEGIN EXCLUSIVE')\n"
    "print('locked', flush=True)\n"
    "time.sleep(float(sys.argv[2]))\n"
)


class NotRecovered(AssertionError):
    """After a fault something did not come back."""


@dataclass
class Arena:
    """What faults are done to."""

    stack: Stack
    api: Api
    pusher: Pusher
    disk: Disk
    clock: Clock
    dice: random.Random
    pause: float
    placement: str
    plan: int = 0
    digests: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        """The data directory."""
        return self.stack.layout.data

    def process(self, name: str) -> psutil.Process:
        """A process of the stack, as soon as it runs."""
        while name not in (pids := self.stack.pids()):
            self.stack.tend()
            time.sleep(0.2)
        return psutil.Process(pids[name])

    def kill(self, name: str) -> None:
        """End a process as a crash would."""
        self.process(name).send_signal(signal.SIGKILL)

    def lock_database(self, seconds: float) -> None:
        """Nobody else writes for so long."""
        database = str(self.data / "timelines.sqlite3")
        with subprocess.Popen([sys.executable, "-c", LOCKER, database, str(seconds)]) as locker:
            locker.wait()

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """Ask the database, reading only."""
        link = sqlite3.connect(f"file:{self.data}/timelines.sqlite3?mode=ro", uri=True, timeout=30)
        try:
            return link.execute(statement).fetchall()
        finally:
            link.close()

    def queries(self) -> list[str]:
        """The names of the queries that are wanted."""
        return [
            name
            for (name,) in self.query("select name from web_query where desired = 'running' order by name")
        ]

    def probe(self, name: str) -> float:
        """An event of a key and a network of its own goes in; after how many seconds it is out of every node."""
        event = {"session_id": name, "event_id": name, "player_state": "play", "cdn": name}
        began = time.monotonic()
        self.pusher.add({**event, "t": time.time_ns() // 1_000_000})
        left = list(self.digests.values())
        while left := [digest for digest in left if not patiently(partial(self._has, digest, name))]:
            if time.monotonic() - began > PATIENCE:
                raise NotRecovered(f"after {PATIENCE:.0f} s {name} is not out of {self.standing(left)}")
            self.stack.tend()
            time.sleep(0.3)
        return time.monotonic() - began

    def _has(self, digest: str, key: str) -> bool:
        found = self.api.get(f"nodes/{digest}/keys/", search=key)
        return any(item["key"] == key for item in found)

    def standing(self, digests: list[str]) -> list[str]:
        """What nodes say of themselves."""
        words = dict(
            self.query("select node.digest, words from web_node node join web_query q on q.id = query_id")
        )
        return [f"{name} ({words.get(digest)})" for name, digest in self.digests.items() if digest in digests]


@contextmanager
def arena(data: Path, outside: Path, wanted: argparse.Namespace) -> Iterator[Arena]:
    """Everything runs as it was `wanted` on the command line; `outside` is a folder on another disk."""
    disk, clock = Disk(data, wanted.disk), Clock(outside)
    plain = dict(os.environ)
    os.environ |= {**clock.environment(), "TIMELINE_PACK": PACK}
    try:
        stack = Stack(data, demo=False, port=health.free_port(), tell=say)
        stack.start()
    finally:
        os.environ.clear()
        os.environ.update(plain)
    try:
        api = add_user(stack, "ada")
        api.declare("player")
        pusher = Pusher(api, wanted.seed, wanted.rate)
        found = Arena(
            stack, api, pusher, disk, clock, random.Random(wanted.seed), wanted.pause, wanted.placement
        )
        found.plan = api.add_plan(PLAN)["id"]
        api.call("POST", f"plans/{found.plan}/run/", {"placement": wanted.placement})
        found.digests = api.digests(found.plan)
        pusher.start()
        yield found
    finally:
        stack.stop()
