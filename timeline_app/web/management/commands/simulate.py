"""`manage.py simulate NAME`: simulated events of a demo, live over REST or into a file."""

from __future__ import annotations

import itertools
import json
import logging
import signal
import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection

from timeline_app.demos import Demo, load_demos
from timeline_app.problems.problem import suggest_nearest
from timeline_app.simulation.deliveries import Delivery
from timeline_app.simulation.door import Door, StreamGone
from timeline_app.simulation.sessions import OpenSessions
from timeline_app.web.models import Stream
from timeline_app.web.streams.selectors import list_running_plans
from timeline_app.web.workspace.demos import read_login

MAX_EVENTS_PER_BATCH = 5_000
ALL_DEMOS = "all"
DELETED_STREAM_RETRY_S = 60.0
"""Seconds between two checks for a deleted stream."""
USE_CHECK_INTERVAL_S = 5.0
"""Seconds between two checks for a running plan that reads the stream."""
MAX_EVENTS_WITHOUT_PLAN = 2_000
"""So many events a stream gets without such a plan: as many as a preview reads."""
log = logging.getLogger(__name__)
BATCH_INTERVAL_S = {True: 1.0, False: 4.0}
"""Seconds between two batches, by whether the demo's plan runs by default."""


class Command(BaseCommand):
    """Runs until SIGTERM, or writes a number of events into a file."""

    help = "Make up the events of a demo: live over the REST door, or into a file of JSON lines."
    requires_system_checks: list[str] = []  # noqa: RUF012

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "name", nargs="?", default="", help="the stream of a demo (--list says which); all with --live"
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--rate", type=float, help="events a second; each demo has its own default")
        sizes = parser.add_mutually_exclusive_group(required=True)
        sizes.add_argument("--list", action="store_true", help="say which demos there are, and what they ask")
        sizes.add_argument("--live", action="store_true", help="push over the REST door until stopped")
        sizes.add_argument("--events", type=int, help="how many events to write")
        parser.add_argument("--out", default="-", help="file for --events; - is standard output")
        parser.add_argument("--url", default="http://127.0.0.1:8000", help="where the product answers")
        parser.add_argument("--token", default="", help="default: the demo user's")
        parser.add_argument(
            "--while-used", action="store_true", help="rest while no running plan reads the stream"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["list"]:
            width = max(map(len, load_demos()))
            self.stdout.writelines(
                f"{name:<{width}}  {demo.question}\n" for name, demo in load_demos().items()
            )
            return
        chosen = (
            list(load_demos().values())
            if options["name"] == ALL_DEMOS and options["live"]
            else [find_demo(options["name"])]
        )
        if options["rate"] is not None and not 0 < options["rate"] <= 100_000:
            raise CommandError("--rate must lie between 0 and 100000 events a second.")
        if options["live"]:
            push_live(chosen, options)
        else:
            write(chosen[0], options)


def find_demo(name: str) -> Demo:
    """Return the demo of this name; suggest similar names."""
    if not name:
        raise CommandError(f"NAME is missing; {suggest_nearest(name, load_demos())}")
    if name not in load_demos():
        raise CommandError(f"There is no demo {name!r}; {suggest_nearest(name, load_demos())}")
    return load_demos()[name]


def write(demo: Demo, options: dict[str, Any]) -> None:
    """Write events as JSON lines."""
    if options["events"] < 1:
        raise CommandError("--events must be at least 1.")
    deliveries = demo.deliveries(seed=options["seed"], rate=options["rate"])
    lines = (json.dumps(item.event) + "\n" for item in itertools.islice(deliveries, options["events"]))
    if options["out"] == "-":
        sys.stdout.writelines(lines)
        return
    try:
        with Path(options["out"]).open("w") as file:
            file.writelines(lines)
    except OSError as why:
        raise CommandError(f"--out: {why}") from None


def push_live(chosen: list[Demo], options: dict[str, Any]) -> None:
    """Push until stopped, with a thread for each demo: a refused one does not block others."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    threads = [threading.Thread(target=push, args=(demo, options, stop)) for demo in chosen]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def push(demo: Demo, options: dict[str, Any], stop: threading.Event) -> None:
    """Push until stopped; while the stream is deleted or unused, check periodically whether that has changed."""
    door = Door(options["url"], demo.stream, lambda: options["token"] or read_login()["token"], stop)
    sessions = OpenSessions(demo.actor, Path(settings.TIMELINE_LOCAL) / f"simulated-{demo.stream}.json")
    used = UseCheck(demo.stream) if options.get("while_used") else None
    while not stop.is_set():
        try:
            if used is None or used():
                push_batches(demo, options, door, sessions, used)
            else:
                end_open_sessions(door, sessions)
                stop.wait(USE_CHECK_INTERVAL_S)
        except StreamGone:
            log.info("the stream %s is deleted; its simulator rests", demo.stream)
            stop.wait(DELETED_STREAM_RETRY_S)


class UseCheck:
    """Whether a running plan reads a stream, or it has too few events for a preview; checked every few seconds."""

    def __init__(self, stream: str) -> None:
        self._stream = stream
        self._due, self._answer = 0.0, True

    def __call__(self) -> bool:
        if time.monotonic() >= self._due:
            self._answer = self._check()
            self._due = time.monotonic() + USE_CHECK_INTERVAL_S
        return self._answer

    def _check(self) -> bool:
        """A deleted stream counts as used: the door says that it is gone."""
        try:
            stream = Stream.objects.filter(name=self._stream).first()
            has_few_events = stream is None or stream.events < MAX_EVENTS_WITHOUT_PLAN
            return has_few_events or bool(stream and list_running_plans(stream))
        except DatabaseError as why:
            log.warning("whether a plan reads the stream %s cannot be read: %s", self._stream, why)
            connection.close()
            return self._answer


def end_open_sessions(door: Door, sessions: OpenSessions) -> None:
    """Push the last event of each open session."""
    if (endings := sessions.endings()) and door.push(endings):
        sessions.clear()


def push_batches(
    demo: Demo, options: dict[str, Any], door: Door, sessions: OpenSessions, used: UseCheck | None
) -> None:
    """Push batches with pauses, during which it can stop; first end what an earlier run left open."""
    end_open_sessions(door, sessions)
    arriving = demo.deliveries(seed=options["seed"], rate=options["rate"], start=get_now_ms())
    first = next(arriving)
    while not door.stop.wait(BATCH_INTERVAL_S[demo.runs]) and (used is None or used()):
        batch, first = take_due(first, arriving)
        events = [item.event for item in batch]
        sessions.note(events)
        if events and not door.push(events):
            return


def take_due(first: Delivery, arriving: Iterator[Delivery]) -> tuple[list[Delivery], Delivery]:
    """Return what has arrived by now, and the first delivery after that."""
    until = get_now_ms()
    batch: list[Delivery] = []
    while first.at <= until and len(batch) < MAX_EVENTS_PER_BATCH:
        batch.append(first)
        first = next(arriving)
    return batch, first


def get_now_ms() -> int:
    return time.time_ns() // 1_000_000
