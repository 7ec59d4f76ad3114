"""The kinds of faults; each comes back when its cause is over, and what follows is the product's own affair."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.chaos.arena import Arena, NotRecovered
from tests.chaos.client import poisons
from timeline_app.storage.addresses import on_disk
from timeline_app.storage.places import Places
from workers.spark.checkpoint import newest

PROCESSES = ("spark", "worker", "beat", "publisher", "redis", "web")
JUMPS = (-7_200, -3_600, -60, 60, 3_600, 7_200)
Fault = Callable[[Arena], str]
"""Does it, and says in a few words what was done."""


def killing(name: str) -> Fault:
    """`kill -9` of a process."""

    def fault(arena: Arena) -> str:
        arena.kill(name)
        return f"killed {name}"

    return fault


def stop(arena: Arena) -> str:
    """A process stands still, and goes on."""
    name = arena.dice.choice(PROCESSES)
    process = arena.process(name)
    process.send_signal(signal.SIGSTOP)
    time.sleep(arena.pause)
    process.send_signal(signal.SIGCONT)
    return f"stopped {name} for {arena.pause:.0f} s"


def disk(arena: Arena) -> str:
    """Nothing can be written for a while."""
    with arena.disk.full():
        time.sleep(arena.pause / 2)
    return f"the disk was full for {arena.pause / 2:.0f} s"


def corrupt(arena: Arena) -> str:
    """The newest file of a checkpoint is torn while Spark is down."""
    names = arena.queries()
    arena.kill("spark")
    name, part = arena.dice.choice(names), arena.dice.choice(("offsets", "commits", "manifest", "metadata"))
    how = arena.dice.choice(("empty", "zeroed", "cut"))
    file = _newest_file(Places(arena.data), name, part)
    if file is None:
        return f"killed spark, {part} has no file to tear"
    whole = file.read_bytes()
    torn = {"empty": b"", "zeroed": b"\0" * len(whole), "cut": whole[: len(whole) // 2]}
    file.write_bytes(torn[how])
    node = next((node for node, digest in arena.digests.items() if digest == name), name[:8])
    return f"killed spark, {part}/{file.name} of {node} is {how}"


def _newest_file(places: Places, name: str, part: str) -> Path | None:
    if part == "metadata":
        return on_disk(places.checkpoint(name)) / part
    folder = places.feed(name) / "_spark_metadata" if part == "manifest" else places.checkpoint(name) / part
    number = newest(folder)
    return None if number is None else on_disk(folder) / str(number)


def poison(arena: Arena) -> str:
    """An event, or what somebody took for one, that is refused or harmless."""
    body = arena.dice.choice(poisons())
    status = arena.pusher.push(body, tries=50)
    if status == 202:
        arena.pusher.keep(body)
    if not 200 <= status < 500:
        raise NotRecovered(f"poison {body[:50]!r} is answered with {status} again and again")
    return f"poison {body[:50]!r}… was answered with {status}"


def lock(arena: Arena) -> str:
    """The database is locked."""
    arena.lock_database(arena.pause / 3)
    return f"the database was locked for {arena.pause / 3:.0f} s"


def clock(arena: Arena) -> str:
    """The clock of all processes jumps, and stays so."""
    seconds = arena.dice.choice(JUMPS)
    arena.clock.set(seconds)
    return f"the clock is {seconds:+d} s off"


FAULTS: Mapping[str, Fault] = {
    **{f"kill {name}": killing(name) for name in PROCESSES},
    "stop": stop,
    "full disk": disk,
    "corrupt checkpoint": corrupt,
    "poison event": poison,
    "locked database": lock,
    "clock jump": clock,
}


def possible(arena: Arena) -> list[str]:
    """The kinds that can be done here."""
    cannot = {"full disk"} if not arena.disk.small else set()
    cannot |= {"clock jump"} if not arena.clock.can_jump else set()
    return [name for name in FAULTS if name not in cannot]
