"""The product under test: the stack, a plan that runs on it, a client that pushes, a small disk, a clock."""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psutil

from tests.browser.product import Api, Event, add_user, ask_patiently, build_rebuffering
from tests.chaos.client import FileWriter, KeylessPusher, Pusher
from tests.chaos.database import Database, Postgres, Rows, SQLite
from tests.chaos.places import Clock, Disk, DiskPace, build_preload_environment, print_progress
from workers.stack import Stack, health

PLAN = build_rebuffering("player")
TIMEOUT_S = 300.0
BATCHES_PER_SEGMENT = "32"
"""Few, so that feeds are compacted during the run."""
OPERATORS = Path(__file__).with_name("operators")
SUPERVISORD_EVERY_S = 310.0
"""Wait this long between its kills: the stack rightly gives up if supervisord ends twice within five minutes."""
SINK_FOLDER = "chaos"
LOCKER = (
    "import sqlite3, sys, time\n"
    "link = sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None)\n"
    "link.execute('BEGIN EXCLUSIVE')\n"
    "print('locked', flush=True)\n"
    "time.sleep(float(sys.argv[2]))\n"
)


class NotRecovered(AssertionError):
    """Something did not recover after a fault."""


@dataclass
class Arena:
    """The product that faults are injected into."""

    stack: Stack
    api: Api
    pusher: Pusher
    keyless: KeylessPusher
    files: FileWriter
    disk: Disk
    clock: Clock
    pace: DiskPace
    database: Database
    environment: dict[str, str]
    dice: random.Random
    pause: float
    placement: str
    plan: int = 0
    digests: dict[str, str] = field(default_factory=dict)
    supervisord_killed_at: float = -SUPERVISORD_EVERY_S
    hungry: int = 0
    """How many plans have run out of memory."""

    @property
    def data(self) -> Path:
        """The data directory."""
        return self.stack.layout.data

    def process(self, name: str) -> psutil.Process:
        """Return a process of the stack, as soon as it runs."""
        while name not in (pids := self.stack.pids()):
            self.tend()
            time.sleep(0.2)
        return psutil.Process(pids[name])

    def kill(self, name: str) -> None:
        """Kill a process, as a crash would."""
        self.process(name).send_signal(signal.SIGKILL)

    def lock_database(self, seconds: float) -> None:
        """Block all other writers for a while."""
        database = str(self.data / "timelines.sqlite3")
        with subprocess.Popen([sys.executable, "-c", LOCKER, database, str(seconds)]) as locker:
            locker.wait()

    def tend(self) -> None:
        """Supervise the stack, as `make run` does; restarted processes get the same environment."""
        with use_environment(self.environment):
            self.stack.tend()

    def sent(self) -> list[Event]:
        """Return all events that were acknowledged, of every client."""
        return [*self.pusher.sent, *self.keyless.sent, *self.files.sent]

    def query(self, statement: str) -> Rows:
        """Query the database, read-only."""
        return self.database.query(statement)

    def queries(self) -> list[str]:
        """Return the names of the desired queries."""
        return [
            name
            for (name,) in self.query("select name from web_query where desired = 'running' order by name")
        ]

    def probe(self, name: str) -> float:
        """Push an event with its own key and network; return the seconds until every node shows it."""
        event = {"session_id": name, "event_id": name, "player_state": "play", "cdn": name}
        started = time.monotonic()
        self.pusher.add({**event, "t": time.time_ns() // 1_000_000})
        remaining = list(self.digests.values())
        while remaining := [
            digest for digest in remaining if not ask_patiently(partial(self._has, digest, name))
        ]:
            if time.monotonic() - started > TIMEOUT_S:
                raise NotRecovered(
                    f"after {TIMEOUT_S:.0f} s {name} is not out of {self.list_stopped_nodes(remaining)}"
                )
            self.tend()
            time.sleep(0.3)
        return time.monotonic() - started

    def _has(self, digest: str, key: str) -> bool:
        result = self.api.get(f"nodes/{digest}/keys/", search=key)
        return any(item["key"] == key for item in result)

    def list_stopped_nodes(self, digests: list[str]) -> list[str]:
        """Return the errors of stopped nodes."""
        words: dict[str, str] = dict(
            self.query("select node.digest, words from web_node node join web_query q on q.id = query_id")
        )
        return [f"{name} ({words.get(digest)})" for name, digest in self.digests.items() if digest in digests]


@contextmanager
def use_environment(more: dict[str, str]) -> Iterator[None]:
    """Set environment variables for processes that are started meanwhile."""
    plain = dict(os.environ)
    os.environ |= more
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(plain)


@contextmanager
def open_arena(data: Path, outside: Path, arguments: argparse.Namespace) -> Iterator[Arena]:
    """Start everything as `arguments` say; `outside` is a folder on another disk."""
    disk, clock, pace = Disk(data, arguments.disk), Clock(outside), DiskPace(outside)
    incoming = outside / "incoming"
    incoming.mkdir()
    with ExitStack() as ends:
        on_postgres = arguments.database == "postgresql"
        database: Database = ends.enter_context(Postgres()) if on_postgres else SQLite(data)
        more = {
            **build_preload_environment(clock, pace, data),
            "TIMELINE_BATCHES_PER_SEGMENT": BATCHES_PER_SEGMENT,
            "TIMELINE_SOURCE_FOLDERS": str(incoming),
            "TIMELINE_OPERATORS": str(OPERATORS),
            "DATABASE_URL": database.url,
        }
        with use_environment(more):
            stack = Stack(data, demo=False, port=health.find_free_port(), tell=print_progress)
            stack.start()
            ends.callback(stack.stop)
            api = add_user(stack, "ada")
        api.declare("player")
        pushers = (
            Pusher(api, arguments.seed, arguments.rate),
            KeylessPusher(api, arguments.seed, arguments.rate),
        )
        arena = Arena(
            stack, api, *pushers, FileWriter(incoming), disk, clock, pace, database, more,
            random.Random(arguments.seed), arguments.pause, arguments.placement,
        )  # fmt: skip
        _start_load(arena)
        yield arena


def _start_load(arena: Arena) -> None:
    """Run the plan, with a sink on one of its nodes and a source in front, and start all clients."""
    api = arena.api
    arena.plan = api.add_plan(PLAN)["id"]
    api.call("POST", f"plans/{arena.plan}/run/", {"placement": arena.placement})
    arena.digests = api.digests(arena.plan)
    sink = {"kind": "parquet", "delivers": "revisions", "options": {"folder": SINK_FOLDER, "every": 2}}
    api.call("POST", f"nodes/{arena.digests['cirr']}/sinks/", sink)
    arena.files.start()
    source = {"kind": "json_lines", "options": {"path": str(arena.files.folder), "pattern": "*.jsonl"}}
    api.call("PUT", "streams/player/source/", source)
    arena.pusher.start()
    arena.keyless.start()
